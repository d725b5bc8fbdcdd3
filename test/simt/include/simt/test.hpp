// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Schedules in a GoogleTest.

#include <simt/runtime.hpp>
#include <simt/schedule.hpp>

#include <functional>

namespace simt {

/// What may still be allocated after a schedule.
enum class leaks {
    none,   ///< nothing that was not there before
    steady, ///< what few schedules leave behind: caches. A leak is what most of them do, the first not counted.
    ignored
};

struct schedules {
    int runs = 0; ///< 0: 20, or what TILEWISE_SIMT_RUNS says; other numbers are taken in proportion to it
    leaks allowed = leaks::steady;
};

/// Runs `body` under one schedule after the other, until one fails. A report of the interpreter is a failure of the
/// test; so is an error that the runtime still holds, or a leak. The message names the seed: with
/// TILEWISE_SIMT_SEED=<seed> in the environment only that schedule runs.
void for_each_schedule(std::function<void()> const& body, schedules wanted = {});

/// How many schedules `runs` stands for.
int schedule_count(int runs = 0);

} // namespace simt
