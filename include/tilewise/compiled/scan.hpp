// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scans under device, by calls of the compiled library.

#include <tilewise/compiled.hpp>
#include <tilewise/compiled/call.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace library {

/// Returns whether the library has the scan of elements of type E in type T, by an operator that it supports.
template <scan_form form, class E, class T, class Op>
constexpr bool has_scan()
{
    constexpr auto op = *library::operator_of<Op, T>();
    return compiled::has_scan<op, form == scan_form::inclusive, element_for<op, E, T>, accumulator_for<op, T>>();
}

/// Returns whether the library can scan an input to Out in type T. If not, a static_assert says why.
template <scan_form form, class Input, class T, class Op, class Out>
constexpr bool can_scan()
{
    constexpr bool reads = over_numbers<Input>;
    constexpr bool combines = library::operator_of<Op, T>().has_value();
    static_assert(reads, "tilewise: the compiled library scans only numbers in contiguous memory, without a transform; "
                         "compile this file with nvcc, or pass pointers or a vector");
    static_assert(combines, "tilewise: the compiled library supports only std::plus, multiplies, bit_and, bit_or and "
                            "bit_xor, tilewise::minimum and maximum; compile this file with nvcc, or use one of these");
    if constexpr (reads && combines) {
        constexpr bool stores = stores_numbers<Out, T>;
        constexpr bool exists = library::has_scan<form, std::iter_value_t<Input>, T, Op>();
        static_assert(stores,
                      "tilewise: the compiled library writes scans only to memory, in the type of init (without init, "
                      "of the elements); compile this file with nvcc, or pass an init of the output's type");
        static_assert(exists,
                      "tilewise: the compiled library does not support this scan; compile this file with nvcc, or use "
                      "elements and an init of the same type, of 4 or 8 bytes, and std::plus for an exclusive scan");
        return stores && exists;
    } else {
        return false;
    }
}

/// Scans the `count` elements that begin at `first` to `out`.
template <scan_form form, class T, class Policy, class Input, class Out, class Op>
void scan(Policy const& policy, Input const& first, offset count, Out const& out, std::optional<T> const& init,
          Op const&)
{
    if constexpr (library::can_scan<form, Input, T, Op, Out>()) {
        constexpr auto op = *library::operator_of<Op, T>();
        using accumulator = accumulator_for<op, T>;
        accumulator const start = init ? static_cast<accumulator>(*init) : accumulator();
        compiled::scan<op, form == scan_form::inclusive>(
            policy, library::numbers_at<element_for<op, std::iter_value_t<Input>, T>>(first), count,
            library::numbers_to_write<accumulator>(out), init ? &start : nullptr);
    }
}

} // namespace library
TILEWISE_NAMESPACE_END
