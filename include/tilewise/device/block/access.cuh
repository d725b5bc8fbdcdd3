// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How vectors of consecutive elements are loaded and stored, at any alignment.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstdint>
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

/// The memory space of a view: global memory, which is read once, or shared memory.
enum class memory { global, shared };

template <memory where, class Unit>
TILEWISE_DEVICE Unit load(Unit const* from)
{
    if constexpr (where == memory::global)
        return gpu::load_once(from);
    else
        return *from;
}

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

/// Which of a few consecutive elements are loaded, and how many around these may be, too.
struct wanted_elements {
    int begin, end;
    int before, after; ///< of those before `begin`, and from `end` on
};

/// The number of 16-byte vectors that contain so many bytes, which begin at any multiple of `alignment`.
template <int bytes, int alignment>
inline constexpr int vectors_around =
    (bytes + vector_bytes - std::min(alignment, vector_bytes) + vector_bytes - 1) / vector_bytes;

/// Loads the wanted ones of the `bytes` bytes from address `from` on: in 16-byte vectors where all of these may be
/// loaded. `to` has room for the vectors around them; `wanted` counts bytes.
template <int bytes, int alignment>
TILEWISE_DEVICE void load_wanted(vector16* to, std::uintptr_t from, wanted_elements const& wanted)
{
    constexpr int vectors = vectors_around<bytes, alignment>, words = (bytes + 3) / 4;
    int const skipped = alignment < vector_bytes ? static_cast<int>(from % vector_bytes) : 0;
    auto const* const low = reinterpret_cast<unsigned char const*>(from - static_cast<unsigned>(skipped));
    int const begin = wanted.begin + skipped, end = wanted.end + skipped; // bytes from `low` on, as below
    int const may_begin = begin - wanted.before, may_end = end + wanted.after;
    bool const is_any = begin < end;
    int const first = max_of(may_begin, begin & -vector_bytes),
              last = is_any ? min_of(may_end, (end + vector_bytes - 1) & -vector_bytes) : 0;
    TILEWISE_UNROLL
    for (int i = 0; i < vectors; ++i)
        if (i * vector_bytes >= first && (i + 1) * vector_bytes <= last)
            to[i] = gpu::load_once(reinterpret_cast<vector16 const*>(low) + i);
    if (is_any && ((first | last) & (vector_bytes - 1)) != 0) {
        TILEWISE_UNROLL
        for (int i = 0; i < 4 * vectors; ++i) { // words of the other vectors
            int const vector = i / 4 * vector_bytes;
            if ((vector >= first && vector + vector_bytes <= last) || 4 * i + 4 <= begin || 4 * i >= end)
                continue;
            unsigned& word = to[i / 4].word[i % 4];
            if (alignment >= 4 || (4 * i >= may_begin && 4 * i + 4 <= may_end)) {
                word = gpu::load_once(reinterpret_cast<unsigned const*>(low) + i);
            } else {
                word = 0;
                constexpr int each = alignment < 4 ? alignment : 4;
                TILEWISE_UNROLL
                for (int at = 0; at < 4; at += each)
                    if (4 * i + at >= begin && 4 * i + at < end)
                        word |= unsigned{gpu::load_once(reinterpret_cast<unit_of<each> const*>(low + 4 * i + at))}
                                << 8 * at;
            }
        }
    }
    if constexpr (alignment < vector_bytes) {
        unsigned word[4 * vectors];
        TILEWISE_UNROLL
        for (int i = 0; i < 4 * vectors; ++i)
            word[i] = to[i / 4].word[i % 4];
        TILEWISE_UNROLL
        for (int i = 0; i + 2 < 4 * vectors && i < words + 2; ++i)
            word[i] = skipped & 8 ? word[i + 2] : word[i];
        if constexpr (alignment <= 4) {
            TILEWISE_UNROLL
            for (int i = 0; i + 1 < 4 * vectors && i < words + 1; ++i)
                word[i] = skipped & 4 ? word[i + 1] : word[i];
        }
        TILEWISE_UNROLL
        for (int i = 0; i < words; ++i)
            to[i / 4].word[i % 4] = alignment < 4 && i + 1 < 4 * vectors
                                        ? gpu::funnel_shift_right(word[i], word[min_of(i + 1, 4 * vectors - 1)],
                                                                  static_cast<unsigned>(skipped) % 4 * 8)
                                        : word[i];
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
