// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The common part of every function of the simulated runtime: the lock, the list of calls, the planned failures.

#include "stream.hpp"

#include <functional>
#include <mutex>

namespace simt {

/// The preconditions that a function checks.
enum class needs {
    nothing,
    device,      ///< at least one exists
    no_captures, ///< also, no capture forbids calls that could wait for everything
};

cudaError_t call(char const* name, needs what, std::function<cudaError_t()> const& body);
/// The same for functions that take a stream, which `body` receives.
cudaError_t call(char const* name, cudaStream_t handle, std::function<cudaError_t(stream&)> const& body,
                 needs what = needs::device);

/// The same where the stream must not be captured.
cudaError_t call_uncaptured(char const* name, cudaStream_t handle, std::function<cudaError_t(stream&)> const& body,
                            needs what = needs::device);

/// Returns success, or the error that a call has to return after the simulated GPU has failed.
cudaError_t outcome(bool is_complete);

std::recursive_mutex& runtime_mutex();

/// Clears recorded calls, planned failures and errors.
void clear_calls();

} // namespace simt
