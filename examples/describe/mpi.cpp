// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi.hpp"

#include "options.hpp"

#ifdef DESCRIBE_MPI
#include "on_all_ranks.hpp"

#include <tilewise/distributed/mpi.hpp>
#include <tilewise/error.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace example {

std::optional<mpi_process> launched_by_mpi()
{
    constexpr struct {
        char const *rank, *size;
    } variables[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, // Open MPI
        {"PMI_RANK", "PMI_SIZE"},                         // MPICH and what comes of it
        {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   // MVAPICH2
    };
    for (auto const& names : variables) {
        char const* const rank = std::getenv(names.rank);
        char const* const size = std::getenv(names.size);
        if (rank != nullptr && size != nullptr) {
            return mpi_process{std::atoi(rank), std::atoi(size)};
        }
    }
    return std::nullopt;
}

#ifdef DESCRIBE_MPI

namespace {

struct mpi_session {
    mpi_session()
    {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    }
    ~mpi_session() { MPI_Finalize(); }
    mpi_session(mpi_session const&) = delete;
    mpi_session& operator=(mpi_session const&) = delete;
};

} // namespace

void run_under_mpi(std::function<void(any_communicator&)> const& job)
{
    mpi_session const session;
    tilewise::mpi_communicator communicator(MPI_COMM_WORLD);
    if (auto const launched = launched_by_mpi(); launched && launched->size != communicator.size()) {
        throw usage_error("started by another MPI than this program was compiled with");
    }
    auto const abort = [&](std::exception const& error) {
        std::fprintf(stderr, "describe: rank %d: %s\n", communicator.rank(), error.what());
        communicator.abort(1);
    };
    try {
        communicator_reference ranks(communicator);
        job(ranks);
    } catch (failed_on_a_rank const&) {
        throw;
    } catch (tilewise::distributed_error const& error) {
        if (communicator.is_usable()) {
            throw;
        }
        abort(error);
    } catch (std::exception const& error) {
        abort(error);
    }
}

#else

void run_under_mpi(std::function<void(any_communicator&)> const&)
{
    throw usage_error("started by MPI as several processes, but compiled without it; --ranks N works with threads");
}

#endif

} // namespace example
