// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"
#include "gpu.cuh"

#include <tilewise/reduce.hpp>

#include <thrust/iterator/constant_iterator.h>

#include <cstdio>
#include <string>
#include <vector>

namespace tw = tilewise;

int main()
{
    leave_without_a_gpu();
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));

    std::vector<std::string> kernels;
    thrust::constant_iterator<float> const ones(1);
    //! [three_ways]
    auto note = [&](tw::launch_record const& launch) { kernels.emplace_back(launch.kernel); };
    auto const sum = [&](long n) { return tw::reduce(tw::device.trace(note), ones, ones + n, 0.0F); };

    long const tile = 8192; // of floats: 32 KiB
    expect(sum(tile) == 8192);
    expect(sum(8 * tile) == 65536);
    expect(sum(100 * tile) == 819200);
    expect(sum(2000 * tile) == 16384000);
    //! [three_ways]

    std::vector<std::string> const expected = {"reduce_one_tile",
                                               major >= 9 ? "reduce_in_cluster"
                                                          : "reduce_in_one_launch", // clusters are there
                                               "reduce_in_one_launch", "reduce_subtrees", "fold_subtrees"};
    for (auto const& kernel : kernels)
        std::printf("%s\n", kernel.c_str());
    expect(kernels == expected);
}
