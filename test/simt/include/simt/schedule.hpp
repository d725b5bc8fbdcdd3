// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One run of a test under one schedule. A schedule determines which thread runs when, which block starts first, and
/// when a bulk copy completes.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace simt {

/// An error that the interpreter found.
struct report {
    std::string kind; ///< in one or two words: "race", "out of bounds", "deadlock", ...
    std::string text;
};

/// Runs `body` under the schedule of a seed, and then completes all work that it started.
/// \returns the first report, if there was one
/// \throws what `body` throws, unless there was a report
std::optional<report> run_schedule(std::uint64_t seed, std::function<void()> const& body);

/// Returns the seed of the current schedule. Tests may derive their input from it.
std::uint64_t schedule_seed();

} // namespace simt
