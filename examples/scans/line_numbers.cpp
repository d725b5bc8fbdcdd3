// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a file on which a word stands. Every byte of the file gets its line's number, which is one more than the
// number of line ends before it: an exclusive scan over bytes, from 1 on, with results wider than what is counted.

#include "../describe/input_file.hpp"
#include "everywhere.hpp"

#include <tilewise/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace {

using namespace example;

struct ends_line {
    constexpr std::int64_t operator()(unsigned char byte) const { return byte == '\n' ? 1 : 0; }
};

/// The number of every byte's line.
template <class Policy>
shared_vector<std::int64_t> line_numbers(Policy const& policy, shared_vector<unsigned char> const& bytes)
{
    shared_vector<std::int64_t> numbers(bytes.size());
    tilewise::transform_exclusive_scan(policy, bytes, numbers.begin(), std::int64_t{1}, std::plus<>{}, ends_line{});
    return numbers;
}

shared_vector<std::int64_t> line_numbers_by_a_loop(std::string_view text)
{
    shared_vector<std::int64_t> numbers;
    std::int64_t line = 1;
    for (char const c : text) {
        numbers.push_back(line);
        line += c == '\n' ? 1 : 0;
    }
    return numbers;
}

std::string_view line_around(std::string_view text, std::size_t position)
{
    auto const first = position == 0 ? 0 : text.rfind('\n', position - 1) + 1; // npos + 1 is 0
    return text.substr(first, text.find('\n', position) - first);
}

} // namespace

int main(int argc, char** argv)
try {
    input_file const file(argc > 1 ? argv[1] : "LICENSE");
    std::string_view const text = file.text(), word = argc > 2 ? argv[2] : "patent";
    shared_vector<unsigned char> const bytes(text.begin(), text.end());

    auto const numbers = line_numbers(tilewise::par, bytes);
    std::map<std::int64_t, std::string_view> lines;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        lines.emplace(numbers[at], line_around(text, at));
    }
    for (auto const& [number, line] : lines) {
        std::printf("%4lld: %.*s\n", static_cast<long long>(number), static_cast<int>(line.size()), line.data());
    }
    std::printf("%zu lines with \"%.*s\"\n", lines.size(), static_cast<int>(word.size()), word.data());

    auto const expected = line_numbers_by_a_loop(text);
    return check_everywhere([&](auto const& policy) { return line_numbers(policy, bytes) == expected; });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
