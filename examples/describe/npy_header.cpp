// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy_header.hpp"

#include "bad_input.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace example {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::string_view blanks = " \t\n\r\f";

/// Parses what NumPy writes: the Python literal of a dictionary of strings, truth values and tuples of integers.
class dictionary_parser {
public:
    explicit dictionary_parser(std::string_view text) : rest_(text) {}

    npy_header parse()
    {
        npy_header header;
        bool has_type = false;
        bool has_order = false;
        bool has_shape = false;
        expect('{');
        while (!skip('}')) {
            auto const key = quoted();
            expect(':');
            if (key == "descr") {
                header.type = next() == '[' ? bracketed() : quoted();
                has_type = !header.type.empty();
            } else if (key == "fortran_order") {
                header.fortran_order = truth_value();
                has_order = true;
            } else if (key == "shape") {
                header.shape = tuple();
                has_shape = true;
            } else {
                throw bad_input("damaged .npy header: unknown key '" + std::string(key) + "'");
            }
            if (!skip(',')) {
                expect('}');
                break;
            }
        }
        if (!has_type || !has_order || !has_shape || next() != '\0') {
            fail();
        }
        return header;
    }

private:
    [[noreturn]] static void fail()
    {
        throw bad_input("damaged .npy header: not a dictionary of descr, fortran_order and shape");
    }

    char next()
    {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
        return rest_.empty() ? '\0' : rest_.front();
    }

    bool skip(char c)
    {
        if (next() != c) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char c)
    {
        if (!skip(c)) {
            fail();
        }
    }

    std::string_view take(std::size_t count)
    {
        auto const taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    std::string_view quoted_until(char quote)
    {
        expect(quote);
        auto const end = rest_.find(quote);
        if (end == rest_.npos) {
            fail();
        }
        auto const inside = take(end);
        expect(quote);
        return inside;
    }

    std::string_view quoted() { return quoted_until(next() == '"' ? '"' : '\''); }

    std::string_view bracketed()
    {
        int depth = 0;
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            depth += int{rest_[i] == '['} - int{rest_[i] == ']'};
            if (depth == 0) {
                return take(i + 1);
            }
        }
        fail();
    }

    bool truth_value()
    {
        bool const value = next() == 'T';
        std::string_view const word = value ? "True" : "False";
        if (!rest_.starts_with(word)) {
            fail();
        }
        take(word.size());
        return value;
    }

    std::vector<std::size_t> tuple()
    {
        std::vector<std::size_t> numbers;
        expect('(');
        while (!skip(')')) {
            std::size_t number = 0;
            next();
            auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            if (error != std::errc{}) {
                fail();
            }
            take(static_cast<std::size_t>(end - rest_.data()));
            numbers.push_back(number);
            if (!skip(',')) {
                expect(')');
                break;
            }
        }
        return numbers;
    }

    std::string_view rest_;
};

std::size_t little_endian(std::string_view bytes)
{
    std::size_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        number |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return number;
}

} // namespace

npy_header read_npy_header(std::string_view file)
{
    if (!file.starts_with(magic)) {
        throw bad_input("is not an .npy file: it does not begin with \\x93NUMPY");
    }
    auto const version = file.substr(magic.size(), 2);
    if (version.size() == 2 && (version[0] < 1 || version[0] > 3 || version[1] != 0)) {
        throw bad_input(".npy format " + std::to_string(version[0]) + '.' + std::to_string(version[1]) +
                        " is unknown; 1.0, 2.0 and 3.0 are known");
    }
    // The length of the dictionary takes two bytes in format 1.0, four since.
    auto const length_at = magic.size() + 2;
    auto const dictionary_at = length_at + (version == std::string_view("\1\0", 2) ? 2 : 4);
    if (file.size() < dictionary_at) {
        throw bad_input("truncated within the .npy header");
    }
    auto const length = little_endian(file.substr(length_at, dictionary_at - length_at));
    if (file.size() - dictionary_at < length) {
        throw bad_input("truncated within the .npy header");
    }
    auto header = dictionary_parser(file.substr(dictionary_at, length)).parse();
    header.size = dictionary_at + length;
    return header;
}

} // namespace example
