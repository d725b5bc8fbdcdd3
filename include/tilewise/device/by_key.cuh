// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the algorithms by key for the device policy. A scan finds where the runs of equal keys begin (see
/// by_key/runs.cuh); the values of each run are combined as a segment (see segmented.cuh), and its first key is written
/// by the warp that reads where the run begins.
///
/// A call that waits learns the number of runs before it combines the values. Otherwise the kernels read that number.
/// Blocks that are resident at once take runs until none are left.
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

/// Finds the runs, calls `combine(call, runs, keys, keys_to)` if there are any, and writes the number of runs. Returns
/// that number; 0 if the policy does not wait.
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
    staging staged(call);
    gpu::stage_all(staged, keys);
    run_finder<Geometry, Tuning> const runs(call, keys, count, is_same);
    auto const sink = gpu::sink_of(keys_out);
    output_of_runs<std::remove_const_t<decltype(sink)>> found(call, sink, runs.count());
    combine(call, runs, keys, found.sink);
    found.copy_out();
    gpu::write_number(call, number, runs.list().number, runs.count());
    call.finish();
    return runs.is_known() ? runs.count() : 0;
}

/// Combines the values of each run, as segments.
template <class Geometry, scan_form form, class T, class Tuning, class Runs, class Results, class View, class Op>
void combine_runs(device_call& call, Runs const& runs, View const& view, Results const& results,
                  std::optional<T> const& init, Op const& op)
{
    using scan_type = scan_of<View, typename Results::sink, T, Op, form, order<T, Geometry>>;
    using segmented = segmented_of<scan_type, Results, run_list>;
    gpu::start_segmented<segmented, typename Tuning::segments>(call, view, results, runs.list(), runs.count(),
                                                               runs.list().elements, init, op);
}

/// Writes the first key and the combined values of each run, and the number of runs, in the policy's stream. Returns
/// that number; 0 if the policy does not wait.
template <class Geometry, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values, class Pred,
          class KeysOut, class Out, class Number, class Op>
offset reduce_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                     Pred const& is_same, KeysOut const& keys_out, Out const& out, Number const& number, Op const& op)
{
    return gpu::for_runs<Geometry, Tuning>(
        algorithm, policy, first, count, is_same, keys_out, number,
        [&]<class Own, class KeysTo>(device_call& call, auto const& runs, Own const& keys, KeysTo const& keys_to) {
            auto view = gpu::view_of(values, count);
            staging staged(call);
            gpu::stage_all(staged, view);
            using sink_type = decltype(gpu::sink_of(out));
            output_of_runs<sink_type> to(call, gpu::sink_of(out), runs.count());
            result_per_run<Own, value_of<Keys>, KeysTo, sink_type> const results = {{to.sink}, keys, keys_to};
            gpu::combine_runs<Geometry, scan_form::inclusive, T, Tuning>(call, runs, view, results, std::optional<T>(),
                                                                         op);
            to.copy_out();
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
        algorithm, policy, first, count, is_same, keys_out, number,
        [&]<class Own, class KeysTo>(device_call& call, auto const& runs, Own const& keys, KeysTo const& keys_to) {
            using sink_type = decltype(gpu::sink_of(out));
            output_of_runs<sink_type> to(call, gpu::sink_of(out), runs.count());
            using results_type = result_per_run<Own, value_of<Keys>, KeysTo, sink_type>;
            offset const most = offset{call.multiprocessors()} * Tuning::blocks_per_multiprocessor;
            auto const blocks =
                static_cast<int>(std::min(most, (runs.count() + Tuning::threads - 1) / Tuning::threads));
            call.launch(&write_lengths_of_runs<results_type, Tuning::threads>, "write_lengths_of_runs",
                        {blocks, Tuning::threads}, results_type{{to.sink}, keys, keys_to}, runs.list(), runs.count());
            to.copy_out();
        });
}

/// Scans the values of each run, from `init` on if there is one, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = by_key_tuning, class Policy, class Keys, class Values,
          class Pred, class Out, class Op>
void scan_by_key(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                 Pred const& is_same, Out const& out, std::optional<T> const& init, Op const& op)
{
    gpu::for_runs<Geometry, Tuning>(algorithm, policy, first, count, is_same, discard_iterator(), discard_iterator(),
                                    [&](device_call& call, auto const& runs, auto const&, auto const&) {
                                        auto view = gpu::view_of(values, count);
                                        staging staged(call);
                                        gpu::stage_all(staged, view);
                                        using sink_type = decltype(gpu::sink_of(out));
                                        output_of_runs<sink_type> to(call, gpu::sink_of(out), count);
                                        gpu::combine_runs<Geometry, form, T, Tuning>(
                                            call, runs, view, result_per_element<sink_type>{to.sink}, init, op);
                                        to.copy_out();
                                    });
}

} // namespace gpu
TILEWISE_NAMESPACE_END
