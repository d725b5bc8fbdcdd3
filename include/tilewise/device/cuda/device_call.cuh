// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What every call under device begins and ends with, whatever exception ends it, and how it starts kernels.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/line_cache.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A call under device. The device of its stream is the current one while it lives. A call that waits is over when this
/// ends, also by an exception: its kernels touch nothing any more, neither the caller's memory nor its result line.
///
/// Make it before whatever else the call leases. That goes back before the kernels have ended, which is right for
/// scratch, in stream order, and for pinned buffers with an event.
class device_call {
public:
    /// Throws if an earlier kernel has failed, or if the call had to wait for a stream under capture; `instead` says
    /// what to use then.
    template <class Policy>
    device_call(char const* algorithm, offset items, Policy const& policy,
                char const* instead = "a policy with nosync()")
        : range_(algorithm), stream_(policy.stream()), captured_((reject_earlier_error(), gpu::is_captured(stream_))),
          device_(stream_, captured_), algorithm_(algorithm), items_(items), resource_(policy.resource()),
          sink_(policy.sink()), budget_(policy.budget()), waits_(Policy::waits)
    {
        if (captured_ && waits_)
            reject_argument(algorithm,
                            std::string("a stream that is being captured cannot be waited for; use ") + instead);
    }
    device_call(device_call const&) = delete;
    device_call& operator=(device_call const&) = delete;
    ~device_call()
    {
        bool const over = !waits_ || !started_ || is_done_after_waiting(stream_);
        if (line_.memory != nullptr && over) // otherwise it is lost: a kernel may still write to it
            line_cache::instance().keep(line_);
    }

    char const* algorithm() const { return algorithm_; }
    cudaStream_t stream() const { return stream_; }
    current_device const& device() const { return device_; }
    resource_ref resource() const { return resource_; }
    std::size_t budget() const { return budget_; } ///< that of the policy
    bool waits() const { return waits_; }
    bool is_captured() const { return captured_; }
    int multiprocessors() const { return gpu::attribute_of(device_, cudaDevAttrMultiProcessorCount); }

    /// How many elements the kernels started from now on work on, for the trace.
    void set_items(offset items) { items_ = items; }

    /// A line of pinned memory: a kernel writes a result to it, and the host reads it after waiting. It costs no copy
    /// and no launch; waiting for the stream is within 1.5 us of spinning on the line itself.
    template <class T>
    T* line()
    {
        static_assert(sizeof(T) <= line_cache::line_bytes);
        if (line_.memory == nullptr)
            line_ = line_cache::instance().take(device_.context(), device_.index());
        return static_cast<T*>(line_.memory);
    }

    /// Fills memory of the GPU with zeros, in stream order.
    void clear(void* memory, std::size_t bytes) const { TILEWISE_CUDA(cudaMemsetAsync, memory, 0, bytes, stream_); }

    /// Whether a kernel may start before the one before it has ended. (The trace times one at a time.)
    template <auto* kernel>
    bool can_launch_dependent() const
    {
        return !is_timed() && gpu::has_sm90_features<kernel>(device_);
    }

    /// Starts a kernel and reports it to the trace.
    template <class... Parameters, class... Arguments>
    void launch(void (*kernel)(Parameters...), char const* name, launch_shape shape, Arguments&&... arguments)
    {
        started_launch const traced = before_launch(reinterpret_cast<void const*>(kernel), name, shape);
        gpu::check(gpu::start(kernel, shape, stream_, std::forward<Arguments>(arguments)...), name);
        after_launch(traced);
    }

    /// Starts a kernel whose grid is one cluster, if the device and what the stream has of it have room for that: a
    /// green context of up to 64 multiprocessors was seen to have no cluster of more than 8 blocks.
    ///
    /// Such a launch is refused in a microsecond. While the stream is captured it is not, but the graph is; so there,
    /// and once a launch was refused, a query comes first, which takes half a microsecond.
    /// \returns whether it was started
    template <auto* kernel, class... Arguments>
    bool launch_cluster(char const* name, int blocks, int threads, Arguments&&... arguments)
    {
        static std::atomic<bool> was_refused{false};
        launch_shape const shape = {blocks, threads, blocks};
        if (!gpu::fits_cluster<kernel>(device_, blocks, threads))
            return false;
        if (captured_ || was_refused.load(std::memory_order_relaxed)) {
            int clusters = 0;
            TILEWISE_CUDA(gpu::resident_clusters, kernel, shape, stream_, &clusters);
            if (clusters == 0)
                return false;
        }
        started_launch const traced = before_launch(reinterpret_cast<void const*>(kernel), name, shape);
        cudaError_t const error = gpu::start(kernel, shape, stream_, std::forward<Arguments>(arguments)...);
        if (error == cudaErrorInvalidClusterSize) {
            static_cast<void>(cudaGetLastError());
            was_refused.store(true, std::memory_order_relaxed);
            return false;
        }
        gpu::check(error, name);
        after_launch(traced);
        return true;
    }

    /// Waits for the kernels of the call, if the policy waits.
    void finish()
    {
        if (waits_) {
            wait_for(stream_);
            started_ = false;
        }
    }

private:
    struct started_launch {
        launch_record record;
        std::chrono::steady_clock::time_point begin;
    };

    /// Whether the trace waits for every kernel. Captured kernels can be neither waited for nor timed.
    bool is_timed() const { return sink_ && sink_.mode() == trace_mode::timed && !captured_; }

    started_launch before_launch(void const* kernel, char const* name, launch_shape const& shape)
    {
        started_ = true;
        started_launch traced = {};
        if (sink_) [[unlikely]] {
            traced.record = {algorithm_, name, shape.blocks, shape.threads, shape.cluster, items_, 0, 0};
            TILEWISE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &traced.record.resident_blocks, kernel,
                          shape.threads, static_cast<std::size_t>(shape.shared_bytes));
            if (is_timed())
                wait_for(stream_);
            traced.begin = std::chrono::steady_clock::now();
        }
        return traced;
    }
    void after_launch(started_launch traced) const
    {
        if (!sink_) [[likely]]
            return;
        if (is_timed()) {
            wait_for(stream_);
            traced.record.microseconds =
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - traced.begin).count();
        }
        sink_(traced.record);
    }

    profiler_range range_; // the first: the others are made within it
    cudaStream_t stream_;
    bool captured_;
    current_device device_;
    char const* algorithm_;
    offset items_;
    resource_ref resource_;
    sink_ref sink_;
    std::size_t budget_;
    bool waits_, started_ = false; ///< a kernel, for which nobody has waited since
    line_cache::line line_ = {};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
