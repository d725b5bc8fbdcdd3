// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What every call under device begins and ends with, whatever exception ends it.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/workspace.cuh>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <string>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A call: its stream's device is the current one while it lives. A call that waits is over when this ends, also by an
/// exception: its kernels touch nothing any more, neither the caller's memory nor the line of its result.
///
/// Make it before whatever else the call leases. That goes back before the kernels have ended, which is right for
/// scratch, in stream order, and for pinned buffers with an event.
template <class Policy>
class device_call {
public:
    /// Refuses to wait for a stream under capture; `instead` says what to use.
    device_call(char const* algorithm, offset items, Policy const& policy,
                char const* instead = "a policy with nosync()")
        : captured_(gpu::is_captured(policy.stream())), device_(policy.stream(), captured_),
          by_{algorithm, items, policy.stream(), policy.sink(), captured_}
    {
        if (captured_ && Policy::waits)
            reject_argument(algorithm,
                            std::string("a stream that is being captured cannot be waited for; use ") + instead);
    }
    device_call(device_call const&) = delete;
    device_call& operator=(device_call const&) = delete;
    ~device_call()
    {
        bool const over = !Policy::waits || !by_.started || is_done_after_waiting(by_.stream);
        if (line_.memory != nullptr && over) // or else it is lost: a kernel may still write to it
            line_cache::instance().keep(line_);
    }

    bool captured() const { return captured_; }
    current_device const& device() const { return device_; }
    /// What launches and the trace know of it.
    call& by() { return by_; }

    /// A line of pinned memory: a kernel writes a result to it, and the host reads it after waiting. It costs no copy
    /// and no launch; waiting for the stream is within 1.5 us of spinning on the line itself.
    template <class T>
    T* line()
    {
        static_assert(Policy::waits && sizeof(T) <= line_cache::line_bytes);
        if (line_.memory == nullptr)
            line_ = line_cache::instance().take(device_.context(), device_.index());
        return static_cast<T*>(line_.memory);
    }

    /// Waits for what the call has started, if the policy waits.
    void finish()
    {
        if constexpr (Policy::waits) {
            wait_for(by_.stream);
            by_.started = false;
        }
    }

private:
    bool captured_;
    current_device device_;
    call by_;
    line_cache::line line_ = {};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
