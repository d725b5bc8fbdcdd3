// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Scan of a part of a range at its position in the whole range, in two steps. The first step reduces the part to the
/// aggregates of its units, from which the exclusive prefixes of other parts are computed. The second step scans the
/// part, given its own exclusive prefix.
///
/// The host scans the elements before the first tile boundary: fewer than a tile, and none if the part begins with a
/// tile. From the aggregates of the first step it also computes the exclusive prefixes of the tiles before the first
/// group and of the groups. Kernels scan all tiles, given these prefixes.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/host_values.cuh>
#include <tilewise/device/reduce/part.cuh>
#include <tilewise/device/scan.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Converts the first `count` elements of a view to operands, and stores these.
template <int threads, class View, class T, class Op>
TILEWISE_KERNEL(threads, 1)
load_operands(View view, int count, T* to)
{
    int const i = block_index() * threads + thread_index();
    if (i < count) {
        auto const loaded = view.template fetch<access::elementwise, 1>(i);
        gpu::put(to[i], gpu::operand<T, Op>(view, loaded, 0));
    }
}

/// Scans the elements [begin, end) of a range, at least one. `input` begins with element `begin`, and `out` with its
/// result.
template <class Geometry, scan_form form, class T, class Policy, class Input, class Out, class Op,
          class Tuning = scan_tuning, class ReduceTuning = reduce_tuning>
class part_scanner {
    using View = std::remove_const_t<decltype(gpu::view_of(std::declval<Input const&>(), offset{}))>;
    using Sink = std::remove_const_t<decltype(gpu::sink_of(std::declval<Out const&>()))>;
    using order = tilewise::order<T, Geometry>;
    using scan_type = scan_of<View, Sink, T, Op, form, order>;
    using unit = host::unit<order>;
    static constexpr int log2_group = order::log2_tiles(1);

public:
    part_scanner(Policy const& by, Input const& input, Out const& to, offset first, offset last, Op const& combine)
        : policy(by), call(name, last - first, by), out(to), view(gpu::view_of(input, last - first)),
          sink(gpu::sink_of(to)), begin(first), end(last), first_tile((first + order::tile - 1) / order::tile),
          op(combine), tile_aggregates(call, std::max(last / order::tile - first_tile, offset{1}))
    {}

    /// Reduces the part. Calls `append(level, aggregate)` for its units, from left to right.
    template <class Append>
    void reduce(Append const& append)
    {
        part_reducer<order, ReduceTuning, View, T, Op, true> reducer(call, view, begin, end, op);
        reducer(
            false,
            [&](int level, T const& aggregate) {
                if (level >= unit::tile) {
                    levels.push_back(level - unit::tile);
                    aggregates.push_back(aggregate);
                }
                append(level, aggregate);
            },
            tile_aggregates.begin());
    }

    /// Scans the part. `at` is where it enters the range; `host_op` is the operator on the host.
    template <class HostOp>
    void scan(host::entry<order, T> at, HostOp& host_op)
    {
        offset const before = std::min(first_tile * order::tile, end) - begin;
        if (before > 0)
            scan_on_host(at, before, host_op);
        if (begin + before < end)
            scan_tiles(at.tiles, host_op);
    }
    /// Waits for the results. (The destructor does so, too, but throws nothing.)
    void wait() { call.finish(); }

private:
    /// Scans the elements before the first tile boundary.
    template <class HostOp>
    void scan_on_host(host::entry<order, T>& at, offset count, HostOp& host_op)
    {
        constexpr int threads = host_values_tuning::threads;
        host_values<T> operands(count), results(count);
        {
            staging staged(call);
            View first = view;
            if (staged.bytes_per_element(first) > 0)
                staged.stage_in_first(first, count);
            scratch<T> const copies(call, count);
            call.launch(&load_operands<threads, View, T, Op>, "load_operands",
                        {static_cast<int>((count + threads - 1) / threads), threads}, first, static_cast<int>(count),
                        copies.begin());
            leased_ring ring(call.device());
            ring->copy_to_host(operands.data(), copies.begin(), static_cast<std::size_t>(count) * sizeof(T),
                               call.stream());
        }
        host::scan_in_turn<order, form>(at, static_cast<T const*>(operands.data()), count, results.data(), host_op);
        gpu::write_values<false>(name, policy, static_cast<T const*>(results.data()), count, out);
    }

    /// Scans the elements from the first tile boundary on. `carry` has the exclusive prefix of the first tile.
    template <class HostOp>
    void scan_tiles(host::carry<order, T>& carry, HostOp& host_op)
    {
        staging staged(call);
        std::size_t const bytes_each = staged.bytes_per_element(view) + staged.bytes_per_result(sink);
        bool has_prefix = true;
        host_values<T> prefixes = prefixes_of_tiles(carry, host_op, has_prefix);
        T const* prefix = prefixes_on_device(staged, prefixes);
        offset const at_once = staged.elements_at_once(end - first_tile * order::tile, bytes_each, order::group);
        for (offset tile = first_tile; tile * order::tile < end;) {
            offset const first = tile * order::tile,
                         last = end - first <= at_once ? end : (first + at_once) / order::group * order::group,
                         tiles = (last - first + order::tile - 1) / order::tile,
                         alone = std::min(tiles_to_group(tile), tiles);
            scanner<scan_type, Tuning> piece{call,         view.from(first - begin), sink.from(first - begin),
                                             last - first, initial<T>(std::nullopt), op};
            piece.init.has_value = has_prefix;
            staging staged_piece(call);
            if (bytes_each > 0) {
                staged_piece.stage_in_first(piece.view, piece.count);
                staged_piece.stage_out(piece.sink, piece.count);
            }
            piece.start_part(alone, prefix, tile_aggregates.begin() + (tile - first_tile));
            staged_piece.copy_out();
            if (at_once < end - first_tile * order::tile)
                call.report_progress(last - begin, end - begin);
            prefix += alone + (((tiles - alone - 1) >> log2_group) + 1);
            tile += tiles;
            has_prefix = true;
        }
    }

    /// Returns where kernels read the prefixes. A few stay in pinned memory, of which each block reads one.
    T const* prefixes_on_device(staging& staged, host_values<T>& prefixes)
    {
        auto const bytes = static_cast<std::size_t>(prefixes.size()) * sizeof(T);
        if (bytes > Tuning::pinned_prefix_bytes)
            return staged.stage_in(static_cast<T const*>(prefixes.data()), prefixes.size());
        T* const line = call.line<T>(); // of which the reduction has no more need
        std::memcpy(static_cast<void*>(line), prefixes.data(), bytes);
        return line;
    }

    /// The number of tiles from `tile` on, up to the beginning of a group.
    static offset tiles_to_group(offset tile) { return ((((tile - 1) >> log2_group) + 1) << log2_group) - tile; }

    /// Returns the exclusive prefixes of the tiles before the first group, and of the groups. Sets `has_prefix` to
    /// false if the first one has no value.
    template <class HostOp>
    host_values<T> prefixes_of_tiles(host::carry<order, T>& carry, HostOp& host_op, bool& has_prefix)
    {
        host_values<T> prefixes;
        offset const first_group = first_tile + tiles_to_group(first_tile);
        std::size_t next = 0;
        for (offset tile = first_tile; tile * order::tile < end;) {
            if (tile < first_group || tiles_to_group(tile) == 0) {
                if (std::optional<T> const prefix = carry.before_next(host_op)) {
                    prefixes.push_back(*prefix);
                } else {
                    prefixes.push_back_absent();
                    has_prefix = false;
                }
            }
            if (next == levels.size())
                break; // the last tile
            carry.append(host_op, T(aggregates.data()[next]), levels[next]);
            tile += offset{1} << levels[next++];
        }
        return prefixes;
    }

    static constexpr char const* name = form == scan_form::inclusive ? "inclusive_scan" : "exclusive_scan";

    Policy policy;
    device_call call;
    Out out;
    View view;
    Sink sink;
    offset begin, end, first_tile;
    Op op;
    scratch<T> tile_aggregates;
    std::vector<int> levels;   ///< of the tiles and groups of the part, counted from the tile
    host_values<T> aggregates; ///< of the same tiles and groups
};

} // namespace gpu
TILEWISE_NAMESPACE_END
