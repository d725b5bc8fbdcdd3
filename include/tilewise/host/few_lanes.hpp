// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reductions and scans of a few lane vectors, as short ranges and segments have: straight code without the state of
/// the general engines. These took 14 ns to reduce a segment of one float and 54 ns to scan it; these functions take 2
/// to 3 ns.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The largest numbers of elements for these functions: those of eight and of four lane vectors, all in one row.
template <class Order>
inline constexpr offset few_reduced = std::min(8 * Order::lane_vector, Order::row);
template <class Order>
inline constexpr offset few_scanned = std::min(4 * Order::lane_vector, Order::row);

/// Whether values of type T cost nothing to copy.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 64;

/// Whether the engines of reduce and of the scans use these functions for short ranges: of numbers, which they
/// otherwise process in registers.
template <class T, class Op, class Input>
inline constexpr bool takes_few_lanes = known::is_operator<Op> && std::floating_point<T> && contiguous_of<Input, T>;

/// Combines `init`, unless it is null, and a segment of up to `few_reduced` elements.
template <class Order, class T, class Op, class Input>
TILEWISE_INLINE T reduce_few_lanes(Op& op, Input elements, offset count, T const* init)
{
    constexpr offset n = Order::lane_vector;
    auto input = host::forgotten_input<T>(std::move(elements));
    auto const lane = [&](auto length) {
        T sum = host::take<T>(input);
        for (offset i = 1; i < length; ++i)
            sum = host::combine_copies<T>(op, sum, host::take<T>(input));
        return sum;
    };
    auto const with_init = [&](T const& value) {
        return init != nullptr ? host::combine_copies<T>(op, *init, value) : value;
    };
    if (count <= n)
        return with_init(lane(count));

    // the lane vectors before the last: right-aligned trees over one to seven of them
    auto const combine = [&](T const& left, T const& right) { return host::combine_copies<T>(op, left, right); };
    auto const complete_lane = [&] { return lane(std::integral_constant<offset, n>()); };
    auto const lanes_before_last = [&]() -> T {
        T const a = complete_lane();
        if (count <= 2 * n)
            return a;
        T const b = complete_lane();
        if (count <= 3 * n)
            return combine(a, b);
        T const c = complete_lane();
        if (count <= 4 * n)
            return combine(a, combine(b, c));
        T const d = complete_lane();
        if (count <= 5 * n)
            return combine(combine(a, b), combine(c, d));
        T const e = complete_lane();
        if (count <= 6 * n)
            return combine(a, combine(combine(b, c), combine(d, e)));
        T const f = complete_lane();
        if (count <= 7 * n)
            return combine(combine(a, b), combine(combine(c, d), combine(e, f)));
        T const g = complete_lane();
        return combine(combine(a, combine(b, c)), combine(combine(d, e), combine(f, g)));
    };
    T const before = with_init(lanes_before_last());
    return combine(before, lane((count - 1) % n + 1));
}

/// Scans the next `length` elements, at most a lane vector, after `before`, if `has_before`. Returns their aggregate.
template <scan_form form, bool has_before, class T, class Op, class Input, class Length, class Out>
TILEWISE_INLINE T scan_lane_vector(Op& op, Input& input, Length length, Out& out, [[maybe_unused]] T const* before)
{
    T sum = host::take<T>(input);
    auto const result = [&]() -> T {
        if constexpr (has_before)
            return host::combine_copies<T>(op, *before, sum);
        else
            return sum;
    };
    if constexpr (form == scan_form::exclusive && has_before)
        host::put<T>(out, *before);
    else
        host::put<T>(out, result());
    for (offset i = 1; i < length; ++i) {
        T const element = host::take<T>(input);
        if constexpr (form == scan_form::exclusive)
            host::put<T>(out, result());
        sum = host::combine_copies<T>(op, sum, element);
        if constexpr (form == scan_form::inclusive)
            host::put<T>(out, result());
    }
    return sum;
}

/// Scans a segment of up to `few_scanned` elements, after `init`, if `has_init`. An exclusive scan has init.
template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
void scan_few_lanes(Op& op, Input elements, offset count, Out out, [[maybe_unused]] T const* init)
{
    constexpr std::integral_constant<offset, Order::lane_vector> n{};
    auto input = host::forgotten_input<T>(std::move(elements));
    auto const first_lane = [&](auto length) {
        return host::scan_lane_vector<form, has_init, T>(op, input, length, out, init);
    };
    auto const lane_after = [&](T const& lanes, auto length) {
        T const before = has_init ? host::combine_copies<T>(op, *init, lanes) : lanes;
        return host::scan_lane_vector<form, true, T>(op, input, length, out, std::addressof(before));
    };
    if (count <= n) {
        first_lane(count);
        return;
    }
    T const first = first_lane(n);
    if (count <= 2 * n) {
        lane_after(first, count - n);
        return;
    }
    T const second = lane_after(first, n), two = host::combine_copies<T>(op, first, second);
    if (count <= 3 * n) {
        lane_after(two, count - 2 * n);
        return;
    }
    T const third = lane_after(two, n);
    lane_after(host::combine_copies<T>(op, first, host::combine_copies<T>(op, second, third)), count - 3 * n);
}

} // namespace host
TILEWISE_NAMESPACE_END
