// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text that several ranks read, each its slice, has the numbers and the errors that it has for one.

#include "../bad_input.hpp"
#include "../csv.hpp"
#include "../on_all_ranks.hpp"

#include <tilewise/distributed/threads.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace example;

/// The column's label, and its numbers as bits, or the error with its place.
struct outcome {
    std::string label_or_error;
    std::vector<std::uint64_t> numbers;

    friend bool operator==(outcome const&, outcome const&) = default;
};

outcome outcome_of(std::function<number_column()> const& read)
{
    try {
        auto const column = read();
        outcome result{column.label, {}};
        for (double const number : std::get<std::vector<double>>(column.values)) {
            result.numbers.push_back(std::bit_cast<std::uint64_t>(number));
        }
        return result;
    } catch (bad_input const& error) {
        return {with_position("", error), {}};
    } catch (failed_on_a_rank const& failed) {
        return outcome_of([&]() -> number_column { std::rethrow_exception(failed.error()); });
    }
}

std::ostream& operator<<(std::ostream& out, outcome const& printed)
{
    out << printed.label_or_error;
    for (auto const number : printed.numbers) {
        out << ' ' << std::bit_cast<double>(number);
    }
    return out;
}

/// What ranks read whose slices end at `ends`; an error is that of each.
outcome read_in_slices(std::string const& text, std::vector<std::size_t> const& ends,
                       std::optional<std::string> const& wanted = std::nullopt)
{
    std::vector<outcome> parts(ends.size());
    tilewise::thread_communicator::run(static_cast<int>(ends.size()),
                                       [&](tilewise::thread_communicator& communicator) {
                                           communicator_reference ranks(communicator);
                                           auto const rank = static_cast<std::size_t>(ranks.rank());
                                           slice const own{rank == 0 ? 0 : ends[rank - 1], ends[rank]};
                                           parts[rank] = outcome_of([&] { return read_csv(ranks, text, wanted, own); });
                                       },
                                       {.timeout = std::chrono::seconds(60)});
    auto all = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
        EXPECT_EQ(parts[i].label_or_error, all.label_or_error);
        all.numbers.insert(all.numbers.end(), parts[i].numbers.begin(), parts[i].numbers.end());
    }
    return all;
}

class csv_slices : public testing::Test {
protected:
    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

    std::vector<std::size_t> random_ends(std::size_t size)
    {
        std::vector<std::size_t> ends(1 + below(6));
        for (auto& end : ends) {
            end = below(size + 1);
        }
        ends.push_back(size);
        std::sort(ends.begin(), ends.end());
        return ends;
    }

    void expect_as_one(std::string const& text, std::optional<std::string> const& wanted = std::nullopt)
    {
        auto const ends = random_ends(text.size());
        EXPECT_EQ(read_in_slices(text, ends, wanted), outcome_of([&] { return read_csv(text, wanted); }))
            << testing::PrintToString(text) << ' ' << testing::PrintToString(ends);
    }

    std::mt19937 random_{20250917};
};

TEST_F(csv_slices, of_any_characters_are_read_as_by_one)
{
    std::string const characters("1123,,\n\n\n\"\"\r# x;\t\0", 18);
    for (int i = 0; i < 1000; ++i) {
        std::string text = below(2) == 0 ? "" : "a,b\n";
        for (auto length = below(40); length > 0; --length) {
            text += characters[below(below(8) == 0 ? characters.size() : 17)];
        }
        expect_as_one(text);
    }
}

TEST_F(csv_slices, of_quoted_fields_and_comments_are_read_as_by_one)
{
    std::vector<std::string> const first = {"n",         "\"two\nlines\"", "\"a \"\"\n1,2\n\"\"\"", "\"\n\n\n\"",
                                            "\"1,2\n\"", "5\" pipe",       "\"# no, comment\""};
    std::vector<std::string> const second = {"1", "2.5", " 3 ", "", "NA", "\"4\""};
    std::vector<std::string> const between = {"", "", "", "# a \"remark\n", "\n \n", "# \"\n", "#,\n"};
    for (int i = 0; i < 500; ++i) {
        std::string text = below(2) == 0 ? "\xEF\xBB\xBF" : "";
        std::string const end = below(2) == 0 ? "\r\n" : "\n";
        text += below(2) == 0 ? "\"the\nname\",x" + end : "";
        for (auto records = below(12); records > 0; --records) {
            text += between[below(between.size())] + first[below(first.size())] + ',' + second[below(second.size())];
            text += below(30) == 0 ? "x" : "";
            text += records > 1 || below(2) == 0 ? end : "";
        }
        expect_as_one(text, "2");
    }
}

TEST_F(csv_slices, that_no_record_begins_in_are_empty)
{
    std::string const text = "n,x\n\"1,1\n2,2\n3,3\n\",4\n5,6\n";
    for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
            auto const numbers = read_in_slices(text, {first, second, text.size()}, "x").numbers;
            EXPECT_EQ(numbers, (std::vector{std::bit_cast<std::uint64_t>(4.0), std::bit_cast<std::uint64_t>(6.0)}))
                << first << ' ' << second;
        }
    }
}

TEST_F(csv_slices, name_the_first_error_by_the_line_of_the_text)
{
    std::string text = "x\n";
    for (int i = 0; i < 30; ++i) {
        text += i == 17 ? "z\n" : i == 25 ? "y\n" : "1\n";
    }
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        EXPECT_EQ(read_in_slices(text, {cut / 2, cut, text.size()}).label_or_error, ":19:1: 'z' is not a number");
    }
    EXPECT_EQ(read_in_slices("x\ny\n1\n", {3, 6}).label_or_error,
              ":2:1: no column holds numbers; this is not a number");
    std::string const zeros("x\n1\n\0\n1\n\0\n1\n", 12);
    for (int i = 0; i < 20; ++i) { // threads may come to them in either order
        EXPECT_EQ(read_in_slices(zeros, {2, 6, 10, 12}).label_or_error,
                  ":3:1: is not text in UTF-8: it has a zero byte");
    }
}

} // namespace
