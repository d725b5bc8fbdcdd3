// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The result that every competitor has to come to: computed in a wide type, in order, by code that shares nothing with
/// any of them.

#include "../cuda.cuh"
#include "workload.cuh"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace bench::reductions {

/// Each thread combines a segment from left to right.
template <class Wide, class It, class Widen, class Op>
__global__ void combine_segments(It first, std::uint64_t count, std::uint64_t segment, Widen widen, Op op, Wide init,
                                 Wide* out)
{
    std::uint64_t const thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    std::uint64_t const begin = thread * segment, end = min(begin + segment, count);
    if (begin >= count)
        return;
    Wide total = init;
    for (std::uint64_t i = begin; i < end; ++i)
        total = op(total, widen(first[i]));
    out[thread] = total;
}

/// The widened elements combined in order; `init` is the operator's identity.
template <class Wide, class It, class Widen, class Op>
Wide reference(It first, std::uint64_t count, Widen widen, Op op, Wide init, cudaStream_t stream)
{
    std::uint64_t const segment = std::max<std::uint64_t>(16, (count + (1 << 18) - 1) >> 18);
    std::uint64_t const segments = (count + segment - 1) / segment;
    device_array<Wide> totals(segments);
    launch(combine_segments<Wide, It, Widen, Op>, (segments + 255) / 256, 256, stream, first, count, segment, widen, op,
           init, totals.data());
    std::vector<Wide> on_host(segments);
    check(cudaMemcpyAsync(on_host.data(), totals.data(), segments * sizeof(Wide), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    for (std::size_t count_left = on_host.size(); count_left > 1; count_left = (count_left + 1) / 2)
        for (std::size_t i = 0; i < count_left; i += 2)
            on_host[i / 2] = i + 1 < count_left ? op(on_host[i], on_host[i + 1]) : on_host[i];
    return on_host.front();
}

/// How far a result is from the reference, in units of what rounding may do to a sum of random terms in a tree: up to
/// a few. Integers are right or wrong.
inline double rounding_units(double result, double expected, double rounding, std::uint64_t count)
{
    double const terms = std::sqrt(double(count) * (1 + std::log2(double(count))));
    double const units = std::abs(result - expected) / (rounding * (std::abs(expected) + terms));
    return std::isnan(units) ? HUGE_VAL : units;
}
template <class T, class Wide>
double distance(T result, Wide expected, std::uint64_t count)
{
    double const rounding = rounding_error<T>();
    if constexpr (std::is_same_v<T, matrix>) {
        double const parts[] = {rounding_units(result.a, expected.a, rounding, count),
                                rounding_units(result.b, expected.b, rounding, count),
                                rounding_units(result.c, expected.c, rounding, count),
                                rounding_units(result.d, expected.d, rounding, count)};
        return *std::max_element(parts, parts + 4);
    } else if constexpr (std::is_integral_v<T>) {
        return result == static_cast<T>(expected) ? 0 : HUGE_VAL;
    } else {
        return rounding_units(static_cast<double>(result), expected, rounding, count);
    }
}

/// Throws if a result is not the expected one.
template <class T, class Wide>
void expect(std::string const& what, T result, Wide expected, std::uint64_t count, double units = 16)
{
    double const off = distance(result, expected, count);
    if (!(off <= units))
        throw std::runtime_error("wrong result: " + what + ", n = " + std::to_string(count) + ", off by " +
                                 std::to_string(off) + " rounding units of " + std::to_string(units));
}

} // namespace bench::reductions
