// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction by dense key, for seq and par: the engine of reduce_by_index and weighted_histogram. It sorts the values
/// stably by cell, then reduces the values of each cell as a range of their own. Integers under known operators are
/// combined in a table directly.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/cells.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/host/simd_scan.hpp>
#include <tilewise/host/sort.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The most cells that values are sorted into in one step. More cells take two steps, since writes to many destinations
/// miss the caches: 2^24 doubles into 2^17 cells take 10 ns for each either way, into 2^20 cells 21 ns in two steps and
/// 32 ns in one.
template <class Geometry>
inline constexpr offset most_buckets = offset{1} << 17;

/// Combines `init` and the values of each cell, and constructs the results, on any thread. The values are moved from.
template <class Geometry, class T, class Input, class Op>
void combine_cells(bool is_parallel, int const* numbers, Input const& input, offset count, offset cells, T const& init,
                   Op const& op, typename slots<T>::slot* results)
{
    if (cells > most_buckets<Geometry> && count > cells / 4) {
        int const shift = static_cast<int>(std::bit_width(static_cast<std::size_t>(cells - 1))) / 2;
        offset const buckets = ((cells - 1) >> shift) + 1;
        auto by_bucket = host::sort_by_bucket<T>(is_parallel, numbers, input, count, buckets, shift);
        auto const first = by_bucket.values.input();
        host::distribute_segments(
            is_parallel, buckets, std::max(count / 16, offset{1} << 16),
            [&](offset i) { return by_bucket.positions.at(i); },
            [&](auto is_shared, offset bucket, segment own) {
                offset const skipped = bucket << shift;
                host::combine_cells<Geometry>(is_shared, by_bucket.cells.get() + own.begin, first + own.begin,
                                              own.count, std::min(offset{1} << shift, cells - skipped), init, op,
                                              results + skipped);
            });
    } else {
        auto by_cell = host::sort_by_bucket<T>(is_parallel, numbers, input, count, cells, 0);
        auto const first = by_cell.values.input();
        using sorted_input = std::remove_const_t<decltype(first)>;
        constexpr offset long_from =
            host::tiles_that_pay<T, Op, sorted_input>() * tilewise::order<T, Geometry>::tile + 1;
        host::forget_memory<T>(first);
        host::distribute_segments(
            is_parallel, cells, long_from, [&](offset i) { return by_cell.positions.at(i); },
            [&](auto is_shared, offset cell, segment own) {
                slots<T>::make(results + cell, host::reduce_segment<Geometry>(is_shared, first, own, init, op));
            });
    }
}

/// Calls `use(numbers, values, count)` with the cell numbers of the elements of an input, and the corresponding values.
/// An input of unknown length is read once, and only the values that have a cell are kept.
template <class T, class Input, class Extent, class Values, class Axis, class Use>
void with_numbers(bool is_parallel, Input input, Extent const& end, Values values, Axis const& axis, Use const& use)
{
    offset const cells = axis.extent();
    if constexpr (std::same_as<Extent, offset>) {
        offset const count = std::max(offset{0}, end);
        raw_memory<int> const numbers(count);
        host::for_each_part(host::parts_of(is_parallel, count, 0), count, [&](offset, offset first, offset last) {
            Input own(tilewise::advanced(input, first));
            int* to = numbers.get() + first;
            for (int part; first < last; first += part, (void)(to += part)) {
                part = static_cast<int>(std::min(last - first, offset{samples_per_block}));
                host::number_cells(axis, cells, own, part, to);
            }
        });
        use(static_cast<int const*>(numbers.get()), values, count);
    } else {
        std::vector<int> numbers;
        aggregates<T> found; // grows block by block
        for (; !(input == end); ++input, (void)++values) {
            if (int const cell = host::cell_of(axis, cells, *input); cell >= 0) {
                numbers.push_back(cell);
                found.emplace_back(static_cast<T>(*values));
            }
        }
        auto const count = static_cast<offset>(found.size());
        slots<T> kept(count);
        for (auto* slot = kept.data(); !found.empty(); ++slot, found.pop_front())
            slots<T>::make(slot, *std::move(found.front()));
        use(static_cast<int const*>(numbers.data()), kept.input(), count);
    }
}

/// Combines `init` and the values of each cell of an axis, and constructs the results, on any thread.
template <class Geometry, class T, class Input, class Extent, class Values, class Axis, class Op>
void combine_elements(bool is_parallel, Input input, Extent const& end, Values values, Axis const& axis, T const& init,
                      Op const& op, typename slots<T>::slot* results)
{
    host::with_numbers<T>(is_parallel, std::move(input), end, std::move(values), axis,
                          [&](int const* numbers, auto const& numbered, offset count) {
                              host::combine_cells<Geometry>(is_parallel, numbers, numbered, count, axis.extent(), init,
                                                            op, results);
                          });
}

/// Combines values onto the cells of a table, in input order. The element in front of the table is for values of no
/// cell, which are combined there if reading them is free: a branch costs more.
template <class T, class Values, class Op>
void combine_onto(T* table, int const* numbers, Values& values, int count, Op op)
{
    constexpr bool reads_all = std::is_pointer_v<Values> && std::integral<std::iter_value_t<Values>>;
    for (int i = 0; i < count; ++i, (void)++values)
        if (reads_all || numbers[i] >= 0)
            table[numbers[i]] = op(table[numbers[i]], static_cast<T>(*values));
}

/// Returns a table for every part of the input. Every order of combination must give the same bits.
template <class T, class Input, class Extent, class Values, class Axis, class Op>
std::vector<std::vector<T>> tables_in_any_order(bool is_parallel, Input input, Extent const& end, Values values,
                                                Axis const& axis, Op op)
{
    offset const cells = axis.extent();
    auto const size = static_cast<std::size_t>(cells) + 1 + 64 / sizeof(T); // no two tables share a cache line
    std::vector<std::vector<T>> tables;
    if constexpr (std::same_as<Extent, offset>) {
        offset const parts = host::parts_of(is_parallel, end, cells);
        tables.resize(static_cast<std::size_t>(parts));
        host::for_each_part(parts, end, [&](offset part, offset first, offset last) {
            std::vector<T> table(size, Op::template identity<T>);
            Input own(tilewise::advanced(input, first));
            Values own_values(tilewise::advanced(values, first));
            host::for_each_block(axis, cells, own, last - first, [&](int samples, int const* numbers) {
                host::combine_onto(table.data() + 1, numbers, own_values, samples, op);
            });
            tables[static_cast<std::size_t>(part)] = std::move(table);
        });
    } else {
        std::vector<T>& table = tables.emplace_back(size, Op::template identity<T>);
        for (; !(input == end); ++input) {
            int const cell = host::cell_of(axis, cells, *input);
            host::combine_onto(table.data() + 1, &cell, values, 1, op);
        }
    }
    return tables;
}

/// Writes the results of all cells, which `next()` returns in order. Returns the end of the output.
template <class T, class Out, class Next>
Out write_results(Out out, offset cells, Next next)
{
    for (; cells > 0; --cells)
        host::put<T>(out, next());
    host::forget_memory<T>(out);
    return out;
}

/// Combines `init` and the values of each cell of an axis, and writes the results. Elements of no cell are dropped.
template <class Geometry, class Policy, class Input, class Extent, class Values, class Axis, class Out, class T,
          class Op>
Out reduce_by_cell(Policy, Input input, Extent const& end, Values values, Axis const& axis, Out out, T const& init,
                   Op op)
{
    constexpr bool is_parallel = std::same_as<Policy, parallel_policy>;
    offset const cells = axis.extent();
    auto const own = tilewise::unwrap_input(std::move(input), end);
    auto const own_values = tilewise::unwrap_input(std::move(values), end);
    if constexpr (known::is_exact<Op, T>) {
        auto const tables = host::tables_in_any_order<T>(is_parallel, own, end, own_values, axis, op);
        return host::write_results<T>(std::move(out), cells, [&, cell = std::size_t{1}]() mutable {
            T aggregate = init;
            for (auto const& table : tables)
                aggregate = op(aggregate, table[cell]);
            ++cell;
            return aggregate;
        });
    } else if constexpr (contiguous_of<Out, T> && std::is_trivially_copyable_v<T>) {
        host::combine_elements<Geometry>(is_parallel, own, end, own_values, axis, init, op, std::to_address(out));
        host::forget_memory<T>(out);
        return out + cells;
    } else {
        slots<T> results(cells);
        host::combine_elements<Geometry>(is_parallel, own, end, own_values, axis, init, op, results.data());
        return host::write_results<T>(std::move(out), cells, [next = results.input()]() mutable -> T {
            T result = static_cast<T>(*next);
            ++next;
            return result;
        });
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
