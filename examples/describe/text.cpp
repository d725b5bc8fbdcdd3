// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.hpp"

#include <algorithm>
#include <cstdio>

namespace example {
namespace {

bool is_between(char32_t code, char32_t first, char32_t last)
{
    return first <= code && code <= last;
}

bool continues_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

} // namespace

std::size_t shown_character(std::string_view text)
{
    if (text.empty()) {
        return 0;
    }
    auto const first = static_cast<unsigned char>(text.front());
    if (first < 0x80) {
        return first >= 0x20 && first != 0x7F ? 1 : 0;
    }
    std::size_t const size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < size ||
        !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size), continues_character)) {
        return 0;
    }
    char32_t code = first & (0x7Fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    }
    constexpr char32_t least[] = {0x80, 0x800,
                                  0x10000}; // of each size: what is written longer than it must be is not UTF-8
    bool const is_malformed = code < least[size - 2] || is_between(code, 0xD800, 0xDFFF) || code > 0x10FFFF;
    bool const is_control = is_between(code, 0x80, 0x9F) || is_between(code, 0x2028, 0x202E) ||
                            is_between(code, 0x2066, 0x2069) || is_between(code, 0xFFFE, 0xFFFF);
    return is_malformed || is_control ? 0 : size;
}

std::string printable(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        auto const size = shown_character(text);
        if (size != 0) {
            result += text.substr(0, size);
        } else if (text.front() == '\n') {
            result += "\\n";
        } else if (text.front() == '\t') {
            result += "\\t";
        } else {
            char code[8];
            std::snprintf(code, sizeof code, "\\x%02X",
                          static_cast<unsigned>(static_cast<unsigned char>(text.front())));
            result += code;
        }
        text.remove_prefix(size != 0 ? size : 1);
    }
    return result;
}

std::string shortened(std::string_view text, std::size_t most)
{
    if (text.size() <= most) {
        return std::string(text);
    }
    while (most > 0 && continues_character(text[most])) {
        --most;
    }
    return std::string(text.substr(0, most)) + "...";
}

} // namespace example
