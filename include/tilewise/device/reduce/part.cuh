// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reduction of a part of a range at its position in the whole range. Kernels compute the aggregates of the units of
/// the part; the host combines them with the aggregates before and after the part.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/line_cache.cuh>
#include <tilewise/device/cuda/pinned_ring.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/reduce/units.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Reduces a part of a range, in pieces if it is staged. With `keeps_tiles`, the aggregates of all complete tiles stay
/// on the GPU, and the host receives those of complete groups.
template <class Order, class Tuning, class View, class T, class Op, bool keeps_tiles = false>
class part_reducer {
    using layout = row_layout<View, T, Op, Order, Tuning>;
    using unit = host::unit<Order>;
    static constexpr int warps = Tuning::threads / warp_size;
    static constexpr int most_iterations =
        Order::geometry::tiles_per_group * Order::geometry::chunks_per_tile / (warps * layout::chunks);
    static constexpr access misaligned = misaligned_access<View, layout::vector_size>;
    static constexpr int shift = misaligned == access::realigned && layout::can_shift ? any_shift : no_shift;
    static_assert(layout::chunks <= Order::geometry::chunks_per_tile, "a warp reads chunks of one tile at once");
    static constexpr int folded_at_once = keeps_tiles ? Order::geometry::tiles_per_group : warp_size;
    static_assert(folded_at_once <= warp_size, "a warp folds a group");

public:
    part_reducer(device_call& by, View const& part, offset begin, offset end, Op const& combine)
        : call(by), view(part), part_begin(begin), part_end(end), op(combine)
    {}

    /// Calls `append(level, aggregate)` for the units of the part, from left to right, and for the element after it if
    /// `has_last`, and waits for the kernels before that. Writes the aggregates of tiles that are kept to `tiles`.
    template <class Append>
    void operator()(bool has_last, Append const& append, [[maybe_unused]] T* tiles = nullptr)
    {
        staging const staged(call);
        std::size_t const bytes_each = staged.bytes_per_element(view);
        offset const count = part_end - part_begin + has_last;
        offset const at_once = staged.elements_at_once(count, bytes_each, Order::group);
        offset begin = part_begin;
        for (bool more = true; more;) {
            more = part_end - begin + has_last > at_once;
            offset const end = more ? (begin + at_once) / Order::tile * Order::tile : part_end;
            reduce_piece(begin, end, has_last && !more, bytes_each > 0, append, tiles);
            begin = end;
            if (at_once < count)
                call.report_progress(more ? end - part_begin : count, count);
        }
    }

private:
    /// Reduces the elements [begin, end), and the element after them if `has_last`.
    template <class Append>
    void reduce_piece(offset begin, offset end, bool has_last, bool stages, Append const& append, T* tiles)
    {
        staging staged(call);
        View piece = view.from(begin - part_begin);
        if (stages)
            staged.stage_in_first(piece, end - begin + has_last);

        offset const first_tile = (begin + Order::tile - 1) / Order::tile, last_tile = end / Order::tile;
        bool const has_tiles = first_tile < last_tile;
        end_units<Order> ends;
        ends.append(begin, has_tiles ? first_tile * Order::tile : end, begin);
        ends.count_before = ends.count;
        if (has_tiles) {
            ends.tiles_end = last_tile * Order::tile - begin;
            ends.append(last_tile * Order::tile, end, last_tile * Order::tile);
        }
        if (has_last)
            ends.append(end, end + 1, begin + ends.tiles_end);
        middle_units const units =
            has_tiles ? middle_of(first_tile, last_tile, (end - begin) * View::widest) : middle_units{};
        folding const fold(units, first_tile + units.before);
        bool const folds = keeps_tiles || fold.count > 0;
        int const middle = units.count() - fold.count * (folded_at_once - 1), results = ends.count + middle;

        // A few results are written to pinned memory, which saves about 5 us for a copy and the wait for it.
        bool const fits_line = static_cast<std::size_t>(results) * sizeof(T) <= line_cache::line_bytes;
        scratch<T> const partials(call, std::max(folds && !keeps_tiles ? units.count() : 0, 1)),
            on_device(call, fits_line ? 1 : results);
        T* const aggregates = fits_line ? call.line<T>() : on_device.begin();
        T* const middle_results = aggregates + ends.count_before;
        T* const unfolded = keeps_tiles ? tiles + (first_tile - (part_begin + Order::tile - 1) / Order::tile)
                            : folds     ? partials.begin()
                                        : middle_results;
        if (ends.count > 0)
            call.launch(&reduce_ends<layout, Tuning::threads, View, T, Op>, "reduce_ends",
                        {(ends.count + warps - 1) / warps, Tuning::threads}, piece, ends, middle, op, aggregates);
        if (units.count() > 0)
            start_middle(piece.from(first_tile * Order::tile - begin), units, ends.count > 0, unfolded);
        if (folds && units.count() > 0) {
            int const copied = fold.before + fold.behind,
                      warps_wanted = fold.count + (copied + warp_size - 1) / warp_size;
            call.launch(&fold_middle<Tuning::threads, folded_at_once, T, Op>, "fold_middle",
                        {(warps_wanted + warps - 1) / warps, Tuning::threads}, static_cast<T const*>(unfolded),
                        fold.before, fold.count, fold.behind, op, middle_results);
        }
        fetch_results(aggregates, results, fits_line);

        for (int i = 0; i < ends.count_before; ++i)
            append(static_cast<int>(ends.level[i]), result(i));
        for (int i = 0; i < middle; ++i)
            append(unit::tile + fold.level(units, i), result(ends.count_before + i));
        for (int i = ends.count_before; i < ends.count; ++i)
            append(static_cast<int>(ends.level[i]), result(middle + i));
    }

    /// Divides the complete tiles into subtrees, and single tiles before and after them.
    static middle_units middle_of(offset first_tile, offset last_tile, offset bytes)
    {
        int const iterations = std::min(Tuning::iterations(bytes), most_iterations);
        int const log2_tiles =
            keeps_tiles
                ? 0
                : gpu::log2_of(std::max(iterations * warps * layout::chunks / Order::geometry::chunks_per_tile, 1));
        offset const first = ((first_tile - 1) >> log2_tiles) + 1, last = last_tile >> log2_tiles;
        if (first >= last)
            return {static_cast<int>(last_tile - first_tile), 0, 0, log2_tiles};
        return {static_cast<int>((first << log2_tiles) - first_tile), static_cast<int>(last - first),
                static_cast<int>(last_tile - (last << log2_tiles)), log2_tiles};
    }

    /// Which results of tiles and subtrees `fold_middle` combines.
    struct folding {
        int before, count = 0, behind = 0; ///< results before and after those that are combined into `count`

        folding(middle_units const& units, offset first_tile_of_subtrees) : before(units.count())
        {
            offset const first = first_tile_of_subtrees >> units.log2_tiles, last = first + units.subtrees;
            offset const first_folded = (first + folded_at_once - 1) / folded_at_once,
                         last_folded = last / folded_at_once;
            if (first_folded >= last_folded || (!keeps_tiles && units.subtrees < Tuning::least_folded))
                return;
            count = static_cast<int>(last_folded - first_folded);
            before = units.before + static_cast<int>(first_folded * folded_at_once - first);
            behind = units.count() - before - count * folded_at_once;
        }
        /// The level of a result, counted from the tile.
        int level(middle_units const& units, int i) const
        {
            if (i >= before && i < before + count)
                return units.log2_tiles + gpu::log2_of(folded_at_once);
            int const unfolded = i < before ? i : i + count * (folded_at_once - 1);
            return unfolded >= units.before && unfolded < units.before + units.subtrees ? units.log2_tiles : 0;
        }
    };

    void start_middle(View const& tiles, middle_units const& units, bool is_second, T* results)
    {
        int const misalignment = gpu::misalignment_of(tiles);
        if (misalignment % View::template alignment<layout::vector_size> == 0)
            start_middle<access::aligned, no_shift>(tiles, units, is_second, results);
        else if constexpr (misaligned != access::aligned)
            start_middle<misaligned, shift>(tiles, units, is_second, results);
    }
    template <access how, int shift_of_base>
    void start_middle(View const& tiles, middle_units const& units, bool is_second, T* results)
    {
        constexpr auto kernel = &reduce_middle<layout, how, shift_of_base, Tuning, View, T, Op>;
        bool const dependent = is_second && Tuning::dependent_launches && call.can_launch_dependent<kernel>();
        call.launch(kernel, "reduce_middle", {units.count(), Tuning::threads, 1, dependent}, tiles, units, op, results);
    }

    /// Waits for the results, and copies them: the line may be written again.
    void fetch_results(T const* from, int count, bool is_on_line)
    {
        results_.resize(static_cast<std::size_t>(count) * sizeof(T));
        if (!is_on_line) {
            leased_ring ring(call.device());
            ring->copy_to_host(results_.data(), from, results_.size(), call.stream());
        }
        call.finish();
        if (is_on_line)
            std::memcpy(results_.data(), from, results_.size());
    }
    T result(int i) const
    {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), results_.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
        return std::bit_cast<T>(bytes);
    }

    device_call& call;
    View view;
    offset part_begin, part_end;
    Op op;
    std::vector<std::byte> results_;
};

/// Reduces the elements [begin, end) of a range; `input` begins with element `begin`. Reads one element more if
/// `has_last`. Calls `append(level, aggregate)` for the units of the part, from left to right, and for that element.
/// Waits.
template <class Order, class T, class Tuning = reduce_tuning, class Policy, class Input, class Op, class Append>
void reduce_part(Policy const& policy, Input const& input, offset begin, offset end, bool has_last, Op const& op,
                 Append const& append)
{
    offset const count = end - begin + has_last;
    if (count == 0)
        return;
    device_call call("reduce", count, policy);
    auto const view = gpu::view_of(input, count);
    part_reducer<Order, Tuning, std::remove_const_t<decltype(view)>, T, Op>(call, view, begin, end, op)(has_last,
                                                                                                        append);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
