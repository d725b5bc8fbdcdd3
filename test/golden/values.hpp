// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What golden values are made from and how they are written down.

#include "../backend.hpp"

#include <tilewise/core/config.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <string>

namespace golden {

/// The bytes of a value as hexadecimal digits, the most significant first, member by member.
template <class Number>
std::string hex(Number const& value)
{
    std::uint64_t bits = 0;
    static_assert(sizeof(value) <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    std::ostringstream digits;
    digits << std::hex << std::setfill('0') << std::setw(2 * sizeof value) << bits;
    return digits.str();
}

struct matrix {
    float a, b, c, d;
};
inline std::string hex(matrix const& m)
{
    return hex(m.a) + "," + hex(m.b) + "," + hex(m.c) + "," + hex(m.d);
}
struct matrix_product {
    TILEWISE_PORTABLE matrix operator()(matrix const& x, matrix const& y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

struct same {
    template <class T>
    TILEWISE_PORTABLE T operator()(T const& value) const
    {
        return value;
    }
};
struct square {
    template <class T>
    TILEWISE_PORTABLE T operator()(T value) const
    {
        return value * value;
    }
};
struct squared_byte {
    TILEWISE_PORTABLE float operator()(std::uint8_t value) const
    {
        return static_cast<float>(value) * static_cast<float>(value);
    }
};

/// The i-th of the pseudo-random numbers (SplitMix64) that all inputs are made of.
inline std::uint64_t random_bits(std::uint64_t i)
{
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Exact in both types: 24 bits, of magnitudes over twelve orders of two.
template <class Float>
Float number(std::uint64_t i)
{
    std::uint64_t const bits = random_bits(i);
    Float const value = static_cast<Float>(static_cast<std::int32_t>(bits >> 40)) * static_cast<Float>(0x1p-24);
    return (bits & 1 ? value : -value) * static_cast<Float>(1 << (bits >> 1) % 12);
}
template <class Float>
Float near_one(std::uint64_t i)
{
    return 1 + static_cast<Float>(static_cast<std::int32_t>(random_bits(i))) * static_cast<Float>(0x1p-45);
}
inline matrix near_identity(std::uint64_t i)
{
    float const turn = static_cast<float>(static_cast<std::int32_t>(random_bits(i) >> 40)) * 0x1p-38f;
    return {1, -turn, turn, 1};
}

/// The most elements of a row that is computed.
#ifdef TILEWISE_DEVICE_ENGINE
inline std::uint64_t const most = on_device::amount<std::uint64_t>(~0u, 100003, 8193);
#else
inline constexpr std::uint64_t most = ~0u;
#endif

/// Where golden values are: beside the program, if it is to run on another machine.
inline std::string file(std::string const& name)
{
#ifdef TILEWISE_GOLDEN_DIR
    return TILEWISE_GOLDEN_DIR "/" + name;
#else
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "golden" / name;
#endif
}

} // namespace golden
