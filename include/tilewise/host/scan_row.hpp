// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scans one row of the order, for any type and operator.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/order.hpp>

#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Uninitialized storage for values that need no destruction.
template <class T, offset count>
union array_of {
    array_of() {}
    TILEWISE_INLINE void set(offset i, T by) { std::construct_at(value + i, by); }
    T value[static_cast<std::size_t>(count)];
};

/// Scans `count` elements of a row, at most all. `before` is the exclusive prefix of the chunk, `run` the aggregate of
/// the rows before this one in the chunk. Returns the aggregate of the row, if it is complete. `op` is inlined, so that
/// the compiler can apply it to several lane vectors at once.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
[[gnu::flatten]] T scan_row_in_place(Op& op, std::optional<T> const& before, std::optional<T> const& run, offset count,
                                     Input& input, Out& out)
{
    constexpr offset n = Order::lane_vector;
    count = std::min(count, Order::row); // states the bound for g++
    offset const lanes = (count + n - 1) / n;
    array_of<T, Order::row> k;
    array_of<T, Order::row / n> sums, base;
    auto const for_each_lane = [&](offset first, auto visit) { // visit(lane, elements): a constant number if complete
        for (offset lane = first; lane < count / n; ++lane)
            visit(lane, std::integral_constant<offset, n>());
        if (count % n != 0 && first < lanes)
            visit(lanes - 1, count % n);
    };

    for_each_lane(0, [&](offset lane, auto elements) {
        T* const k_of_lane = k.value + lane * n;
        std::construct_at(k_of_lane, host::take<T>(input));
        for (offset j = 1; j < elements; ++j)
            std::construct_at(k_of_lane + j, host::combine_copies<T>(op, k_of_lane[j - 1], host::take<T>(input)));
        sums.set(lane, k_of_lane[elements - 1]);
    });
    for (offset distance = 1; distance < lanes; distance *= 2)
        for (offset lane = lanes - 1; lane >= distance; --lane)
            sums.set(lane, host::combine_copies<T>(op, sums.value[lane - distance], sums.value[lane]));

    for (offset lane = 1; lane < lanes; ++lane)
        base.set(lane, run ? host::combine_copies<T>(op, *run, sums.value[lane - 1]) : sums.value[lane - 1]);
    if (before)
        for (offset lane = 1; lane < lanes; ++lane)
            base.set(lane, host::combine_copies<T>(op, *before, base.value[lane]));
    auto const base_of_first = host::combine_copies<T>(op, before, run);
    if (base_of_first)
        base.set(0, *base_of_first);
    else // only in an inclusive scan: an exclusive scan has init
        for (offset i = 0; i < std::min(count, n); ++i)
            host::put<T>(out, k.value[i]);
    for_each_lane(base_of_first ? 0 : 1, [&](offset lane, auto elements) {
        T const* const k_of_lane = k.value + lane * n;
        if constexpr (form == scan_form::exclusive)
            host::put<T>(out, base.value[lane]);
        for (offset j = form == scan_form::exclusive ? 1 : 0; j < elements; ++j)
            host::put<T>(out, host::combine_copies<T>(op, base.value[lane],
                                                      k_of_lane[form == scan_form::exclusive ? j - 1 : j]));
    });
    return sums.value[lanes - 1];
}

/// The same, element by element: for types that are not trivially copyable, and from any position in a row.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
T scan_row_by_elements(Op& op, std::optional<T> const& before, std::optional<T> const& run,
                       position_in_row<Order, T> at, offset count, Input& input, Out& out)
{
    while (count > 0) {
        std::optional<T> const base =
            host::combine_copies<T>(op, before, host::combine_copies<T>(op, run, at.lane_prefix));
        offset const last = std::min(at.element + count, Order::lane_vector);
        count -= last - at.element;
        while (at.element < last) {
            if constexpr (form == scan_form::inclusive) {
                at.append_element(op, host::take<T>(input));
                host::put<T>(out, base ? host::combine_copies<T>(op, *base, *at.k) : T(*at.k));
            } else {
                T value = host::take<T>(input);
                host::put<T>(out, at.k ? host::combine_copies<T>(op, *base, *at.k) : T(*base));
                at.append_element(op, std::move(value));
            }
        }
        at.append_lane_vector(op, std::move(*at.k));
        at.k.reset();
        at.element = 0;
    }
    return std::move(*at.lane_prefix);
}

template <class Order, scan_form form, class T, class Op, class Input, class Out>
T scan_row(Op& op, std::optional<T> const& before, std::optional<T> const& run, offset count, Input& input, Out& out)
{
    if constexpr (std::is_trivially_copyable_v<T>)
        return host::scan_row_in_place<Order, form, T>(op, before, run, count, input, out);
    else
        return host::scan_row_by_elements<Order, form>(op, before, run, position_in_row<Order, T>(), count, input, out);
}

} // namespace host
TILEWISE_NAMESPACE_END
