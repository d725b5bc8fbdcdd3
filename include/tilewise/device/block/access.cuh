// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How vectors of consecutive elements are loaded and stored, at any alignment.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// How a vector is loaded or stored.
enum class access {
    aligned,    ///< with the widest unit that divides the vector
    realigned,  ///< as the two aligned 16-byte vectors around it, which `finish` combines: not for the first vector of
                ///< a range or the last two, whose 16-byte vectors contain bytes outside the range
    elementwise ///< with units as wide as an element's alignment
};

/// Returns the size of the widest unit that divides `bytes`.
TILEWISE_PORTABLE constexpr int widest_unit(int bytes)
{
    return bytes % vector_bytes == 0 ? vector_bytes : bytes & -bytes;
}

/// The unit of so many bytes: an unsigned integer, or vector16.
template <int bytes>
using unit_of = std::conditional_t<
    bytes == 16, vector16,
    std::conditional_t<
        bytes == 8, unsigned long long,
        std::conditional_t<bytes == 4, unsigned, std::conditional_t<bytes == 2, unsigned short, unsigned char>>>>;

/// Returns the 16 bytes from byte `skipped` on of two consecutive 16-byte vectors. `skipped` is less than 16, and a
/// multiple of `alignment`.
template <int alignment = 1>
TILEWISE_DEVICE vector16 shifted(vector16 const& low, vector16 const& high, unsigned skipped)
{
    unsigned words[8] = {low.word[0],  low.word[1],  low.word[2],  low.word[3],
                         high.word[0], high.word[1], high.word[2], high.word[3]};
    TILEWISE_UNROLL
    for (int i = 0; i < 6; ++i)
        words[i] = skipped & 8 ? words[i + 2] : words[i];
    if constexpr (alignment <= 4) {
        TILEWISE_UNROLL
        for (int i = 0; i < 5; ++i)
            words[i] = skipped & 4 ? words[i + 1] : words[i];
    }
    vector16 result;
    TILEWISE_UNROLL
    for (int i = 0; i < 4; ++i)
        result.word[i] = alignment < 4 ? funnel_shift_right(words[i], words[i + 1], skipped % 4 * 8) : words[i];
    return result;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
