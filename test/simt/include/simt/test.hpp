// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs a GoogleTest under many schedules.

#include <simt/runtime.hpp>
#include <simt/schedule.hpp>

#include <functional>

namespace simt {

/// What may still be allocated after a schedule.
enum class leaks {
    none,   ///< nothing that was not allocated before it
    steady, ///< what few schedules leave, such as caches; if most do, not counting the first, it is a leak
    ignored
};

struct schedules {
    int runs = 0; ///< 0: 20, or the value of TILEWISE_SIMT_RUNS; other numbers are scaled in proportion
    leaks allowed = leaks::steady;
};

/// Runs `body` under one schedule after another until one fails. The test fails if the interpreter reports an error, if
/// the runtime still holds an error, or if memory leaks. The message names the seed: with TILEWISE_SIMT_SEED=<seed> in
/// the environment only that schedule runs.
void for_each_schedule(std::function<void()> const& body, schedules wanted = {});

/// Returns the number of schedules that `runs` stands for.
int schedule_count(int runs = 0);

} // namespace simt
