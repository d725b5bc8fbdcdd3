// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the algorithms by key for the device policy. One kernel finds the runs of equal keys (`find_runs`). It
/// writes the first key of each run, and for `count_by_key` the length. For the other algorithms it lists where the
/// runs begin, and the values of each run are then combined as a segment (see segmented.cuh).
///
/// Only the device knows the number of runs while the kernels run. A call that waits returns it.
///
/// Keys and values in host memory are staged as a whole, and results to host memory as if each key were a run. Scratch
/// memory: for `count_by_key`, 32 bytes per tile of keys; for the others in addition 4 bytes per key, from 2^32 keys on
/// 8, and that of the segmented algorithms.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/by_key/find_runs.cuh>
#include <tilewise/device/by_key/key_tile.cuh>
#include <tilewise/device/by_key/run_status.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented.cuh>
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

/// Stages in the memory that a view reads, if necessary, as a whole.
template <class View>
void stage_all(staging& staged, View& view)
{
    static_cast<void>(staged.bytes_per_element(view)); // checks memory that iterators read
    staged.stage_in(view);
}

/// An output of up to `most` results, staged out if it is in host memory.
template <class Sink>
class staged_output {
public:
    staged_output(device_call const& call, Sink const& to, offset most) : sink(to), staged_(call)
    {
        staged_.stage_out(sink, most);
    }
    /// Copies the first `count` results out.
    void copy_out(offset count)
    {
        staged_.keep_first(count);
        staged_.copy_out();
    }

    Sink sink;

private:
    staging staged_;
};

/// Returns the number of launches that find the runs of so many keys.
template <class Tuning>
offset launches_for(offset count)
{
    return count <= 0 ? 0 : (count + Tuning::keys_per_launch - 1) / Tuning::keys_per_launch;
}

/// Whether the kernel that finds the runs can write their number to a sink: as an integer in memory.
template <class Sink>
inline constexpr bool stores_number = false;
template <std::integral O>
    requires(sizeof(O) == 4 || sizeof(O) == 8)
inline constexpr bool stores_number<memory_sink<O>> = true;

/// The number of runs of a call, and the output that it is written to.
template <class Tuning, class To>
class number_of_runs {
    using sink = decltype(gpu::sink_of(std::declval<To const&>()));

public:
    number_of_runs(device_call& call, To const& to, offset count)
        : call_(call), launches_(gpu::launches_for<Tuning>(count)), so_far_(call, launches_ + 1),
          line_(call.waits() ? call.line<offset>() : nullptr), out_(call, gpu::sink_of(to), 1)
    {}

    /// Where a launch writes how many runs it and the launches before it have found, and where it finds the latter.
    number_targets targets(offset launch) const
    {
        number_targets to = {so_far_.begin() + launch, line_, nullptr, 0};
        if constexpr (stores_number<sink>) {
            to.user = out_.sink.first;
            to.user_bytes = static_cast<int>(sizeof(*out_.sink.first));
        }
        return to;
    }
    runs_so_far const* before(offset launch) const { return launch > 0 ? so_far_.begin() + launch - 1 : nullptr; }
    /// Where later kernels find it, if there are keys.
    offset const* on_device() const { return &so_far_.begin()[launches_ - 1].runs; }

    /// Ends the call. Returns the number of runs; 0 if the policy does not wait.
    offset finish()
    {
        if constexpr (!std::same_as<To, discard_iterator>)
            if (!stores_number<sink> || launches_ == 0)
                call_.launch(&write_number_of_runs<sink>, "write_number_of_runs", {1, 1}, out_.sink,
                             launches_ > 0 ? on_device() : nullptr);
        call_.finish();
        out_.copy_out(1);
        return line_ != nullptr && launches_ > 0 ? *line_ : 0;
    }

private:
    device_call& call_;
    offset launches_;
    scratch<runs_so_far> so_far_;
    offset* line_;
    staged_output<sink> out_;
};

/// Launches the kernel for some of the keys.
template <bool loads_vectors, class Tuning, class Keys, class Pred, class Out>
void start_find_runs(device_call& call, Keys const& keys, Pred const& is_same, key_range const& range, Out const& out,
                     runs_so_far const* before, number_targets const& targets)
{
    constexpr offset tile = key_tile<Keys, Tuning, loads_vectors>::keys;
    offset const tiles = (range.end - range.origin + tile - 1) / tile;
    auto const launch = [&](run_status const& status) {
        call.launch(&find_runs<Keys, Pred, Out, Tuning, loads_vectors>, "find_runs",
                    {static_cast<int>(tiles), Tuning::threads}, keys, is_same, range, out, status, tiles, before,
                    targets);
    };
    if (tiles == 1)
        return launch({});
    status_memory memory(call, tiles * run_status::words_per_tile);
    auto* const prefixes = memory.words() + tiles * run_status::words_per_tile / 2;
    launch({{memory.counter(), memory.tickets(), {memory.words(), memory.epoch()}, {prefixes, memory.epoch()}}});
    memory.record_tickets(tiles);
}

/// Finds the runs of at least one key, and writes what `out` asks for.
template <class Tuning, class Keys, class Pred, class Out, class To>
void find_runs_of(device_call& call, Keys const& keys, offset count, Pred const& is_same, Out const& out,
                  number_of_runs<Tuning, To> const& number)
{
    using layout = key_layout<Keys>;
    for (offset launch = 0; launch < gpu::launches_for<Tuning>(count); ++launch) {
        offset const begin = launch * Tuning::keys_per_launch, end = std::min(count, begin + Tuning::keys_per_launch);
        int const before = layout::keys_before(keys, begin);
        key_range const range = {begin - std::max(0, before), begin, end, count};
        if constexpr (layout::can_be_misaligned)
            if (before < 0) {
                gpu::start_find_runs<false, Tuning>(call, keys, is_same, range, out, number.before(launch),
                                                    number.targets(launch));
                continue;
            }
        gpu::start_find_runs<layout::loads_vectors, Tuning>(call, keys, is_same, range, out, number.before(launch),
                                                            number.targets(launch));
    }
}

/// Finds the runs of at least one key, and combines the values of each run as a segment. `results` determines what is
/// written.
template <class Geometry, scan_form form, class T, class Tuning, class Keys, class Pred, class View, class FirstKeys,
          class To, class Results, class Op>
void combine_runs(device_call& call, Keys const& keys, offset count, Pred const& is_same, View const& view,
                  FirstKeys const& keys_to, number_of_runs<Tuning, To> const& number, Results const& results,
                  std::optional<T> const& init, Op const& op)
{
    bool const is_wide = count > offset{std::numeric_limits<std::uint32_t>::max()};
    scratch<unsigned char> const starts(call, (count + 1) * (is_wide ? 8 : 4));
    run_list const runs = {starts.begin(), is_wide, number.on_device(), count};
    gpu::find_runs_of(call, keys, count, is_same, starts_of_runs<FirstKeys>{keys_to, runs}, number);
    using scan_type = scan_of<View, typename Results::sink, T, Op, form, order<T, Geometry>>;
    using segmented = segmented_of<scan_type, Results, run_list>;
    gpu::start_segmented<segmented, typename Tuning::segments>(call, view, results, runs, count, count, init, op);
}

/// Writes the first key and the combined values of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Geometry, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values, class Pred,
          class KeysOut, class Out, class Number, class Op>
offset reduce_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                     Pred const& is_same, KeysOut const& keys_out, Out const& out, Number const& number, Op const& op)
{
    device_call call(algorithm, std::max(offset{0}, count), policy);
    number_of_runs<Tuning, Number> found(call, number, count);
    if (count <= 0)
        return found.finish();
    auto keys = gpu::view_of(first, count);
    auto view = gpu::view_of(values, count);
    staging staged(call);
    gpu::stage_all(staged, keys);
    gpu::stage_all(staged, view);
    staged_output keys_to(call, gpu::sink_of(keys_out), count);
    staged_output to(call, gpu::sink_of(out), count);
    first_keys<value_of<Keys>, decltype(keys_to.sink)> const own_keys_to = {keys_to.sink};
    result_per_segment<decltype(to.sink)> const results = {to.sink};
    gpu::combine_runs<Geometry, scan_form::inclusive, T>(call, keys, count, is_same, view, own_keys_to, found, results,
                                                         std::optional<T>(), op);
    offset const runs = found.finish();
    keys_to.copy_out(runs);
    to.copy_out(runs);
    return runs;
}

/// Writes the first key and the number of keys of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Tuning = by_key_tuning, class Policy, class Keys, class Pred, class KeysOut, class Out, class Number>
offset count_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Pred const& is_same,
                    KeysOut const& keys_out, Out const& out, Number const& number)
{
    device_call call(algorithm, std::max(offset{0}, count), policy);
    number_of_runs<Tuning, Number> found(call, number, count);
    if (count <= 0)
        return found.finish();
    auto keys = gpu::view_of(first, count);
    staging staged(call);
    gpu::stage_all(staged, keys);
    staged_output keys_to(call, gpu::sink_of(keys_out), count);
    staged_output to(call, gpu::sink_of(out), count);
    using first_keys_type = first_keys<value_of<Keys>, decltype(keys_to.sink)>;
    gpu::find_runs_of(call, keys, count, is_same,
                      lengths_of_runs<first_keys_type, decltype(to.sink)>{{keys_to.sink}, to.sink}, found);
    offset const runs = found.finish();
    keys_to.copy_out(runs);
    to.copy_out(runs);
    return runs;
}

/// Scans the values of each run, from `init` on if there is one, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values,
          class Pred, class Out, class Op>
void scan_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                 Pred const& is_same, Out const& out, std::optional<T> const& init, Op const& op)
{
    if (count <= 0)
        return;
    device_call call(algorithm, count, policy);
    number_of_runs<Tuning, discard_iterator> found(call, discard_iterator(), count);
    auto keys = gpu::view_of(first, count);
    auto view = gpu::view_of(values, count);
    staging staged(call);
    gpu::stage_all(staged, keys);
    gpu::stage_all(staged, view);
    staged_output to(call, gpu::sink_of(out), count);
    first_keys<value_of<Keys>, iterator_sink<discard_iterator>> const no_keys = {};
    gpu::combine_runs<Geometry, form, T>(call, keys, count, is_same, view, no_keys, found,
                                         result_per_element<decltype(to.sink)>{to.sink}, init, op);
    call.finish();
    to.copy_out(count);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
