// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the lanes of a warp exchange.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

#include <cstring>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// @name Exchange in a warp
/// All lanes of the warp take part. Nothing is said about memory. A lane past either end yields the caller's own value.
/// @{
template <class T, class Exchange>
TILEWISE_DEVICE T exchange_words(T const& value, Exchange exchange)
{
    constexpr int count = (sizeof(T) + 3) / 4;
    unsigned words[count] = {};
    std::memcpy(words, &value, sizeof(T));
    TILEWISE_UNROLL
    for (int i = 0; i < count; ++i)
        words[i] = exchange(words[i]);
    T result(value); // a T may have no default constructor
    std::memcpy(&result, words, sizeof(T));
    return result;
}
template <class T>
TILEWISE_DEVICE T shuffle(T const& value, int lane)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_sync(~0u, word, lane); });
}
template <class T>
TILEWISE_DEVICE T shuffle_down(T const& value, int lanes)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_down_sync(~0u, word, lanes); });
}
template <class T>
TILEWISE_DEVICE T shuffle_up(T const& value, int lanes)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_up_sync(~0u, word, lanes); });
}
template <class T>
TILEWISE_DEVICE T shuffle_xor(T const& value, int mask)
{
    return gpu::exchange_words(value, [=](unsigned word) { return __shfl_xor_sync(~0u, word, mask); });
}
/// @}

/// @name Votes in a warp
/// All lanes of the warp take part. Nothing is said about memory.
/// @{
TILEWISE_DEVICE bool any_lane(bool vote)
{
    return __any_sync(~0u, vote) != 0;
}
/// The sum of all lanes' values.
TILEWISE_DEVICE unsigned warp_total(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, value);
#else
    TILEWISE_UNROLL
    for (int mask = warp_size / 2; mask > 0; mask /= 2)
        value += gpu::shuffle_xor(value, mask);
    return value;
#endif
}
/// Bit i is the vote of lane i.
TILEWISE_DEVICE unsigned lanes_that(bool vote)
{
    return __ballot_sync(~0u, vote);
}
/// Bit i is set where lane i has the caller's value.
TILEWISE_DEVICE unsigned lanes_with(unsigned value)
{
    return __match_any_sync(~0u, value);
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
