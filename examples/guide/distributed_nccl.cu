// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! [nccl]
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/nccl.hpp>
#include <tilewise/tilewise.hpp>

#include <thrust/device_vector.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tw = tilewise;

template <class Result>
void check(Result result) // of CUDA or of NCCL
{
    if (result != Result{})
        throw std::runtime_error("error " + std::to_string(static_cast<int>(result)));
}

int variable(char const* name, int otherwise)
{
    char const* const value = std::getenv(name);
    return value ? std::stoi(value) : otherwise;
}

/// Rank 0 makes NCCL's identifier and writes it to a new file, from which the others read it.
ncclUniqueId identifier(int rank, std::string const& file)
{
    ncclUniqueId id = {};
    if (rank == 0) {
        check(ncclGetUniqueId(&id));
        std::ofstream(file + ".part", std::ios::binary).write(id.internal, sizeof id.internal);
        std::filesystem::rename(file + ".part", file); // the others see the whole file or none
    } else {
        while (!std::filesystem::exists(file))
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::ifstream(file, std::ios::binary).read(id.internal, sizeof id.internal);
    }
    return id;
}

int main(int argc, char** argv)
{
    int const rank = variable("RANK", 0), size = variable("WORLD_SIZE", 1);
    std::string const file = argc > 1 ? argv[1] : "nccl-id-" + std::to_string(std::time(nullptr));
    check(cudaSetDevice(variable("LOCAL_RANK", 0)));
    ncclComm_t comm = nullptr;
    check(ncclCommInitRank(&comm, size, identifier(rank, file), rank)); // returns when all ranks have called it
    if (rank == 0)
        std::filesystem::remove(file);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream));
    bool same = false;
    {
        tw::nccl_communicator ranks(comm, stream, {.timeout = std::chrono::minutes(1)});
        auto const cuts = tw::even_partition<double>(1'000'000, size);
        auto const begin = cuts[static_cast<std::size_t>(rank)], end = cuts[static_cast<std::size_t>(rank) + 1];
        std::vector<double> whole(1'000'000);
        std::iota(whole.begin(), whole.end(), 0.1);
        thrust::device_vector<double> const own(whole.begin() + begin, whole.begin() + end); // on the GPU of this rank

        double const sum = tw::reduce(tw::distributed(ranks, tw::device.on(stream)), own.begin(), own.end());

        same = sum == tw::reduce(whole); // the bits of one thread on the CPU
        if (rank == 0)
            std::printf("sum %.17g of %d processes\n", sum, size);
    }
    check(cudaStreamDestroy(stream));
    check(ncclCommDestroy(comm));
    return same ? 0 : 1;
}
//! [nccl]

#include "gpu.cuh"

namespace {
[[maybe_unused]] bool const has_a_gpu = (leave_without_a_gpu(), true);
}
