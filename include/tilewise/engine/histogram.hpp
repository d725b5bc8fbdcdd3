// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Histograms: checks the arguments and selects the engine.

#include <tilewise/axis.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/samples.hpp>
#include <tilewise/host/histogram.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/histogram.cuh>
#elif defined(TILEWISE_COMPILED)
#include <tilewise/compiled/histogram.hpp>
#endif

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// How a histogram changes the counters that it is given.
enum class counting { overwrites, adds };

/// Returns whether counters can be written under a policy. If not, a static_assert says why.
template <class Policy, counting how, class Out>
constexpr bool can_count()
{
    using stored = std::remove_cvref_t<decltype(*std::declval<Out&>())>;
    constexpr bool takes = writable<Out, offset>;
    constexpr bool exact = !std::floating_point<stored> && !std::floating_point<binning::number_of<stored>>;
    constexpr bool counts_on = !std::same_as<stored, bool> && !std::same_as<stored, std::vector<bool>::reference>;
    static_assert(
        counts_on,
        "tilewise: counters cannot be of type bool, which holds no count above one; use another integral type");
    static_assert(takes, "tilewise: integers must be assignable to the counters");
    static_assert(exact, "tilewise: counters must be integers, so that counts are exact; use weighted_histogram for "
                         "floating-point sums");
    if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        constexpr bool counts = gpu::counts_in_memory<Out>;
#elif defined(TILEWISE_COMPILED)
        constexpr bool counts = library::counts_in_memory<Out>;
#else
        constexpr bool counts = true;
#endif
        static_assert(counts, "tilewise: under device, counters must be integers of 4 or 8 bytes in GPU memory");
        return takes && exact && counts_on && counts;
    } else {
        return takes && exact && counts_on;
    }
}

/// Counts samples in the cells of an axis, and returns the end of the counters.
template <counting how, class Policy, class It, class Extent, class Axis, class Out>
Out histogram(Policy policy, It first, Extent end, Axis const& axis, Out counts)
{
    [[maybe_unused]] constexpr bool adds = how == counting::adds;
    auto const view = tilewise::axis_view(axis);
    if constexpr (is_engine<Policy>) {
        return policy.template histogram<adds>(std::move(first), std::move(end), axis, std::move(counts));
    } else if constexpr (!engine::can_index<Policy, It, decltype(tilewise::axis_view(axis))>()) {
        return counts;
    } else if constexpr (!engine::can_count<Policy, how, Out>()) {
        return counts;
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::histogram(adds ? "histogram_add" : "histogram", policy, first, end, gpu::axis_for(view), counts, adds);
        return counts + view.extent();
#elif defined(TILEWISE_COMPILED)
        library::histogram(policy, first, end, view, counts, adds);
        return counts + view.extent();
#else
        throw_no_device();
#endif
    } else {
        binning::check_cells(adds ? "histogram_add" : "histogram", static_cast<offset>(view.extent()));
        return host::histogram<adds>(policy, std::move(first), std::move(end), view, std::move(counts));
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
