// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What an axis is, and what engines and kernels get of it.

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <concepts>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// The axis of engines and kernels: copied as bytes, and all there is of an axis that has no `view()`.
template <class Axis>
auto axis_view(Axis const& axis)
{
    if constexpr (requires { axis.view(); })
        return axis.view();
    else
        return axis;
}
/// @endcond

/// @addtogroup axes
/// @{

/// What a histogram is made over: `extent()` cells, `size()` bins, and a view (itself, or what `view()` returns) that
/// says by `index(sample)` which cell a sample counts in; numbers outside 0 .. extent() - 1 are not counted.
template <class Axis>
concept axis = std::copy_constructible<Axis> && requires(Axis const& a) {
    { a.size() } -> std::convertible_to<offset>;
    { a.extent() } -> std::convertible_to<offset>;
    tilewise::axis_view(a);
};

/// @}

TILEWISE_NAMESPACE_END
