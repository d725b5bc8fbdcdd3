// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduces and scans a part of a longer range at its position in that range, for seq and par.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/host/scan_row.hpp>
#include <tilewise/host/scanner.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// An input that can skip `count` elements at once.
template <class Input>
concept skips_elements = requires(Input const& input, offset count) { input + count; };

/// Appends the elements from `part.end()` to `end`, in units of at most a tile. `input` is at the first of them.
template <class Order, class T, class Op, class Input>
void append_elements(fragment<Order, T>& part, Input input, offset end, Op& op)
{
    if (part.end() >= end)
        return;
    auto reader = host::reader_at<Order, T>(std::move(input), op);
    while (part.end() < end) {
        int const level = std::min(unit<Order>::largest(part.end(), end), unit<Order>::tile);
        if (level == unit<Order>::tile)
            part.append(op, level, reader.tile());
        else if (level == unit<Order>::chunk)
            part.append(op, level, reader.chunk());
        else if (level == unit<Order>::row)
            part.append(op, level, reader.rows(1));
        else
            part.append(op, level, reader.elements(static_cast<int>(unit<Order>::size(level))));
    }
}

/// Returns the number of elements of [begin, end) before the first tile boundary.
template <class Order>
constexpr offset elements_before_tiles(offset begin, offset end)
{
    offset const first_tile = (begin + Order::tile - 1) / Order::tile * Order::tile;
    return std::min(first_tile, end) - begin;
}

/// Returns the part [begin, end) of a range as a fragment. `input` is at `begin`. Stores the aggregates of its complete
/// tiles in `tiles` if several threads should scan them as well.
template <class Order, class T, class Policy, class Op, class Input>
fragment<Order, T> fragment_of(Policy, Input input, offset begin, offset end, Op op, aggregates<T>& tiles)
{
    fragment<Order, T> part(begin);
    if constexpr (std::same_as<Policy, parallel_policy> && skips_elements<Input>) {
        offset const before = host::elements_before_tiles<Order>(begin, end);
        offset const count = (end - begin - before) / Order::tile;
        if (count >= host::tiles_that_pay<T, Op, Input>()) {
            host::append_elements(part, input, begin + before, op);
            Input const first = tilewise::advanced(input, before);
            tiles.resize(static_cast<std::size_t>(count));
            host::parallel_for(count, [&](offset first_tile, offset last_tile) {
                Op own_op = op;
                auto reader = host::reader_at<Order, T>(tilewise::advanced(first, first_tile * Order::tile), own_op);
                for (offset tile = first_tile; tile != last_tile; ++tile)
                    tiles[static_cast<std::size_t>(tile)].emplace(reader.tile());
            });
            for (auto const& tile : tiles)
                part.append(op, unit<Order>::tile, T(*tile));
            host::append_elements(part, tilewise::advanced(first, count * Order::tile), end, op);
            return part;
        }
    }
    host::append_elements(part, std::move(input), end, op);
    return part;
}

/// Scans elements from `at` to the end of its row, at most `count`, and none if a row begins there. Returns their
/// number.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
offset scan_rest_of_row(entry<Order, T>& at, Input& input, Out& out, offset count, Op& op)
{
    offset const scanned = at.in_tile.index % Order::row;
    if (scanned == 0 || count == 0)
        return 0;
    count = std::min(count, Order::row - scanned);
    auto const before = host::combine_copies<T>(op, at.tiles.before_next(op), at.in_tile.chunk_prefix);
    T row =
        host::scan_row_by_elements<Order, form>(op, before, at.in_tile.run, std::move(at.in_row), count, input, out);
    at.in_tile.index += count;
    if (at.in_tile.index % Order::row == 0)
        host::append<T>(op, at.in_tile.run, std::move(row));
    if (at.in_tile.index % Order::chunk == 0)
        at.in_tile.append_chunk(op, std::move(*at.in_tile.run));
    return count;
}

/// Scans `count` elements from `at`. If they end at a tile boundary, `at` is the entry there afterwards.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
Out scan_in_turn(entry<Order, T>& at, Input input, offset count, Out out, Op& op)
{
    count -= host::scan_rest_of_row<Order, form>(at, input, out, count, op);
    auto scanner = host::scanner_at<Order, form, T>(std::move(input), std::move(out), op);
    while (count > 0 || at.in_tile.index == Order::tile) {
        offset const part = std::min(count, Order::tile - at.in_tile.index);
        auto in_tile = std::exchange(at.in_tile, {});
        scanner.tile(at.tiles, part, in_tile);
        count -= part;
    }
    return scanner.end();
}

/// Scans `count` elements from `at`. If several threads should scan them, `tiles` has the aggregates of the complete
/// tiles among them.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
Out scan_part(entry<Order, T> at, Input input, offset count, Out out, Op op, aggregates<T>& tiles)
{
    if constexpr (skips_elements<Input> && random_access<Out> && !shares_words<Out>) {
        if (!tiles.empty()) {
            offset const before = (Order::tile - at.in_tile.index) % Order::tile;
            auto const number = static_cast<offset>(tiles.size());
            host::scan_in_turn<Order, form>(at, input, before, out, op);
            Input const first = tilewise::advanced(input, before);
            Out const first_out = tilewise::advanced(out, before);
            for (std::optional<T>& tile : tiles) { // replaces its aggregate with its exclusive prefix
                std::optional<T> prefix = at.tiles.before_next(op);
                at.tiles.append(op, std::move(*tile));
                tile.reset();
                if (prefix)
                    tile.emplace(std::move(*prefix));
            }
            host::parallel_for(number, [&](offset first_tile, offset last_tile) {
                Op own_op = op;
                auto scanner =
                    host::scanner_at<Order, form, T>(tilewise::advanced(first, first_tile * Order::tile),
                                                     tilewise::advanced(first_out, first_tile * Order::tile), own_op);
                for (offset tile = first_tile; tile != last_tile; ++tile) {
                    carry<Order, T> prefix(std::move(tiles[static_cast<std::size_t>(tile)]));
                    scanner.tile(prefix, Order::tile);
                }
            });
            offset const rest = count - before - number * Order::tile;
            return host::scan_in_turn<Order, form>(at, tilewise::advanced(first, number * Order::tile), rest,
                                                   tilewise::advanced(first_out, number * Order::tile), op);
        }
    }
    return host::scan_in_turn<Order, form>(at, std::move(input), count, std::move(out), op);
}

} // namespace host
TILEWISE_NAMESPACE_END
