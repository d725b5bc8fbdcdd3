// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The parts of the suite device_histogram, compiled apart.

#include "../session.cuh"

namespace bench::histograms {

void compare_integers(session&);
void compare_floats(session&);
void compare_edges(session&);
void compare_pairs(session&);
void compare_weighted(session&);

} // namespace bench::histograms
