// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// GPU operations in forms that the library's kernels do not use: atomics, fences, votes. They are for the
/// interpreter's own tests, and for arch.cuh once a kernel needs one of them.

#include <simt/kernel.hpp>

namespace simt {

/// @name Atomics, of device scope
/// @{
template <class T>
T load_relaxed(T const* from)
{
    yield_point();
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}
template <class T>
T load_acquire(T const* from)
{
    yield_point();
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
template <class T>
void store_relaxed(T* to, T value)
{
    yield_point();
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}
template <class T>
void store_release(T* to, T value)
{
    yield_point();
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}
template <class T>
T atomic_add(T* to, T value)
{
    yield_point();
    return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}
template <class T>
T load_volatile(T const* from)
{
    yield_point();
    return *static_cast<T const volatile*>(from);
}
template <class T>
void store_volatile(T* to, T value)
{
    yield_point();
    *static_cast<T volatile*>(to) = value;
}
/// @}

inline void fence_device()
{
    fence(scope::device);
}
inline void fence_block()
{
    fence(scope::block);
}

inline unsigned ballot(bool vote, location where = location::current())
{
    return ballot(all_lanes, vote, where);
}
inline void sync_warp(location where = location::current())
{
    sync_warp(all_lanes, where);
}

} // namespace simt
