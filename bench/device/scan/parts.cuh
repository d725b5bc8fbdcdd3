// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The parts of the suite device_scan, compiled apart.

#include "../session.cuh"

namespace bench::scans {

void compare_sums(session&);
void compare_narrow(session&);
void compare_widening(session&);
void compare_operators(session&);
void compare_entropies(session&);
void compare_wrappings(session&);
void compare_wall_time(session&);

} // namespace bench::scans
