// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Execution policies. A policy determines where and how fast an algorithm runs, but never its result.

#include <tilewise/core/config.hpp>
#include <tilewise/policy_properties.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

// Outside the inline namespace of the mode, so that a function that takes a policy can be called from any translation
// unit.
namespace tilewise {

/// @addtogroup policies
/// @{

/// Runs an algorithm on the calling thread.
struct sequenced_policy {};

/// Runs an algorithm on all cores through oneTBB: on the threads of the task arena that the caller is in, which include
/// the calling thread, or on the calling thread alone if more threads do not pay off. Operators, transforms and
/// iterators may be called concurrently; each thread uses its own copies. If several calls throw, one of the exceptions
/// propagates to the caller.
struct parallel_policy {};

/// Runs an algorithm on a GPU, in a CUDA stream: in the stream set by `on`, or in the default stream of the current
/// device (the per-thread default stream if the call is compiled with `--default-stream per-thread`). The member
/// functions that set a property return a modified copy of the policy.
///
/// A call that waits returns when its work in the stream has completed; it does not wait for other streams. Operators,
/// transforms and iterators are copied to the GPU and must be trivially copyable. Calls from several threads, on one
/// stream or on several, are safe. Errors: `no_device` if there is no GPU, driver or CUDA compiler; `cuda_error` if
/// CUDA reports an error; `std::bad_alloc` if memory is exhausted; `std::invalid_argument` for ordinary host memory if
/// the policy does not wait.
template <bool waits_for_results>
class basic_device_policy {
public:
    static constexpr bool waits = waits_for_results; ///< whether a call waits for its results

    constexpr basic_device_policy() = default; ///< the default stream, the library's scratch memory, no trace

    /// Runs in this stream, on its device.
    constexpr basic_device_policy on(CUstream_st* stream) const
    {
        basic_device_policy result = *this;
        result.stream_ = stream;
        return result;
    }
    /// Runs in this stream: a `cuda::stream_ref`, or any other object whose `get()` returns a `cudaStream_t`.
    template <class Stream>
        requires requires(Stream const& stream) {
            { stream.get() } -> std::convertible_to<CUstream_st*>;
        }
    constexpr basic_device_policy on(Stream const& stream) const
    {
        return on(static_cast<CUstream_st*>(stream.get()));
    }

    /// Does not wait: calls return as soon as their work is enqueued in the stream. Only algorithms that write their
    /// results support this, not those that return them. Such a call can be captured into a CUDA graph.
    constexpr basic_device_policy<false> nosync() const;

    /// Allocates scratch memory from `resource`, which must outlive the calls and the graphs that they are captured
    /// into. Its deallocation should not throw: exceptions are dropped.
    template <stream_ordered_resource Resource>
    constexpr basic_device_policy with(Resource& resource) const
    {
        basic_device_policy result = *this;
        result.resource_ = resource_ref(resource);
        return result;
    }
    /// Deleted, because a temporary resource would not outlive the call.
    template <class Resource>
    void with(Resource const&&) const = delete;

    /// Limits the copies of ordinary host memory that are on the GPU at once to `bytes` bytes, or to the minimum that a
    /// call needs if that is more: see [policies](../../docs/policies.md). A call that needs more works in pieces, and
    /// gives the same bits. 0, the default, stands for most of the memory that is free when a call needs a large
    /// amount.
    constexpr basic_device_policy budget(std::size_t bytes) const
    {
        basic_device_policy result = *this;
        result.budget_ = bytes;
        return result;
    }

    /// Reports every kernel launch to `sink`, which must outlive the calls.
    template <std::invocable<launch_record const&> Sink>
    constexpr basic_device_policy trace(Sink& sink, trace_mode mode = trace_mode::launches) const
    {
        basic_device_policy result = *this;
        result.sink_ = sink_ref(sink, mode);
        return result;
    }
    /// Deleted, because a temporary sink would not outlive the call.
    template <class Sink>
    void trace(Sink const&&, trace_mode = trace_mode::launches) const = delete;

    /// Reports the progress of calls in pieces (see `budget`) to `callback`, which must outlive the calls: after each
    /// piece, from the thread that makes the call. Other calls report nothing; in particular, calls that do not wait
    /// never work in pieces. If `callback` throws, the call waits for its work in the stream and ends with that
    /// exception.
    template <std::invocable<progress_record const&> Callback>
    constexpr basic_device_policy progress(Callback& callback) const
    {
        basic_device_policy result = *this;
        result.progress_ = progress_ref(callback);
        return result;
    }
    /// Deleted, because a temporary callback would not outlive the call.
    template <class Callback>
    void progress(Callback const&&) const = delete;

    constexpr CUstream_st* stream() const { return stream_; }     ///< the stream set by `on`, or null
    constexpr resource_ref resource() const { return resource_; } ///< the resource set by `with`, or none
    constexpr std::size_t budget() const { return budget_; }      ///< the bytes set by `budget`, or 0
    constexpr sink_ref sink() const { return sink_; }             ///< the sink set by `trace`, or none
    /// The callback set by `progress`, or none.
    constexpr progress_ref progress() const { return progress_; }

private:
    template <bool>
    friend class basic_device_policy;

    CUstream_st* stream_ = nullptr;
    resource_ref resource_;
    sink_ref sink_;
    progress_ref progress_;
    std::size_t budget_ = 0;
};

/// @cond
template <bool waits_for_results>
constexpr basic_device_policy<false> basic_device_policy<waits_for_results>::nosync() const
{
    basic_device_policy<false> result;
    result.stream_ = stream_;
    result.resource_ = resource_;
    result.sink_ = sink_;
    result.progress_ = progress_;
    result.budget_ = budget_;
    return result;
}
/// @endcond

using device_policy = basic_device_policy<true>; ///< The device policy that waits for its results.

inline constexpr sequenced_policy seq{}; ///< Runs on the calling thread. The default of every algorithm.
inline constexpr parallel_policy par{};  ///< Runs on all cores.
inline constexpr device_policy device{}; ///< Runs on the current CUDA device.

/// Maps a policy type to the policy of the library that runs it, as the member `type`. Specialize it to make algorithms
/// accept the policies of another library. A member `static type from(Policy const&)` converts a policy whose value
/// matters. `<tilewise/std_execution.hpp>` contains the specializations for the standard library,
/// `<tilewise/thrust_execution.hpp>` those for Thrust.
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

/// A policy of the library, or one for which `policy_traits` is specialized.
template <class Policy>
concept execution_policy = requires { typename policy_traits<std::remove_cvref_t<Policy>>::type; };

/// The policy of the library that Policy maps to.
template <execution_policy Policy>
using policy_for = typename policy_traits<std::remove_cvref_t<Policy>>::type;

/// Returns the policy of the library that `policy` maps to.
template <execution_policy Policy>
constexpr policy_for<Policy> resolve(Policy const& policy)
{
    if constexpr (requires { policy_traits<Policy>::from(policy); })
        return policy_traits<Policy>::from(policy);
    else
        return {};
}

/// Whether a policy runs on a GPU.
template <class Policy>
inline constexpr bool is_device_policy = false;
/// @cond
template <bool waits>
inline constexpr bool is_device_policy<basic_device_policy<waits>> = true;
/// @endcond

/// @}

} // namespace tilewise
