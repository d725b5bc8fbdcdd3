// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The concept `axis`, and the view of an axis that engines and kernels use.

#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <concepts>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// Returns the view of an axis that engines and kernels use, which kernels copy as bytes: `axis.view()`, or the axis
/// itself if it has no `view()`.
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

/// Defines the cells of a histogram. `extent()` is the number of cells, `size()` the number of bins. The view, which is
/// the axis itself or the result of `view()`, maps a sample to a cell by `index(sample)`; samples whose result
/// is outside [0, extent()) are not counted.
template <class Axis>
concept axis = std::copy_constructible<Axis> && requires(Axis const& a) {
    { a.size() } -> std::convertible_to<offset>;
    { a.extent() } -> std::convertible_to<offset>;
    tilewise::axis_view(a);
};

/// @}

TILEWISE_NAMESPACE_END
