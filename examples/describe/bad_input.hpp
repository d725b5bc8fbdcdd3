// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace example {

/// A place in a text as people and editors count it: lines and characters (not bytes) from 1.
struct text_position {
    std::size_t line = 1;
    std::size_t column = 1;

    friend bool operator==(text_position const&, text_position const&) = default;
};

/// The place of the byte at `offset` in UTF-8 text whose lines end in LF, CR LF or CR.
inline text_position position_in(std::string_view text, std::size_t offset)
{
    text_position position;
    for (std::size_t i = 0; i < offset; ++i) {
        bool const ends_line = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
        bool const begins_character = (static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u;
        if (ends_line) {
            ++position.line;
            position.column = 1;
        } else if (begins_character) {
            ++position.column;
        }
    }
    return position;
}

/// A file that cannot be read, or does not hold what it should; names the place where there is one.
class bad_input : public std::runtime_error {
public:
    explicit bad_input(std::string const& message, std::optional<text_position> position = std::nullopt)
        : std::runtime_error(message), position_(position)
    {}

    std::optional<text_position> position() const { return position_; }

private:
    std::optional<text_position> position_;
};

/// The error with the name of the file, and the place where there is one, before it.
inline std::string with_position(std::string const& file, bad_input const& error)
{
    auto const position = error.position();
    auto const where = position ? ':' + std::to_string(position->line) + ':' + std::to_string(position->column) : "";
    return file + where + ": " + error.what();
}

} // namespace example
