// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Arithmetic with a defined rounding: sums and products that are never fused, and products rounded down.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>
#include <tilewise/device/cuda/arch/warp.cuh>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns `value`, and prevents the compilers from fusing an operation on the result with the one that computed
/// `value`. Each word is combined by OR with a zero that is known only at run time, since grids are one block deep: one
/// LOP3 per word. (ptxas 13.0 fuses across asm statements, whether they are empty or moves.)
template <class T>
TILEWISE_DEVICE T opaque(T const& value)
{
    unsigned const zero = gridDim.z - 1;
    return gpu::exchange_words(value, [=](unsigned word) { return word | zero; });
}

/// The types with arithmetic instructions: the built-in ones, and half and bfloat16 if their headers are included.
template <class T>
concept machine_number = std::is_arithmetic_v<T> || requires(T a) { __hadd_rn(a, a); };

/// Returns a + b, never fused with a product.
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

/// Returns a * b, never fused with a sum.
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

/// Returns the smaller, or the larger, one of two numbers, or NaN if one of them is.
template <bool is_least>
TILEWISE_DEVICE float bound_or_nan(float a, float b)
{
#if __CUDA_ARCH__ >= 800
    float bound;
    if constexpr (is_least)
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(bound) : "f"(a), "f"(b));
    else
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(bound) : "f"(a), "f"(b));
    return bound;
#else
    return a != a || (is_least ? a < b : b < a) ? a : b;
#endif
}

/// @name Counts
/// Numbers up to 2^23, as the low bits of a float: the unit for floating-point numbers adds while that for integers
/// compares.
/// @{
inline constexpr float count_base = 8388608; ///< 2^23, a count of 0
/// Returns the count, plus 1 if `condition` holds. (nvcc 13.0 compiles `condition ? count + 1 : count` to a sum and a
/// selection.)
TILEWISE_DEVICE float plus_one_if(bool condition, float count)
{
    asm("{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n @p add.rn.f32 %0, %0, 0f3F800000;\n}"
        : "+f"(count)
        : "r"(static_cast<unsigned>(condition)));
    return count;
}
TILEWISE_DEVICE int count_of(float count)
{
    return __float_as_int(count) - __float_as_int(count_base);
}
/// @}

/// @name The floor of a product
/// The product is added to `floor_base`, around which adjacent numbers are 1 apart, in one operation that rounds down:
/// the low bits of the result are the floor. Conversions are slower. The result is unspecified for NaN and for products
/// whose magnitude is `most_of_floor` or more.
/// @{
inline constexpr int most_of_floor = 1 << 22;
template <class T>
inline constexpr T floor_base = sizeof(T) == 4 ? 12582912 : 6755399441055744; // 1.5 * 2^23 or 2^52
template <class T>
struct product_floor {
    T code; ///< floor + floor_base
    T next; ///< floor + 1
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
/// Returns the floor, plus 1 if `x >= bound`.
TILEWISE_DEVICE int floor_or_next(product_floor<float> const& floor, float x, float bound)
{
    float one; // 1 or 0: a comparison with a numeric result saves the selection
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
