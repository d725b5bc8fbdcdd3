// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of histogram for seq and par.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/config.hpp>
#include <tilewise/iterator.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Counts samples up to `end`, which is their number or the end of their range.
template <bool adds, class Policy, class Input, class Extent, class View, class Out>
Out histogram(Policy, Input input, Extent end, View const& view, Out counts)
{
    offset const cells = view.extent();
    std::vector<std::uint64_t> table(static_cast<std::size_t>(cells));
    auto const count = [&](auto const& sample) {
        if (offset const cell = view.index(sample); cell >= 0 && cell < cells)
            ++table[static_cast<std::size_t>(cell)];
    };
    if constexpr (std::same_as<Extent, offset>) {
        for (offset i = 0; i < end; ++i, ++input)
            count(*input);
    } else {
        for (; !(input == end); ++input)
            count(*input);
    }
    for (std::uint64_t const number : table) {
        if constexpr (adds)
            tilewise::store(counts, static_cast<std::uint64_t>(*counts) + number);
        else
            tilewise::store(counts, number);
        ++counts;
    }
    return counts;
}

} // namespace host
TILEWISE_NAMESPACE_END
