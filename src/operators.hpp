// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tilewise/compiled.hpp>
#include <tilewise/functional.hpp>

#include <functional>

namespace tilewise::compiled {

/// Returns the function object of a known operator.
template <known_operator op>
constexpr auto operator_named()
{
    using enum known_operator;
    if constexpr (op == plus)
        return std::plus<>{};
    else if constexpr (op == multiplies)
        return std::multiplies<>{};
    else if constexpr (op == minimum)
        return tilewise::minimum<>{};
    else if constexpr (op == maximum)
        return tilewise::maximum<>{};
    else if constexpr (op == bit_and)
        return std::bit_and<>{};
    else if constexpr (op == bit_or)
        return std::bit_or<>{};
    else
        return std::bit_xor<>{};
}

} // namespace tilewise::compiled
