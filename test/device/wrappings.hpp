// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Elements in device memory and on the host, for tests of iterators that wrap them.

#include "same_bits.hpp"

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <functional>
#include <span>
#include <vector>

namespace wrappings {

using on_device::same_bits;

/// Reductions of what `make(elements)` wraps, at a size for every kernel, have the bits of `expected(count)`.
template <class Make, class Expected, class T, class Op>
void expect(Make make, Expected expected, T init, Op op)
{
    std::size_t const tile = values::tile_of(sizeof(T));
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, tile / 3, tile + 1, 12 * tile + 5, 40 * tile + 7}) {
        auto const first = make();
        auto const last = first + static_cast<std::ptrdiff_t>(count);
        std::vector<T> const x = expected(count);
        T const right = tw::reduce(tw::seq, x, init, op);
        EXPECT_TRUE(same_bits(tw::reduce(tw::device, first, last, init, op), right)) << "n = " << count;
    }
}

inline constexpr std::size_t most = 40 * 2048 * 4 + 7; ///< of floats, doubles and ints

struct twice {
    template <class T>
    TILEWISE_PORTABLE T operator()(T value) const
    {
        return value + value;
    }
};
struct square {
    TILEWISE_PORTABLE float operator()(float value) const { return value * value; }
};
struct weighted {
    template <class Tuple>
    TILEWISE_PORTABLE float operator()(Tuple const& pair) const
    {
        return thrust::get<0>(pair) * static_cast<float>(thrust::get<1>(pair));
    }
};
struct weighted_twice {
    template <class Tuple>
    TILEWISE_PORTABLE float operator()(Tuple const& three) const
    {
        return thrust::get<0>(three) * static_cast<float>(thrust::get<1>(three)) + thrust::get<2>(three);
    }
};

/// The same elements twice.
template <class E>
struct both {
    std::vector<E> here = on_device::some_elements<E>(most);
    thrust::device_vector<E> device_copy{here.begin(), here.end()};

    std::vector<E> first(std::size_t count) const
    {
        return {here.begin(), here.begin() + static_cast<std::ptrdiff_t>(count)};
    }
};

} // namespace wrappings
