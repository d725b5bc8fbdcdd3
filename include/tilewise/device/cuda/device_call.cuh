// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scope of a call with the device policy: its setup, its kernel launches, and its cleanup, also after an
/// exception.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/line_cache.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#if !defined(TILEWISE_CUDA_IS_LINKED) && !defined(__CUDA_ARCH__) // device code calls none of it
#include <tilewise/device/cuda/linked.cuh>
#endif

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A call with the device policy. Makes the device of its stream the current one during its lifetime. If the policy
/// waits, the destructor waits for the kernels, also after an exception: then they no longer access the caller's memory
/// or the result line.
///
/// Construct it before anything else that the call leases. Those leases end while kernels may still run, which is safe
/// for scratch, since it is reused in stream order, and for pinned buffers, since events track their use.
class device_call {
public:
    /// Throws if an earlier kernel has failed, or if the call would have to wait for a stream that is being captured;
    /// the message suggests `instead`.
    template <class Policy>
    device_call(char const* algorithm, offset items, Policy const& policy,
                char const* instead = "a policy with nosync()")
        : range_(algorithm), stream_(policy.stream()), captured_((reject_earlier_error(), gpu::is_captured(stream_))),
          device_(stream_, captured_), algorithm_(algorithm), items_(items), resource_(policy.resource()),
          sink_(policy.sink()), progress_(policy.progress()), budget_(policy.budget()), waits_(Policy::waits)
    {
        if (captured_ && waits_)
            reject_argument(algorithm,
                            std::string("a call cannot wait for a stream that is being captured; use ") + instead);
    }
    device_call(device_call const&) = delete;
    device_call& operator=(device_call const&) = delete;
    ~device_call()
    {
        bool const over = !waits_ || !started_ || is_done_after_waiting(stream_);
        if (line_.memory != nullptr && over) // otherwise it is leaked: a kernel may still write to it
            line_cache::instance().keep(line_);
    }

    char const* algorithm() const { return algorithm_; }
    cudaStream_t stream() const { return stream_; }
    current_device const& device() const { return device_; }
    resource_ref resource() const { return resource_; }
    std::size_t budget() const { return budget_; } ///< the policy's staging budget
    bool waits() const { return waits_; }
    bool is_captured() const { return captured_; }
    int multiprocessors() const { return gpu::attribute_of(device_, cudaDevAttrMultiProcessorCount); }

    /// Sets how many elements the following kernels process, for the trace.
    void set_items(offset items) { items_ = items; }

    /// Returns a line of pinned memory, to which a kernel writes a result that the host reads after waiting. It needs
    /// no copy and no launch; waiting for the stream is within 1.5 us of spinning on the line itself.
    template <class T>
    T* line()
    {
        static_assert(sizeof(T) <= line_cache::line_bytes);
        if (line_.memory == nullptr)
            line_ = line_cache::instance().take(device_.context(), device_.index());
        return static_cast<T*>(line_.memory);
    }

    /// Fills device memory with zeros, in stream order.
    void clear(void* memory, std::size_t bytes) const { TILEWISE_CUDA(cudaMemsetAsync, memory, 0, bytes, stream_); }

    /// Whether a kernel can be a dependent launch (PDL). (A timed trace runs one kernel at a time.)
    template <auto* kernel>
    bool can_launch_dependent() const
    {
        return !is_timed() && gpu::has_sm90_features<kernel>(device_);
    }

    /// Launches a kernel and reports it to the trace.
    template <class... Parameters, class... Arguments>
    void launch(void (*kernel)(Parameters...), char const* name, launch_shape shape, Arguments&&... arguments)
    {
        before_launch(reinterpret_cast<void const*>(kernel), name, shape);
        gpu::check(gpu::start(kernel, shape, stream_, std::forward<Arguments>(arguments)...), name);
        after_launch();
    }

    /// Launches a kernel with up to `most_bytes` of dynamic shared memory, the same limit in every call.
    ///
    /// The limit is an attribute of a kernel's address. With nvcc 13, a kernel that is a template has an address in
    /// each translation unit, but an inline function exists once in a program, with the addresses of one unit.
    /// Therefore the attribute is set here, for the address that is launched: a query may have set it for another.
    template <auto* kernel, class... Arguments>
    void launch_with_array(char const* name, launch_shape shape, int most_bytes, Arguments&&... arguments)
    {
        gpu::allow_array<kernel>(device_, most_bytes);
        launch(kernel, name, shape, std::forward<Arguments>(arguments)...);
    }

    /// Launches a kernel whose grid is one cluster, if the cluster fits the device and the part of it that the stream
    /// can use: a green context of up to 64 multiprocessors was observed to run no cluster of more than 8 blocks.
    ///
    /// CUDA takes a microsecond to reject a launch that does not fit. During capture it accepts the launch, and rejects
    /// the graph. Therefore a query, which takes half a microsecond, precedes the launch during capture, and always
    /// once a launch was rejected.
    /// \returns whether the kernel was launched
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
        before_launch(reinterpret_cast<void const*>(kernel), name, shape);
        cudaError_t const error = gpu::start(kernel, shape, stream_, std::forward<Arguments>(arguments)...);
        if (error == cudaErrorInvalidClusterSize) {
            static_cast<void>(cudaGetLastError());
            was_refused.store(true, std::memory_order_relaxed);
            return false;
        }
        gpu::check(error, name);
        after_launch();
        return true;
    }

    /// Reports to the policy's progress callback that the work on `done` of `total` elements is in the stream.
    void report_progress(offset done, offset total) const
    {
        if (progress_) [[unlikely]]
            progress_({algorithm_, done, total});
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
    /// Whether the trace waits for every kernel. Captured kernels can be neither waited for nor timed.
    bool is_timed() const { return sink_ && sink_.mode() == trace_mode::timed && !captured_; }

    void before_launch(void const* kernel, char const* name, launch_shape const& shape)
    {
        started_ = true;
        if (sink_) [[unlikely]]
            begin_record(kernel, name, shape);
    }
    void after_launch()
    {
        if (sink_) [[unlikely]]
            report_record();
    }
    [[gnu::cold]] void begin_record(void const* kernel, char const* name, launch_shape const& shape)
    {
        record_ = {algorithm_, name, shape.blocks, shape.threads, shape.cluster, items_, 0, 0};
        TILEWISE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &record_.resident_blocks, kernel, shape.threads,
                      static_cast<std::size_t>(shape.shared_bytes));
        if (is_timed())
            wait_for(stream_);
        record_begin_ = std::chrono::steady_clock::now();
    }
    [[gnu::cold]] void report_record()
    {
        if (is_timed()) {
            wait_for(stream_);
            record_.microseconds =
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - record_begin_).count();
        }
        sink_(record_);
    }

    profiler_range range_; // first, so that the other members are initialised within the range
    cudaStream_t stream_;
    bool captured_;
    current_device device_;
    char const* algorithm_;
    offset items_;
    resource_ref resource_;
    sink_ref sink_;
    progress_ref progress_;
    std::size_t budget_;
    bool waits_, started_ = false; ///< whether a kernel was launched since the last wait
    line_cache::line line_ = {};
    launch_record record_;                               ///< of the last launch, if there is a trace
    std::chrono::steady_clock::time_point record_begin_; ///< when it began
};

} // namespace gpu
TILEWISE_NAMESPACE_END
