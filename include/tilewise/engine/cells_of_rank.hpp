// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a rank does with the values of cells under its local policy: it sorts them by cell, and reduces its part of the
/// values of each cell to a fragment.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/host/by_index.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/host/sort.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/by_index.cuh>
#include <tilewise/device/reduce/many_parts.cuh>
#endif

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Where a rank's values of a cell stand among all values of the cell.
struct part_of_cell {
    offset begin, total;
};

/// What a rank sends of its `count` values of a cell: the aggregates of the units up to `end` and, apart, the last of
/// all values of the cell if that is among them.
template <class Order>
struct sent_part {
    offset begin, end;
    bool has_last;

    sent_part(part_of_cell at, offset count)
        : begin(at.begin), end(std::min(at.begin + count, at.total - 1)),
          has_last(count > 0 && at.begin + count == at.total)
    {}
    offset values() const { return host::unit<Order>::count(begin, end) + (has_last ? 1 : 0); }
};

/// Writes what a rank sends of its values of a cell: the aggregates, and the last value.
template <class T, class Fragment, class Last>
void write_sent_part(std::byte* to, Fragment const& part, bool has_last, Last const& last)
{
    packed<T> own;
    for (T const& aggregate : part.aggregates())
        own.push_back(aggregate);
    if (has_last)
        own.push_back(last());
    tilewise::copy_bytes(to, own.values().data(), own.values().size());
}

#ifdef TILEWISE_DEVICE_ENGINE
/// Reduces and writes parts of cells that a GPU has sorted: kernels reduce the units of up to a tile, and the host
/// combines tiles. The values of a cell begin at `begins[cell]`.
template <class Order, class T, class View, class Op>
void write_parts_on_gpu(gpu::device_call& call, View const& view, std::vector<offset> const& begins, Op op,
                        std::vector<sent_part<Order>> const& parts, std::vector<offset> const& positions, std::byte* to)
{
    using unit = host::unit<Order>;
    std::vector<gpu::unit_in_view> units;
    for (std::size_t cell = 0; cell < parts.size(); ++cell) {
        offset at = begins[cell];
        unit::for_each(parts[cell].begin, parts[cell].end, [&](int level) {
            int const single = std::min(level, unit::tile);
            for (offset rest = unit::size(level); rest > 0; rest -= unit::size(single)) {
                units.push_back({at, single});
                at += unit::size(single);
            }
        });
        if (parts[cell].has_last)
            units.push_back({at, unit::element});
    }
    auto reduced = gpu::reduce_units_of<Order, T>(call, view, units, gpu::operator_on<T>(op));
    T const* next = reduced.data();
    auto next_unit = units.begin();
    for (std::size_t cell = 0; cell < parts.size(); ++cell) {
        host::fragment<Order, T> part(parts[cell].begin);
        while (part.end() < parts[cell].end)
            part.append(op, (next_unit++)->level, T(*next++));
        engine::write_sent_part<T>(to + static_cast<std::size_t>(positions[cell]) * sizeof(T), part,
                                   parts[cell].has_last, [&] {
                                       ++next_unit;
                                       return T(*next++);
                                   });
    }
}
#endif

/// Sorts a rank's values by the cell of their sample, and calls `use(counts, write)` with the number of values in each
/// cell. `write(parts, positions, to)` then writes the parts of the cells as `cells_on_ranks::send` demands.
template <class Order, class T, class Local, class Input, class Extent, class Values, class View, class Op, class Use>
void with_sorted_cells([[maybe_unused]] char const* algorithm, [[maybe_unused]] Local const& local, Input input,
                       Extent const& end, Values values, View const& view, Op const& op, Use use)
{
    using parts_type = std::vector<sent_part<Order>>;
    offset const cells = view.extent();
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        if (cells == 0)
            return use(std::vector<offset>(), [](auto const&...) {});
        gpu::with_values_by_cell<T>(
            algorithm, local, input, end, values, gpu::axis_for(view),
            [&](gpu::device_call& call, offset const* begins_on_device, auto const& sorted) {
                std::vector<offset> begins(static_cast<std::size_t>(cells) + 1), counts;
                {
                    gpu::leased_ring ring(call.device());
                    ring->copy_to_host(begins.data(), begins_on_device, begins.size() * sizeof(offset), call.stream());
                }
                for (std::size_t cell = 0; cell + 1 < begins.size(); ++cell)
                    counts.push_back(begins[cell + 1] - begins[cell]);
                use(std::move(counts),
                    [&](parts_type const& parts, std::vector<offset> const& positions, std::byte* to) {
                        engine::write_parts_on_gpu<Order, T>(call, sorted, begins, op, parts, positions, to);
                    });
            });
#else
        throw_no_device();
#endif
    } else {
        constexpr bool is_parallel = std::same_as<Local, parallel_policy>;
        auto const sort = [&](int const* numbers, auto const& numbered, offset count) {
            auto by_cell = host::sort_by_bucket<T>(is_parallel, numbers, numbered, count, cells, 0);
            std::vector<offset> counts;
            for (offset cell = 0; cell < cells; ++cell)
                counts.push_back(by_cell.positions.at(cell).count);
            T const* const sorted = by_cell.values.input();
            use(std::move(counts), [&](parts_type const& parts, std::vector<offset> const& positions, std::byte* to) {
                auto const write = [&](offset first, offset last) {
                    Op own_op = op;
                    for (offset cell = first; cell < last; ++cell) {
                        auto const& each = parts[static_cast<std::size_t>(cell)];
                        T const* const own = sorted + by_cell.positions.at(cell).begin;
                        host::fragment<Order, T> part(each.begin);
                        host::append_elements(part, own, each.end, own_op);
                        engine::write_sent_part<T>(
                            to + static_cast<std::size_t>(positions[static_cast<std::size_t>(cell)]) * sizeof(T), part,
                            each.has_last, [&] { return T(own[each.end - each.begin]); });
                    }
                };
                if constexpr (is_parallel)
                    host::parallel_for(cells, write);
                else
                    write(0, cells);
            });
        };
        host::with_numbers<T>(is_parallel, tilewise::unwrap_input(std::move(input), end), end,
                              tilewise::unwrap_input(std::move(values), end), view, sort);
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
