// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace example {

static_assert(std::endian::native == std::endian::little, "files are read as they lie: little-endian");

/// An IEEE 754 half-precision number as it lies in a file.
struct half {
    std::uint16_t bits;

    explicit constexpr operator double() const
    {
        auto const sign = std::uint64_t{bits} >> 15 << 63;
        auto const exponent = std::uint64_t{bits} >> 10 & 0x1Fu;
        auto const fraction = std::uint64_t{bits} & 0x3FFu;
        if (exponent == 0) { // zero, or a subnormal: a multiple of 2^-24
            auto const magnitude = static_cast<double>(fraction) * 0x1p-24;
            return sign != 0 ? -magnitude : magnitude;
        }
        auto const wide_exponent = exponent == 0x1F ? std::uint64_t{0x7FF} : exponent + (1023 - 15);
        return std::bit_cast<double>(sign | wide_exponent << 52 | fraction << 42);
    }
};

/// A truth value as it lies in a file: any byte but 0 is true.
struct boolean {
    std::uint8_t byte;

    explicit constexpr operator double() const { return byte != 0 ? 1.0 : 0.0; }
};

template <class T>
struct element {
    using type = T;
};

/// A type that numbers in a file can have, chosen while the program runs.
using element_type =
    std::variant<element<half>, element<float>, element<double>, element<std::int8_t>, element<std::int16_t>,
                 element<std::int32_t>, element<std::int64_t>, element<std::uint8_t>, element<std::uint16_t>,
                 element<std::uint32_t>, element<std::uint64_t>, element<boolean>>;

struct named_element_type {
    std::string_view name;  ///< as options and output say it: the size in bits
    std::string_view numpy; ///< as NumPy says it, without the byte order: the size in bytes
    element_type type;
};

inline constexpr std::array<named_element_type, 12> element_types{{
    {"f16", "f2", element<half>{}},
    {"f32", "f4", element<float>{}},
    {"f64", "f8", element<double>{}},
    {"i8", "i1", element<std::int8_t>{}},
    {"i16", "i2", element<std::int16_t>{}},
    {"i32", "i4", element<std::int32_t>{}},
    {"i64", "i8", element<std::int64_t>{}},
    {"u8", "u1", element<std::uint8_t>{}},
    {"u16", "u2", element<std::uint16_t>{}},
    {"u32", "u4", element<std::uint32_t>{}},
    {"u64", "u8", element<std::uint64_t>{}},
    {"bool", "b1", element<boolean>{}},
}};

/// The entry whose `key` (`&named_element_type::name` or `&named_element_type::numpy`) is `value`, if there is one.
inline std::optional<named_element_type> find_element_type(std::string_view named_element_type::* key,
                                                           std::string_view value)
{
    auto const found = std::find_if(element_types.begin(), element_types.end(),
                                    [&](auto const& entry) { return entry.*key == value; });
    return found != element_types.end() ? std::optional(*found) : std::nullopt;
}

/// The size in bytes of one element.
inline std::size_t size_of(element_type type)
{
    return std::visit([](auto chosen) { return sizeof(typename decltype(chosen)::type); }, type);
}

} // namespace example
