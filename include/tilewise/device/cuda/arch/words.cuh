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

/// Returns `sum` plus the four bytes of a word, as signed or as unsigned numbers.
TILEWISE_DEVICE int add_bytes(unsigned word, int sum)
{
    return __dp4a(static_cast<int>(word), 0x01010101, sum);
}
TILEWISE_DEVICE unsigned add_bytes(unsigned word, unsigned sum)
{
    return __dp4a(word, 0x01010101u, sum);
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
