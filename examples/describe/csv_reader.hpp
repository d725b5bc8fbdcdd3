// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// One field of a line, without the blanks around it and without its quotes; refers to the text.
struct csv_field {
    std::string_view raw; ///< within quotes, a quote stands here twice, as in the file
    std::size_t offset;   ///< of the field's first character, which may be its quote, in the text
    bool is_quoted;

    std::string unquoted() const;
};

/// Splits text into records by RFC 4180, except that lines may end in LF, CR LF or CR, that blank lines and comments
/// are skipped, that blanks around fields do not count, and that a quote within an unquoted field is an ordinary
/// character. Comments are lines that begin with #, but after the first record not those that have as many fields as
/// it, if these are two or more: they are records. Fields are separated by tabs if there is one in the first record,
/// else by semicolons if there is one, else by commas. A byte order mark is not part of the text: remove it first.
class csv_reader {
public:
    explicit csv_reader(std::string_view text);

    /// Reads the next record, if there is one, over the last. Throws `bad_input` for a quoted field that never ends, or
    /// goes on after its quote.
    bool read(std::vector<csv_field>& record);

    /// Where the next record begins; the text's size where there is none.
    std::size_t next_record();

    /// Goes on with the line that begins at `offset`. It has to be outside quotes.
    void move_to(std::size_t offset) { at_ = offset; }

private:
    csv_field read_field();
    csv_field read_quoted_field();
    void skip_blanks();
    void skip_line_end();
    void skip_lines_without_data();
    bool is_comment() const;
    char next() const { return at_ < text_.size() ? text_[at_] : '\n'; }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string_view blanks_; ///< what does not count around a field
    char separator_;
    std::size_t width_ = 0; ///< fields of the first record, once it is read
};

} // namespace example
