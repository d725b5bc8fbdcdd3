// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Several GPUs as ranks, connected by NCCL: strong and weak scaling, and the latency of calls, beside CUB on each GPU
/// with NCCL between them. A process for each GPU, or a thread.
///
/// Every result is checked, and has to be the same for every number of ranks. `scripts/gpu report` turns the output
/// into the tables of docs/benchmarks.

#include "machine.cuh"
#include "ranks/options.hpp"
#include "ranks/parts.cuh"
#include "ranks/processes.hpp"
#include "ranks/session.cuh"
#include "ranks/targets.hpp"

#include <nccl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace bench;

std::string nccl_version()
{
    int number = 0;
    check(ncclGetVersion(&number), "ncclGetVersion");
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
}

/// Measures as one of `gpus` ranks on the current device.
void be_rank(rank_options const& chosen, int gpus, int rank, std::vector<identifier> const& identifiers)
{
    rank_session run(chosen, gpus, rank, identifiers);
    if (run.is_first()) {
        auto machine = describe_machine(chosen.commit, true);
        std::printf("%d GPUs, a %s for each, NCCL %s\n", gpus, chosen.threads ? "thread" : "process",
                    nccl_version().c_str());
        std::fflush(stdout);
        run.measured.write(machine.number("gpus", gpus)
                               .text("ranks_are", chosen.threads ? "threads" : "processes")
                               .text("nccl", nccl_version())
                               .text("topology", output_of("nvidia-smi topo -m 2>/dev/null")));
    }
    for (auto const& group : run.groups) // those of fewer ranks first; the other ranks wait for the next one
        measure_ranks(run, *group);
    run.all().barrier();
    if (run.is_first())
        report_targets(run.measured, rank_targets());
}

void select_gpu(int rank)
{
    int visible = 0;
    check(cudaGetDeviceCount(&visible), "cudaGetDeviceCount");
    check(cudaSetDevice(rank % visible), "cudaSetDevice");
}

/// The rank of a process.
void be_process(rank_options const& chosen)
{
    limit_process(chosen.limit + 5); // the process that started it says so first
    select_gpu(chosen.rank);
    auto const count = numbers_of_ranks(chosen.gpus).size();
    if (chosen.rank == 0) {
        if (std::filesystem::exists(chosen.id))
            throw std::runtime_error(chosen.id + " exists");
        write_identifiers(chosen.id, make_identifiers(count));
    }
    be_rank(chosen, chosen.gpus, chosen.rank, read_identifiers(chosen.id, count));
}

/// Starts a process for each rank.
void start_processes(rank_options const& chosen, int gpus, std::vector<std::string> const& arguments)
{
    temporary_folder const folder;
    std::vector<started_program> programs;
    for (int rank = 0; rank < gpus; ++rank) {
        started_program program{arguments, {}};
        for (auto const& argument : {std::string("--rank"), std::to_string(rank), std::string("--gpus"),
                                     std::to_string(gpus), std::string("--id"), (folder.path() / "id").string()})
            program.arguments.push_back(argument);
        programs.push_back(std::move(program));
    }
    process_group ranks(programs);
    if (auto const failure = ranks.wait(std::chrono::seconds(chosen.limit)))
        throw std::runtime_error(*failure);
}

/// Starts a thread for each rank. After an error on one of them, the others could wait for it forever.
void start_threads(rank_options const& chosen, int gpus)
{
    alarm(static_cast<unsigned>(chosen.limit));
    auto const identifiers = make_identifiers(numbers_of_ranks(gpus).size());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < gpus; ++rank)
        threads.emplace_back([&, rank] {
            try {
                select_gpu(rank);
                be_rank(chosen, gpus, rank, identifiers);
            } catch (std::exception const& error) {
                std::fprintf(stderr, "tilewise_bench_ranks, rank %d: %s\n", rank, error.what());
                std::fflush(stdout);
                std::_Exit(1);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && argv[1] == std::string_view("--help")) {
        std::printf("%s", rank_usage);
        return 0;
    }
    int rank = -1;
    try {
        rank_options const chosen = parse_rank_options(argc, argv);
        rank = chosen.rank;
        if (rank >= 0) {
            be_process(chosen);
            return 0;
        }
        int const visible = count_gpus();
        if (visible == 0 || visible < chosen.gpus)
            throw std::runtime_error(std::to_string(visible) + " GPUs are visible");
        int const gpus = chosen.gpus > 0 ? chosen.gpus : visible;
        if (chosen.threads)
            start_threads(chosen, gpus);
        else
            start_processes(chosen, gpus, std::vector<std::string>(argv + 1, argv + argc));
        return 0;
    } catch (std::invalid_argument const& wrong) {
        std::fprintf(stderr, "%s\n%s", wrong.what(), rank_usage);
        return 2;
    } catch (std::exception const& error) {
        std::string const of_rank = rank >= 0 ? ", rank " + std::to_string(rank) : "";
        std::fprintf(stderr, "tilewise_bench_ranks%s: %s\n", of_rank.c_str(), error.what());
        return 1;
    }
}
