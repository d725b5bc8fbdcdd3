// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the property tests run on. A law is written once, against this interface, and holds on every backend; a new
/// engine is one more backend.

#include "order_specification.hpp"

#include <tilewise/reduce.hpp>

#include <vector>

namespace backend {

/// A geometry so small that a few hundred elements cross every level of the order, with trees that can lack operands.
struct tiny_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 4, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super = 4;
};

/// The specification's name for a geometry.
template <class Geometry>
constexpr specification::units units_of()
{
    return {Geometry::lane_vector_bytes, Geometry::lanes_per_row,   Geometry::rows_per_chunk,
            Geometry::chunks_per_tile,   Geometry::tiles_per_group, Geometry::groups_per_super};
}

/// A policy of the library, on a geometry of choice.
template <class Policy, class Geometry>
struct host {
    using geometry = Geometry;

    template <class It, class T, class Op>
    static T reduce(It first, It last, T init, Op op)
    {
        if (first == last)
            return init;
        return tilewise::host::reduce<Geometry>(Policy{}, first, tilewise::extent(first, last), init,
                                                tilewise::named::twin_or_self<T>(op));
    }
    template <class T, class Op>
    static T reduce(std::vector<T> const& x, T init, Op op)
    {
        return reduce(x.begin(), x.end(), init, op);
    }
};

using seq_tiny = host<tilewise::sequenced_policy, tiny_geometry>;
using par_tiny = host<tilewise::parallel_policy, tiny_geometry>;
using seq = host<tilewise::sequenced_policy, tilewise::standard_geometry>;
using par = host<tilewise::parallel_policy, tilewise::standard_geometry>;

/// Calls `check(backend)` for every one with the given geometry.
template <class Geometry, class Check>
void on_all(Check check)
{
    check(host<tilewise::sequenced_policy, Geometry>{});
    check(host<tilewise::parallel_policy, Geometry>{});
}

} // namespace backend
