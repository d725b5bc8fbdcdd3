// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Shuffles and votes.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

#include <cstring>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// @name Shuffles
/// All lanes of the warp take part. Memory accesses are not ordered. Reading past either end of the warp returns the
/// caller's own value.
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

/// @name Votes
/// All lanes of the warp take part. Memory accesses are not ordered.
/// @{
TILEWISE_DEVICE bool any_lane(bool vote)
{
    return __any_sync(~0u, vote) != 0;
}
/// Returns the sum of the values of all lanes.
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
/// Returns the sum of the values of the lanes up to the caller's.
TILEWISE_DEVICE unsigned warp_sum_up_to(unsigned value)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2)
        asm volatile("{ .reg .pred exists;\n" // two instructions; with a comparison of the lane's number, four
                     "  .reg .u32 before;\n"
                     "  shfl.sync.up.b32 before|exists, %0, %1, 0, 0xffffffff;\n"
                     "  @exists add.u32 %0, %0, before; }"
                     : "+r"(value)
                     : "r"(distance));
    return value;
}
/// Returns the greatest of the values of all lanes.
TILEWISE_DEVICE int warp_max(int value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, value);
#else
    TILEWISE_UNROLL
    for (int mask = warp_size / 2; mask > 0; mask /= 2) {
        int const other = gpu::shuffle_xor(value, mask);
        value = value < other ? other : value;
    }
    return value;
#endif
}
/// Returns a mask whose bit i is the vote of lane i.
TILEWISE_DEVICE unsigned warp_ballot(bool vote)
{
    return __ballot_sync(~0u, vote);
}
/// Returns a mask whose bit i is set if lane i has the same value of bit `bit` as the caller.
TILEWISE_DEVICE unsigned lanes_with_bit_of(unsigned value, int bit)
{
    unsigned same; // three instructions; from __ballot_sync, nvcc 13 makes seven
    asm volatile("{ .reg .pred set;\n"
                 "  and.b32 %0, %1, %2;\n"
                 "  setp.ne.u32 set, %0, 0;\n"
                 "  vote.sync.ballot.b32 %0, set, 0xffffffff;\n"
                 "  @!set not.b32 %0, %0; }"
                 : "=&r"(same)
                 : "r"(value), "r"(1u << bit));
    return same;
}
/// Returns `a & b & c`, in one instruction also between votes, where nvcc 13 makes two.
TILEWISE_DEVICE unsigned and_of(unsigned a, unsigned b, unsigned c)
{
    unsigned result;
    asm("lop3.b32 %0, %1, %2, %3, 0x80;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}
/// Returns a mask whose bit i is set if lane i has the caller's value.
TILEWISE_DEVICE unsigned lanes_with(unsigned value)
{
    return __match_any_sync(~0u, value);
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
