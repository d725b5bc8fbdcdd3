// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"

#include <functional>
#include <optional>

namespace example {

/// Which of how many processes this is, as an MPI launcher has it.
struct mpi_process {
    int rank, size;
};

/// This process, if an MPI launcher has started it: it says so in the environment, also without MPI.
std::optional<mpi_process> launched_by_mpi();

/// Calls `job` with the processes that the launcher has started as ranks, between the beginning and the end of MPI.
/// Where it throws something that not all ranks throw, the program ends on all ranks. Throws `usage_error` where this
/// is compiled without MPI, or with another than the launcher's.
void run_under_mpi(std::function<void(any_communicator&)> const& job);

} // namespace example
