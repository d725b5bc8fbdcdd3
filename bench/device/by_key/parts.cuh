// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The parts of the suite device_by_key, compiled apart.

#include "../session.cuh"

namespace bench::keys {

void compare_i32_keys(session&);
void compare_i64_keys(session&);

} // namespace bench::keys
