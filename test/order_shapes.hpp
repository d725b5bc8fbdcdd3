// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The order of combination, seen through an operator that tells every order from every other, for any type.

#include "backend.hpp"

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace shape {

/// An operator that is neither associative nor commutative tells every order from every other. (Not inlined: nvcc takes
/// too long.)
template <class T>
struct non_associative {
    [[gnu::noinline]] TILEWISE_PORTABLE T operator()(T const& a, T const& b) const
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
TYPED_TEST_SUITE_P(Shape);

TYPED_TEST_P(Shape, IsTheSpecifiedOneAcrossEveryLevel)
{
    backend::run([] {
        using order = tilewise::order<TypeParam, backend::tiny_geometry>;
        auto const x = some_values<TypeParam>(backend::most_super_groups * order::super_group + 5);
        std::vector<std::size_t> counts;
        for (std::size_t i = 0; i <= x.size(); i += i < 600 ? 1 : 7)
            counts.push_back(i);
        counts = backend::chosen(counts);
        for (tilewise::offset const unit : {order::tile, order::group, backend::most_super_groups * order::super_group})
            for (tilewise::offset const difference : {-1, 0, 1})
                counts.push_back(static_cast<std::size_t>(unit + difference));
        expect_specified<backend::tiny_geometry>(x, counts, non_associative<TypeParam>());
    });
}

TYPED_TEST_P(Shape, IsTheSpecifiedOneAroundTheUnits)
{
    backend::run([] {
        using order = tilewise::order<TypeParam>;
        auto const x = some_values<TypeParam>(std::min(order::group + 2 * order::tile + 3, tilewise::offset{70000}));
        std::vector<std::size_t> counts;
        for (tilewise::offset const unit : {order::lane_vector, order::row, order::chunk, order::tile, order::group})
            for (tilewise::offset const multiple : {1, 2, 3, 7, 8, 31, 32})
                for (tilewise::offset const difference : {-1, 0, 1})
                    if (auto const count = static_cast<std::size_t>(unit * multiple + difference); count <= x.size())
                        counts.push_back(count);
        expect_specified<tilewise::standard_geometry>(x, backend::chosen(counts), non_associative<TypeParam>());
    });
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Shape);
REGISTER_TYPED_TEST_SUITE_P(Shape, IsTheSpecifiedOneAcrossEveryLevel, IsTheSpecifiedOneAroundTheUnits);

/// The real numbers of tiles and groups, of tiles so small that several super-groups are few elements. (For kernels,
/// that one round of pass 2 takes several warps, and two super-groups several rounds.)
struct tall_geometry : tilewise::standard_geometry {
#ifdef TILEWISE_DEVICE_ENGINE
    static constexpr int rows_per_chunk = 1, groups_per_super_group = 2;
#else
    static constexpr int lanes_per_row = 4, rows_per_chunk = 1, chunks_per_tile = 1;
#endif
};

/// Tiles of a row, and four units to a unit: about five levels above the tile, each with trees that lack operands. (For
/// kernels, that several rounds of pass 2 share a digit.)
struct deep_geometry {
#ifdef TILEWISE_DEVICE_ENGINE
    static constexpr int lanes_per_row = 32, tiles_per_group = 8;
#else
    static constexpr int lanes_per_row = 4, tiles_per_group = 4;
#endif
    static constexpr int lane_vector_bytes = 16, rows_per_chunk = 1, chunks_per_tile = 1, groups_per_super_group = 4;
};

/// Numbers of elements around the units of every level of the deep geometry, each alone and with one of every level
/// below it, up to two units of level 4.
template <class T>
std::vector<std::size_t> deep_counts()
{
    using order = tilewise::order<T, deep_geometry>;
    std::vector<std::size_t> counts;
    tilewise::offset below = 0;
    for (int level = 0; level <= 4; ++level) {
        tilewise::offset const unit = order::tile << order::log2_tiles(level);
        for (int units = 1; units <= (level < 4 ? 3 : 2); ++units)
            for (tilewise::offset const more : {tilewise::offset{0}, below, 2 * below})
                for (tilewise::offset const difference : {0, 1})
                    counts.push_back(static_cast<std::size_t>(units * unit + more + difference));
        below += unit;
    }
    return counts;
}

} // namespace shape
