// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! [mpi]
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/mpi.hpp>
#include <tilewise/tilewise.hpp>

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

int main(int argc, char** argv)
{
    namespace tw = tilewise;
    MPI_Init(&argc, &argv);
    bool same = false;
    {
        tw::mpi_communicator ranks(MPI_COMM_WORLD);
        auto const cuts = tw::even_partition<double>(1'000'000, ranks.size());
        auto const begin = cuts[static_cast<std::size_t>(ranks.rank())];
        auto const end = cuts[static_cast<std::size_t>(ranks.rank()) + 1];
        std::vector<double> own(static_cast<std::size_t>(end - begin)); // each process has its part only
        std::iota(own.begin(), own.end(), 0.1 + static_cast<double>(begin));

        double const sum = tw::reduce(tw::distributed(ranks, tw::par), own);

        std::vector<double> whole(1'000'000);
        std::iota(whole.begin(), whole.end(), 0.1);
        same = sum == tw::reduce(whole); // the bits of one process
        if (ranks.rank() == 0)
            std::printf("sum %.17g of %d processes\n", sum, ranks.size());
    }
    MPI_Finalize();
    return same ? 0 : 1;
}
//! [mpi]
