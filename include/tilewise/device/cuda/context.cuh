// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Contexts of CUDA, identified by a number: what is kept from call to call belongs to one, and ends with it. A device
/// that is reset gets another.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/driver.cuh>

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The number of the current context, which no other context of the process ever has. `device` is the current device.
/// (About 30 ns.)
inline unsigned long long context_id(int device)
{
    static driver_function<void*, unsigned long long*> id_of("cuCtxGetId", 12000);
    auto const ask = id_of.get();
    unsigned long long id = 0;
    if (ask == nullptr)
        return static_cast<unsigned long long>(device); // of a driver without cuCtxGetId
    if (ask(nullptr, &id) != 0) { // a thread has no context before its first call, nor after a reset
        if (cudaSetDevice(device) != cudaSuccess || ask(nullptr, &id) != 0)
            static_cast<void>(cudaGetLastError()); // what comes next says what is wrong
    }
    return id;
}

/// A small number that is found out once for each context.
class known_of_context {
public:
    /// What `find` returns: a number below 2^24.
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

/// Releases what a cache holds, with `release`, once its devices are idle. What belongs to a context that has ended is
/// dropped. \returns what stays, since its device could not be waited for
template <class Thing, class Release>
std::vector<Thing> release_when_idle(std::vector<Thing> things, Release const& release)
{
    int previous = 0;
    if (things.empty() || cudaGetDevice(&previous) != cudaSuccess)
        return things;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; // other threads may be capturing
    bool const relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
    std::vector<Thing> left;
    left.reserve(things.size());
    std::sort(things.begin(), things.end(), [](auto const& a, auto const& b) { return a.device < b.device; });
    int device = -1;
    bool idle = false;
    unsigned long long context = 0;
    for (Thing const& thing : things) {
        if (thing.device != device) {
            device = thing.device;
            idle = cudaSetDevice(device) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
            context = context_id(device);
        }
        if (!idle)
            left.push_back(thing);
        else if (thing.context == context)
            release(thing);
    }
    static_cast<void>(cudaSetDevice(previous));
    if (relaxed)
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    if (!relaxed || !left.empty())
        static_cast<void>(cudaGetLastError());
    return left;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
