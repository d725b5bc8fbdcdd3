// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Histograms over ranks: each counts its own samples, and the counts are added up.

#include <tilewise/axis.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/engine/histogram.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/scattered_counts.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/axis_for.cuh>
#include <tilewise/device/histogram/part.cuh>
#endif

#include <cstddef>
#include <string>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// What ranks have to agree on before they count.
template <bool scatters, class Extent, class Axis>
agreement description_of_histogram(Extent const& end, Axis const& axis, bool fails_late)
{
    return {(scatters ? " scattered in " : " in ") + std::to_string(static_cast<offset>(axis.extent())) + " cells of " +
                std::string(known::spelling_of<Axis>),
            engine::hash_of_axis(axis), engine::count_if_indexed(end), fails_late};
}

#ifdef TILEWISE_DEVICE_ENGINE

/// The same for ranks that are GPUs, if the communicator sums counters in their memory. Kernels count before ranks
/// agree, so that the gather waits for the counts, and a rank that cannot count takes no part in the sum. After that,
/// the host only waits for the gather of the statuses, and then for the policy's stream.
template <bool adds, class Communicator, class Local, class It, class Axis, class Out>
Out histogram_on_gpus(rank_call<Communicator>& call, Local const& local, It const& first, offset end, Axis const& axis,
                      Out counts)
{
    auto const view = tilewise::axis_view(axis);
    auto const cells = static_cast<offset>(view.extent());
    binning::check_cells(call.algorithm(), cells);
    gpu::part_histogram<adds, Out> own(call.algorithm(), local, call.device_counters(cells), cells, counts);
    own.count(first, end, gpu::axis_for(view));
    call.agree(engine::description_of_histogram<false>(end, axis, true));
    try {
        call.all_reduce(own.begin(), own.size(), local.stream());
        if (own.is_written_by_host())
            call.wait(local.stream());
        own.write();
        call.finish();
        call.wait(local.stream());
    } catch (...) { // before the destructor of `own` waits for a sum that may never be complete
        call.fail();
    }
    return counts + cells;
}

#endif

/// Counts the samples of all ranks, of which this one has those from `first` on up to `end`; every rank gets all
/// counts, or those of its own cells if ranks scatter them.
template <bool adds, bool scatters, class Communicator, class Local, class It, class Extent, class Axis, class Out>
Out histogram_on_ranks(rank_call<Communicator>& call, Local local, It first, Extent end, Axis const& axis, Out counts)
{
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (rank_call<Communicator>::template adds_on_device<Local> && !scatters)
        return engine::histogram_on_gpus<adds>(call, local, first, end, axis, std::move(counts));
#endif
    offset const cells = static_cast<offset>(axis.extent());
    binning::check_cells(call.algorithm(), cells);
    if (cells > 0 && !scatters)
        engine::check_output_memory(call.algorithm(), local, counts);
    // Allocated first: a rank that has no memory for it could not take part in the sum either.
    auto all = [&] {
        if constexpr (scatters)
            return scattered_counts(cells, call.ranks(), call.rank());
        else
            return typename rank_call<Communicator>::counters(static_cast<std::size_t>(cells), call);
    }();
    if constexpr (scatters) {
        if (all.own_count() > 0)
            engine::check_output_memory(call.algorithm(), local, counts);
    }
    call.agree(engine::description_of_histogram<scatters>(end, axis,
                                                          is_device_policy<Local> || !std::contiguous_iterator<Out>));
    if constexpr (scatters)
        call.expect_scatter(cells);
    else
        call.expect_sum(all.size());
    engine::histogram<counting::overwrites>(local, std::move(first), std::move(end), axis, all.data());
    if constexpr (scatters) {
        call.reduce_scatter(all);
        counts =
            engine::write_on_ranks<adds>(call.algorithm(), local, all.own_sums(), all.own_count(), std::move(counts));
    } else {
        call.all_reduce(all);
        counts = engine::write_on_ranks<adds>(call.algorithm(), local, all.data(), static_cast<offset>(all.size()),
                                              std::move(counts));
    }
    call.finish();
    return counts;
}

} // namespace engine
TILEWISE_NAMESPACE_END
