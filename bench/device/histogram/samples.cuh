// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The samples: five distributions over the bins of an axis.

#include "../cuda.cuh"
#include "../elements.cuh"

#include <array>
#include <cstdint>
#include <type_traits>

namespace bench::histograms {

enum class distribution {
    uniform,
    one_value,
    zipf, ///< bin k has a share like 1 / (k + 1)
    sorted,
    hot ///< one value nine times in ten, else uniform
};

inline constexpr std::array distributions{
    std::pair{"uniform", distribution::uniform}, std::pair{"one_value", distribution::one_value},
    std::pair{"zipf", distribution::zipf}, std::pair{"sorted", distribution::sorted},
    std::pair{"hot", distribution::hot}};

/// Where samples lie: from `lower` up to `upper`, for as many bins.
struct spread {
    double lower, upper;
    double bins;
};

/// A number in [0, 1).
__device__ inline double unit_number(std::uint64_t bits)
{
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Sample i of n as a place in [0, 1).
__device__ inline double position(distribution kind, std::uint64_t i, std::uint64_t n, double bins)
{
    std::uint64_t const bits = scramble(i + 0x9e3779b97f4a7c15u);
    double const u = unit_number(bits), v = unit_number(scramble(bits));
    switch (kind) {
    case distribution::one_value:
        return 0.37;
    case distribution::zipf:
        return (floor(exp2(u * log2(bins))) - 1 + v) / bins;
    case distribution::sorted:
        return static_cast<double>(i) / static_cast<double>(n);
    case distribution::hot:
        return v < 0.9 ? 0.37 : u;
    default:
        return u;
    }
}

/// Below `upper` even when rounded to a Sample.
template <class Sample>
__device__ Sample sample_at(double where, spread over)
{
    double const x = over.lower + where * (over.upper - over.lower);
    if constexpr (std::is_integral_v<Sample>)
        return static_cast<Sample>(floor(x));
    else if constexpr (std::is_same_v<Sample, float>)
        return __double2float_rd(x);
    else
        return x;
}

template <class Sample>
__global__ void write_samples(Sample* samples, std::uint64_t count, distribution kind, spread over)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        samples[i] = sample_at<Sample>(position(kind, i, count, over.bins), over);
}

} // namespace bench::histograms
