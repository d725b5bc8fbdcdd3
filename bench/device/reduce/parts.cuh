// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The parts of bench_device_reduce, compiled apart.

#include "../session.cuh"

namespace bench {

void compare_floats_and_integers(session&);
void compare_narrow(session&);
void compare_transforms(session&);
void compare_matrices(session&);
void compare_wrappings(session&);
void compare_wall_time(session&);
void compare_host_memory(session&);

} // namespace bench
