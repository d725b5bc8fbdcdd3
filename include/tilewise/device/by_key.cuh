// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the algorithms by key for the device policy. A scan finds where the runs of equal keys begin (see
/// by_key/runs.cuh); the values of each run are combined as a segment (see segmented.cuh), and `write_keys_of_runs`
/// writes the keys.
///
/// A call that waits learns the number of runs before it combines the values. Otherwise the kernels read that number,
/// and the grids are as large as for runs of one key.
///
/// Keys and values in host memory are staged as a whole. Scratch memory: 4 bytes per key, from 2^32 keys on 8, and that
/// of the segmented algorithms.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Stages in the memory that a view reads, if necessary, as a whole.
template <class View>
void stage_all(staging& staged, View& view)
{
    static_cast<void>(staged.bytes_per_element(view)); // checks memory that iterators read
    staged.stage_in(view);
}

/// An output of one result per run, staged out if it is in host memory.
template <class Sink>
class output_of_runs {
public:
    output_of_runs(device_call const& call, Sink const& to, offset count) : sink(to), staged_(call)
    {
        staged_.stage_out(sink, count);
    }
    void copy_out() { staged_.copy_out(); }

    Sink sink;

private:
    staging staged_;
};

/// Launches a kernel with a thread for each run, as far as they are resident.
template <class Tuning, class Runs, class... Parameters, class... Arguments>
void launch_for_runs(device_call& call, void (*kernel)(Parameters...), char const* name, Runs const& runs,
                     Arguments const&... arguments)
{
    offset const most = offset{call.multiprocessors()} * Tuning::blocks_per_multiprocessor;
    auto const blocks = static_cast<int>(std::min(most, (runs.count() + Tuning::threads - 1) / Tuning::threads));
    call.launch(kernel, name, {blocks, Tuning::threads}, arguments..., runs.list(), runs.count());
}

/// Writes the number of runs to `*to`, unless it is discarded.
template <class To>
void write_number(device_call& call, To const& to, offset const* number, offset count)
{
    if constexpr (!std::same_as<To, discard_iterator>) {
        auto const sink = gpu::sink_of(to);
        output_of_runs<std::remove_const_t<decltype(sink)>> out(call, sink, 1);
        call.launch(&write_number_of_runs<decltype(out.sink)>, "write_number_of_runs", {1, 1}, out.sink, number, count);
        out.copy_out();
    }
}

/// Finds the runs, calls `combine(call, runs)` if there are any, writes the first key of each run and the number of
/// runs, and returns that number; 0 if the policy does not wait.
template <class Geometry, class Tuning, class Policy, class Keys, class Pred, class KeysOut, class Number,
          class Combine>
offset for_runs(char const* algorithm, Policy const& policy, Keys const& first, offset count, Pred const& is_same,
                KeysOut const& keys_out, Number const& number, Combine const& combine)
{
    device_call call(algorithm, std::max(offset{0}, count), policy);
    if (count <= 0) {
        gpu::write_number(call, number, nullptr, 0);
        call.finish();
        return 0;
    }
    auto keys = gpu::view_of(first, count);
    using keys_type = decltype(keys);
    staging staged(call);
    gpu::stage_all(staged, keys);
    run_finder<Geometry, Tuning> const runs(call, keys, count, is_same);
    if constexpr (!std::same_as<KeysOut, discard_iterator>) {
        auto const sink = gpu::sink_of(keys_out);
        using sink_type = std::remove_const_t<decltype(sink)>;
        output_of_runs<sink_type> out(call, sink, runs.count());
        gpu::launch_for_runs<Tuning>(call, &write_keys_of_runs<keys_type, value_of<Keys>, sink_type, Tuning::threads>,
                                     "write_keys_of_runs", runs, keys, out.sink);
        out.copy_out();
    }
    combine(call, runs);
    gpu::write_number(call, number, runs.list().number, runs.count());
    call.finish();
    return runs.is_known() ? runs.count() : 0;
}

/// Combines the values of each run, as segments. `Results` determines what is written.
template <template <class> class Results, class Geometry, scan_form form, class T, class Tuning, class Runs, class View,
          class Sink, class Op>
void combine_runs(device_call& call, Runs const& runs, View const& view, Sink const& sink, std::optional<T> const& init,
                  Op const& op)
{
    using results_type = Results<Sink>;
    using scan_type = scan_of<View, typename results_type::sink, T, Op, form, order<T, Geometry>>;
    using segmented = segmented_of<scan_type, results_type, run_list>;
    gpu::start_segmented<segmented, typename Tuning::segments>(call, view, results_type{sink}, runs.list(),
                                                               runs.count(), init, op);
}

/// Writes the first key and the combined values of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Geometry, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values, class Pred,
          class KeysOut, class Out, class Number, class Op>
offset reduce_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                     Pred const& is_same, KeysOut const& keys_out, Out const& out, Number const& number, Op const& op)
{
    return gpu::for_runs<Geometry, Tuning>(
        algorithm, policy, first, count, is_same, keys_out, number, [&](device_call& call, auto const& runs) {
            auto view = gpu::view_of(values, count);
            staging staged(call);
            gpu::stage_all(staged, view);
            auto const sink = gpu::sink_of(out);
            output_of_runs<std::remove_const_t<decltype(sink)>> results(call, sink, runs.count());
            gpu::combine_runs<result_per_segment, Geometry, scan_form::inclusive, T, Tuning>(
                call, runs, view, results.sink, std::optional<T>(), op);
            results.copy_out();
        });
}

/// Writes the first key and the number of keys of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Geometry = standard_geometry, class Tuning = by_key_tuning, class Policy, class Keys, class Pred,
          class KeysOut, class Out, class Number>
offset count_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Pred const& is_same,
                    KeysOut const& keys_out, Out const& out, Number const& number)
{
    return gpu::for_runs<Geometry, Tuning>(
        algorithm, policy, first, count, is_same, keys_out, number, [&](device_call& call, auto const& runs) {
            auto const sink = gpu::sink_of(out);
            using sink_type = std::remove_const_t<decltype(sink)>;
            output_of_runs<sink_type> results(call, sink, runs.count());
            gpu::launch_for_runs<Tuning>(call, &write_lengths_of_runs<sink_type, Tuning::threads>,
                                         "write_lengths_of_runs", runs, results.sink);
            results.copy_out();
        });
}

/// Scans the values of each run, from `init` on if there is one, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values,
          class Pred, class Out, class Op>
void scan_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                 Pred const& is_same, Out const& out, std::optional<T> const& init, Op const& op)
{
    gpu::for_runs<Geometry, Tuning>(algorithm, policy, first, count, is_same, discard_iterator(), discard_iterator(),
                                    [&](device_call& call, auto const& runs) {
                                        auto view = gpu::view_of(values, count);
                                        staging staged(call);
                                        gpu::stage_all(staged, view);
                                        auto const sink = gpu::sink_of(out);
                                        output_of_runs<std::remove_const_t<decltype(sink)>> results(call, sink, count);
                                        gpu::combine_runs<result_per_element, Geometry, form, T, Tuning>(
                                            call, runs, view, results.sink, init, op);
                                        results.copy_out();
                                    });
}

} // namespace gpu
TILEWISE_NAMESPACE_END
