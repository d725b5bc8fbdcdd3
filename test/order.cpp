// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "backend.hpp"

#include <tilewise/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

TEST(Order, HasTheUnitsOfItsTable)
{
    using of_floats = tilewise::order<float>;
    static_assert(of_floats::lane_vector == 4 && of_floats::row == 128 && of_floats::chunk == 1024 &&
                  of_floats::tile == 8192 && of_floats::group == 262144 && of_floats::super == 8388608);
    static_assert(tilewise::order<char>::lane_vector == 16 && tilewise::order<char>::super == 32 * 1024 * 1024);
    static_assert(tilewise::order<double>::lane_vector == 2 && tilewise::order<double>::tile == 4096);
    struct bytes_of_24 {
        double x, y, z;
    };
    struct bytes_of_3 {
        char r, g, b;
    };
    static_assert(tilewise::order<bytes_of_24>::lane_vector == 1 && tilewise::order<bytes_of_24>::tile == 2048);
    static_assert(tilewise::order<bytes_of_3>::lane_vector == 5 && tilewise::order<bytes_of_3>::row == 160);
    EXPECT_EQ(tilewise::order_version, 1);
}

TEST(Order, LocatesAnElementInItsTile)
{
    using order = tilewise::order<float>;
    for (tilewise::offset const i : {0, 1, 3, 4, 127, 128, 1023, 1024, 8191}) {
        auto const place = order::locate(i);
        EXPECT_EQ(place.chunk * order::chunk + place.row * order::row + place.lane * order::lane_vector + place.element,
                  i);
        EXPECT_LT(place.element, 4);
        EXPECT_LT(place.lane, 32);
        EXPECT_LT(place.row, 8);
        EXPECT_LT(place.chunk, 8);
    }
    EXPECT_EQ(order::tiles_before_last(1), 0);
    EXPECT_EQ(order::tiles_before_last(8192), 0);
    EXPECT_EQ(order::tiles_before_last(8193), 1);
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

TEST(Specification, CombinesGroupsAndSupersLeftToRightFromInit)
{
    // One lane, row and chunk to a tile: two tiles to a group, two groups to a super.
    specification::units const sizes{16, 1, 1, 1, 2, 2};
    EXPECT_EQ(specified("abc", "0", sizes), "((0(ab))c)");
    EXPECT_EQ(specified("abcd", "0", sizes), "(((0(ab))c)d)");
    EXPECT_EQ(specified("abcde", "0", sizes), "((0((ab)(cd)))e)");
    EXPECT_EQ(specified("abcdef", "0", sizes), "(((0((ab)(cd)))e)f)");
    EXPECT_EQ(specified("abcdefg", "0", sizes), "(((0((ab)(cd)))(ef))g)");
    EXPECT_EQ(specified("abcdefghi", "0", sizes), "(((0((ab)(cd)))((ef)(gh)))i)");
}

/// An operator that is neither associative nor commutative tells every order from every other.
template <class T>
struct telltale {
    T operator()(T const& a, T const& b) const
    {
        T result = a;
        unsigned char left[sizeof(T)], right[sizeof(T)];
        std::memcpy(left, &a, sizeof(T));
        std::memcpy(right, &b, sizeof(T));
        std::uint64_t hash = 0x9e3779b97f4a7c15u;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            hash = (hash ^ (hash >> 29) ^ left[i] ^ (std::uint64_t{right[i]} << 8)) * 0xbf58476d1ce4e5b9u;
        for (std::size_t i = 0; i < sizeof(T); ++i)
            left[i] = static_cast<unsigned char>(hash >> (8 * (i % 8)) ^ i);
        std::memcpy(&result, left, sizeof(T));
        return result;
    }
};

template <class T>
std::vector<T> some_values(std::size_t count)
{
    std::vector<T> x(count);
    std::uint64_t state = 88172645463325252u;
    for (T& value : x) {
        unsigned char bytes[sizeof(T)];
        for (unsigned char& byte : bytes) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            byte = static_cast<unsigned char>(state >> 32);
        }
        std::memcpy(&value, bytes, sizeof(T));
    }
    return x;
}

/// Compares the engines with the specification for the given numbers of elements.
template <class Geometry, class T, class Op>
void expect_specified(std::vector<T> const& x, std::vector<std::size_t> const& counts, Op op)
{
    T const init = x.back();
    auto const scan = specification::order<T, Op>(op, backend::units_of<Geometry>()).inclusive_scan(x, init);
    for (std::size_t const count : counts) {
        T const expected = count == 0 ? init : scan[count - 1];
        backend::on_all<Geometry>([&](auto on) {
            T const result = on.reduce(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), init, op);
            EXPECT_EQ(std::memcmp(&result, &expected, sizeof(T)), 0) << sizeof(T) << " bytes, n = " << count;
        });
    }
}

template <std::size_t size>
struct bytes {
    unsigned char value[size];
};

template <class T>
class Shape : public testing::Test {};
using types = testing::Types<unsigned char, std::uint16_t, bytes<3>, std::uint32_t, bytes<5>, std::uint64_t, bytes<12>,
                             bytes<16>, bytes<24>, bytes<100>>;
TYPED_TEST_SUITE(Shape, types);

TYPED_TEST(Shape, IsTheSpecifiedOneAcrossEveryLevel)
{
    auto const x = some_values<TypeParam>(2 * tilewise::order<TypeParam, backend::tiny_geometry>::super + 5);
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i <= x.size(); i += i < 600 ? 1 : 7)
        counts.push_back(i);
    expect_specified<backend::tiny_geometry>(x, counts, telltale<TypeParam>());
}

TYPED_TEST(Shape, IsTheSpecifiedOneAroundTheUnits)
{
    using order = tilewise::order<TypeParam>;
    auto const x = some_values<TypeParam>(std::min(order::group + 2 * order::tile + 3, tilewise::offset{70000}));
    std::vector<std::size_t> counts;
    for (tilewise::offset const unit : {order::lane_vector, order::row, order::chunk, order::tile, order::group})
        for (tilewise::offset const multiple : {1, 2, 3, 7, 8, 31, 32})
            for (tilewise::offset const beside : {-1, 0, 1})
                if (auto const count = static_cast<std::size_t>(unit * multiple + beside); count <= x.size())
                    counts.push_back(count);
    expect_specified<tilewise::standard_geometry>(x, counts, telltale<TypeParam>());
}

/// The real numbers of tiles and groups, of tiles so small that several supers are few elements.
struct tall_geometry : tilewise::standard_geometry {
    static constexpr int lanes_per_row = 4, rows_per_chunk = 1, chunks_per_tile = 1;
};

TEST(Shape, IsTheSpecifiedOneBeyondASuper)
{
    using T = bytes<24>;
    using order = tilewise::order<T, tall_geometry>;
    auto const x = some_values<T>(2 * order::super + 2 * order::group + order::tile + 2);
    std::vector<std::size_t> counts;
    for (std::size_t i = 1; i <= x.size(); i += 31)
        counts.push_back(i);
    for (tilewise::offset const super : {order::super, 2 * order::super})
        for (tilewise::offset const more : {tilewise::offset{0}, order::tile, order::group})
            for (tilewise::offset const beside : {-1, 0, 1})
                counts.push_back(static_cast<std::size_t>(super + more + beside));
    expect_specified<tall_geometry>(x, counts, telltale<T>());
}

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
    std::vector<std::size_t> counts(2500);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = i;
    expect_specified<backend::tiny_geometry>(floats<float>(2500), counts, std::plus<>());
    expect_specified<backend::tiny_geometry>(floats<double>(2500), counts, std::plus<>());
    expect_specified<tilewise::standard_geometry>(floats<float>(2500), counts, std::plus<>());
    expect_specified<tilewise::standard_geometry>(floats<double>(2500), counts, std::multiplies<>());
}

TEST(ShapeInRegisters, IsTheSpecifiedOneAroundTheUnits)
{
    std::vector<std::size_t> counts;
    for (std::size_t const unit : {512u, 1024u, 4096u, 8192u, 131072u, 262144u})
        for (std::size_t const beside : {0u, 1u, 2u, 100u, 130u, 700u})
            counts.push_back(unit + beside - 1);
    expect_specified<tilewise::standard_geometry>(floats<float>(270000), counts, std::plus<>());
    expect_specified<tilewise::standard_geometry>(floats<double>(270000), counts, std::plus<>());
}

} // namespace
