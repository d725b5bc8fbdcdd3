// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the algorithms by key for the device policy. A kernel marks the keys that begin a run with a bit each
/// (`mark_runs`). Another one writes the first keys and lengths of the runs, or where they begin (`write_runs`). If
/// there are many, another one combines the values of runs of up to a tile (`combine_runs`) and lists the longer ones,
/// which are combined as segments. If there are few, all are; so are values of more than 16 bytes, and those that
/// results may overwrite. Of few keys and values, `combine_runs` takes all runs of up to a few rows, or of up to one
/// row if the mean run is longer, and their first keys, too, and one kernel takes all others (of scans, where the
/// single pass is supported).
///
/// Only the device knows the number of runs while the kernels run. A call that waits returns it.
///
/// Keys and values in host memory are staged as a whole, and results to host memory as if each key were a run. Scratch
/// memory: a bit for each key, and up to 18 bytes for 2^8 keys, of few for a row; 28 bytes for each tile of values, or
/// 4 KiB of few, and that of the segmented algorithms; 4 bytes, from 2^32 keys on 8, for each run that may be a
/// segment: as many as there are keys, or every so many of them (`least_mean_vectors`, `least_mean_rows`).

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/function_view.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/by_key/combine_runs.cuh>
#include <tilewise/device/by_key/long_runs.cuh>
#include <tilewise/device/by_key/marks.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/by_key/runs_of_call.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented.cuh>
#include <tilewise/device/segmented/longer.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether `combine_runs` combines the runs of up to a tile.
template <class Scan>
inline constexpr bool combines_rows =
    Scan::batched && (Scan::lane_vector & (Scan::lane_vector - 1)) == 0 && (Scan::row & (Scan::row - 1)) == 0;

/// Whether all elements of a view come from memory that it knows, which an iterator may hide.
template <class View>
inline constexpr bool reads_known_memory = false;
template <class E>
inline constexpr bool reads_known_memory<memory_view<E>> = true;
template <class Function, class... Views>
inline constexpr bool reads_known_memory<function_view<Function, Views...>> = (reads_known_memory<Views> && ...);

/// Whether `combine_runs` may read and write at once: the results are in memory in which no element is.
template <class View, class Sink>
bool is_apart(View const& view, Sink const& sink, offset count)
{
    auto const begin = reinterpret_cast<std::uintptr_t>(sink.base()),
               end = begin + static_cast<std::uintptr_t>(Sink::bytes(count));
    bool apart = sink.base() != nullptr;
    view.for_each_base([&](void const* base, offset bytes) {
        auto const from = reinterpret_cast<std::uintptr_t>(base);
        apart = apart && (end <= from || from + static_cast<std::uintptr_t>(bytes) <= begin);
    });
    return apart;
}

/// Whether the values and results of a part can be accessed in the widest vectors.
template <class Scan, class Out>
bool is_aligned(typename Scan::view const& view, Out const& out)
{
    return gpu::misalignment_of(view) == 0 && out.template is_aligned<Scan>();
}

/// Launches the kernel that combines the values of runs of up to a tile, and lists the others in `lists`.
template <class Scan, class Tuning, class Runs, class Out, class Lists>
void start_combine_runs(device_call& call, Runs const& runs, typename Scan::view const& view, Out const& out,
                        initial<typename Scan::value> const& before, typename Scan::op const& op, offset longest,
                        Lists const& lists)
{
    auto const start = [&]<access how>(std::integral_constant<access, how>) {
        constexpr auto kernel = &combine_runs<Scan, Out, Tuning, how, Lists>;
        call.launch(kernel, "combine_runs",
                    {runs.blocks(), Tuning::threads, 1, call.template can_launch_dependent<kernel>()}, view, out,
                    runs.marks(), before, op, static_cast<int>(longest), lists);
    };
    if (gpu::is_aligned<Scan>(view, out))
        start(std::integral_constant<access, access::aligned>());
    else
        start(std::integral_constant<access, access::elementwise>());
}

/// The kernels that precede those for segments: they find the runs, and combine their values by rows if these are many,
/// or list them.
template <class Scan, class Tuning, bool may_combine_rows, class Runs, class Keys, class Pred, class FirstKeys,
          class Out>
struct kernels_of_runs {
    device_call& call;
    Runs& runs;
    Keys const& keys;
    Pred const& is_same;
    typename Scan::view const& view;
    FirstKeys const& keys_to;
    Out const& out; ///< of those by rows
    initial<typename Scan::value> const& before;
    typename Scan::op const& op;
    segments_of_runs<Scan, Tuning> const& list;

    static constexpr bool launch_any = true;
    offset most_listed() const { return list.most_listed(); }
    /// Whether runs of all lengths are listed, if they are few.
    bool leave_short_segments() const { return list.segments.most > 0; }

    /// Whether runs may be combined by rows. That kernel announces how many they are.
    bool announces_runs() const { return may_combine_rows && list.segments.most < list.segments.elements; }

    template <class Longer>
    void start(Longer const& longer) const
    {
        runs_or_long_runs const& segments = list.segments;
        runs.find(keys, is_same);
        bool const combine_rows = announces_runs();
        if constexpr (may_combine_rows) {
            if (combine_rows) {
                using lists_type = lists_of_long_runs<typename Scan::order, typename Longer::lists_type>;
                offset const least_for_warps =
                    list.count() >= Tuning::segments::least_for_warps // otherwise, too few of the runs can be long
                        ? Tuning::segments::least_for_warps
                        : std::numeric_limits<offset>::max();
                lists_type const lists = {segments.of_many,
                                          longer.further_counter(),
                                          least_for_warps,
                                          std::min(Scan::tile, Tuning::chunks_of_few * Scan::chunk),
                                          static_cast<unsigned>(call.multiprocessors()),
                                          longer.lists()};
                gpu::start_combine_runs<Scan, Tuning>(call, runs, view, out, before, op, list.longest, lists);
            }
        }
        if (leave_short_segments())
            runs.write(keys_to, starts_of_runs{segments.all}, segments.most, longer.announced_runs());
    }
};

/// Finds the runs of at least one key, and reduces their values: if there are many, those of up to a tile by rows;
/// otherwise, all as segments.
template <class Order, class T, class Tuning, class Runs, class Keys, class Pred, class View, class FirstKeys,
          class Sink, class Op>
void reduce_runs(device_call& call, Runs& runs, Keys const& keys, offset count, Pred const& is_same, View const& view,
                 FirstKeys const& keys_to, Sink const& to, Op const& op)
{
    using scan_type = scan_of<View, last_result<sink_of_runs<Sink>>, T, Op, scan_form::inclusive, Order>;
    using results_type = result_per_segment<sink_of_runs<Sink>>;
    constexpr bool by_rows = combines_rows<scan_type>;
    offset const most = gpu::most_as_segments<T, Tuning>(count, Tuning::least_mean_vectors * scan_type::lane_vector);
    segments_of_runs<scan_type, Tuning> const list(call, runs, count, by_rows ? most : count);
    reduced_runs<Sink, FirstKeys> const out = {to, keys_to, list.segments.most};
    initial<T> const before(std::nullopt);
    kernels_of_runs<scan_type, Tuning, by_rows, Runs, Keys, Pred, FirstKeys, decltype(out)> const first = {
        call, runs, keys, is_same, view, keys_to, out, before, op, list};
    gpu::start_segmented<segmented_of<scan_type, results_type, runs_or_long_runs>, typename Tuning::segments>(
        call, view, results_type{{to, list.segments}}, list.segments, list.count(), count, std::optional<T>(), op,
        first);
}

/// Finds the runs of at least one key, and scans the values of each: if there are many, those of up to a tile by rows,
/// where results are `apart` from the values; otherwise, all as segments.
template <class Scan, class Tuning, class Runs, class Keys, class Pred>
void scan_runs(device_call& call, Runs& runs, Keys const& keys, offset count, Pred const& is_same,
               typename Scan::view const& view, typename Scan::sink const& to,
               std::optional<typename Scan::value> const& init, typename Scan::op const& op)
{
    using results_type = result_per_element<typename Scan::sink>;
    using no_keys_type = first_keys<unsigned, Keys, iterator_sink<discard_iterator>>;
    constexpr bool may_combine_rows = combines_rows<Scan> && reads_known_memory<typename Scan::view>;
    bool const by_rows = may_combine_rows && gpu::is_apart(view, to, count);
    offset const most = gpu::most_as_segments<typename Scan::value, Tuning>(count, Tuning::least_mean_rows * Scan::row);
    segments_of_runs<Scan, Tuning> const list(call, runs, count, by_rows ? most : count);
    scanned_runs<typename Scan::sink> const out = {to, list.segments.most};
    initial<typename Scan::value> const before(init);
    no_keys_type const no_keys = {keys, {}};
    kernels_of_runs<Scan, Tuning, may_combine_rows, Runs, Keys, Pred, no_keys_type, decltype(out)> const first = {
        call, runs, keys, is_same, view, no_keys, out, before, op, list};
    gpu::start_segmented<segmented_of<Scan, results_type, runs_or_long_runs>, typename Tuning::segments>(
        call, view, results_type{to}, list.segments, list.count(), count, init, op, first);
}

/// Writes the first key and the combined values of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Geometry, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values, class Pred,
          class KeysOut, class Out, class Number, class Op>
offset reduce_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                     Pred const& is_same, KeysOut const& keys_out, Out const& out, Number const& number, Op const& op)
{
    using order_type = order<T, Geometry>;
    device_call call(algorithm, std::max(offset{0}, count), policy);
    runs_of_call<Tuning, Number> runs(call, number, count,
                                      gpu::least_part_of<T, order_type, Tuning>(Tuning::least_rows_to_reduce));
    if (count <= 0)
        return runs.finish();
    auto keys = gpu::view_of(first, count);
    auto view = gpu::view_of(values, count);
    staging staged(call);
    gpu::stage_all(staged, keys);
    gpu::stage_all(staged, view);
    staged_output keys_to(call, gpu::sink_of(keys_out), count);
    staged_output to(call, gpu::sink_of(out), count);
    using first_keys_type = first_keys<value_of<Keys>, decltype(keys), decltype(keys_to.sink)>;
    first_keys_type const own_keys_to = {keys, keys_to.sink};
    gpu::reduce_runs<order_type, T, Tuning>(call, runs, keys, count, is_same, view, own_keys_to, to.sink, op);
    offset const found = runs.finish();
    keys_to.copy_out(found);
    to.copy_out(found);
    return found;
}

/// Writes the first key and the number of keys of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Tuning = by_key_tuning, class Policy, class Keys, class Pred, class KeysOut, class Out, class Number>
offset count_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Pred const& is_same,
                    KeysOut const& keys_out, Out const& out, Number const& number)
{
    device_call call(algorithm, std::max(offset{0}, count), policy);
    runs_of_call<Tuning, Number> runs(call, number, count, Tuning::least_part);
    if (count <= 0)
        return runs.finish();
    auto keys = gpu::view_of(first, count);
    staging staged(call);
    gpu::stage_all(staged, keys);
    staged_output keys_to(call, gpu::sink_of(keys_out), count);
    staged_output to(call, gpu::sink_of(out), count);
    runs.find(keys, is_same);
    runs.write(first_keys<value_of<Keys>, decltype(keys), decltype(keys_to.sink)>{keys, keys_to.sink},
               lengths_of_runs<decltype(to.sink)>{to.sink});
    offset const found = runs.finish();
    keys_to.copy_out(found);
    to.copy_out(found);
    return found;
}

/// Scans the values of each run, from `init` on if there is one, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values,
          class Pred, class Out, class Op>
void scan_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                 Pred const& is_same, Out const& out, std::optional<T> const& init, Op const& op)
{
    if (count <= 0)
        return;
    using order_type = order<T, Geometry>;
    device_call call(algorithm, count, policy);
    runs_of_call<Tuning, discard_iterator> runs(call, discard_iterator(), count,
                                                gpu::least_part_of<T, order_type, Tuning>(Tuning::least_rows_to_scan));
    auto keys = gpu::view_of(first, count);
    auto view = gpu::view_of(values, count);
    staging staged(call);
    gpu::stage_all(staged, keys);
    gpu::stage_all(staged, view);
    staged_output to(call, gpu::sink_of(out), count);
    using scan_type = scan_of<decltype(view), decltype(to.sink), T, Op, form, order_type>;
    gpu::scan_runs<scan_type, Tuning>(call, runs, keys, count, is_same, view, to.sink, init, op);
    call.finish();
    to.copy_out(count);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
