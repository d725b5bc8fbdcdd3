// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Are the results right? They have the bits of this library on one thread of the host, whose result for the first
/// elements begins every longer scan, and beyond those they are CUB's: the same bits for integers, within rounding for
/// floating-point numbers, whose bits CUB does not determine.

#include "../elements.cuh"

#include <tilewise/scan.hpp>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace bench::scans {

/// The number that a result holds one or several of.
template <class T>
using number_in = std::conditional_t<std::is_same_v<T, matrix> || std::is_same_v<T, affine>, float,
                                     std::conditional_t<std::is_same_v<T, triple>, double, T>>;

/// A word as wide as a number.
template <class Number>
using word_of = std::conditional_t<sizeof(Number) == 1, std::uint8_t,
                                   std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>>;

struct other_bits {
    template <class Word>
    __device__ bool operator()(Word ours, Word expected, std::uint64_t) const
    {
        return ours != expected;
    }
};

/// Rounding errors of sums grow with the root of the number of terms, in CUB's long chains of tiles a little more.
/// Matrices that rotate, once rounded, also shrink or grow a little, all alike: beside products in double, ours and
/// CUB's were off by 0.0005 after 2^24 of them, and by 0.014 after 2^29.
struct beyond_rounding {
    double rounding;
    bool of_rotations;

    __device__ bool operator()(double ours, double expected, std::uint64_t i) const
    {
        double const count = double(i + 1),
                     terms = of_rotations ? 16 + count * 0x1p-19 : sqrt(count * (1 + log2(count)));
        return !(fabs(ours - expected) <= 1024 * rounding * (fabs(expected) + terms));
    }
};

template <class Number, class Differ>
__global__ void find_first(Number const* ours, Number const* expected, std::uint64_t count, Differ differ,
                           unsigned long long* first)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        if (differ(ours[i], expected[i], i))
            atomicMin(first, static_cast<unsigned long long>(i));
}

/// Throws if a result differs from the expected one.
template <class T, class Number, class Differ>
void expect_none(std::string const& what, T const* ours, T const* expected, std::uint64_t count, Number, Differ differ,
                 cudaStream_t stream)
{
    constexpr std::uint64_t numbers = sizeof(T) / sizeof(Number);
    device_array<unsigned long long> const first(1);
    check(cudaMemsetAsync(first.data(), 0xff, sizeof(unsigned long long), stream), "cudaMemsetAsync");
    launch(find_first<Number, Differ>, 4096, 256, stream, reinterpret_cast<Number const*>(ours),
           reinterpret_cast<Number const*>(expected), count * numbers, differ, first.data());
    auto const where = fetch(first.data(), stream);
    if (where != ~0ull)
        throw std::runtime_error("wrong result: " + what + ", n = " + std::to_string(count) + ", first at " +
                                 std::to_string(where / numbers));
}

template <class T>
void expect_bits(std::string const& what, T const* ours, T const* expected, std::uint64_t count, cudaStream_t stream)
{
    expect_none(what, ours, expected, count, word_of<number_in<T>>{}, other_bits{}, stream);
}

/// The same bits if T is an integer, else the same but for rounding.
template <class T>
void expect_value(std::string const& what, T const* ours, T const* expected, std::uint64_t count, cudaStream_t stream)
{
    if constexpr (std::is_integral_v<T>)
        expect_bits(what, ours, expected, count, stream);
    else
        expect_none(what, ours, expected, count, number_in<T>{},
                    beyond_rounding{rounding_error<T>(), std::is_same_v<T, matrix>}, stream);
}

/// As many results as are computed on the host: several super-groups of the order.
template <class T>
constexpr std::uint64_t most_on_host()
{
    return (std::uint64_t{256} << 20) / sizeof(T);
}

/// What one thread of the host makes of the elements.
template <class Scan>
void seq_into(typename Scan::element const* first, std::uint64_t count, typename Scan::result* out, cudaStream_t stream)
{
    std::vector<typename Scan::element> elements(count);
    std::vector<typename Scan::result> results(count);
    check(cudaMemcpyAsync(elements.data(), first, count * sizeof elements[0], cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    Scan::by_tilewise(tilewise::seq, elements.data(), elements.data() + count, results.data());
    check(cudaMemcpyAsync(out, results.data(), count * sizeof results[0], cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

template <class Word>
__global__ void add_up_scrambled(Word const* words, std::uint64_t count, unsigned long long* sum)
{
    unsigned long long mine = 0;
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        mine += scramble(scramble(i + 1) + words[i]);
    atomicAdd(sum, mine);
}

/// A number that other bits change.
template <class T>
unsigned long long fingerprint(T const* results, std::uint64_t count, cudaStream_t stream)
{
    using word = word_of<number_in<T>>;
    device_array<unsigned long long> const sum(1);
    check(cudaMemsetAsync(sum.data(), 0, sizeof(unsigned long long), stream), "cudaMemsetAsync");
    launch(add_up_scrambled<word>, 4096, 256, stream, reinterpret_cast<word const*>(results),
           count * (sizeof(T) / sizeof(word)), sum.data());
    return fetch(sum.data(), stream);
}

} // namespace bench::scans
