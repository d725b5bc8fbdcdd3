// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Values that the host has, written where kernels write, and elements that the host needs, read where kernels read.
/// Calls over ranks use it after the ranks have combined their results on the host.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// What a value becomes on top of what its place has, in integers, which wrap.
template <class Stored, class T>
TILEWISE_PORTABLE constexpr Stored added(Stored stored, T value)
{
    return static_cast<Stored>(static_cast<T>(stored) + value);
}

/// Stores values, or adds them to what is there.
template <int threads, bool adds, class T, class Sink>
TILEWISE_KERNEL(threads, 1)
store_values(T const* values, offset count, Sink sink)
{
    for (offset i = offset{block_index()} * threads + thread_index(); i < count; i += offset{block_count()} * threads)
        if constexpr (adds)
            sink.first[i] = gpu::added(sink.first[i], values[i]);
        else
            gpu::store_one(sink, i, values[i]);
}

/// Stores one element of a view.
template <class View, class T>
TILEWISE_KERNEL(warp_size, 1)
load_element(View view, offset position, T* to)
{
    if (thread_index() == 0) {
        auto const loaded = view.template fetch<access::elementwise, 1>(position);
        gpu::put(*to, static_cast<T>(view.element(loaded, 0)));
    }
}

/// Throws if values cannot be written to where an output goes.
template <class Policy, class Out>
void check_output_memory(char const* algorithm, Policy const& policy, Out const& out)
{
    device_call const call(algorithm, 0, policy);
    static_cast<void>(staging(call).bytes_per_result(gpu::sink_of(out)));
}

/// Writes `count` values of the host through `out`, or adds them to the integers there, and waits for that: from here
/// if those are in memory that only the host can write, otherwise by a kernel, in the policy's stream.
template <bool adds, class Tuning = host_values_tuning, class Policy, class T, class Out>
void write_values(char const* algorithm, Policy const& policy, T const* values, offset count, Out const& out)
{
    if (count <= 0)
        return;
    device_call call(algorithm, count, policy);
    auto sink = gpu::sink_of(out);
    staging staged(call);
    if constexpr (requires { sink.first; }) {
        if (staged.bytes_per_result(sink) > 0) {
            for (auto* to = sink.first; count > 0; --count, (void)++values, (void)++to)
                if constexpr (adds)
                    *to = gpu::added(*to, *values);
                else
                    tilewise::store(to, *values);
            return;
        }
    }
    constexpr int threads = Tuning::threads;
    offset const most_blocks = offset{call.multiprocessors()} * Tuning::blocks_per_multiprocessor;
    int const blocks = static_cast<int>(std::min((count + threads - 1) / threads, most_blocks));
    call.launch(&store_values<threads, adds, T, decltype(sink)>, "store_values", {blocks, threads},
                staged.stage_in(values, count), count, sink);
    call.finish();
}

/// An element, wherever it is.
template <class T, class Policy, class It>
T read_element(char const* algorithm, Policy const& policy, It const& first, offset position)
{
    device_call call(algorithm, 1, policy);
    auto const view = gpu::view_of(first, position + 1);
    if constexpr (std::contiguous_iterator<It>) {
        auto memory = view;
        if (staging(call).bytes_per_element(memory) > 0)
            return static_cast<T>(std::to_address(first)[position]);
    }
    T* const element = call.line<T>();
    call.launch(&load_element<std::remove_const_t<decltype(view)>, T>, "load_element", {1, warp_size}, view, position,
                element);
    call.finish();
    return *element;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
