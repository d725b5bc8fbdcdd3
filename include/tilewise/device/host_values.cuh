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
#include <tilewise/device/cuda/pinned_ring.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Values on the host, of a trivially copyable type that need not have a default constructor.
template <class T>
class host_values {
public:
    host_values() = default;
    explicit host_values(offset count) : bytes_(static_cast<std::size_t>(count)) {}

    void push_back(T const& value) { std::memcpy(bytes_.emplace_back().bytes, std::addressof(value), sizeof(T)); }
    void push_back_absent() { bytes_.emplace_back(); }
    T* data() { return reinterpret_cast<T*>(bytes_.data()); }
    offset size() const { return static_cast<offset>(bytes_.size()); }

private:
    struct room {
        alignas(T) std::byte bytes[sizeof(T)];
    };
    std::vector<room> bytes_;
};

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

/// Converts elements of a view to values of type T, and stores these.
template <int threads, class View, class T>
TILEWISE_KERNEL(threads, 1)
load_values(View view, offset count, T* to)
{
    for (offset i = offset{block_index()} * threads + thread_index(); i < count; i += offset{block_count()} * threads) {
        auto const loaded = view.template fetch<access::elementwise, 1>(i);
        gpu::put(to[i], static_cast<T>(view.element(loaded, 0)));
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

/// Converts `count` elements to values of type T, and writes these to host memory: from here if only the host can read
/// the elements, otherwise by a kernel, in the policy's stream.
template <class T, class Tuning = host_values_tuning, class Policy, class It>
void read_values(char const* algorithm, Policy const& policy, It const& first, offset count, T* to)
{
    if (count <= 0)
        return;
    device_call call(algorithm, count, policy);
    auto view = gpu::view_of(first, count);
    staging staged(call);
    if (staged.bytes_per_element(view) > 0) {
        if constexpr (std::contiguous_iterator<It>) {
            for (offset i = 0; i < count; ++i)
                to[i] = static_cast<T>(std::to_address(first)[i]);
            return;
        } else {
            staged.stage_in(view);
        }
    }
    constexpr int threads = Tuning::threads;
    offset const most_blocks = offset{call.multiprocessors()} * Tuning::blocks_per_multiprocessor;
    int const blocks = static_cast<int>(std::min((count + threads - 1) / threads, most_blocks));
    scratch<T> const values(call, count);
    call.launch(&load_values<threads, decltype(view), T>, "load_values", {blocks, threads}, view, count,
                values.begin());
    leased_ring ring(call.device());
    ring->copy_to_host(to, values.begin(), static_cast<std::size_t>(count) * sizeof(T), call.stream());
    call.finish();
}

/// An element, wherever it is.
template <class T, class Policy, class It>
T read_element(char const* algorithm, Policy const& policy, It const& first, offset position)
{
    device_call call(algorithm, 1, policy);
    auto view = gpu::view_of(first, position + 1);
    staging staged(call);
    if (staged.bytes_per_element(view) > 0) {
        if constexpr (std::contiguous_iterator<It>)
            return static_cast<T>(std::to_address(first)[position]);
        else
            staged.stage_in_part(view, position, 1);
    }
    T* const element = call.line<T>();
    call.launch(&load_element<decltype(view), T>, "load_element", {1, warp_size}, view, position, element);
    call.finish();
    return *element;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
