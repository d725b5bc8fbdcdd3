// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the properties of the device policy refer to: a memory resource, the sink of a trace, a progress callback.

#include <tilewise/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

/// The type that `cudaStream_t` points to, declared here so that policies need no CUDA header.
struct CUstream_st;

// Outside the inline namespace of the mode, like the policies that hold them.
namespace tilewise {

/// @addtogroup policies
/// @{

/// One kernel launch, as reported to the sink of `device.trace(sink)`.
struct launch_record {
    char const* algorithm; ///< the engine: "reduce" for every reduction
    char const* kernel;    ///< the kernel's name
    int blocks;            ///< blocks in the grid
    int threads;           ///< threads per block
    int cluster;           ///< blocks per cluster
    std::ptrdiff_t items;  ///< elements of the input; segments in segmented algorithms
    int resident_blocks;   ///< blocks that fit on a multiprocessor at once
    double microseconds;   ///< time from launch to completion in the timed mode; 0 otherwise and under capture
};

/// How far a call in pieces has come, as reported to the callback of `device.progress(callback)`.
struct progress_record {
    char const* algorithm; ///< the engine: "reduce" for every reduction
    /// Elements of the input that have been copied to the GPU and whose kernels are in the stream; segments in
    /// segmented algorithms. It increases from report to report, up to `total`. (A scan over ranks reads its elements
    /// twice, and reports both passes.)
    std::ptrdiff_t done;
    std::ptrdiff_t total; ///< all elements, or segments, of the call; over ranks, of the rank
};

/// What a trace does besides reporting launches.
enum class trace_mode {
    launches, ///< nothing else: calls stay as asynchronous as without a trace
    timed     ///< waits for every kernel, to report its time and to attribute errors to the kernel that caused
              ///< them; under capture, the same as `launches`
};

/// A memory resource from which a call allocates its scratch memory in stream order.
///
/// A type with one of these pairs of member functions:
/// * `allocate(bytes, stream)` and `deallocate(pointer, bytes, stream)`, where `stream` is a `cudaStream_t`;
/// * `allocate_async(bytes, alignment, stream)` and `deallocate_async(pointer, bytes, alignment, stream)`, as in the
///   stream-ordered resources of libcu++ and RMM, with a stream type that a `cudaStream_t` converts to;
/// * `allocate(stream, bytes, alignment)` and `deallocate(stream, pointer, bytes, alignment)`, as in their successors.
template <class Resource>
concept stream_ordered_resource = requires(Resource& r, CUstream_st* stream, void* p) {
    r.deallocate((r.allocate(1u, stream), p), 1u, stream);
} || requires(Resource& r, CUstream_st* stream, void* p) {
    r.deallocate_async((r.allocate_async(1u, 256u, stream), p), 1u, 256u, stream);
} || requires(Resource& r, CUstream_st* stream, void* p) {
    r.deallocate(stream, (r.allocate(stream, 1u, 256u), p), 1u, 256u);
};

/// A non-owning reference to a @ref tilewise::stream_ordered_resource "stream_ordered_resource".
class resource_ref {
public:
    static constexpr std::size_t alignment = 256; ///< the alignment of all allocations

    constexpr resource_ref() = default; ///< Refers to no resource.
    /// Refers to `resource`, which must outlive this object.
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

    constexpr explicit operator bool() const { return resource_ != nullptr; } ///< whether it refers to a resource
    /// Allocates `bytes` bytes in stream order.
    void* allocate(std::size_t bytes, CUstream_st* stream) const { return allocate_(resource_, bytes, stream); }
    /// Deallocates memory in stream order.
    void deallocate(void* p, std::size_t bytes, CUstream_st* stream) const { deallocate_(resource_, p, bytes, stream); }

private:
    void* resource_ = nullptr;
    void* (*allocate_)(void*, std::size_t, CUstream_st*) = nullptr;
    void (*deallocate_)(void*, void*, std::size_t, CUstream_st*) = nullptr;
};

/// A non-owning reference to a callable that takes a launch_record.
class sink_ref {
public:
    constexpr sink_ref() = default; ///< Refers to no callable.
    /// Refers to `sink`, which must outlive this object.
    template <std::invocable<launch_record const&> Sink>
    constexpr sink_ref(Sink& sink, trace_mode mode)
        : sink_(const_cast<std::remove_const_t<Sink>*>(&sink)), mode_(mode),
          call_([](void* s, launch_record const& record) { (*static_cast<Sink*>(s))(record); })
    {}

    constexpr explicit operator bool() const { return sink_ != nullptr; }        ///< whether it refers to a callable
    constexpr trace_mode mode() const { return mode_; }                          ///< the mode of the trace
    void operator()(launch_record const& record) const { call_(sink_, record); } ///< reports a launch

private:
    void* sink_ = nullptr;
    trace_mode mode_ = trace_mode::launches;
    void (*call_)(void*, launch_record const&) = nullptr;
};

/// A non-owning reference to a callable that takes a progress_record.
class progress_ref {
public:
    constexpr progress_ref() = default; ///< Refers to no callable.
    /// Refers to `callback`, which must outlive this object.
    template <std::invocable<progress_record const&> Callback>
    constexpr explicit progress_ref(Callback& callback)
        : callback_(const_cast<std::remove_const_t<Callback>*>(&callback)),
          call_([](void* c, progress_record const& record) { (*static_cast<Callback*>(c))(record); })
    {}

    constexpr explicit operator bool() const { return callback_ != nullptr; } ///< whether it refers to a callable
    void operator()(progress_record const& record) const { call_(callback_, record); } ///< reports progress

private:
    void* callback_ = nullptr;
    void (*call_)(void*, progress_record const&) = nullptr;
};

/// @}

} // namespace tilewise
