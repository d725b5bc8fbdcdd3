// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Operations on the bits and bytes of words.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch/kernel.cuh>

#include <cstring>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

TILEWISE_DEVICE int count_bits(unsigned word)
{
    return __popc(word);
}

/// Returns the number of the highest bit that is set, or -1 if none is.
TILEWISE_DEVICE int highest_bit(unsigned word)
{
    return 31 - __clz(static_cast<int>(word));
}

/// Returns `yes` if `condition`, else `no`; selects word by word, without a branch.
template <class T>
TILEWISE_DEVICE T select(bool condition, T const& yes, T const& no)
{
    constexpr int count = (sizeof(T) + 3) / 4;
    unsigned words[count] = {}, others[count] = {};
    std::memcpy(words, &yes, sizeof(T));
    std::memcpy(others, &no, sizeof(T));
    TILEWISE_UNROLL
    for (int i = 0; i < count; ++i)
        words[i] = condition ? words[i] : others[i];
    T result(yes);
    std::memcpy(&result, words, sizeof(T));
    return result;
}

/// Returns the low word of (high, low) shifted right by `bits`, which is less than 32.
TILEWISE_DEVICE unsigned funnel_shift_right(unsigned low, unsigned high, unsigned bits)
{
    return __funnelshift_r(low, high, bits);
}

/// Returns byte `i` of a word, which will be extended to a signed or to an unsigned number.
template <bool is_signed>
TILEWISE_DEVICE unsigned char byte_of(unsigned word, int i)
{
    if constexpr (is_signed) // nvcc 13.0 extends 16 bits before it shifts by 8, and again afterwards
        asm("shr.u32 %0, %0, %1;" : "+r"(word) : "r"(8 * i));
    else
        word >>= 8 * i;
    return static_cast<unsigned char>(word);
}

/// Returns `sum` plus the four bytes of a word, as signed or as unsigned numbers.
TILEWISE_DEVICE int add_bytes(unsigned word, int sum)
{
    return __dp4a(static_cast<int>(word), 0x01010101, sum);
}
TILEWISE_DEVICE unsigned add_bytes(unsigned word, unsigned sum)
{
    return __dp4a(word, 0x01010101u, sum);
}

/// Returns the smaller, or the larger, one of each pair of halfwords, as signed or as unsigned numbers.
template <bool is_least, bool is_signed>
TILEWISE_DEVICE unsigned bounds_of_halfwords(unsigned a, unsigned b)
{
    if constexpr (is_least)
        return is_signed ? __vmins2(a, b) : __vminu2(a, b);
    else
        return is_signed ? __vmaxs2(a, b) : __vmaxu2(a, b);
}

/// Scans the four bytes of a word: byte i of the result is `before` plus bytes 0 to i, modulo 256. Adds all four bytes
/// to `before`.
TILEWISE_DEVICE unsigned scan_bytes(unsigned word, unsigned& before)
{
    unsigned const one = __dp4a(word, 0x00000001u, before), two = __dp4a(word, 0x00000101u, before),
                   three = __dp4a(word, 0x00010101u, before);
    before = __dp4a(word, 0x01010101u, before);
    return __byte_perm(__byte_perm(one, two, 0x0040), __byte_perm(three, before, 0x0040), 0x5410);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
