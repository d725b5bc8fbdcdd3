// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The simulated devices.

#include <simt/runtime.hpp>

namespace simt {

inline constexpr int most_devices = 8;

std::vector<runtime::device>& all_devices();
int current_device_index();
void make_current(int device);
int capability_of(int device); ///< 90 for 9.0
int multiprocessors_of(int device);
int resident_blocks_of(int device);
bool is_device(int index);
cudaStreamCaptureMode capture_mode_of_this_thread();

/// Gives a device that was reset a new context, with another number.
void begin_context(int device);

} // namespace simt
