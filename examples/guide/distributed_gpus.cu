// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"
#include "gpu.cuh"

#include <tilewise/distributed.hpp>
#include <tilewise/distributed/nccl.hpp>
#include <tilewise/tilewise.hpp>

#include <thrust/device_vector.h>

#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tw = tilewise;

namespace {

void check(ncclResult_t result)
{
    if (result != ncclSuccess)
        throw std::runtime_error(ncclGetErrorString(result));
}

} // namespace

int main()
{
    leave_without_a_gpu();
    std::vector<float> x(1'000'000);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 1001) / 7;
    std::vector<float> expected(x.size()), sums(x.size());
    tw::inclusive_scan(x, expected);

    //! [gpus]
    int gpus = 0;
    check(cudaGetDeviceCount(&gpus));
    std::vector<ncclComm_t> comms(static_cast<std::size_t>(gpus));
    check(ncclCommInitAll(comms.data(), gpus, nullptr));
    auto const cuts = tw::even_partition<float>(std::ssize(x), gpus);
    {
        std::vector<std::jthread> threads;
        for (int gpu = 0; gpu < gpus; ++gpu)
            threads.emplace_back([&, gpu] {
                check(cudaSetDevice(gpu));
                stream const queue; // of this GPU
                auto const begin = cuts[static_cast<std::size_t>(gpu)], end = cuts[static_cast<std::size_t>(gpu) + 1];
                thrust::device_vector<float> const own(x.begin() + begin, x.begin() + end);
                thrust::device_vector<float> results(own.size());
                tw::nccl_communicator ranks(comms[static_cast<std::size_t>(gpu)], queue.get());
                auto const on = tw::distributed(ranks, tw::device.on(queue.get()));
                tw::inclusive_scan(on, own.begin(), own.end(), results.begin());
                thrust::copy(results.begin(), results.end(), sums.begin() + begin);
            });
    }
    for (ncclComm_t const comm : comms)
        check(ncclCommDestroy(comm));
    expect(sums == expected);
    //! [gpus]
}
