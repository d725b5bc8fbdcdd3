// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace example;

TEST(printable, leaves_what_can_be_shown)
{
    for (std::string const text : {"", "a b~", "\u00FC \u20AC", "\U0001F600", "\u00A0", "\uFFFD", "\U0010FFFF"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(printable, shows_control_characters_as_codes)
{
    EXPECT_EQ(printable("a\nb\tc\rd\x1B[31m\x7F"), "a\\nb\\tc\\x0Dd\\x1B[31m\\x7F");
    EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
    EXPECT_EQ(printable("\u009B"), "\\xC2\\x9B");                             // starts a sequence as \x1B[ does
    EXPECT_EQ(printable("\u202Ea\u2066"), "\\xE2\\x80\\xAEa\\xE2\\x81\\xA6"); // the direction of writing
    EXPECT_EQ(printable("\uFFFE"), "\\xEF\\xBF\\xBE");                        // not for XML
}

TEST(printable, shows_what_is_not_utf_8_as_codes)
{
    EXPECT_EQ(printable("\xFCx"), "\\xFCx");
    EXPECT_EQ(printable("\xE2\x82"), "\\xE2\\x82");
    EXPECT_EQ(printable("\xC0\xAF"), "\\xC0\\xAF");
    EXPECT_EQ(printable("\xE0\x80\x80"), "\\xE0\\x80\\x80");
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
    EXPECT_EQ(printable("\x80"), "\\x80");
}

TEST(shortened, cuts_between_characters)
{
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcd", 3), "abc...");
    EXPECT_EQ(shortened("a\u20ACb", 2), "a...");
    EXPECT_EQ(shortened("a\u20ACb", 4), "a\u20AC...");
}

} // namespace
