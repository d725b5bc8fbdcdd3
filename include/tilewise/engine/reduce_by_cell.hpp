// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reductions of values by the cell of their sample: checks the arguments and selects the engine.

#include <tilewise/axis.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/samples.hpp>
#include <tilewise/host/by_index.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/by_index.cuh>
#endif

#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Combines `init` and the values of every cell of a view, and returns the end of the output.
template <class T, class Policy, class It, class Extent, class Values, class View, class Out, class Op>
Out reduce_by_cell(char const* algorithm, Policy policy, It first, Extent end, Values values, View const& view, Out out,
                   T init, Op op)
{
    if constexpr (is_engine<Policy>) {
        binning::check_cells(algorithm, static_cast<offset>(view.extent()));
        return policy.template reduce_by_cell<T>(std::move(first), std::move(end), std::move(values), view,
                                                 std::move(out), std::move(init), std::move(op));
    } else if constexpr (!engine::can_index<Policy, It, View>()) {
        return out;
    } else if constexpr (!tilewise::can_reduce<Policy, T, Op, Values, Extent>() ||
                         !tilewise::can_write<Policy, T, Out>()) {
        return out;
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        binning::check_cells(algorithm, static_cast<offset>(view.extent()));
        gpu::reduce_by_cell<standard_geometry>(algorithm, policy, first, end, values, gpu::axis_for(view), out, init,
                                               gpu::operator_on<T>(op));
        return out + view.extent();
#elif defined(TILEWISE_COMPILED)
        static_assert(!is_device_policy<Policy>,
                      "tilewise: the compiled library does not support reduce_by_index and weighted_histogram; compile "
                      "this file with nvcc, or use tilewise::par");
        return out;
#else
        throw_no_device();
#endif
    } else {
        binning::check_cells(algorithm, static_cast<offset>(view.extent()));
        host::make_opaque(init);
        return host::reduce_by_cell<standard_geometry>(policy, std::move(first), std::move(end), std::move(values),
                                                       view, std::move(out), init,
                                                       known::operator_or_self<T>(std::move(op)));
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
