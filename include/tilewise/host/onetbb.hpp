// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Defines the functions of `<tilewise/host/threads.hpp>` with oneTBB. A program that defines TILEWISE_LINKED_THREADS
/// includes this file in one source file; otherwise `<tilewise/host/parallel.hpp>` includes it.

#include <tilewise/host/threads.hpp>

// oneTBB includes <immintrin.h> for the pause instruction. Its intrinsics for all vector instructions take up to half a
// second to compile.
#if defined(__x86_64__) && defined(__clang__) && !defined(__IMMINTRIN_H)
#include <emmintrin.h>
#define __IMMINTRIN_H // NOLINT(readability-identifier-naming)
#define TILEWISE_WITHOUT_IMMINTRIN
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(_IMMINTRIN_H_INCLUDED)
#include <xmmintrin.h>
#define _IMMINTRIN_H_INCLUDED
#define TILEWISE_WITHOUT_IMMINTRIN
#endif
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#ifdef TILEWISE_WITHOUT_IMMINTRIN // so that a later #include of it has an effect
#ifdef __clang__
#undef __IMMINTRIN_H
#else
#undef _IMMINTRIN_H_INCLUDED
#endif
#undef TILEWISE_WITHOUT_IMMINTRIN
#endif

#ifdef TILEWISE_LINKED_THREADS
#define TILEWISE_INLINE_UNLESS_LINKED
#else
#define TILEWISE_INLINE_UNLESS_LINKED inline
#endif

TILEWISE_THREADS_BEGIN

/// Each part runs in its own task group, so that an operator that cancels the group it runs in cancels no other part.
/// (This takes 50 ns.)
TILEWISE_INLINE_UNLESS_LINKED void for_each_part(std::ptrdiff_t count, division into, void const* task,
                                                 void (*run)(void const* task, std::ptrdiff_t first,
                                                             std::ptrdiff_t last))
{
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::blocked_range<std::ptrdiff_t> const indices(0, count);
    auto const body = [=](tbb::blocked_range<std::ptrdiff_t> const& part) {
        tbb::task_group_context own(tbb::task_group_context::isolated);
        tbb::task_group(own).run_and_wait([&] { run(task, part.begin(), part.end()); });
    };
    tbb::this_task_arena::isolate([&] {
        if (into == division::single)
            tbb::parallel_for(indices, body, tbb::simple_partitioner(), context);
        else
            tbb::parallel_for(indices, body, tbb::auto_partitioner(), context);
    });
}

TILEWISE_INLINE_UNLESS_LINKED void isolate(void const* task, void (*run)(void const* task))
{
    tbb::this_task_arena::isolate([=] { run(task); });
}

TILEWISE_INLINE_UNLESS_LINKED std::ptrdiff_t concurrency()
{
    return tbb::this_task_arena::max_concurrency();
}

TILEWISE_THREADS_END

#undef TILEWISE_INLINE_UNLESS_LINKED
