// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The device policy against seq: sizes at which the kernels change, and the comparison.

#include "on_device.hpp"
#include "values.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tw = tilewise;

namespace on_device {

/// Numbers of elements around the boundaries of the order and of the kernels, for accumulators of type T.
template <class T>
std::vector<std::size_t> sizes()
{
    std::size_t const tile = values::tile_of(sizeof(T));
    auto result = values::sizes_around_units(sizeof(T));
    for (std::size_t const tiles : {2u, 9u, 16u, 17u, 31u, 33u}) // a cluster of a few blocks, of all, and a wide one
        result.insert(result.end(), {tiles * tile - 1, tiles * tile, tiles * tile + 1});
    result.push_back(
        amount<std::size_t>(1024 * tile + 33 * tile + 7, 35 * tile, 0)); // a super-group, a group and a tile
    std::size_t const most = amount<std::size_t>(std::size_t{1} << 30, 35 * tile, 17 * tile + 2);
    std::erase_if(result, [&](std::size_t size) { return size > most; });
    if (interpreted) // only some of them
        std::erase_if(result, [&](std::size_t size) { return size > 3 * tile && size != 17 * tile + 1; });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// Values of a type, without a pattern: numbers of every magnitude, and structures that are made from a number.
template <class E>
std::vector<E> some_elements(std::size_t count)
{
    std::vector<E> elements;
    elements.reserve(count);
    std::uint64_t state = 88172645463325252u;
    for (std::size_t i = 0; i < count; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if constexpr (std::is_floating_point_v<E>)
            elements.push_back(static_cast<E>(static_cast<std::int32_t>(state)) / static_cast<E>(1 << (state >> 60)));
        else if constexpr (std::is_constructible_v<E, unsigned> && !std::is_arithmetic_v<E>)
            elements.emplace_back(static_cast<unsigned>(state >> 20));
        else if constexpr (std::is_arithmetic_v<E>)
            elements.push_back(static_cast<E>(state >> 20));
        else
            elements.push_back({static_cast<unsigned>(state), 1, 1, static_cast<unsigned>(state >> 32)}); // a matrix
    }
    return elements;
}

/// Expects the bits that seq gives, for elements of type E, at every size.
template <class E, class T, class Op, class Transform>
void expect_the_bits_of_seq(std::vector<std::size_t> const& counts, T init, Op op, Transform transform)
{
    auto const x = some_elements<E>(*std::max_element(counts.begin(), counts.end()));
    device_array<E> const device_copy(x);
    for (std::size_t const count : counts) {
        T const expected = tw::transform_reduce(tw::seq, x.data(), x.data() + count, init, op, transform);
        T const result =
            tw::transform_reduce(tw::device, device_copy.begin(), device_copy.begin() + count, init, op, transform);
        EXPECT_TRUE(same_bits(result, expected)) << "n = " << count;
    }
}
template <class E, class T, class Op>
void expect_the_bits_of_seq(std::vector<std::size_t> const& counts, T init, Op op)
{
    auto const x = some_elements<E>(*std::max_element(counts.begin(), counts.end()));
    device_array<E> const device_copy(x);
    for (std::size_t const count : counts) {
        T const expected = tw::reduce(tw::seq, x.data(), x.data() + count, init, op);
        T const result = tw::reduce(tw::device, device_copy.begin(), device_copy.begin() + count, init, op);
        EXPECT_TRUE(same_bits(result, expected)) << "n = " << count;
    }
}
template <class T, class Op>
void expect_the_bits_of_seq(T init, Op op)
{
    expect_the_bits_of_seq<T>(sizes<T>(), init, op);
}

/// The same for elements that begin at every place where one can begin, and in memory that ends with the last.
template <class E, class T, class Op>
void expect_the_bits_of_seq_at_every_alignment(std::vector<std::size_t> const& counts, T init, Op op)
{
    auto const x = some_elements<E>(*std::max_element(counts.begin(), counts.end()));
    for (std::size_t const count : counts) {
        std::vector<E> const elements(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
        T const expected = tw::reduce(tw::seq, elements, init, op);
        for (std::size_t misalignment = 0; misalignment < 16; misalignment += alignof(E)) {
            device_array<E> const device_copy(elements, misalignment);
            T const result = tw::reduce(tw::device, device_copy.begin(), device_copy.end(), init, op);
            EXPECT_TRUE(same_bits(result, expected)) << "n = " << count << ", " << misalignment << " bytes off";
        }
    }
}

} // namespace on_device
