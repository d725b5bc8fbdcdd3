// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace example {

/// The length in bytes of the character that begins UTF-8 text, if that is one to show: 0 for malformed text, for
/// control characters, for what turns the direction of writing, and for what XML forbids.
std::size_t shown_character(std::string_view text);

/// Text as a terminal, or XML, may have it: what is no character to show stands there as `\n`, `\t` or `\x1B`.
std::string printable(std::string_view text);

/// The text, or its beginning and `...` where it is longer than `most` bytes.
std::string shortened(std::string_view text, std::size_t most);

/// The text, shortened, between quotes.
inline std::string in_quotes(std::string_view text)
{
    return '\'' + shortened(text, 60) + '\'';
}

} // namespace example
