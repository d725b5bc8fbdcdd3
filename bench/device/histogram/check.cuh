// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Are the counts right? They are those of a search among the edges that the axis publishes.

#include "../cuda.cuh"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::histograms {

/// The bin of a sample between `bins + 1` edges; -1 outside.
template <class Edge, class Sample>
__device__ int bin_between(Edge const* edges, int bins, Sample x)
{
    if (!(edges[0] <= x) || !(x < edges[bins]))
        return -1;
    int low = 0, high = bins; // edges[low] <= x < edges[high]
    while (high - low > 1) {
        int const middle = low + (high - low) / 2;
        (edges[middle] <= x ? low : high) = middle;
    }
    return low;
}

template <class Edge, class Sample>
__global__ void count_by_search(Sample const* samples, std::uint64_t count, Edge const* edges, int bins,
                                unsigned* counts)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        if (int const bin = bin_between(edges, bins, samples[i]); bin >= 0)
            atomicAdd(counts + bin, 1u);
}

/// The same for pairs, on the same axis for both.
template <class Edge, class Sample>
__global__ void count_pairs_by_search(Sample const* x, Sample const* y, std::uint64_t count, Edge const* edges,
                                      int bins, unsigned* counts)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
        int const row = bin_between(edges, bins, x[i]), column = bin_between(edges, bins, y[i]);
        if (row >= 0 && column >= 0)
            atomicAdd(counts + row * bins + column, 1u);
    }
}

template <class Counter>
void expect_counts(std::string const& what, std::vector<Counter> const& ours, std::vector<unsigned> const& expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (ours[i] != expected[i])
            throw std::runtime_error("wrong counts: " + what + ", bin " + std::to_string(i) + ": " +
                                     std::to_string(ours[i]) + " in place of " + std::to_string(expected[i]));
}

/// The samples that a baseline counts in another bin, or nowhere.
template <class Counter>
std::uint64_t misplaced(std::vector<Counter> const& theirs, std::vector<unsigned> const& expected)
{
    std::uint64_t too_few = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        too_few += theirs[i] < expected[i] ? expected[i] - theirs[i] : 0;
    return too_few;
}

} // namespace bench::histograms
