// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"
#include "gpu.cuh"

#include <tilewise/scan.hpp>

#include <thrust/device_vector.h>

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
    long const tile = 8192; // of floats: 32 KiB
    thrust::device_vector<float> const ones(1000 * tile, 1.0F);
    thrust::device_vector<float> results(ones.size());
    //! [ways]
    auto note = [&](tw::launch_record const& launch) { kernels.emplace_back(launch.kernel); };
    auto const scan = [&](long n) {
        tw::inclusive_scan(tw::device.trace(note), ones.begin(), ones.begin() + n, results.begin());
        return results[n - 1];
    };
    expect(scan(tile) == 8192);
    expect(scan(8 * tile) == 65536);
    expect(scan(100 * tile) == 819200);
    expect(scan(1000 * tile) == 8192000);
    //! [ways]

    std::vector<std::string> const expected =
        major >= 9
            ? std::vector<std::string>{"scan_one_tile", "scan_in_cluster", "scan_tile_per_block", "scan_in_one_pass"}
            : std::vector<std::string>{"scan_one_tile", "scan_tile_per_block", "scan_tile_per_block",
                                       "reduce_tiles",  "carry_groups",        "scan_with_carries"};
    for (auto const& kernel : kernels)
        std::printf("%s\n", kernel.c_str());
    expect(kernels == expected);
}
