// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The parts of the suite device_reduce, compiled apart.

#include "../session.cuh"

namespace bench::reductions {

void compare_floats_and_integers(session&);
void compare_narrow(session&);
void compare_transforms(session&);
void compare_operators(session&);
void compare_entropies(session&);
void compare_extremes(session&);
void compare_wrappings(session&);
void compare_wall_time(session&);
void compare_host_memory(session&);

} // namespace bench::reductions
