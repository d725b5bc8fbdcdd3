// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csv.hpp"

#include "bad_input.hpp"
#include "csv_reader.hpp"
#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

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
    explicit csv_table(std::string_view whole) : text(whole), data(whole)
    {
        csv_reader reader(whole);
        csv_record record;
        reader.read(record);
        width = record.size();
        if (is_header(record)) {
            for (auto const& field : record) {
                names.push_back(field.unquoted());
            }
            data = reader;
        }
    }

    /// Calls `visit` with each record of data until it returns false.
    template <class Visit>
    void for_each_record(Visit visit) const
    {
        auto reader = data;
        csv_record record;
        while (reader.read(record)) {
            if (record.size() != width) {
                throw bad_input("fields in this line: " + std::to_string(record.size()) +
                                    ", in the first: " + std::to_string(width),
                                place_in(text, record.front().offset));
            }
            if (!visit(record)) {
                return;
            }
        }
    }

    std::string_view text;
    csv_reader data;
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
    std::optional<text_place> first_text;
    table.for_each_record([&](csv_record const& record) {
        for (std::size_t i = 0; i < table.width; ++i) {
            if (kinds[i] == kind::unknown && !is_missing(record[i])) {
                kinds[i] = is_number(record[i]) ? kind::number : kind::text;
                if (kinds[i] == kind::text && !first_text) {
                    first_text = place_in(table.text, record[i].offset);
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
    return quoted(field.unquoted()) + (is_number_with_commas(field)
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
        throw bad_input(quoted(field.unquoted()) + " is out of the range of f64", place_in(text, field.offset));
    }
    if (error != std::errc{}) {
        throw bad_input(not_a_number(field), place_in(text, field.offset));
    }
    return number;
}

} // namespace

number_column read_csv(std::string_view text, std::optional<std::string> const& wanted)
{
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    if (auto const zero = text.find('\0'); zero != text.npos) {
        throw bad_input("is not text in UTF-8: it has a zero byte", place_in(text, zero));
    }
    csv_table const table(text);
    if (table.width == 0) {
        return {.label = {}, .type = "f64", .values = std::vector<double>{}};
    }
    auto const column = wanted ? find_column(*wanted, table.width, table.names) : first_numeric_column(table);
    std::vector<double> numbers;
    table.for_each_record([&](csv_record const& record) {
        numbers.push_back(number_in(record[column], text));
        return true;
    });
    return {
        .label = label_of(table, column),
        .type = "f64",
        .values = std::move(numbers),
    };
}

} // namespace example
