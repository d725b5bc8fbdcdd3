// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `function_axis`: bins that a function computes.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup axes
/// @{

/// Bins that a function computes: a sample is counted in bin `function(sample)`. Negative results are underflow, and
/// results of `bins` or more are overflow. The axis has no edges.
template <class Function>
class function_axis {
public:
    /// Makes `bins` bins, whose numbers `function` computes from samples.
    ///
    /// Throws `std::invalid_argument` if there are no bins or more than 2^31 - 5.
    template <std::integral B>
    function_axis(B bins, Function function, axis_options options = {})
        : bounds_(binning::checked_bins("function_axis", bins), 0, binning::checked_bins("function_axis", bins),
                  options),
          function_(std::move(function))
    {}

    TILEWISE_PORTABLE offset size() const { return bounds_.size(); }     ///< the number of bins
    TILEWISE_PORTABLE offset extent() const { return bounds_.extent(); } ///< the number of cells
    /// Returns the cell of a sample, or no_cell.
    TILEWISE_CALLS_ANY
    template <class S>
    TILEWISE_PORTABLE int index(S&& sample) const
    {
        return bounds_.cell_of(function_(static_cast<S&&>(sample)), [](int bin) { return bin; });
    }

    /// @cond internals
    Function const& function() const { return function_; }
    /// Returns an axis with the same bins and another function.
    template <class Other>
    function_axis<Other> with(Other other) const
    {
        return function_axis<Other>(bounds_, std::move(other));
    }
    /// @endcond

private:
    template <class>
    friend class function_axis;
    function_axis(binning::bounds<int> const& bounds, Function function)
        : bounds_(bounds), function_(std::move(function))
    {}

    binning::bounds<int> bounds_;
    Function function_;
};

/// @cond internals
template <std::integral B, class Function>
function_axis(B, Function, axis_options = {}) -> function_axis<Function>;
/// @endcond

/// @}

TILEWISE_NAMESPACE_END
