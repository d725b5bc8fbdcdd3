// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csv.hpp"

#include "bad_input.hpp"
#include "csv_reader.hpp"
#include "on_all_ranks.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <tilewise/distributed/self.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

namespace example {
namespace {

using csv_record = std::vector<csv_field>;

bool is_missing(csv_field const& field)
{
    constexpr std::string_view words[] = {"", "-", "na", "n/a", "nan", "none", "null"};
    constexpr std::size_t longest = 4;
    if (field.raw.size() > longest || (!field.raw.empty() && field.raw.front() <= '9' && field.raw.front() >= '0')) {
        return false;
    }
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return std::equal(word.begin(), word.end(), field.raw.begin(), field.raw.end(),
                          [&](char a, char b) { return a == lower(b); });
    });
}

std::from_chars_result parse(std::string_view text, double& number)
{
    auto const* const last = text.data() + text.size();
    bool const has_plus = text.starts_with('+') && !text.starts_with("+-");
    auto const result = std::from_chars(text.data() + (has_plus ? 1 : 0), last, number);
    bool const is_whole_field = result.ec != std::errc::invalid_argument && result.ptr == last;
    if (is_whole_field && result.ec == std::errc::result_out_of_range) { // which says nothing of the direction
        double const nearest = std::strtod(std::string(text).c_str(), nullptr);
        if (std::isfinite(nearest)) { // 0 or subnormal
            number = nearest;
            return {last, std::errc{}};
        }
    }
    return {result.ptr, is_whole_field ? result.ec : std::errc::invalid_argument};
}

/// Whether the field is a number but for its commas: decimal ones, or those between thousands.
bool is_number_with_commas(csv_field const& field)
{
    constexpr std::size_t longest = 64;
    if (field.raw.size() > longest || field.raw.find(',') == field.raw.npos ||
        field.raw.find_first_of("0123456789") == field.raw.npos) {
        return false;
    }
    auto without = std::string(field.raw);
    std::erase(without, ',');
    double number;
    return parse(without, number).ec != std::errc::invalid_argument;
}

/// Whether the field is meant as a number; one with commas is, so that no other column is taken in its place unnoticed.
bool is_number(csv_field const& field)
{
    double number;
    return parse(field.raw, number).ec != std::errc::invalid_argument || is_number_with_commas(field);
}

bool is_header(csv_record const& record)
{
    return std::none_of(record.begin(), record.end(), is_number) &&
           !std::all_of(record.begin(), record.end(), is_missing);
}

/// What the first record says of the others, and where those begin.
struct csv_table {
    explicit csv_table(std::string_view whole) : text(whole), data(whole), past_first(whole)
    {
        csv_record record;
        past_first.read(record);
        width = record.size();
        if (is_header(record)) {
            for (auto const& field : record) {
                names.push_back(field.unquoted());
            }
            data = past_first;
        }
    }

    /// Reads the next record. Throws `bad_input` where it is not as long as the first.
    bool read(csv_reader& reader, csv_record& record) const
    {
        if (!reader.read(record)) {
            return false;
        }
        if (record.size() != width) {
            throw bad_input("fields in this line: " + std::to_string(record.size()) +
                                ", in the first: " + std::to_string(width),
                            position_in(text, record.front().offset));
        }
        return true;
    }

    /// Calls `visit` with each record of data until it returns false.
    template <class Visit>
    void for_each_record(Visit visit) const
    {
        auto reader = data;
        csv_record record;
        while (read(reader, record) && visit(record)) {
        }
    }

    std::string_view text;
    csv_reader data;
    csv_reader past_first; ///< for which a comment is another line than before the first record
    std::size_t width;
    std::vector<std::string> names; ///< empty when there is no header
};

/// The first column whose first field that is not missing is a number; the first of nothing but missing fields when
/// there is no such column.
std::size_t first_numeric_column(csv_table const& table)
{
    enum class kind { unknown, number, text };
    std::vector<kind> kinds(table.width, kind::unknown);
    auto const first_of = [&](auto... accepted) {
        return std::find_if(kinds.begin(), kinds.end(), [&](kind k) { return ((k == accepted) || ...); });
    };
    std::optional<text_position> first_text;
    table.for_each_record([&](csv_record const& record) {
        for (std::size_t i = 0; i < table.width; ++i) {
            if (kinds[i] == kind::unknown && !is_missing(record[i])) {
                kinds[i] = is_number(record[i]) ? kind::number : kind::text;
                if (kinds[i] == kind::text && !first_text) {
                    first_text = position_in(table.text, record[i].offset);
                }
            }
        }
        auto const candidate = first_of(kind::number, kind::unknown);
        return candidate != kinds.end() && *candidate == kind::unknown;
    });
    for (auto const accepted : {kind::number, kind::unknown}) {
        if (auto const found = first_of(accepted); found != kinds.end()) {
            return static_cast<std::size_t>(found - kinds.begin());
        }
    }
    throw bad_input("no column holds numbers; this is not a number", first_text);
}

/// A column without a name says how many there are: what was meant as a decimal comma would make two of one.
std::string label_of(csv_table const& table, std::size_t column)
{
    if (!table.names.empty()) {
        return "column \"" + table.names[column] + '"';
    }
    return "column " + std::to_string(column + 1) + (table.width > 1 ? " of " + std::to_string(table.width) : "");
}

std::string not_a_number(csv_field const& field)
{
    return in_quotes(field.unquoted()) + (is_number_with_commas(field)
                                              ? " has a comma: numbers have decimal points, and nothing "
                                                "between thousands"
                                              : " is not a number");
}

double number_in(csv_field const& field, std::string_view text)
{
    if (is_missing(field)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double number = 0;
    auto const error = parse(field.raw, number).ec;
    if (error == std::errc::result_out_of_range) {
        throw bad_input(in_quotes(field.unquoted()) + " is out of the range of f64", position_in(text, field.offset));
    }
    if (error != std::errc{}) {
        throw bad_input(not_a_number(field), position_in(text, field.offset));
    }
    return number;
}

/// What one rank has read of a column, from a place on where it took a record to begin.
struct column_part {
    std::size_t begin; ///< the first record, as this rank has it
    std::size_t end;   ///< the first record behind the slice
    std::vector<double> numbers;
    std::exception_ptr error; ///< of the record at which this rank stopped
};

/// The numbers in the records that begin in [begin, last).
column_part read_part(csv_table const& table, std::size_t column, std::size_t begin, std::size_t last)
{
    column_part part{begin, begin, {}, nullptr};
    auto reader = table.data;
    if (begin != reader.next_record()) {
        reader = table.past_first;
        reader.move_to(begin);
    }
    try {
        csv_record record;
        std::size_t reported = begin;
        while ((part.end = reader.next_record()) < last) {
            if (part.end - reported >= 1 << 16) {
                reading_progress::advance(part.end - reported);
                reported = part.end;
            }
            table.read(reader, record);
            part.numbers.push_back(number_in(record[column], table.text));
        }
        reading_progress::advance(part.end - reported);
    } catch (...) {
        part.error = std::current_exception();
    }
    return part;
}

/// The first record of the lines that begin at `offset` or later, unless a quoted field goes on there.
std::size_t guess_record(csv_table const& table, std::size_t offset)
{
    auto const first = csv_reader(table.data).next_record();
    if (offset <= first) {
        return first;
    }
    auto const line_end = table.text.find_first_of("\r\n", offset - 1);
    if (line_end == table.text.npos) {
        return table.text.size();
    }
    auto reader = table.past_first;
    reader.move_to(line_end + (table.text.substr(line_end, 2) == "\r\n" ? 2 : 1));
    return reader.next_record();
}

/// Where a rank's slice ends, and what it has read of it.
struct reading {
    std::size_t last, begin, end;
    bool has_failed;
};

/// This rank's part of a column, which are the records that begin in its slice.
///
/// No rank can determine alone where a record begins, since a line end may stand in a quoted field. So each guesses,
/// reads, and says where the first record behind its slice begins. That is right of the first rank; so it says whether
/// the guess of the next one was, and so on. The first whose was not reads again.
std::vector<double> read_slice(any_communicator& ranks, csv_table const& table, std::size_t column, slice own)
{
    auto part = read_part(table, column, guess_record(table, own.first), own.last);
    for (bool is_right = false; !is_right;) {
        auto const all = all_gathered(ranks, reading{own.last, part.begin, part.end, static_cast<bool>(part.error)});
        auto at = guess_record(table, 0);
        is_right = true;
        for (int rank = 0; is_right && rank < ranks.size(); ++rank) {
            auto const& each = all[static_cast<std::size_t>(rank)];
            bool const is_own = rank == ranks.rank();
            if (at >= each.last) { // a record of a rank before goes on past this slice, or ends the text
                if (is_own) {
                    part.numbers.clear();
                }
            } else if (at == each.begin) {
                if (each.has_failed) {
                    throw_first(ranks, is_own ? part.error : nullptr);
                }
                at = each.end;
            } else {
                is_right = false;
                if (is_own) {
                    part = read_part(table, column, at, own.last);
                }
            }
        }
    }
    return std::move(part.numbers);
}

} // namespace

number_column read_csv(any_communicator& ranks, std::string_view text, std::optional<std::string> const& wanted,
                       slice own)
{
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
        own.first -= std::min(own.first, byte_order_mark.size());
        own.last -= std::min(own.last, byte_order_mark.size());
    }
    on_all_ranks(ranks, [&] {
        if (auto const zero = text.substr(0, own.last).find('\0', own.first); zero != text.npos) {
            throw bad_input("is not text in UTF-8: it has a zero byte", position_in(text, zero));
        }
    });
    std::optional<csv_table> table;
    std::size_t column = 0;
    on_all_ranks(ranks, [&] { // all read what says it, mostly the first two records
        table.emplace(text);
        if (table->width > 0) {
            column = wanted ? find_column(*wanted, table->width, table->names) : first_numeric_column(*table);
        }
    });
    if (table->width == 0) {
        return {.label = {}, .type = "f64", .values = std::vector<double>{}};
    }
    return {
        .label = label_of(*table, column),
        .type = "f64",
        .values = read_slice(ranks, *table, column, own),
    };
}

number_column read_csv(std::string_view text, std::optional<std::string> const& wanted)
{
    tilewise::self_communicator self;
    communicator_reference alone(self);
    try {
        return read_csv(alone, text, wanted, {0, text.size()});
    } catch (failed_on_a_rank const& failed) {
        std::rethrow_exception(failed.error());
    }
}

} // namespace example
