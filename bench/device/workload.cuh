// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What is reduced: for each type of the benchmark its elements, operator and transform, and the same in a wide type
/// for the reference.

#include <cuda_fp16.h>

#include <cstdint>
#include <functional>
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

struct square {
    template <class Element>
    __host__ __device__ float operator()(Element x) const
    {
        auto const value = static_cast<float>(x);
        return value * value;
    }
};

struct no_transform {};

struct wide_sum {
    template <class Wide>
    __host__ __device__ Wide operator()(Wide x, Wide y) const
    {
        return x + y;
    }
};

/// The relative rounding error of an operation; nothing for integers.
template <class T>
constexpr double rounding_error()
{
    if constexpr (std::is_same_v<T, __half>)
        return 0x1p-11;
    else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, matrix>)
        return 0x1p-24;
    else if constexpr (std::is_same_v<T, double>)
        return 0x1p-53;
    else
        return 0;
}

/// A sum of elements, or of what a transform makes of them.
template <class Element, class Accumulator, class Transform = no_transform>
struct sum_of {
    using element = Element;
    using accumulator = Accumulator;
    using transform = Transform;
    using op = std::plus<>;
    static constexpr bool cub_reorders = false;
    static accumulator init() { return static_cast<accumulator>(0); }

    using wide = std::conditional_t<std::is_integral_v<Accumulator>, std::uint64_t, double>;
    using wide_op = wide_sum;
    static wide wide_init() { return 0; }
    struct widen {
        __host__ __device__ wide operator()(element x) const
        {
            if constexpr (std::is_integral_v<Accumulator>)
                return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
            else if constexpr (std::is_same_v<Transform, no_transform>)
                return static_cast<double>(x);
            else
                return static_cast<double>(static_cast<float>(x)) * static_cast<double>(static_cast<float>(x));
        }
    };
};

struct product_of_matrices {
    using element = matrix;
    using accumulator = matrix;
    using transform = no_transform;
    using op = matrix_product;
    static constexpr bool cub_reorders = true; // its result is another product
    static accumulator init() { return {1, 0, 0, 1}; }

    using wide = matrix_of<double>;
    using wide_op = matrix_product;
    static wide wide_init() { return {1, 0, 0, 1}; }
    struct widen {
        __host__ __device__ wide operator()(matrix const& x) const { return {x.a, x.b, x.c, x.d}; }
    };
};

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
/// sums stay in range, and matrices that rotate or mirror, whose products stay finite and depend on the order.
template <class Element>
__device__ Element element_from(std::uint64_t bits)
{
    if constexpr (std::is_same_v<Element, matrix>) {
        float sine = 0, cosine = 0;
        sincospif(static_cast<float>(static_cast<std::int32_t>(bits >> 32)) * 0x1p-31f, &sine, &cosine);
        float const sign = bits & 1 ? 1.0f : -1.0f;
        return {cosine, -sign * sine, sine, sign * cosine};
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

} // namespace bench
