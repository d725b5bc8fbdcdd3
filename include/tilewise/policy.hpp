// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Execution policies. A policy decides where and how fast an algorithm runs; it never decides the answer.

#include <tilewise/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

/// What a `cudaStream_t` points to, named here so that a policy needs no header of CUDA's.
struct CUstream_st;

// In every mode the same, so that a function that takes a policy can be called from any translation unit.
namespace tilewise {

/// @addtogroup policies
/// @{

/// Runs on the calling thread.
struct sequenced_policy {};

/// Runs on all cores through oneTBB: on the threads of the task arena that the caller is in, the caller's among them,
/// and on the calling thread alone where threads do not pay. The calls of operators, transforms and iterators may be
/// concurrent, each thread using copies of its own; if some throw, one of the exceptions reaches the caller.
struct parallel_policy {};

/// One kernel launch, as told to `device.trace(sink)`.
struct launch_record {
    char const* algorithm; ///< the engine: "reduce" for everything that is a reduction
    char const* kernel;    ///< the kernel's name
    int blocks;            ///< in the grid
    int threads;           ///< per block
    int cluster;           ///< blocks per cluster
    std::ptrdiff_t items;  ///< elements of the input
    int resident_blocks;   ///< that fit a multiprocessor at once
    double microseconds;   ///< from the launch to its end, in the timed mode; otherwise, and under capture, 0
};

/// What a trace does beyond listing launches.
enum class trace_mode {
    launches, ///< nothing: calls stay as asynchronous as they are
    timed     ///< waits for every kernel, to report its time and to catch its errors where they arise; under capture
              ///< it is as `launches`
};

/// Where a call gets its scratch memory, in stream order.
///
/// Anything with
/// * `allocate(bytes, stream)` and `deallocate(pointer, bytes, stream)`, with `stream` a `cudaStream_t`, or
/// * `allocate_async(bytes, alignment, stream)` and `deallocate_async(pointer, bytes, alignment, stream)`, as the
///   stream-ordered resources of libcu++ and RMM have them, with a stream type made from a `cudaStream_t`, or
/// * `allocate(stream, bytes, alignment)` and `deallocate(stream, pointer, bytes, alignment)`, as their successors.
template <class Resource>
concept stream_ordered_resource = requires(Resource& r, CUstream_st* stream, void* p) {
    r.deallocate((r.allocate(1u, stream), p), 1u, stream);
} || requires(Resource& r, CUstream_st* stream, void* p) {
    r.deallocate_async((r.allocate_async(1u, 256u, stream), p), 1u, 256u, stream);
} || requires(Resource& r, CUstream_st* stream, void* p) {
    r.deallocate(stream, (r.allocate(stream, 1u, 256u), p), 1u, 256u);
};

/// A stream_ordered_resource that somebody else owns.
class resource_ref {
public:
    static constexpr std::size_t alignment = 256; ///< of what it allocates

    constexpr resource_ref() = default; ///< none
    /// One that must outlive this.
    template <stream_ordered_resource Resource>
    constexpr explicit resource_ref(Resource& resource)
        : resource_(&resource), allocate_([](void* r, std::size_t bytes, CUstream_st* stream) -> void* {
              auto& self = *static_cast<Resource*>(r);
              if constexpr (requires { self.allocate(bytes, stream); })
                  return self.allocate(bytes, stream);
              else if constexpr (requires { self.allocate_async(bytes, alignment, stream); })
                  return self.allocate_async(bytes, alignment, stream);
              else
                  return self.allocate(stream, bytes, alignment);
          }),
          deallocate_([](void* r, void* p, std::size_t bytes, CUstream_st* stream) {
              auto& self = *static_cast<Resource*>(r);
              if constexpr (requires { self.deallocate(p, bytes, stream); })
                  self.deallocate(p, bytes, stream);
              else if constexpr (requires { self.deallocate_async(p, bytes, alignment, stream); })
                  self.deallocate_async(p, bytes, alignment, stream);
              else
                  self.deallocate(stream, p, bytes, alignment);
          })
    {}

    constexpr explicit operator bool() const { return resource_ != nullptr; } ///< whether there is one
    /// So many bytes, in the order of the stream's work.
    void* allocate(std::size_t bytes, CUstream_st* stream) const { return allocate_(resource_, bytes, stream); }
    /// Gives them back, in the same order.
    void deallocate(void* p, std::size_t bytes, CUstream_st* stream) const { deallocate_(resource_, p, bytes, stream); }

private:
    void* resource_ = nullptr;
    void* (*allocate_)(void*, std::size_t, CUstream_st*) = nullptr;
    void (*deallocate_)(void*, void*, std::size_t, CUstream_st*) = nullptr;
};

/// A callable that takes a launch_record and that somebody else owns.
class sink_ref {
public:
    constexpr sink_ref() = default; ///< none
    /// One that must outlive this.
    template <std::invocable<launch_record const&> Sink>
    constexpr sink_ref(Sink& sink, trace_mode mode)
        : sink_(const_cast<std::remove_const_t<Sink>*>(&sink)), mode_(mode),
          call_([](void* s, launch_record const& record) { (*static_cast<Sink*>(s))(record); })
    {}

    constexpr explicit operator bool() const { return sink_ != nullptr; } ///< whether there is one
    constexpr trace_mode mode() const { return mode_; }                   ///< what a trace does beyond listing launches
    void operator()(launch_record const& record) const { call_(sink_, record); } ///< tells it of a launch

private:
    void* sink_ = nullptr;
    trace_mode mode_ = trace_mode::launches;
    void (*call_)(void*, launch_record const&) = nullptr;
};

/// Runs on a GPU, in a CUDA stream: the default stream of the current device (the calling thread's, where the call is
/// compiled with `--default-stream per-thread`), or the one chosen by `on`. Each member function returns a refined
/// copy.
///
/// A call that waits returns when its work in the stream is done; other streams go on. Operators, transforms and
/// iterators are copied to the GPU and must be trivially copyable. Calls from several threads, on one stream or on
/// several, are safe. Errors: `no_device` where there is no GPU, driver or CUDA compiler; `cuda_error` when CUDA
/// reports one; `std::bad_alloc` when there is no memory; `std::invalid_argument` for ordinary host memory where
/// nobody waits.
template <bool waits_for_results>
class basic_device_policy {
public:
    static constexpr bool waits = waits_for_results; ///< whether a call returns when it is done

    constexpr basic_device_policy() = default; ///< the default stream, the library's scratch memory, no trace

    /// In this stream, on its device.
    constexpr basic_device_policy on(CUstream_st* stream) const
    {
        basic_device_policy refined = *this;
        refined.stream_ = stream;
        return refined;
    }
    /// In this stream: a `cuda::stream_ref`, or whatever else has a `cudaStream_t` to `get`.
    template <class Stream>
        requires requires(Stream const& stream) {
            { stream.get() } -> std::convertible_to<CUstream_st*>;
        }
    constexpr basic_device_policy on(Stream const& stream) const
    {
        return on(static_cast<CUstream_st*>(stream.get()));
    }

    /// Does not wait: for the forms that write their result, which return as soon as the work is in the stream. Such a
    /// call can be captured into a CUDA graph.
    constexpr basic_device_policy<false> nosync() const;

    /// With scratch memory from `resource`, which must outlive the calls, and graphs that they are captured into. Its
    /// deallocation should not throw: nobody would see it.
    template <stream_ordered_resource Resource>
    constexpr basic_device_policy with(Resource& resource) const
    {
        basic_device_policy refined = *this;
        refined.resource_ = resource_ref(resource);
        return refined;
    }
    /// Not with one that ends before the call.
    template <class Resource>
    void with(Resource const&&) const = delete;

    /// With copies of ordinary host memory of at most so many bytes on the GPU at once, or what they take at least: see
    /// [policies](../../docs/policies.md). A call that needs more works in pieces, and gives the same bits. 0, which is
    /// the default, stands for most of the memory that is free when a call needs much.
    constexpr basic_device_policy budget(std::size_t bytes) const
    {
        basic_device_policy refined = *this;
        refined.budget_ = bytes;
        return refined;
    }

    /// Tells `sink`, which must outlive the calls, of every kernel launch.
    template <std::invocable<launch_record const&> Sink>
    constexpr basic_device_policy trace(Sink& sink, trace_mode mode = trace_mode::launches) const
    {
        basic_device_policy refined = *this;
        refined.sink_ = sink_ref(sink, mode);
        return refined;
    }
    /// Not one that ends before the call.
    template <class Sink>
    void trace(Sink const&&, trace_mode = trace_mode::launches) const = delete;

    constexpr CUstream_st* stream() const { return stream_; }     ///< the stream chosen, or null
    constexpr resource_ref resource() const { return resource_; } ///< the resource chosen, or none
    constexpr std::size_t budget() const { return budget_; }      ///< the bytes chosen, or 0
    constexpr sink_ref sink() const { return sink_; }             ///< the sink chosen, or none

private:
    template <bool>
    friend class basic_device_policy;

    CUstream_st* stream_ = nullptr;
    resource_ref resource_;
    sink_ref sink_;
    std::size_t budget_ = 0;
};

/// @cond
template <bool waits_for_results>
constexpr basic_device_policy<false> basic_device_policy<waits_for_results>::nosync() const
{
    basic_device_policy<false> refined;
    refined.stream_ = stream_;
    refined.resource_ = resource_;
    refined.sink_ = sink_;
    refined.budget_ = budget_;
    return refined;
}
/// @endcond

using device_policy = basic_device_policy<true>; ///< waits for its results

inline constexpr sequenced_policy seq{}; ///< The calling thread. The default of every algorithm.
inline constexpr parallel_policy par{};  ///< All cores.
inline constexpr device_policy device{}; ///< The current CUDA device.

/// Says which of the library's policies stands for Policy, as a member `type`; specialise it to have algorithms accept
/// a policy of another library. A member `static type from(Policy const&)` makes it where its value matters.
/// `<tilewise/std_execution.hpp>` does so for the standard's, `<tilewise/thrust_execution.hpp>` for Thrust's.
template <class Policy>
struct policy_traits {};

/// @cond
template <>
struct policy_traits<sequenced_policy> {
    using type = sequenced_policy;
};
template <>
struct policy_traits<parallel_policy> {
    using type = parallel_policy;
};
template <bool waits>
struct policy_traits<basic_device_policy<waits>> {
    using type = basic_device_policy<waits>;
    static constexpr type from(type const& policy) { return policy; }
};
/// @endcond

/// A policy: the library's, or one that `policy_traits` knows.
template <class Policy>
concept execution_policy = requires { typename policy_traits<std::remove_cvref_t<Policy>>::type; };

/// The library's policy that stands for Policy.
template <execution_policy Policy>
using policy_for = typename policy_traits<std::remove_cvref_t<Policy>>::type;

/// The library's policy that stands for `policy`.
template <execution_policy Policy>
constexpr policy_for<Policy> resolve(Policy const& policy)
{
    if constexpr (requires { policy_traits<Policy>::from(policy); })
        return policy_traits<Policy>::from(policy);
    else
        return {};
}

/// Runs on a GPU.
template <class Policy>
inline constexpr bool is_device_policy = false;
/// @cond
template <bool waits>
inline constexpr bool is_device_policy<basic_device_policy<waits>> = true;
/// @endcond

/// @}

} // namespace tilewise
