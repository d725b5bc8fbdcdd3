// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The parts of the suite device_segmented, compiled apart.

#include "../session.cuh"

namespace bench::segments {

void compare_numbers(session&);
void compare_bytes(session&);
void compare_structures(session&);

} // namespace bench::segments
