// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Waiting for devices before cached memory on them is freed.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/context.cuh>

#include <cuda_runtime.h>

#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Waits for devices, to free cached memory on them: one after the other, each as the current device. While this object
/// lives, other threads may capture.
class waiting_for_devices {
public:
    [[gnu::cold]] waiting_for_devices()
        : is_able_(cudaGetDevice(&previous_) == cudaSuccess),
          is_relaxed_(is_able_ && cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess)
    {}
    waiting_for_devices(waiting_for_devices const&) = delete;
    waiting_for_devices& operator=(waiting_for_devices const&) = delete;
    [[gnu::cold]] ~waiting_for_devices()
    {
        if (!is_able_)
            return;
        static_cast<void>(cudaSetDevice(previous_));
        if (is_relaxed_)
            static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_));
        if (!is_relaxed_ || has_failed_)
            static_cast<void>(cudaGetLastError());
    }

    /// Makes a device the current one and waits for it. \returns whether it is idle
    [[gnu::cold]] bool wait_for(int device)
    {
        if (is_able_ && device != device_) {
            device_ = device;
            is_idle_ = cudaSetDevice(device) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
            has_failed_ = has_failed_ || !is_idle_;
            context_ = context_id(device);
        }
        return is_idle_;
    }
    /// The context of the device that was last waited for.
    unsigned long long context() const { return context_; }

private:
    int previous_ = 0, device_ = -1;
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
    bool is_able_, is_relaxed_, is_idle_ = false, has_failed_ = false;
    unsigned long long context_ = 0;
};

/// Calls `release` for the entries of a cache, once their devices are idle. Drops those whose context has ended.
/// \returns those that remain, since waiting for their device failed
template <class Thing, class Release>
std::vector<Thing> release_when_idle(std::vector<Thing> things, Release const& release)
{
    if (things.empty())
        return things;
    waiting_for_devices devices;
    std::erase_if(things, [&](Thing const& thing) {
        bool const is_idle = devices.wait_for(thing.device);
        if (is_idle && thing.context == devices.context())
            release(thing);
        return is_idle;
    });
    return things;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
