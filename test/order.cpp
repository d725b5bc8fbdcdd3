// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "order_shapes.hpp"

#include <tilewise/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

TEST(Order, HasTheUnitsOfItsTable)
{
    using of_floats = tilewise::order<float>;
    static_assert(of_floats::lane_vector == 4 && of_floats::row == 128 && of_floats::chunk == 1024 &&
                  of_floats::tile == 8192 && of_floats::group == 262144 && of_floats::super_group == 8388608);
    static_assert(tilewise::order<char>::lane_vector == 16 && tilewise::order<char>::super_group == 32 * 1024 * 1024);
    static_assert(tilewise::order<double>::lane_vector == 2 && tilewise::order<double>::tile == 4096);
    struct bytes_of_24 {
        double x, y, z;
    };
    struct bytes_of_3 {
        char r, g, b;
    };
    static_assert(tilewise::order<bytes_of_24>::lane_vector == 1 && tilewise::order<bytes_of_24>::tile == 2048);
    static_assert(tilewise::order<bytes_of_3>::lane_vector == 5 && tilewise::order<bytes_of_3>::row == 160);
    EXPECT_EQ(tilewise::order_version, 2);
}

TEST(Order, LocatesAnElementInItsTile)
{
    using order = tilewise::order<float>;
    for (tilewise::offset const i : {0, 1, 3, 4, 127, 128, 1023, 1024, 8191}) {
        auto const at = order::locate(i);
        EXPECT_EQ(at.chunk * order::chunk + at.row * order::row + at.lane * order::lane_vector + at.element, i);
        EXPECT_LT(at.element, 4);
        EXPECT_LT(at.lane, 32);
        EXPECT_LT(at.row, 8);
        EXPECT_LT(at.chunk, 8);
    }
    EXPECT_EQ(order::tiles_before_last(1), 0);
    EXPECT_EQ(order::tiles_before_last(8192), 0);
    EXPECT_EQ(order::tiles_before_last(8193), 1);
}

TEST(Order, WritesANumberOfTilesInDigits)
{
    using order = tilewise::order<float>;
    EXPECT_EQ(order::digits(0), 0);
    EXPECT_EQ(order::digits(1), 1);
    EXPECT_EQ(order::digits(31), 1);
    EXPECT_EQ(order::digits(32), 2);
    EXPECT_EQ(order::digits(1024), 3);
    tilewise::offset const tiles = ((3 * 32 + 0) * 32 + 31) * 32 + 7;
    EXPECT_EQ(order::digits(tiles), 4);
    EXPECT_EQ(order::digit(tiles, 3), 3);
    EXPECT_EQ(order::digit(tiles, 2), 0);
    EXPECT_EQ(order::digit(tiles, 1), 31);
    EXPECT_EQ(order::digit(tiles, 0), 7);
    // Eleven levels, tiles among them, hold the tiles of the longest range of the smallest tiles.
    struct large {
        double x, y, z;
    };
    tilewise::offset const most =
        tilewise::order<large>::tiles_before_last(std::numeric_limits<tilewise::offset>::max());
    EXPECT_EQ(tilewise::order<large>::digits(most), 11);
    EXPECT_EQ(tilewise::order<large>::digit(most, 10), 3);
    EXPECT_EQ(order::digits(std::numeric_limits<tilewise::offset>::max()), 13);
    EXPECT_EQ(order::digit(std::numeric_limits<tilewise::offset>::max(), 12), 7);

    using tiny = tilewise::order<float, backend::tiny_geometry>; // not all of its digits have one base
    EXPECT_EQ(tiny::log2_tiles(0), 0);
    EXPECT_EQ(tilewise::offset{1} << tiny::log2_tiles(1), backend::tiny_geometry::tiles_per_group);
    EXPECT_EQ(tiny::tile << tiny::log2_tiles(2), tiny::super_group);
    EXPECT_EQ(tiny::super_group << 2, tiny::tile << tiny::log2_tiles(4));
}

/// Writes down how it was combined.
std::string parenthesised(std::string const& a, std::string const& b)
{
    return "(" + a + b + ")";
}

std::string specified(std::string const& letters, std::string const& init, specification::units sizes)
{
    std::vector<std::string> x;
    for (char const letter : letters)
        x.emplace_back(1, letter);
    return specification::reduce(x, init, parenthesised, sizes);
}

TEST(Specification, IsWhatThePageSays)
{
    // A lane vector for each letter, since a string is larger than 16 bytes.
    specification::units const sizes{16, 4, 2, 2, 2, 2};
    EXPECT_EQ(specified("", "0", sizes), "0");
    EXPECT_EQ(specified("a", "0", sizes), "(0a)");
    EXPECT_EQ(specified("ab", "0", sizes), "((0a)b)");
    EXPECT_EQ(specified("abc", "0", sizes), "((0(ab))c)");
    EXPECT_EQ(specified("abcd", "0", sizes), "((0(a(bc)))d)");                     // right-aligned tree of three lanes
    EXPECT_EQ(specified("abcde", "0", sizes), "((0((ab)(cd)))e)");                 // one row, then a lane
    EXPECT_EQ(specified("abcdef", "0", sizes), "((0(((ab)(cd))e))f)");             // run (+) e(l) first
    EXPECT_EQ(specified("abcdefghi", "0", sizes), "((0(((ab)(cd))((ef)(gh))))i)"); // one chunk, rows left to right
    // One tile: two chunks, as a tree; then the last tile's only element.
    EXPECT_EQ(specified("abcdefghijklmnopq", "0", sizes), "((0((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op)))))q)");
    // A full last tile still takes the nesting of a scan.
    EXPECT_EQ(specified("abcdefghijklmnop", "0", sizes), "(((0(((ab)(cd))((ef)(gh))))(((ij)(kl))(m(no))))p)");
}

TEST(Specification, HasATreeForEachDigitOfTheNumberOfTiles)
{
    // One lane, row and chunk to a tile; two tiles to a group, two groups to a super-group, and so on.
    specification::units const sizes{16, 1, 1, 1, 2, 2};
    EXPECT_EQ(specified("abc", "0", sizes), "((0(ab))c)");
    EXPECT_EQ(specified("abcd", "0", sizes), "(((0(ab))c)d)");
    EXPECT_EQ(specified("abcde", "0", sizes), "((0((ab)(cd)))e)");
    EXPECT_EQ(specified("abcdef", "0", sizes), "(((0((ab)(cd)))e)f)");
    EXPECT_EQ(specified("abcdefg", "0", sizes), "(((0((ab)(cd)))(ef))g)");
    EXPECT_EQ(specified("abcdefghi", "0", sizes), "((0(((ab)(cd))((ef)(gh))))i)");
    EXPECT_EQ(specified("abcdefghijklmnop", "0", sizes), "(((((0(((ab)(cd))((ef)(gh))))((ij)(kl)))(mn))o)p)");
    // Four groups to a super-group: the tree over three of them lacks an operand.
    EXPECT_EQ(specified("abcdefgh", "0", {16, 1, 1, 1, 2, 4}), "(((0(((ab)(cd))(ef)))g)h)");
}

using shape::bytes;
using shape::expect_specified;
using shape::some_values;

TEST(ShapeOfManyLevels, IsTheSpecifiedOneAcrossFourLevelsAboveTheTile)
{
    backend::run([] {
        using T = bytes<24>;
        auto const counts = shape::deep_counts<T>();
        auto const x = some_values<T>(*std::max_element(counts.begin(), counts.end()));
        expect_specified<shape::deep_geometry>(x, backend::chosen(counts), shape::non_associative<T>());
    });
}

TEST(ShapeOfManyGroups, IsTheSpecifiedOneBeyondASuperGroup)
{
    backend::run([] {
        using T = bytes<24>;
        using order = tilewise::order<T, shape::tall_geometry>;
        auto const x = some_values<T>(2 * order::super_group + 2 * order::group + order::tile + 2);
        std::vector<std::size_t> counts;
        for (std::size_t i = 1; i <= x.size(); i += 31)
            counts.push_back(i);
        counts = backend::chosen(counts);
        for (tilewise::offset super_group = order::super_group; super_group <= 2 * order::super_group;
             super_group += order::super_group)
            for (tilewise::offset const more : {tilewise::offset{0}, order::tile, order::group})
                for (tilewise::offset const difference : {-1, 0, 1})
                    counts.push_back(static_cast<std::size_t>(super_group + more + difference));
        expect_specified<shape::tall_geometry>(x, counts, shape::non_associative<T>());
    });
}

#ifndef TILEWISE_DEVICE_ENGINE // with its tiles these are ten millions of elements
TEST(ShapeOfManyGroups, IsTheSpecifiedOneBeyondTheLevelAboveSuperGroups)
{
    using T = bytes<24>;
    using order = tilewise::order<T, shape::tall_geometry>;
    tilewise::offset const unit = 32 * order::super_group;
    auto const x = some_values<T>(unit + 2 * order::super_group + 3 * order::group + order::tile + 2);
    std::vector<std::size_t> counts{x.size()};
    for (tilewise::offset const more : {tilewise::offset{0}, order::tile, order::group, order::super_group})
        for (tilewise::offset const difference : {0, 1})
            counts.push_back(static_cast<std::size_t>(unit + more + difference));
    expect_specified<shape::tall_geometry>(x, counts, shape::non_associative<T>());
}
#endif

/// Values of which every other order of addition has other bits.
template <class T>
std::vector<T> floats(std::size_t count)
{
    std::vector<T> x;
    for (std::uint64_t const bits : some_values<std::uint64_t>(count))
        x.push_back(static_cast<T>(static_cast<std::int64_t>(bits)) * static_cast<T>(1ull << (bits % 17)));
    return x;
}

TEST(ShapeInRegisters, IsTheSpecifiedOneForEveryNumberOfElements)
{
    backend::run([] {
        std::vector<std::size_t> counts(2500);
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] = i;
        counts = backend::chosen(counts);
        expect_specified<backend::tiny_geometry>(floats<float>(2500), counts, std::plus<>());
        expect_specified<backend::tiny_geometry>(floats<double>(2500), counts, std::plus<>());
        expect_specified<tilewise::standard_geometry>(floats<float>(2500), counts, std::plus<>());
        expect_specified<tilewise::standard_geometry>(floats<double>(2500), counts, std::multiplies<>());
    });
}

TEST(ShapeInRegisters, IsTheSpecifiedOneAroundTheUnits)
{
    backend::run([] {
        std::vector<std::size_t> counts;
        std::size_t const most = backend::is_slow ? 27000 : 270000;
        for (std::size_t const unit : {512u, 1024u, 4096u, 8192u, 131072u, 262144u})
            for (std::size_t const difference : {0u, 1u, 2u, 100u, 130u, 700u})
                if (unit + difference <= most)
                    counts.push_back(unit + difference - 1);
        counts = backend::chosen(counts);
        expect_specified<tilewise::standard_geometry>(floats<float>(most), counts, std::plus<>());
        expect_specified<tilewise::standard_geometry>(floats<double>(most), counts, std::plus<>());
    });
}

} // namespace

#ifndef TILEWISE_DEVICE_ENGINE // nvcc takes long: test/device shares them out
namespace shape {
#ifdef TILEWISE_TEST_FEW_SIZES
using types = testing::Types<unsigned char, std::uint32_t, bytes<12>, bytes<24>>;
#else
using types = testing::Types<unsigned char, std::uint16_t, bytes<3>, std::uint32_t, bytes<5>, std::uint64_t, bytes<12>,
                             bytes<16>, bytes<24>, bytes<100>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(All, Shape, types);
} // namespace shape
#endif
