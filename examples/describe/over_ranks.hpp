// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

namespace example {

/// Does the job with `chosen.ranks` threads.
void describe_with_threads(options const& chosen);

/// Does the job as one of the processes of an MPI program, all of which call this.
void describe_under_mpi(options const& chosen);

} // namespace example
