// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../csv.hpp"

#include "../bad_input.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

using namespace example;

std::vector<double> numbers_in(std::string_view text, std::optional<std::string> const& wanted = std::nullopt)
{
    return std::get<std::vector<double>>(read_csv(text, wanted).values);
}

std::string label_in(std::string_view text, std::optional<std::string> const& wanted = std::nullopt)
{
    return read_csv(text, wanted).label;
}

/// The error as `LINE:COLUMN: message`, or `message` when it has no place.
std::string error_in(std::string_view text, std::optional<std::string> const& wanted = std::nullopt)
{
    try {
        read_csv(text, wanted);
    } catch (bad_input const& error) {
        auto const position = error.position();
        auto const where =
            position ? std::to_string(position->line) + ':' + std::to_string(position->column) + ": " : "";
        return where + error.what();
    }
    return "no error";
}

using numbers = std::vector<double>;

TEST(csv, reads_the_first_numeric_column_by_default)
{
    EXPECT_EQ(numbers_in("place,height\nBern,540\nOslo,23\n"), (numbers{540, 23}));
    EXPECT_EQ(label_in("place,height\nBern,540\nOslo,23\n"), "column \"height\"");
    EXPECT_EQ(label_in("place,depth,height\nBern,,540\nOslo,,23\nBonn,2,3\n"), "column \"depth\"");
    EXPECT_EQ(label_in("place,depth,height\nBern,,540\nOslo,,23\n"), "column \"height\"");
}

TEST(csv, finds_a_column_by_name_before_number)
{
    EXPECT_EQ(numbers_in("a,b\n1,2\n3,4\n", "b"), (numbers{2, 4}));
    EXPECT_EQ(numbers_in("a,b\n1,2\n3,4\n", "2"), (numbers{2, 4}));
    EXPECT_EQ(numbers_in("a,\"2\"\"\"\n1,2\n", "2\""), (numbers{2}));
    EXPECT_EQ(error_in("a,b\n1,2\n", "c"), "no column \"c\"; the columns are \"a\", \"b\"");
    EXPECT_EQ(error_in("a,b\n1,2\n", "0"), "no column \"0\"; the columns are \"a\", \"b\"");
    EXPECT_EQ(error_in("1,2\n", "3"), "no column \"3\"; columns are numbered 1 to 2");
    EXPECT_EQ(error_in("a,b,c,d,e,f,g,h,i," + std::string(99, 'j') + ",k,l\n", "z"),
              "no column \"z\"; the columns are \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"" +
                  std::string(40, 'j') + "...\" and 2 more");
}

TEST(csv, takes_a_first_line_with_a_number_for_data)
{
    EXPECT_EQ(numbers_in("1\n2\n"), (numbers{1, 2}));
    EXPECT_EQ(label_in("5.1,setosa\n4.9,setosa\n"), "column 1 of 2");
    EXPECT_EQ(numbers_in("5.1,setosa\n4.9,setosa\n"), (numbers{5.1, 4.9}));
}

TEST(csv, detects_the_separator)
{
    EXPECT_EQ(numbers_in("a;b\n1;2\n", "b"), (numbers{2}));
    EXPECT_EQ(numbers_in("a\tb\n1\t2\n", "b"), (numbers{2}));
    EXPECT_EQ(numbers_in("\"a;\tb\",b\n1,2\n", "b"), (numbers{2}));
}

TEST(csv, says_that_a_number_has_a_decimal_comma)
{
    std::string const commas = "has a comma: numbers have decimal points, and nothing between thousands";
    EXPECT_EQ(error_in("x;y\n1,5;2\n"), "2:1: '1,5' " + commas);
    EXPECT_EQ(error_in("x;y\n1,5;2,5\n", "y"), "2:5: '2,5' " + commas);
    EXPECT_EQ(error_in("1,5;2,5\n3;4\n"), "1:1: '1,5' " + commas);
    EXPECT_EQ(error_in("x,y\n\"1,234,567\",3\n"), "2:1: '1,234,567' " + commas);
    EXPECT_EQ(numbers_in("x;y\n1,5;2\n", "y"), (numbers{2}));
    EXPECT_EQ(numbers_in("x;y\nBern, Oslo;2\n"), (numbers{2}));
    EXPECT_EQ(label_in("1,75\n1,80\n"), "column 1 of 2");
}

TEST(csv, reads_quoted_fields)
{
    EXPECT_EQ(numbers_in("\"a\",\"say \"\"b\"\", then\nc\"\r\n\"1\", \"2.5\" \r\n", "2"), (numbers{2.5}));
    EXPECT_EQ(label_in("\"say \"\"b\"\", then\nc\"\n1\n"), "column \"say \"b\", then\nc\"");
    EXPECT_EQ(numbers_in("inch,5\" pipe\n\"a \"\"3\",7\n", "5\" pipe"), (numbers{7}));
}

TEST(csv, accepts_every_line_end_and_a_byte_order_mark)
{
    for (std::string const end : {"\n", "\r\n", "\r"}) {
        EXPECT_EQ(numbers_in("\xEF\xBB\xBFx" + end + "1" + end + "2"), (numbers{1, 2}));
        EXPECT_EQ(label_in("\xEF\xBB\xBFx" + end + "1" + end), "column \"x\"");
        EXPECT_EQ(error_in("\xEF\xBB\xBFx" + end + "1" + end + end + "z"), "4:1: 'z' is not a number");
    }
}

TEST(csv, skips_comments_and_blank_lines)
{
    EXPECT_EQ(numbers_in("# a; comment\n\nx\n  \n1\n#2\n\n3\n\n"), (numbers{1, 3}));
    EXPECT_EQ(numbers_in("# a,b\nx,y\n1,2\n# a remark\n# one, two, three\n3,4\n"), (numbers{1, 3}));
}

TEST(csv, keeps_records_that_begin_with_a_number_sign)
{
    EXPECT_EQ(numbers_in("id,x\n#1,2\n#2,3\n\"#3\",4\n #4,5\n"), (numbers{2, 3, 4, 5}));
    EXPECT_EQ(numbers_in("id,x\n# \"1,2\",3\n"), (numbers{}));
    EXPECT_EQ(error_in("id,x\n#1, \"two, three\"\n", "x"), "2:5: 'two, three' is not a number");
    EXPECT_EQ(numbers_in("id,x\n1,#2\n", "id"), (numbers{1}));
    EXPECT_EQ(error_in("id,x\n1,2\n# a, b\n", "x"), "3:6: 'b' is not a number");
}

TEST(csv, reads_missing_fields_as_nan)
{
    auto const actual = numbers_in("a,b\n1,\n2, NA\n3,nan\n4,\"\"\n5,6\n", "b");
    ASSERT_EQ(actual.size(), 5u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_TRUE(std::isnan(actual[i])) << i;
    }
    EXPECT_EQ(actual[4], 6);
    for (std::string const word : {"-", "NA", "na", "N/A", "n/a", "NaN", "NULL", "null", "None", "\"-\""}) {
        auto const read = numbers_in("x\n1\n" + word + "\n-1\n");
        EXPECT_TRUE(read.size() == 3 && std::isnan(read[1])) << word;
    }
    for (std::string const word : {"--", "N.A.", "nul", "missing"}) {
        EXPECT_EQ(error_in("x\n1\n" + word + "\n"), "3:1: '" + word + "' is not a number");
    }
}

TEST(csv, reads_every_way_to_write_a_number)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(numbers_in("x\n+1\n-.5\n 2. \n1e3\n1E-2\n-inf\nInfinity\n\"7\"\n"),
              (numbers{1, -0.5, 2, 1000, 0.01, -infinity, infinity, 7}));
    EXPECT_EQ(numbers_in("x\n1e-310\n+4e-324\n-1e-400\n0.1e-999999999\n"), (numbers{1e-310, 4e-324, 0, 0}));
    EXPECT_TRUE(std::signbit(numbers_in("-1e-400\n").at(0)));
}

TEST(csv, of_nothing_is_empty)
{
    for (auto const* const text : {"", "\n\n", "# nothing\n", "\xEF\xBB\xBF", "a,b\n"}) {
        EXPECT_EQ(numbers_in(text).size(), 0u) << text;
    }
    EXPECT_EQ(label_in("a,b\n"), "column \"a\"");
}

TEST(csv, names_the_place_of_an_error)
{
    EXPECT_EQ(error_in("x,y\n1,2\n3,zwei\n", "y"), "3:3: 'zwei' is not a number");
    EXPECT_EQ(error_in("x\n1\n2 3\n"), "3:1: '2 3' is not a number");
    EXPECT_EQ(error_in("x\n1\n+-3\n"), "3:1: '+-3' is not a number");
    EXPECT_EQ(error_in("x\n1e999\n"), "2:1: '1e999' is out of the range of f64");
    EXPECT_EQ(error_in("x,y\n1,2\n\n3\n"), "4:1: fields in this line: 1, in the first: 2");
    EXPECT_EQ(error_in("x,y\n1,2\n3,4,5\n"), "3:1: fields in this line: 3, in the first: 2");
    EXPECT_EQ(error_in("x,y\n1,\"2\n3,4\n"), "2:3: this quote is never closed");
    EXPECT_EQ(error_in("x,y\n1,\"2\"3\n"), "2:6: the field goes on after its closing quote");
    EXPECT_EQ(error_in("x\nzwei\n"), "2:1: no column holds numbers; this is not a number");
    EXPECT_EQ(error_in("x\n1\n" + std::string(100, 'y') + "\n"),
              "3:1: '" + std::string(60, 'y') + "...' is not a number");
    EXPECT_EQ(error_in(std::string("x\n1\0", 4)), "2:2: is not text in UTF-8: it has a zero byte");
}

TEST(csv, counts_characters_and_lines_within_quotes)
{
    EXPECT_EQ(error_in("n,x\n\xC3\xBC\xE2\x82\xAC,ja\n", "x"), "2:4: 'ja' is not a number"); // u-umlaut, euro sign
    EXPECT_EQ(error_in("n,x\n\"two\nlines\",ja\n", "x"), "3:8: 'ja' is not a number");
}

} // namespace
