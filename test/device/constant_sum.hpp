// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// An accumulator with no more than what is required of one.

#include <tilewise/core/portability.hpp>

#include <cstdint>

namespace values {

/// A sum that is neither default constructible nor assignable.
struct constant_sum {
    std::uint32_t const value;

    TILEWISE_PORTABLE constant_sum(std::uint32_t sum) : value(sum) {}
    TILEWISE_PORTABLE operator std::uint32_t() const { return value; }
};

struct add_sums {
    TILEWISE_PORTABLE constant_sum operator()(constant_sum const& a, constant_sum const& b) const
    {
        return {a.value + b.value};
    }
};

} // namespace values
