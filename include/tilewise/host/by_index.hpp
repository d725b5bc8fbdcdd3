// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of reduce_by_index and weighted_histogram for seq and par.

#include <tilewise/config.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/iterator.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Combines `init` and the values of each cell.
template <class Geometry, class Policy, class Input, class Extent, class Values, class View, class Out, class T,
          class Op>
Out reduce_by_cell(Policy, Input input, Extent end, Values values, View const& view, Out out, T const& init, Op op)
{
    offset const cells = view.extent();
    std::vector<std::vector<T>> of_cell(static_cast<std::size_t>(cells));
    auto const take = [&] {
        if (offset const cell = view.index(*input); cell >= 0 && cell < cells)
            of_cell[static_cast<std::size_t>(cell)].push_back(static_cast<T>(*values));
        ++input;
        ++values;
    };
    if constexpr (std::same_as<Extent, offset>) {
        for (offset i = 0; i < end; ++i)
            take();
    } else {
        while (!(input == end))
            take();
    }
    for (auto const& own : of_cell) {
        tilewise::store(out,
                        reduce_segment<Geometry>(seq, own.begin(), {0, static_cast<offset>(own.size())}, init, op));
        ++out;
    }
    return out;
}

} // namespace host
TILEWISE_NAMESPACE_END
