// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The elements of the benchmarks and the operators on them, and random data of each type.

#include "cuda.cuh"

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace bench {

/// A 2 x 2 matrix, for an operator that is associative and not commutative.
template <class Number>
struct alignas(4 * sizeof(Number) > 16 ? 16 : 4 * sizeof(Number)) matrix_of {
    Number a, b, c, d;
};
using matrix = matrix_of<float>;

struct matrix_product {
    template <class Number>
    __host__ __device__ matrix_of<Number> operator()(matrix_of<Number> const& x, matrix_of<Number> const& y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

/// The function x -> a x + b, for the operator that recurrences are scanned with.
struct alignas(8) affine {
    float a, b;
};

/// First the one, then the other.
struct composition {
    __host__ __device__ affine operator()(affine const& first, affine const& second) const
    {
        return {second.a * first.a, second.a * first.b + second.b};
    }
};

/// A larger accumulator, such as sums of several columns.
struct triple {
    double a, b, c;
};

struct sum_of_triples {
    __host__ __device__ triple operator()(triple const& x, triple const& y) const
    {
        return {x.a + y.a, x.b + y.b, x.c + y.c};
    }
};

struct square {
    template <class Element>
    __host__ __device__ float operator()(Element x) const
    {
        auto const value = static_cast<float>(x);
        return value * value;
    }
};

/// The relative rounding error of an operation; nothing for integers.
template <class T>
constexpr double rounding_error()
{
    if constexpr (std::is_same_v<T, __half>)
        return 0x1p-11;
    else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, matrix> || std::is_same_v<T, affine>)
        return 0x1p-24;
    else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, triple>)
        return 0x1p-53;
    else
        return 0;
}

/// Scrambles the bits of a number.
__host__ __device__ inline std::uint64_t scramble(std::uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/// Elements that are random in all their bits: floating-point numbers in [-1, 1), of type half in [-1/4, 1/4), whose
/// sums stay in range, and matrices and affine functions that rotate or mirror, which stay finite and depend on the
/// order.
template <class Element>
__device__ Element element_from(std::uint64_t bits)
{
    if constexpr (std::is_same_v<Element, matrix>) {
        float sine = 0, cosine = 0;
        sincospif(static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31f, &sine, &cosine);
        float const sign = bits & 1 ? 1.0f : -1.0f;
        return {cosine, -sign * sine, sine, sign * cosine};
    } else if constexpr (std::is_same_v<Element, affine>) {
        return {bits & 1 ? 1.0f : -1.0f, element_from<float>(bits)};
    } else if constexpr (std::is_same_v<Element, triple>) {
        return {element_from<double>(bits), element_from<double>(scramble(bits)), element_from<double>(~bits)};
    } else if constexpr (std::is_same_v<Element, double>) {
        return static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
    } else if constexpr (std::is_same_v<Element, float>) {
        return static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31f;
    } else if constexpr (std::is_same_v<Element, __half>) {
        return __float2half(static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-33f);
    } else {
        return static_cast<Element>(bits >> 32);
    }
}

template <class Element>
__global__ void write_elements(Element* elements, std::uint64_t count)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        elements[i] = element_from<Element>(scramble(i + 0x9e3779b97f4a7c15u));
}

template <class Element>
void fill(Element* elements, std::uint64_t count, cudaStream_t stream)
{
    launch(write_elements<Element>, 4096, 256, stream, elements, count);
}

/// Integers whose bits are ones with a probability of 1/2, 1/4, 1/8, ...: of ever less entropy.
struct entropy {
    char const* bits; ///< per bit
    int words;        ///< of random bits are joined by "and"
};
inline constexpr entropy entropies[] = {{"1.000", 1}, {"0.811", 2}, {"0.544", 3}, {"0.337", 4}, {"0.201", 5}, {"0", 0}};

static __global__ void write_integers(std::int32_t* integers, std::uint64_t count, int words)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
        std::uint64_t bits = scramble(i + 0x9e3779b97f4a7c15u), joined = words > 0 ? bits : 0;
        for (int word = 1; word < words; ++word)
            joined &= bits = scramble(bits + 0x9e3779b97f4a7c15u);
        integers[i] = static_cast<std::int32_t>(joined >> 32);
    }
}

} // namespace bench
