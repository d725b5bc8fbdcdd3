// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// CUDA contexts, identified by a number. Everything cached from call to call belongs to a context and ends with it. A
/// device that is reset gets a new context.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/driver.cuh>

#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns the ID of the current context, which no other context of the process ever has. `device` is the current
/// device. Takes about 30 ns.
inline unsigned long long context_id(int device)
{
    static driver_function<void*, unsigned long long*> id_of("cuCtxGetId", 12000);
    auto const ask = id_of.get();
    unsigned long long id = 0;
    if (ask == nullptr)
        return static_cast<unsigned long long>(device); // the driver has no cuCtxGetId
    if (ask(nullptr, &id) != 0) { // a thread has no context before its first CUDA call, nor after a reset
        if (cudaSetDevice(device) != cudaSuccess || ask(nullptr, &id) != 0)
            static_cast<void>(cudaGetLastError()); // the next CUDA call reports what is wrong
    }
    return id;
}

/// A cache of one small number per context.
class known_of_context {
public:
    /// Returns the number of a context: cached, or what `find` returns, which is below 2^24.
    template <class Find>
    int operator()(unsigned long long context, Find const& find)
    {
        auto& word = words_[context % words_.size()];
        std::uint64_t const tag = (context + 1) << value_bits, known = word.load(std::memory_order_relaxed);
        if (known >> value_bits == tag >> value_bits) [[likely]]
            return static_cast<int>(known & ((std::uint64_t{1} << value_bits) - 1));
        int const found = find();
        word.store(tag | static_cast<std::uint64_t>(found), std::memory_order_relaxed);
        return found;
    }

private:
    static constexpr int value_bits = 24;
    std::array<std::atomic<std::uint64_t>, 64> words_{};
};

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
