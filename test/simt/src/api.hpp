// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What every function of the fake runtime goes through: the lock, the list of calls, the planned failures.

#include "stream.hpp"

#include <functional>
#include <mutex>

namespace simt {

/// What a function asks of the state that it is called in.
enum class needs {
    nothing,
    device,      ///< one has to be there
    no_captures, ///< and calls that wait for everything are allowed
};

cudaError_t call(char const* name, needs what, std::function<cudaError_t()> const& body);
/// The same for what a stream is asked to do; `body` gets the stream.
cudaError_t call(char const* name, cudaStream_t handle, std::function<cudaError_t(stream&)> const& body,
                 needs what = needs::device);

/// The same where the stream must not be captured.
cudaError_t call_uncaptured(char const* name, cudaStream_t handle, std::function<cudaError_t(stream&)> const& body,
                            needs what = needs::device);

/// Success, or what a call has to return after the machine has failed.
cudaError_t outcome(bool machine_got_there);

std::recursive_mutex& runtime_mutex();

/// Forgets calls, planned failures and errors.
void clear_calls();

} // namespace simt
