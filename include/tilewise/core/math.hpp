// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The mathematical functions that the library calls. `<cmath>` also has the special functions, which take a tenth of
/// the time that compiling tilewise.hpp takes; CUDA's headers include it in any case, and it alone has functions for
/// C++23's extended floating-point types.

#include <tilewise/core/config.hpp>

#if defined(__CUDACC__) || defined(__STDCPP_FLOAT16_T__) || defined(__STDCPP_BFLOAT16_T__) ||                          \
    defined(__STDCPP_FLOAT128_T__) || !defined(__GNUC__)
#include <cmath>
TILEWISE_NAMESPACE_BEGIN
namespace math {
using std::exp2;
using std::floor;
using std::log2;
using std::nextafter;
} // namespace math
TILEWISE_NAMESPACE_END
#else
#include <concepts>
TILEWISE_NAMESPACE_BEGIN
namespace math {
template <std::floating_point T>
constexpr T floor(T x)
{
    if constexpr (std::same_as<T, float>)
        return __builtin_floorf(x);
    else if constexpr (std::same_as<T, double>)
        return __builtin_floor(x);
    else
        return __builtin_floorl(x);
}
inline long double nextafter(long double x, long double to)
{
    return __builtin_nextafterl(x, to);
}
inline long double log2(long double x)
{
    return __builtin_log2l(x);
}
inline long double exp2(long double x)
{
    return __builtin_exp2l(x);
}
} // namespace math
TILEWISE_NAMESPACE_END
#endif
