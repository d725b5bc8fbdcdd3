// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Barriers against contraction. A compiler that may contract (g++ does by default) turns a user's product and the
/// library's sum into one fused operation, which rounds once: other bits than the order's. An empty `asm` statement
/// that claims to change the value keeps the two apart.

#include <tilewise/config.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace host {

#ifdef TILEWISE_STRICT_FP
inline constexpr bool contracts_scalars = false;
inline constexpr bool contracts_members = false;
#else
/// Even without `-mfma`: the calling function may have been given the instructions by an attribute.
inline constexpr bool contracts_scalars = true;
#if defined(__x86_64__) && !defined(__FMA__) && !defined(__FMA4__)
/// The barrier for a struct goes through memory, so it stays away where there is nothing to keep apart.
inline constexpr bool contracts_members = false;
#else
inline constexpr bool contracts_members = true;
#endif
#endif

/// Makes the compiler forget where a value comes from.
template <class T>
TILEWISE_INLINE void make_opaque(T& value)
{
    if constexpr (contracts_scalars && std::is_floating_point_v<T> && sizeof(T) <= 8) {
#if defined(__x86_64__)
        asm("" : "+x"(value));
#elif defined(__aarch64__)
        asm("" : "+w"(value));
#else
        asm("" : "+m"(value));
#endif
    } else if constexpr (contracts_members && std::is_class_v<T> && std::is_trivially_copyable_v<T>) {
        asm("" : "+m"(value));
    }
}

/// Makes the compiler forget what it knows about the memory behind a pointer.
template <class T>
TILEWISE_INLINE T const* opaque_memory(T const* first)
{
    if constexpr (contracts_scalars)
        asm volatile("" : "+r"(first) : : "memory");
    return first;
}

} // namespace host
TILEWISE_NAMESPACE_END
