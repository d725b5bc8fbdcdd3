// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Special memory accesses: streaming loads, relaxed loads and stores between blocks, atomic additions.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A 16-byte vector.
struct alignas(vector_bytes) vector16 {
    unsigned word[4];
};

/// @name Streaming loads
/// For data that is read once: it is evicted from the cache first.
/// @{
TILEWISE_DEVICE vector16 load_once(vector16 const* from)
{
    uint4 const value = __ldcs(reinterpret_cast<uint4 const*>(from));
    return {{value.x, value.y, value.z, value.w}};
}
TILEWISE_DEVICE unsigned long long load_once(unsigned long long const* from)
{
    return __ldcs(from);
}
TILEWISE_DEVICE unsigned load_once(unsigned const* from)
{
    return __ldcs(from);
}
TILEWISE_DEVICE unsigned short load_once(unsigned short const* from)
{
    return __ldcs(from);
}
TILEWISE_DEVICE unsigned char load_once(unsigned char const* from)
{
    return __ldcs(from);
}
/// @}

/// Fetches the 128-byte line to the L2 cache.
TILEWISE_DEVICE void prefetch_line(void const* from)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
}
inline constexpr int line_bytes = 128;

/// @name Communication between blocks
/// Each access is a single relaxed operation, and orders no other memory accesses.
/// @{
TILEWISE_DEVICE void publish(unsigned long long* word, unsigned long long value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
}
/// Loads the word if it is `wanted`, and leaves `value` unchanged otherwise. The load is predicated: a branch would
/// wait for the load before it.
TILEWISE_DEVICE void observe(unsigned long long const* word, bool wanted, unsigned long long& value)
{
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "setp.ne.u32 p, %2, 0;\n\t"
                 "@p ld.relaxed.gpu.global.u64 %0, [%1];\n\t}"
                 : "+l"(value)
                 : "l"(__cvta_generic_to_global(word)), "r"(unsigned{wanted})
                 : "memory");
}
/// Suspends the thread briefly, to leave memory bandwidth to others while it polls.
TILEWISE_DEVICE void pause_briefly()
{
    __nanosleep(200);
}
/// Lets the thread poll again at once. (Under the interpreter, other threads run.)
TILEWISE_DEVICE void poll_again() {}
/// Takes a ticket: the next of the numbers 0, 1, 2, ... from a counter that the threads of one or more grids share.
TILEWISE_DEVICE unsigned long long next_ticket(unsigned long long* counter)
{
    return atomicAdd(counter, 1ull);
}
/// @}

/// @name Ordered communication between blocks
/// A thread that has loaded a word which another one has stored may access what that one could before it.
/// @{
TILEWISE_DEVICE void store_release(unsigned long long* word, unsigned long long value)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
}
TILEWISE_DEVICE unsigned long long load_acquire(unsigned long long const* word)
{
    unsigned long long value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(word)) : "memory");
    return value;
}
/// @}

/// @name Atomic additions
/// Relaxed, to shared or to global memory. The hardware merges a warp's additions of one to shared memory if their
/// results are unused.
/// @{
TILEWISE_DEVICE void add_one(unsigned* counter)
{
    atomicAdd(counter, 1u);
}
TILEWISE_DEVICE void add(unsigned* counter, unsigned value)
{
    atomicAdd(counter, value);
}
TILEWISE_DEVICE void add(unsigned long long* counter, unsigned long long value)
{
    atomicAdd(counter, value);
}
/// Adds, and returns the previous value.
TILEWISE_DEVICE unsigned fetch_add(unsigned* counter, unsigned value)
{
    return atomicAdd(counter, value);
}
TILEWISE_DEVICE unsigned long long fetch_add(unsigned long long* counter, unsigned long long value)
{
    return atomicAdd(counter, value);
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
