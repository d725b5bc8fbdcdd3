// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Accesses to memory that are more than an assignment: loads that do not stay in the cache, words that blocks publish
/// and observe, atomic additions.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Sixteen bytes.
struct alignas(vector_bytes) vector16 {
    unsigned word[4];
};

/// @name Loads that do not stay in the cache
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

/// @name Words that blocks tell each other
/// Each access is one, and says nothing about other memory.
/// @{
TILEWISE_DEVICE void publish(unsigned long long* word, unsigned long long value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
}
/// Leaves `value` as it is if the word is not `wanted`: without a branch, which would wait for the load before it.
TILEWISE_DEVICE void observe(unsigned long long const* word, bool wanted, unsigned long long& value)
{
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "setp.ne.u32 p, %2, 0;\n\t"
                 "@p ld.relaxed.gpu.global.u64 %0, [%1];\n\t}"
                 : "+l"(value)
                 : "l"(__cvta_generic_to_global(word)), "r"(unsigned{wanted})
                 : "memory");
}
/// Leaves memory to the others for a while.
TILEWISE_DEVICE void pause_briefly()
{
    __nanosleep(200);
}
/// The next of the numbers 0, 1, 2, ... that the threads of a grid, or of several, next_ticket from a counter.
TILEWISE_DEVICE unsigned long long next_ticket(unsigned long long* counter)
{
    return atomicAdd(counter, 1ull);
}
/// @}

/// @name Atomic additions
/// To shared or to global memory; they say nothing about other memory. The machine merges additions of one by a warp,
/// in shared memory, if the results are not asked for.
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
/// Returns what was there before.
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
