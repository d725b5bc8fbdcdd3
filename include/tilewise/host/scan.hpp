// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of the scans for seq and par.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/few_lanes.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/scanner.hpp>
#include <tilewise/host/shared_scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Scans a range of unknown length, which may be readable only once, one tile at a time.
template <class Order, scan_form form, class T, class Op, class Input, class Sentinel, class Out>
Out scan_by_steps(Input input, Sentinel last, Out out, carry_for<Order, T, Op>& before, Op& op)
{
    std::conditional_t<std::same_as<T, bool>, std::deque<T>, std::vector<T>> tile;
    std::optional<Out> to(std::move(out)); // an iterator need not be assignable
    do {
        tile.clear();
        do
            tile.push_back(host::take<T>(input));
        while (static_cast<offset>(tile.size()) < Order::tile && !(input == last));
        auto const count = static_cast<offset>(tile.size());
        auto const scan = [&](auto first) {
            auto scanner = host::scanner_at<Order, form, T>(first, *std::move(to), op);
            scanner.tile(before, count);
            return scanner.end();
        };
        if constexpr (std::is_class_v<T>)
            to.emplace(scan(std::make_move_iterator(tile.begin())));
        else
            to.emplace(scan(tile.begin()));
    } while (!(input == last));
    return *std::move(to);
}

/// Scans on the calling thread.
template <class Geometry, scan_form form, class T, class Op, class Input, class Extent, class Out>
Out scan_on(sequenced_policy, Input input, Extent end, Out out, std::optional<T> init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (std::same_as<Extent, offset>) {
        if constexpr (takes_few_lanes<T, Op, Input> && std::is_pointer_v<Out>) {
            if (end <= few_scanned<order, T, Op>) {
                auto elements = host::opaque_input<T>(std::move(input));
                if (init)
                    host::scan_few_lanes<order, form, true, T>(op, elements, end, out, std::addressof(*init));
                else
                    host::scan_few_lanes<order, form, false, T>(op, elements, end, out, nullptr);
                host::forget_memory<T>(out);
                return out + end;
            }
        }
        auto scanner = host::scanner_at<order, form, T>(std::move(input), std::move(out), op);
        if constexpr (!known::is_exact<Op, T>) {
            if (end <= order::chunk) {
                scanner.chunk(init, end);
                return scanner.end();
            }
        }
        carry_for<order, T, Op> before(std::move(init));
        for (offset count = end; count > 0; count -= order::tile)
            scanner.tile(before, std::min(count, order::tile));
        return scanner.end();
    } else {
        carry_for<order, T, Op> before(std::move(init));
        return host::scan_by_steps<order, form, T>(std::move(input), std::move(end), std::move(out), before, op);
    }
}

/// Returns whether `input`, which is `count` elements from the beginning of the range, is at its end.
template <class Input, class Extent>
bool is_at(Input const& input, Extent const& end, [[maybe_unused]] offset count)
{
    if constexpr (std::same_as<Extent, offset>)
        return count == end;
    else
        return input == end;
}

/// Reads all elements of an input, on all cores if it can be indexed.
template <class T, class Input, class Extent>
aggregates<T> values_of(Input input, Extent const& end)
{
    aggregates<T> values;
    if constexpr (std::same_as<Extent, offset>) {
        values.resize(static_cast<std::size_t>(end));
        host::parallel_for(end, [&](offset first, offset last) {
            Input own_input = input + first;
            for (offset i = first; i != last; ++i)
                values[static_cast<std::size_t>(i)].emplace(host::take<T>(own_input));
        });
    } else {
        while (!(input == end))
            values.emplace_back(host::take<T>(input));
    }
    return values;
}

/// Returns the number of tiles before the last at which all cores become faster than one.
template <class T, class Op>
constexpr offset tiles_that_pay_to_scan()
{
    return known::is_exact<Op, T> ? 64 : known::is_operator<Op> ? 32 : 4;
}

/// Scans on all cores.
template <class Geometry, scan_form form, class T, class Op, class Input, class Extent, class Out>
Out scan_on(parallel_policy, Input input, Extent end, Out out, std::optional<T> init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (shares_words<Out>) {
        return host::scan_on<Geometry, form>(seq, std::move(input), std::move(end), std::move(out), std::move(init),
                                             std::move(op));
    } else if constexpr (is_read_once<Input>) {
        aggregates<T> const values = host::values_of<T>(std::move(input), end); // since some are read twice
        auto const value_in = [](std::optional<T> const& value) -> T const& { return *value; };
        return host::scan_on<Geometry, form>(par, transformed(value_in, values.begin()),
                                             static_cast<offset>(values.size()), std::move(out), std::move(init),
                                             std::move(op));
    } else if constexpr (std::same_as<Extent, offset> && random_access<Out>) {
        if constexpr (is_computed<Input>) {
            if (order::tiles_before_last(end) < 8 * concurrency() &&
                host::takes_long(end, [input]() mutable { return host::take<T>(input); })) {
                aggregates<T> values = host::values_of<T>(input, end);
                return host::scan_on<Geometry, form>(seq, host::moving_values(values.begin()), end, std::move(out),
                                                     std::move(init), std::move(op));
            }
        }
        if (order::tiles_before_last(end) < host::tiles_that_pay_to_scan<T, Op>())
            return host::scan_on<Geometry, form>(seq, std::move(input), end, std::move(out), std::move(init),
                                                 std::move(op));
        host::scan_shared<order, form>(end, std::move(init), op, [&](offset tile) {
            return std::pair(tilewise::advanced(input, tile * order::tile),
                             tilewise::advanced(out, tile * order::tile));
        });
        return tilewise::advanced(out, end);
    } else {
        std::deque<std::pair<Input, Out>> tiles;
        offset count = 0;
        for (; !(host::is_at(input, end, count)); ++count, (void)++input, (void)++out)
            if (count % order::tile == 0)
                tiles.emplace_back(input, out);
        host::scan_shared<order, form>(count, std::move(init), op,
                                       [&](offset tile) { return tiles[static_cast<std::size_t>(tile)]; });
        return out;
    }
}

/// Scans a non-empty input after `init`, if it has a value. Returns the end of the output.
template <class Geometry, scan_form form, class T, class Policy, class Op, class Input, class Extent, class Out>
Out scan(Policy policy, Input input, Extent end, Out out, std::optional<T> init, Op op)
{
    auto elements = tilewise::unwrap_input(std::move(input), end);
    if constexpr (is_large<T>)
        return host::scan_on<order_of_lanes<Geometry>, form>(
            policy, boxed_input<T, decltype(elements)>(std::move(elements)), std::move(end), std::move(out),
            host::boxed(std::move(init)), boxed_op<T, Op>{std::move(op)});
    else if constexpr (std::same_as<Extent, offset> && std::contiguous_iterator<Out>)
        return host::scan_on<Geometry, form>(policy, std::move(elements), end, std::to_address(out), std::move(init),
                                             std::move(op)),
               tilewise::advanced(out, end);
    else
        return host::scan_on<Geometry, form>(policy, std::move(elements), std::move(end), std::move(out),
                                             std::move(init), std::move(op));
}

} // namespace host
TILEWISE_NAMESPACE_END
