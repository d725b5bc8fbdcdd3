// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sums and products that are rounded as they are written: never fused, or rounded down.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>
#include <tilewise/device/cuda/arch/warp.cuh>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The same value, of which the compilers do not know that it was computed: no operation on it is fused with one
/// before. `or`s a zero to each word that only a launch knows, as its grid is one block deep: one LOP3 per word.
/// (Through asm statements, empty ones or moves, ptxas 13.0 fuses.)
template <class T>
TILEWISE_DEVICE T opaque(T const& value)
{
    unsigned const zero = gridDim.z - 1;
    return gpu::exchange_words(value, [=](unsigned word) { return word | zero; });
}

/// Numbers of the machine's: the built-in ones, and half and bfloat16, if their header is there.
template <class T>
concept machine_number = std::is_arithmetic_v<T> || requires(T a) { __hadd_rn(a, a); };

/// A sum that is never fused with a product.
template <class T>
TILEWISE_DEVICE T add_rounded(T const& a, T const& b)
{
    if constexpr (std::is_same_v<T, float>)
        return __fadd_rn(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __dadd_rn(a, b);
    else if constexpr (machine_number<T> && !std::is_arithmetic_v<T>)
        return __hadd_rn(a, b);
    else
        return static_cast<T>(a + b);
}

/// A product that is never fused with a sum.
template <class T>
TILEWISE_DEVICE T multiply_rounded(T a, T b)
{
    if constexpr (std::is_same_v<T, float>)
        return __fmul_rn(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __dmul_rn(a, b);
    else
        return a * b;
}

/// @name The floor of a product
/// It is added to a number from which on all are 1 apart, and rounded down once: the low bits count. Conversions are
/// slower. Of NaN, and of products that are not below most_of_floor in magnitude, any number is made.
/// @{
inline constexpr int most_of_floor = 1 << 22;
template <class T>
inline constexpr T floor_base = sizeof(T) == 4 ? 12582912 : 6755399441055744; // 1.5 * 2^23 or 2^52
template <class T>
struct product_floor {
    T code; ///< floor_base more than the floor
    T next; ///< one more than the floor
};
TILEWISE_DEVICE product_floor<float> floor_of_product(float a, float b)
{
    float const code = __fmaf_rd(a, b, floor_base<float>);
    return {code, code - (floor_base<float> - 1)};
}
TILEWISE_DEVICE product_floor<double> floor_of_product(double a, double b)
{
    double const code = __fma_rd(a, b, floor_base<double>);
    return {code, code - (floor_base<double> - 1)};
}
/// The floor, or one more if `x` is not below `bound`.
TILEWISE_DEVICE int floor_or_next(product_floor<float> const& floor, float x, float bound)
{
    float one; // or 0: a comparison that leaves a number saves the choice
    asm("set.ge.f32.f32 %0, %1, %2;" : "=f"(one) : "f"(x), "f"(bound));
    return __float_as_int(floor.code + one) - __float_as_int(floor_base<float>);
}
TILEWISE_DEVICE int floor_or_next(product_floor<double> const& floor, double x, double bound)
{
    return __double2loint(floor.code) + (x >= bound ? 1 : 0);
}
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
