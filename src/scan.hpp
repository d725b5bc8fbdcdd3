// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scans of the compiled library: calls of the algorithms.

#include "make.hpp"
#include "operators.hpp"

#include <tilewise/compiled.hpp>
#include <tilewise/engine/scan.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <optional>

namespace tilewise::compiled {

template <known_operator op, bool inclusive, class E, class T, bool waits>
void scan(basic_device_policy<waits> const& policy, E const* first, std::ptrdiff_t count, T* out, T const* init)
{
    constexpr scan_form form = inclusive ? scan_form::inclusive : scan_form::exclusive;
    engine::scan<form, T>(policy, first, offset{count}, out, init != nullptr ? std::optional<T>(*init) : std::nullopt,
                          operator_named<op>());
}

/// Instantiates the scans that the library has for elements and accumulators of two lists of types.
template <known_operator op, bool inclusive, class Elements, class Accumulators>
void make_scans_of_form()
{
    for_each_pair(Elements(), Accumulators(), []<class E, class T>(E*, T*) {
        if constexpr (has_scan<op, inclusive, E, T>())
            make<&scan<op, inclusive, E, T, true>, &scan<op, inclusive, E, T, false>>();
    });
}
template <known_operator op, class Elements, class Accumulators>
void make_scans()
{
    make_scans_of_form<op, true, Elements, Accumulators>();
    make_scans_of_form<op, false, Elements, Accumulators>();
}

} // namespace tilewise::compiled
