// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What runs tasks on several threads, declared without oneTBB. `<tilewise/host/onetbb.hpp>` defines it: in every
/// translation unit, or in one where TILEWISE_LINKED_THREADS is defined. Plain pointers, so that the two may be
/// compiled with different options.

#include <tilewise/core/config.hpp>

#include <cstddef>

TILEWISE_THREADS_BEGIN

/// How the indices of tasks are divided among calls.
enum class division {
    balanced, ///< into parts that keep all threads busy
    single    ///< one by one
};

/// Calls `run(task, first, last)`, which does not throw, for disjoint parts of [0, count).
void for_each_part(std::ptrdiff_t count, division into, void const* task,
                   void (*run)(void const* task, std::ptrdiff_t first, std::ptrdiff_t last));

/// Calls `run(task)`. While that waits for tasks, this thread runs no others.
void isolate(void const* task, void (*run)(void const* task));

/// How many threads the caller's arena has.
std::ptrdiff_t concurrency();

TILEWISE_THREADS_END
