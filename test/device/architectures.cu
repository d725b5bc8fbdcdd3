// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "architectures/calls.hpp"

#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <vector>

namespace {

/// One tile, a cluster, and two passes.
constexpr int counts[] = {100, 5 * 8192, 100 * 8192 + 3};

TEST(architectures, have_names_of_their_own)
{
    EXPECT_NE(type_in_mode_80(), type_in_mode_90());
}

TEST(architectures, of_an_object_file_are_those_of_its_kernels)
{
    int major = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess || major < 9)
        GTEST_SKIP() << "there is no GPU of compute capability 9.0 or more";
    int const most = counts[2];
    int *elements = nullptr, *out = nullptr;
    ASSERT_EQ(cudaMalloc(&elements, most * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out, most * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMemset(elements, 0, most * sizeof(int)), cudaSuccess);
    for (int const count : counts) {
        auto const of_80 = architectures_of_reduce_80(elements, count),
                   of_90 = architectures_of_reduce_90(elements, count);
        EXPECT_EQ(of_80.smallest, 800) << count;
        EXPECT_EQ(of_80.largest, 800) << count;
        EXPECT_EQ(of_90.smallest, 900) << count;
        EXPECT_EQ(of_90.largest, 900) << count;
        EXPECT_EQ(architecture_of_last_scanned_80(elements, count, out), 800) << count;
        EXPECT_EQ(architecture_of_last_scanned_90(elements, count, out), 900) << count;
    }
    EXPECT_EQ(cudaFree(elements), cudaSuccess);
    EXPECT_EQ(cudaFree(out), cudaSuccess);
}

} // namespace
