// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// mpirun -n RANKS tilewise_bench_mpi [options]: processes of MPI as ranks on the CPU. Strong and weak scaling of sums
/// and scans of floats, compared with a local pass and MPI_Allreduce or MPI_Exscan, as one would write it by hand.
///
/// Every result of tilewise has to have the bits of one process. Those of the baselines are compared with a tolerance,
/// and the program counts for how many sizes their bits depend on the number of ranks.

#include "../device/options.hpp"
#include "mpi_workload.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace bench;

constexpr char const* mpi_usage =
    "Usage: mpirun -n RANKS tilewise_bench_mpi [options]\n"
    "Measures on 1, 2, 4, ... and all ranks.\n"
    "  --parts A,B       what to measure: strong,weak (all)\n"
    "  --sizes 20,24-26  binary logarithms of the numbers of elements of all ranks, for strong scaling (20,24,26)\n"
    "  --quick           measures small sizes, with few runs\n"
    "  --out FILE        writes JSON lines to FILE\n"
    "  --commit TEXT     the commit to write to FILE\n";

void print_head(mpi_session& run, int processes, std::string const& commit)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "", date[32] = "";
    int length = 0;
    MPI_Get_library_version(mpi, &length);
    mpi[std::strcspn(mpi, ",\n")] = '\0'; // the name and the number
    std::time_t const now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    unsigned const cores = std::thread::hardware_concurrency();
    std::printf("%d processes, %u cores, %s, compiler %s, %s, commit %s\n\n", processes, cores, mpi, __VERSION__, date,
                commit.c_str());
    std::printf("| scaling | algorithm | n of all ranks | ranks | tilewise, us (quartiles) | seq and MPI, us | "
                "std and MPI, us | local call, us |\n|---|---|--:|--:|--:|--:|--:|--:|\n");
    run.measured.write(json_line()
                           .text("kind", "machine")
                           .number("processes", processes)
                           .number("cores", cores)
                           .text("mpi", mpi)
                           .text("compiler", __VERSION__)
                           .text("date", date)
                           .text("commit", commit));
}

/// For how many sizes the bits of the baselines depend on the number of ranks.
void print_differences(mpi_session const& run, int processes)
{
    std::printf("\n1 to %d ranks:\ntilewise: the bits of one process in all results\n", processes); // or it has thrown
    for (auto const& [who, by_size] : run.of_baselines) {
        auto const differ = std::ranges::count_if(by_size, [](auto const& one) { return one.second.size() > 1; });
        std::printf("%s: bits that depend on the number of ranks, for %td of %zu sizes\n", who.c_str(), differ,
                    by_size.size());
    }
}

/// Waits for all processes. Those that are not measured sleep meanwhile, instead of polling.
void wait_for_all()
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int is_complete = 0; is_complete == 0; MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE))
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void measure(options const& chosen)
{
    int processes = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mpi_session run{.measured = results(rank == 0 ? chosen.out : std::string()), .runs = chosen.quick ? 3 : 15};
    if (rank == 0)
        print_head(run, processes, chosen.commit);
    for (int ranks = 1, last = 0; last != processes; last = ranks, ranks = std::min(2 * ranks, processes)) {
        MPI_Comm members = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &members);
        auto const measure_size = [&](char const* scaling, std::uint64_t total) {
            mpi_workload workload(run, members, scaling, total);
            workload.measure_reduce();
            workload.measure_scan();
        };
        if (members != MPI_COMM_NULL) {
            if (chosen.wants_part("strong"))
                for (int const size : chosen.sizes)
                    measure_size("strong", std::uint64_t{1} << size);
            if (chosen.wants_part("weak"))
                for (int const size : chosen.quick ? std::vector{16} : std::vector{20, 24})
                    measure_size("weak", static_cast<std::uint64_t>(ranks) << size);
            MPI_Comm_free(&members);
        }
        wait_for_all();
    }
    if (rank == 0 && processes > 1)
        print_differences(run, processes);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && argv[1] == std::string_view("--help")) {
        std::printf("%s", mpi_usage);
        return 0;
    }
    try {
        command const program{"mpi", "strong,weak", "f32", {20, 24, 26}, {16, 20}, 16};
        options const chosen = parse(program, argc, argv);
        MPI_Init(nullptr, nullptr);
        measure(chosen);
        return MPI_Finalize();
    } catch (std::invalid_argument const& wrong) {
        std::fprintf(stderr, "%s\n%s", wrong.what(), mpi_usage);
        return 2;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "tilewise_bench_mpi: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
