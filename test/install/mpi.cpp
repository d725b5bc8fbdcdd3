// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A program for MPI, by whatever number of processes.
#include <tilewise/distributed/mpi.hpp>

#include <cstdint>

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    bool is_right = false;
    {
        tilewise::mpi_communicator ranks(MPI_COMM_WORLD);
        std::uint64_t count = 1;
        ranks.all_reduce_add(&count, 1);
        is_right = count == static_cast<std::uint64_t>(ranks.size());
    }
    MPI_Finalize();
    return is_right ? 0 : 1;
}
