// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The example of docs/kernels.md.
//! [example]
#include <simt/test.hpp>
#include <tilewise/reduce.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

TEST(Example, AddsUp)
{
    simt::for_each_schedule([] {
        std::vector<int> values(1000);
        std::iota(values.begin(), values.end(), 0);
        int* memory = nullptr;
        ASSERT_EQ(cudaMalloc(&memory, 1000 * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemcpy(memory, values.data(), 1000 * sizeof(int), cudaMemcpyHostToDevice), cudaSuccess);
        EXPECT_EQ(tilewise::reduce(tilewise::device, memory, memory + 1000), 499500);
        EXPECT_EQ(cudaFree(memory), cudaSuccess);
    });
}
//! [example]
