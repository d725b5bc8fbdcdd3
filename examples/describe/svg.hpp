// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bad_input.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <cstdio>
#include <string>
#include <string_view>

namespace example {

/// Text as XML has it.
inline std::string escaped(std::string_view text)
{
    std::string result;
    for (char const c : printable(text)) {
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        default:
            result += c;
        }
    }
    return result;
}

/// A number with as many digits as it needs, up to 10.
inline std::string short_text(double number)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", number);
    return text;
}

/// A drawing of boxes and words. Places are in pixels, from the upper left corner.
class svg_drawing {
public:
    svg_drawing(int width, int height, std::string_view title)
        : text_("<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) + attribute("height", height) +
                " font-family=\"sans-serif\" font-size=\"12\">\n<title>" + escaped(title) +
                "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n")
    {}

    /// `hint` is shown when the pointer rests on the box.
    void box(double x, double y, double width, double height, std::string_view colour, std::string_view hint)
    {
        text_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
                 attribute("height", height) + " fill=\"" + escaped(colour) + "\"><title>" + escaped(hint) +
                 "</title></rect>\n";
    }

    /// Words that begin at a place, or lie around it ("middle"), or end there ("end").
    void words(double x, double y, std::string_view words, std::string_view anchor = "start")
    {
        text_ += "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + escaped(anchor) + "\">" +
                 escaped(words) + "</text>\n";
    }

    /// Throws `bad_input` if the file cannot be written.
    void write(std::string const& file) const
    {
        if (!replace_file(file, text_ + "</svg>\n")) {
            throw bad_input("cannot write " + file);
        }
    }

private:
    static std::string attribute(char const* name, double value)
    {
        return std::string(" ") + name + "=\"" + short_text(value) + '"';
    }

    std::string text_;
};

} // namespace example
