// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The cases of laws for associative operators that a user brings, on types of many sizes: most are not commutative.

#include <tilewise/core/config.hpp>
#include <tilewise/functional.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

namespace law {

/// 2x2 matrices. Of integers they are exact; of floats only the order makes their product the same everywhere.
template <class Number>
struct matrix {
    Number a, b, c, d;
    bool operator==(matrix const&) const = default;
};
template <class Number>
struct matrix_product {
    using value = matrix<Number>;
    struct op {
        TILEWISE_PORTABLE value operator()(value const& x, value const& y) const
        {
            auto const sum = [](Number p, Number q, Number r, Number s) { return static_cast<Number>(p * q + r * s); };
            return {sum(x.a, y.a, x.b, y.c), sum(x.a, y.b, x.b, y.d), sum(x.c, y.a, x.d, y.c), sum(x.c, y.b, x.d, y.d)};
        }
    };
    static value make(std::uint64_t bits)
    {
        if constexpr (std::is_integral_v<Number>) {
            return {static_cast<Number>(bits), static_cast<Number>(bits >> 16), static_cast<Number>(bits >> 32),
                    static_cast<Number>(bits >> 48)};
        } else {
            auto const turn = static_cast<Number>(static_cast<std::int32_t>(bits)) *
                              Number(0x1p-44); // nearly none, so that products stay finite
            return {1, -turn, turn, 1};
        }
    }
    static value identity() { return {1, 0, 0, 1}; }
};

/// x -> a x + b, composed from left to right.
struct affine_composition {
    struct value {
        std::uint32_t a, b;
        bool operator==(value const&) const = default;
    };
    struct op {
        TILEWISE_PORTABLE value operator()(value f, value g) const { return {g.a * f.a, g.a * f.b + g.b}; }
    };
    static value make(std::uint64_t bits)
    {
        return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    }
    static value identity() { return {1, 0}; }
};

/// 2x2 matrices over (min, +): shortest paths through layers of two nodes.
struct min_plus_product {
    struct value {
        std::int64_t a, b, c, d;
        bool operator==(value const&) const = default;
    };
    struct op {
        TILEWISE_PORTABLE value operator()(value const& x, value const& y) const
        {
            constexpr tilewise::minimum<> least;
            return {least(x.a + y.a, x.b + y.c), least(x.a + y.b, x.b + y.d), least(x.c + y.a, x.d + y.c),
                    least(x.c + y.b, x.d + y.d)};
        }
    };
    static value make(std::uint64_t bits)
    {
        auto const part = [&](int shift) { return static_cast<std::int64_t>(bits >> shift & 0xffff); };
        return {part(0), part(16), part(32), part(48)};
    }
    static value identity() { return {0, std::int64_t{1} << 50, std::int64_t{1} << 50, 0}; }
};

/// Addition that stops at the largest value. The signed one is not associative.
struct saturating_addition {
    using value = std::uint16_t;
    struct op {
        TILEWISE_PORTABLE value operator()(value a, value b) const
        {
            return static_cast<value>(a + b < 0xffff ? a + b : 0xffff);
        }
    };
    static value make(std::uint64_t bits) { return static_cast<value>(bits % 1000); }
    static value identity() { return 0; }
};

struct concatenation {
    using value = std::string;
    using op = std::plus<>;
    static value make(std::uint64_t bits) { return std::string(bits % 3, static_cast<char>('a' + bits % 26)); }
    static value identity() { return {}; }
};

/// What is left of a text of brackets: closing ones, then opening ones. Has no default constructor.
struct bracket_matching {
    class value {
    public:
        TILEWISE_PORTABLE value(int c, int o) : closing(c), opening(o) {}
        bool operator==(value const&) const = default;
        int closing, opening;
    };
    struct op {
        TILEWISE_PORTABLE value operator()(value const& x, value const& y) const
        {
            int const matched = tilewise::minimum<>{}(x.opening, y.closing);
            return {x.closing + y.closing - matched, x.opening + y.opening - matched};
        }
    };
    static value make(std::uint64_t bits) { return bits % 2 ? value(1, 0) : value(0, 1); }
    static value identity() { return {0, 0}; }
};

/// First and last: an operator that is nothing but not commutative, on a type of three bytes, five to a lane vector.
struct ends {
    struct value {
        std::uint8_t first, last, any;
        bool operator==(value const&) const = default;
    };
    struct op {
        TILEWISE_PORTABLE value operator()(value x, value y) const
        {
            return {x.first, y.last, static_cast<std::uint8_t>(x.any | y.any)};
        }
    };
    static value make(std::uint64_t bits)
    {
        return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                static_cast<std::uint8_t>(bits >> 16)};
    }
};

/// Sums of three doubles: 24 bytes.
struct vector_addition {
    struct value {
        double x, y, z;
        bool operator==(value const&) const = default;
    };
    struct op {
        TILEWISE_PORTABLE value operator()(value const& a, value const& b) const
        {
            return {a.x + b.x, a.y + b.y, a.z + b.z};
        }
    };
    static value make(std::uint64_t bits)
    {
        auto const part = [&](int shift) { return static_cast<double>(static_cast<std::int16_t>(bits >> shift)) / 3; };
        return {part(0), part(16), part(32)};
    }
};

using cases = testing::Types<matrix_product<float>, matrix_product<std::uint32_t>, affine_composition, min_plus_product,
                             saturating_addition, concatenation, bracket_matching, ends, vector_addition>;
using exact_cases = testing::Types<matrix_product<std::uint32_t>, affine_composition, min_plus_product,
                                   saturating_addition, concatenation, bracket_matching>;
using wrapped_cases = testing::Types<matrix_product<float>, concatenation>;

} // namespace law
