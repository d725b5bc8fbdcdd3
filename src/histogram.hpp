// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The histograms of the compiled library: calls of the algorithms, with axes that are constructed anew.

#include "make.hpp"

#include <tilewise/axis.hpp>
#include <tilewise/compiled.hpp>
#include <tilewise/histogram.hpp>

#include <cstddef>

namespace tilewise::compiled {

inline axis_options options_of(axis_ends ends)
{
    return {static_cast<flow>(ends.flow), ends.closed_upper};
}

template <class S, class Axis, class C, bool waits>
void count(basic_device_policy<waits> const& policy, S const* first, std::ptrdiff_t size, Axis const& axis, C* counts,
           bool adds)
{
    if (adds)
        engine::histogram<engine::counting::adds>(policy, first, offset{size}, axis, counts);
    else
        engine::histogram<engine::counting::overwrites>(policy, first, offset{size}, axis, counts);
}

template <class S, class A, class C, bool waits>
void count_in_regular(basic_device_policy<waits> const& policy, S const* first, std::ptrdiff_t size, int bins, A lower,
                      A upper, axis_ends ends, C* counts, bool adds)
{
    count(policy, first, size, regular_axis<A>(bins, lower, upper, options_of(ends)), counts, adds);
}
template <class S, class A, class C, bool waits>
void count_in_integers(basic_device_policy<waits> const& policy, S const* first, std::ptrdiff_t size, A lower, A upper,
                       axis_ends ends, C* counts, bool adds)
{
    count(policy, first, size, integer_axis<A>(lower, upper, options_of(ends)), counts, adds);
}
template <class S, class A, class C, bool waits>
void count_between(basic_device_policy<waits> const& policy, S const* first, std::ptrdiff_t size, A const* edges,
                   std::ptrdiff_t edge_count, axis_ends ends, C* counts, bool adds)
{
    count(policy, first, size, variable_axis<A>(edges, edges + edge_count, options_of(ends)), counts, adds);
}

/// @name Instantiation
/// Instantiates the histograms of one kind that the library has for samples and bounds of two lists of types.
/// @{
template <class Samples, class Bounds, class Counters = counters>
void make_regular_histograms()
{
    for_each_pair(Samples(), Bounds(), []<class S, class A>(S*, A*) {
        for_each_type(Counters(), []<class C>(C*) {
            if constexpr (has_regular_bins<S, A>())
                make<&count_in_regular<S, A, C, true>, &count_in_regular<S, A, C, false>>();
        });
    });
}
template <class Samples, class Bounds, class Counters = counters>
void make_integer_histograms()
{
    for_each_pair(Samples(), Bounds(), []<class S, class A>(S*, A*) {
        for_each_type(Counters(), []<class C>(C*) {
            if constexpr (has_integer_bins<S, A>())
                make<&count_in_integers<S, A, C, true>, &count_in_integers<S, A, C, false>>();
        });
    });
}
template <class Samples, class Bounds, class Counters = counters>
void make_histograms_between()
{
    for_each_pair(Samples(), Bounds(), []<class S, class A>(S*, A*) {
        for_each_type(Counters(), []<class C>(C*) {
            if constexpr (has_bins_between<S, A>())
                make<&count_between<S, A, C, true>, &count_between<S, A, C, false>>();
        });
    });
}
/// @}

} // namespace tilewise::compiled
