// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing pictures. Leaves two behind, deep.pgm and colour.ppm, for the tests of `equalise`.

#include "../picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace {

using namespace example;

picture read(std::string const& text)
{
    std::ofstream("read.pgm", std::ios::binary) << text;
    return read_picture("read.pgm");
}

TEST(picture, of_bytes)
{
    auto const p = read("P5\n# made by hand\n 3\t2 # wide, high\n200\n\x01\x02\xC8\n #");
    EXPECT_TRUE(p.width == 3 && p.height == 2 && p.channels == 1 && p.largest == 200);
    EXPECT_EQ(p.values, (shared_vector<std::uint16_t>{1, 2, 200, '\n', ' ', '#'}));
}

TEST(picture, of_two_bytes_has_the_high_one_first)
{
    EXPECT_EQ(read("P5 2 1 5000\n\x01 \n\xFF"), (picture{2, 1, 1, 5000, {0x120, 0xAFF}}));
}

TEST(picture, in_colour_has_three_values_for_a_pixel)
{
    EXPECT_EQ(read("P6 1 2 255\nabcdef").values, (shared_vector<std::uint16_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
}

TEST(picture, that_is_none)
{
    for (std::string const text : {"", "P4 1 1 1\n1", "P5", "P5 # 1 1 1\n1", "P5 0 1 255\n", "P5 1 -1 255\n1",
                                   "P5 1 x 255\n1", "P5 1 1 0\n1", "P5 1 1 65536\n11", "P5 1 1 255", "P5 2 1 255\n1",
                                   "P6 1 1 255\n11", "P5 2 1 256\n111", "P5 1 1 40\n1", "P5 1000000 1000000 255\n1"}) {
        EXPECT_THROW(read(text), bad_input) << text;
    }
    EXPECT_THROW(read_picture("nowhere.pgm"), bad_input);
    EXPECT_THROW(write_picture({1, 1, 1, 255, {0}}, "nowhere/x.pgm"), bad_input);
}

TEST(picture, is_read_as_it_was_written)
{
    picture deep{300, 200, 1, 65535, {}}, colour{40, 30, 3, 255, {}};
    for (auto* const p : {&deep, &colour}) {
        p->values.resize(static_cast<std::size_t>(p->width) * static_cast<std::size_t>(p->height) *
                         static_cast<std::size_t>(p->channels));
        for (std::size_t i = 0; i < p->values.size(); ++i) {
            p->values[i] = static_cast<std::uint16_t>(
                std::lround(0.45 * p->largest * std::abs(std::sin(1e-3 * static_cast<double>(i * i % 5003)))));
        }
    }
    write_picture(deep, "deep.pgm");
    write_picture(colour, "colour.ppm");
    EXPECT_EQ(read_picture("deep.pgm"), deep);
    EXPECT_EQ(read_picture("colour.ppm"), colour);
}

} // namespace
