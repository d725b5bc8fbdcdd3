// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// CUDA contexts, identified by a number. Everything cached from call to call belongs to a context and ends with it. A
/// device that is reset gets a new context.

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

/// Calls `release` for the entries of a cache, once their devices are idle. Drops those whose context has ended.
/// \returns those that remain, since waiting for their device failed
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
