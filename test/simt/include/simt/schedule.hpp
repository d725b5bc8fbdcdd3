// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One run of a test under one schedule: which thread runs when, which block starts first, when a copy lands.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace simt {

/// What the interpreter found to be wrong.
struct report {
    std::string kind; ///< in one or two words: "race", "out of bounds", "deadlock", ...
    std::string text;
};

/// Runs `body` under the schedule of a seed. Whatever was started in it is finished afterwards.
/// \returns the first report, if there was one
/// \throws what `body` throws, unless there was a report
std::optional<report> run_schedule(std::uint64_t seed, std::function<void()> const& body);

/// The seed of the present schedule; tests may derive their input from it.
std::uint64_t schedule_seed();

} // namespace simt
