// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The first error found in a schedule.

#include <simt/location.hpp>
#include <simt/schedule.hpp>

#include <optional>
#include <string>

namespace simt {

/// Stores a report, unless there is one already.
void note(char const* kind, std::string const& text);
/// The same for the current thread of a kernel, which stops.
[[noreturn]] void stop_thread(char const* kind, std::string const& text);

std::optional<report> const& first_report();
std::optional<report> take_report();

/// Returns "file.cpp:12".
std::string text_of(location const& where);

} // namespace simt
