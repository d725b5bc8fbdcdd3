// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csv_reader.hpp"

#include "bad_input.hpp"

#include <algorithm>

namespace example {
namespace {

bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/// The separator of the record that begins `text`. The order of preference keeps decimal commas from passing as
/// separators unnoticed.
char detect_separator(std::string_view text)
{
    bool has_tab = false;
    bool has_semicolon = false;
    bool within_quotes = false;
    for (char const c : text) {
        within_quotes = within_quotes != (c == '"');
        if (!within_quotes) {
            if (ends_line(c)) {
                break;
            }
            has_tab = has_tab || c == '\t';
            has_semicolon = has_semicolon || c == ';';
        }
    }
    return has_tab ? '\t' : has_semicolon ? ';' : ',';
}

} // namespace

std::string csv_field::unquoted() const
{
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        text += raw[i];
        bool const is_first_of_two_quotes = is_quoted && raw[i] == '"';
        i += is_first_of_two_quotes ? 1u : 0u;
    }
    return text;
}

csv_reader::csv_reader(std::string_view text) : text_(text)
{
    skip_lines_without_data();
    separator_ = detect_separator(text_.substr(at_));
    blanks_ = separator_ == '\t' ? " " : " \t";
}

bool csv_reader::read(std::vector<csv_field>& record)
{
    record.clear();
    if (next_record() == text_.size()) {
        return false;
    }
    record.push_back(read_field());
    while (next() == separator_) {
        ++at_;
        record.push_back(read_field());
    }
    skip_line_end();
    width_ = width_ == 0 ? record.size() : width_;
    return true;
}

std::size_t csv_reader::next_record()
{
    skip_lines_without_data();
    return at_;
}

csv_field csv_reader::read_field()
{
    skip_blanks();
    if (next() == '"') {
        return read_quoted_field();
    }
    auto const first = at_;
    while (next() != separator_ && !ends_line(next())) {
        ++at_;
    }
    auto const raw = text_.substr(first, at_ - first);
    return {raw.substr(0, raw.find_last_not_of(blanks_) + 1), first, false};
}

csv_field csv_reader::read_quoted_field()
{
    auto const opening_quote = at_;
    auto const first = opening_quote + 1;
    auto end = text_.find('"', first);
    while (end != text_.npos && text_.substr(end + 1, 1) == "\"") {
        end = text_.find('"', end + 2);
    }
    if (end == text_.npos) {
        throw bad_input("this quote is never closed", position_in(text_, opening_quote));
    }
    at_ = end + 1;
    skip_blanks();
    if (next() != separator_ && !ends_line(next())) {
        throw bad_input("the field goes on after its closing quote", position_in(text_, at_));
    }
    return {text_.substr(first, end - first), opening_quote, true};
}

void csv_reader::skip_blanks()
{
    at_ = std::min(text_.find_first_not_of(blanks_, at_), text_.size());
}

void csv_reader::skip_line_end()
{
    auto const length = text_.substr(at_, 2) == "\r\n" ? 2u : 1u;
    at_ = std::min(at_ + length, text_.size());
}

bool csv_reader::is_comment() const
{
    if (text_[at_] != '#') {
        return false;
    }
    std::size_t fields = 1;
    bool within_quotes = false, may_open = false; // only the first character of a field can be an opening quote
    for (auto i = at_; width_ > 1 && i < text_.size() && !ends_line(text_[i]); ++i) {
        char const c = text_[i];
        bool const separates = !within_quotes && c == separator_;
        fields += separates ? 1u : 0u;
        within_quotes = within_quotes ? c != '"' : may_open && c == '"';
        may_open = separates || (may_open && blanks_.find(c) != blanks_.npos);
    }
    return width_ <= 1 || fields != width_;
}

void csv_reader::skip_lines_without_data()
{
    while (at_ < text_.size()) {
        auto const after_spaces = std::min(text_.find_first_not_of(' ', at_), text_.size());
        bool const is_blank = after_spaces == text_.size() || ends_line(text_[after_spaces]);
        if (!is_blank && !is_comment()) {
            return;
        }
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
        skip_line_end();
    }
}

} // namespace example
