// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Ranks that are the GPUs of this machine, connected by NCCL: a thread for each. One GPU is a rank alone.

#include "../on_device.hpp"

#include <tilewise/distributed/nccl.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace on_device {

inline void expect_success(ncclResult_t result)
{
    if (result != ncclSuccess)
        throw std::runtime_error(ncclGetErrorString(result));
}

/// One communicator of all GPUs.
class ranks_of_nccl : public testing::Test {
protected:
    void SetUp() override
    {
        int gpus = 0;
        if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0)
            GTEST_SKIP() << "there is no GPU";
        if (gpus == 1)
            std::puts("one GPU: a communicator of one rank");
        comms_.resize(static_cast<std::size_t>(gpus));
        expect_success(ncclCommInitAll(comms_.data(), gpus, nullptr));
    }
    void TearDown() override
    {
        for (ncclComm_t const comm : comms_)
            if (comm != nullptr)
                expect_success(ncclCommDestroy(comm));
        if (!comms_.empty())
            expect_success(cudaSetDevice(0));
    }

    std::size_t gpus() const { return comms_.size(); }

    /// Calls `work(communicator, stream)` on all GPUs at once, and throws what one of them throws.
    template <class Work>
    void on_each_gpu(Work const& work)
    {
        std::vector<std::exception_ptr> thrown(gpus());
        std::vector<std::thread> threads;
        for (std::size_t gpu = 0; gpu < gpus(); ++gpu)
            threads.emplace_back([&, gpu] {
                try {
                    expect_success(cudaSetDevice(static_cast<int>(gpu)));
                    on_device::stream const stream;
                    tilewise::nccl_communicator communicator(comms_[gpu], stream,
                                                             {.timeout = std::chrono::seconds(60)});
                    try {
                        work(communicator, stream.get());
                    } catch (...) {
                        thrown[gpu] = std::current_exception();
                    }
                    if (!communicator.is_usable())
                        comms_[gpu] = nullptr; // freed
                } catch (...) {
                    thrown[gpu] = std::current_exception();
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        for (std::exception_ptr const& each : thrown)
            if (each)
                std::rethrow_exception(each);
    }

    /// Cuts of [0, count) into a part for each GPU, anywhere.
    std::vector<std::size_t> cuts_of(std::size_t count)
    {
        std::vector<std::size_t> cuts{0, count};
        while (cuts.size() <= gpus())
            cuts.push_back(random() % (count + 1));
        std::sort(cuts.begin(), cuts.end());
        return cuts;
    }

    std::mt19937 random{7};

private:
    std::vector<ncclComm_t> comms_;
};

/// A rank's part of some values.
template <class T>
std::vector<T> part_of(std::vector<T> const& all, std::vector<std::size_t> const& cuts, int rank)
{
    auto const at = [&](int r) { return all.begin() + static_cast<std::ptrdiff_t>(cuts[static_cast<std::size_t>(r)]); };
    return std::vector<T>(at(rank), at(rank + 1));
}

} // namespace on_device
