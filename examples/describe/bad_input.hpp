// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace example {

/// A place in a text as people and editors count it: lines and characters (not bytes) from 1.
struct text_place {
    std::size_t line = 1;
    std::size_t column = 1;

    friend bool operator==(text_place const&, text_place const&) = default;
};

/// The place of the byte at `offset` in UTF-8 text whose lines end in LF, CR LF or CR.
inline text_place place_in(std::string_view text, std::size_t offset)
{
    text_place place;
    for (std::size_t i = 0; i < offset; ++i) {
        bool const ends_line = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
        bool const begins_character = (static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u;
        if (ends_line) {
            ++place.line;
            place.column = 1;
        } else if (begins_character) {
            ++place.column;
        }
    }
    return place;
}

/// A file that cannot be read, or does not hold what it should; names the place where there is one.
class bad_input : public std::runtime_error {
public:
    explicit bad_input(std::string const& message, std::optional<text_place> place = std::nullopt)
        : std::runtime_error(message), place_(place)
    {}

    std::optional<text_place> place() const { return place_; }

private:
    std::optional<text_place> place_;
};

/// The error with the name of the file, and the place where there is one, before it.
inline std::string with_place(std::string const& file, bad_input const& error)
{
    auto const place = error.place();
    auto const where = place ? ':' + std::to_string(place->line) + ':' + std::to_string(place->column) : "";
    return file + where + ": " + error.what();
}

} // namespace example
