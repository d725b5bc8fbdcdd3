// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Functions that run tasks on several threads, declared without oneTBB. `<tilewise/host/onetbb.hpp>` defines them: in
/// every translation unit or, where TILEWISE_LINKED_THREADS is defined, in one. They take plain pointers, so that calls
/// and definitions can be compiled with different options.

#include <tilewise/core/config.hpp>

#include <cstddef>

TILEWISE_THREADS_BEGIN

/// How [0, count) is divided among the calls of a task.
enum class division {
    balanced, ///< into parts that keep all threads busy
    single    ///< into single indices
};

/// Calls `run(task, first, last)` for disjoint parts of [0, count). `run` must not throw.
void for_each_part(std::ptrdiff_t count, division into, void const* task,
                   void (*run)(void const* task, std::ptrdiff_t first, std::ptrdiff_t last));

/// Calls `run(task)`. While it waits for its tasks, this thread runs no others.
void isolate(void const* task, void (*run)(void const* task));

/// Returns the maximum number of threads in the caller's task arena.
std::ptrdiff_t concurrency();

TILEWISE_THREADS_END
