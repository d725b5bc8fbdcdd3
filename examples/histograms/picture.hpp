// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../describe/bad_input.hpp"
#include "../describe/gpu.hpp"
#include "../describe/input_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace example {

/// A picture, grey or in colour.
struct picture {
    int width = 0, height = 0;
    int channels = 1;                    ///< values of a pixel: 1, or red, green and blue
    int largest = 255;                   ///< value, at most 65535
    shared_vector<std::uint16_t> values; ///< row by row from the top

    friend bool operator==(picture const&, picture const&) = default;
};

/// Takes the next number from the head of a file: after blanks, and comments from # to the end of the line.
inline int next_number(std::string_view& text, int least, int most)
{
    constexpr std::string_view blanks = " \t\r\n\v\f";
    for (auto first = text.find_first_not_of(blanks);; first = text.find_first_not_of(blanks)) {
        text.remove_prefix(first == text.npos ? text.size() : first);
        if (!text.starts_with('#')) {
            break;
        }
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    int number = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < least || number > most) {
        throw bad_input("the head of a picture has a number from " + std::to_string(least) + " to " +
                        std::to_string(most) + " where this has something else");
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// Reads a binary PGM or PPM file (P5 or P6), whose values have one byte or two. Throws `bad_input` for anything else.
/// https://netpbm.sourceforge.net/doc/pgm.html
inline picture read_picture(std::string const& name)
{
    input_file const file(name);
    auto text = file.text();
    if (!text.starts_with("P5") && !text.starts_with("P6")) {
        throw bad_input("a picture begins with P5 or P6, " + name + " does not");
    }
    picture result;
    result.channels = text[1] == '5' ? 1 : 3;
    text.remove_prefix(2);
    result.width = next_number(text, 1, 1'000'000);
    result.height = next_number(text, 1, 1'000'000);
    result.largest = next_number(text, 1, 65535);
    text.remove_prefix(text.empty() ? 0 : 1); // one blank

    auto const count = static_cast<std::size_t>(result.width) * static_cast<std::size_t>(result.height) *
                       static_cast<std::size_t>(result.channels);
    std::size_t const size = result.largest < 256 ? 1 : 2;
    if (text.size() / size < count) {
        throw bad_input(name + " ends before its last row");
    }
    result.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto const byte = [&](std::size_t position) { return static_cast<unsigned char>(text[size * i + position]); };
        result.values[i] = static_cast<std::uint16_t>(size == 1 ? byte(0) : byte(0) * 256 + byte(1));
        if (result.values[i] > result.largest) {
            throw bad_input(name + " has values above its largest");
        }
    }
    return result;
}

/// Throws `bad_input` if the file cannot be written.
inline void write_picture(picture const& p, std::string const& name)
{
    std::string text = p.channels == 1 ? "P5" : "P6";
    for (int const number : {p.width, p.height, p.largest}) {
        text += '\n' + std::to_string(number);
    }
    text += '\n';
    for (auto const value : p.values) {
        if (p.largest >= 256) {
            text += static_cast<char>(value >> 8);
        }
        text += static_cast<char>(value & 255);
    }
    std::ofstream out(name, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
        throw bad_input("cannot write " + name);
    }
}

} // namespace example
