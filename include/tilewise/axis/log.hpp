// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `log_axis`: bins whose edges are in geometric progression.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/axis/variable.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/math.hpp>
#include <tilewise/error.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup axes
/// @{

/// Bins whose edges are in geometric progression.
///
/// edge(i) is `lower * pow(upper / lower, i / bins)`, computed in long double on the host and rounded to A once;
/// edge(bins) is `upper`. Therefore the results do not depend on the mathematical functions of other machines.
/// Otherwise, the axis is a variable_axis.
template <std::floating_point A = double>
class log_axis : public variable_axis<A> {
public:
    /// Makes `bins` bins from `lower` to `upper`, whose edges grow by a constant factor.
    ///
    /// Throws `std::invalid_argument` as regular_axis does, and if `lower` is not positive.
    template <std::integral B, class L, class U>
    log_axis(B bins, L lower, U upper, axis_options options = {})
        : variable_axis<A>(name,
                           progression(binning::checked_bins(name, bins), binning::checked_bound<A>(name, lower),
                                       binning::checked_bound<A>(name, upper)),
                           options)
    {}

private:
    static constexpr char const* name = "log_axis";

    static std::vector<A> progression(int bins, A lower, A upper)
    {
        if (!(lower > 0))
            tilewise::reject_argument(name, "lower (" + binning::text_of(lower) + ") must be positive");
        binning::check_bounds(name, lower, upper);
        std::vector<A> edges(static_cast<std::size_t>(bins) + 1, upper);
        long double const first = math::log2(static_cast<long double>(lower)),
                          octaves = math::log2(static_cast<long double>(upper)) - first;
        edges.front() = lower;
        for (int i = 1; i < bins; ++i)
            edges[static_cast<std::size_t>(i)] = static_cast<A>(math::exp2(first + octaves * i / bins));
        return edges;
    }
};

/// @cond internals
template <std::integral B, class L, class U>
log_axis(B, L, U, axis_options = {}) -> log_axis<binning::floating_bound<L, U>>;
/// @endcond

/// @}

TILEWISE_NAMESPACE_END
