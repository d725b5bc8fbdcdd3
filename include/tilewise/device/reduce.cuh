// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of reduce for the device policy: four algorithms with the same bits, chosen by size.
///
/// * `reduce_one_tile`: one block, one or two rows per warp.
/// * `reduce_in_cluster`: the blocks of one cluster, which pass partial results through distributed shared memory.
/// * `reduce_in_one_launch`: one block per aligned subtree of tiles. The block that starts last polls the results of
///   the others and combines them.
/// * `reduce_subtrees`, then `fold_subtrees`: one block per aligned subtree of tiles, then one block for the rest of
///   the order. That block is a dependent launch (PDL): it reads the last tile while the others run, before it waits
///   for them. (With the last tile in a block of pass 1, a call that waits was 1 us faster at 2^18 to 2^20 f32, but the
///   kernels were 0.2 to 0.8 us slower up to 2^24.)

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/unwrap.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/cuda/status_memory.cuh>
#include <tilewise/device/reduce/cluster.cuh>
#include <tilewise/device/reduce/one_launch.cuh>
#include <tilewise/device/reduce/one_tile.cuh>
#include <tilewise/device/reduce/two_passes.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <bit>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Chooses and launches the kernels.
template <class Geometry, class Tuning, class Input, class T, class Op, class Out>
class reducer {
    using View = decltype(gpu::view_of(std::declval<Input const&>(), offset{}));
    using order = tilewise::order<T, Geometry>;
    using layout = row_layout<View, T, Op, order, Tuning>;
    static constexpr int tile_rows = Geometry::rows_per_chunk * Geometry::chunks_per_tile;
    static constexpr int warps = Tuning::threads / warp_size;
    static constexpr int most_iterations =
        Geometry::tiles_per_group * Geometry::chunks_per_tile / (warps * layout::chunks);
    static_assert(most_iterations >= 1, "a block's subtree is at most a group");
    static constexpr access misaligned = misaligned_access<View, layout::vector_size>;

public:
    reducer(device_call& by, Input const& input, offset size, T const& first, Op const& combine, Out to)
        : call(by), view(gpu::view_of(input, size)), count(size), init(first), op(combine), out(to),
          iterations(std::min(Tuning::iterations(size * View::widest), most_iterations)),
          tiles(order::tiles_before_last(size)), units(gpu::work_units_of<layout>(tiles))
    {}

    /// Launches the kernels. Stages in elements in host memory, if necessary in pieces of whole groups.
    void start()
    {
        staging staged(call);
        std::size_t const bytes_each = staged.bytes_per_element(view);
        offset const at_once = staged.elements_at_once(count, bytes_each, order::group);
        if constexpr (View::bases > 0)
            if (at_once < count)
                return start_in_pieces(at_once);
        if (bytes_each > 0)
            staged.stage_in(view);
        if (count == 0)
            return call.launch(&write_init<T, Out>, "write_init", {1, warp_size}, init, out);
        int const misalignment = gpu::misalignment_of(view);
        if (misalignment % View::template alignment<layout::vector_size> == 0)
            start_kernels<access::aligned>(0);
        else if constexpr (misaligned != access::aligned)
            start_kernels<misaligned>(misalignment);
    }

private:
    /// Chooses among the kernels.
    template <access how>
    void start_kernels(int misalignment)
    {
        if (tiles == 0)
            return start_one_tile<how>();
        if (starts_in_cluster<how>() || starts_in_one_launch<how>())
            return;
        scratch<T> const partials(call, blocks_for(units));
        call.launch(subtrees_kernel<how>(misalignment), "reduce_subtrees", {blocks_for(units), Tuning::threads}, view,
                    units, iterations, op, partials.begin());
        start_fold<how>(view, partials.begin());
    }

    template <access how>
    void start_one_tile()
    {
        int const rows = static_cast<int>((count - 1) / order::row) + 1;
        auto* kernel = &reduce_one_tile<layout, how, 1, View, T, Op, Out>;
        if constexpr (tile_rows > warp_size)
            if (rows > warp_size)
                kernel = &reduce_one_tile<layout, how, tile_rows / warp_size, View, T, Op, Out>;
        call.launch(kernel, "reduce_one_tile", {1, std::min(rows, warp_size) * warp_size}, view,
                    static_cast<int>(count), init, op, out);
    }

    template <access how>
    bool starts_in_cluster()
    {
        constexpr int tiles_per_block = warps * layout::chunks / Geometry::chunks_per_tile;
        if constexpr (tiles_per_block == 0 || tiles_per_block > Geometry::tiles_per_group || tile_rows % warps != 0) {
            return false;
        } else {
            offset const blocks = 1 + (tiles + tiles_per_block - 1) / tiles_per_block;
            return Tuning::clusters && blocks <= Tuning::cluster_blocks && is_below_super_group() &&
                   call.launch_cluster<&reduce_in_cluster<layout, how, Tuning::threads, View, T, Op, Out>>(
                       "reduce_in_cluster", static_cast<int>(std::bit_ceil(static_cast<std::size_t>(blocks))),
                       Tuning::threads, view, count, init, op, out);
        }
    }

    /// (Status words that are new to the call, as in a captured graph, would have to be cleared first.)
    template <access how>
    bool starts_in_one_launch()
    {
        if constexpr (sizeof(T) <= 16) {
            if (!Tuning::one_launch || !is_below_super_group() || call.is_captured() || call.resource())
                return false;
            int const subtrees = blocks_for(units);
            status_memory memory(call, offset{last_tile_ends<T>::count + subtrees} * status_words::words_of<T>);
            call.launch(&reduce_in_one_launch<layout, how, Tuning, View, T, Op, Out>, "reduce_in_one_launch",
                        {1 + subtrees, Tuning::threads}, view, count, iterations, init, op, out,
                        ticket_counter{memory.counter(), memory.tickets()},
                        status_words{memory.words(), memory.epoch()});
            memory.record_tickets(1 + subtrees);
            return true;
        } else {
            return false;
        }
    }
    bool is_below_super_group() const { return order::digits(tiles) <= 2; }

    /// Launches two passes, the first for pieces of `at_once` elements that are staged one at a time. (The copies of a
    /// piece follow the kernels of the previous piece, which take one percent of the time.)
    void start_in_pieces(offset at_once)
    {
        scratch<T> const partials(call, blocks_for(units));
        for (offset begin = 0; begin < count; begin += at_once) {
            staging staged(call);
            View piece = view.from(begin);
            staged.stage_in_first(piece, at_once);
            int const misalignment = gpu::misalignment_of(piece);
            if (misalignment % View::template alignment<layout::vector_size> == 0)
                start_piece<access::aligned>(piece, begin, at_once, 0, partials.begin());
            else if constexpr (misaligned != access::aligned)
                start_piece<misaligned>(piece, begin, at_once, misalignment, partials.begin());
            call.report_progress(std::min(begin + at_once, count), count);
        }
    }
    template <access how>
    void start_piece(View const& piece, offset begin, offset at_once, int misalignment, T* partials)
    {
        offset const before = gpu::work_units_of<layout>(begin / order::tile),
                     units_here = std::min(units - before, gpu::work_units_of<layout>(at_once / order::tile));
        if (units_here > 0)
            call.launch(subtrees_kernel<how>(misalignment), "reduce_subtrees",
                        {blocks_for(units_here), Tuning::threads}, piece, units_here, iterations, op,
                        partials + blocks_for(before));
        if (count - begin <= at_once)
            start_fold<how>(piece.from(-begin), partials);
    }

    int blocks_for(offset of_units) const
    {
        int const per_block = iterations * warps;
        return static_cast<int>((of_units + per_block - 1) / per_block);
    }

    /// Returns the kernel of pass 1 for a view with the given misalignment (see `misalignment_of`).
    template <access how>
    static auto subtrees_kernel([[maybe_unused]] int misalignment)
    {
        if constexpr (how == access::realigned && layout::can_shift) {
            constexpr int alignment = View::element_alignment;
            if constexpr (alignment <= 4) {
                if (misalignment / 4 == 1)
                    return &reduce_subtrees<layout, how, 1, Tuning, View, T, Op>;
                if (misalignment / 4 == 3)
                    return &reduce_subtrees<layout, how, 3, Tuning, View, T, Op>;
            }
            if constexpr (alignment < 4) {
                if (misalignment / 4 == 0)
                    return &reduce_subtrees<layout, how, 0, Tuning, View, T, Op>;
            }
            return &reduce_subtrees<layout, how, 2, Tuning, View, T, Op>;
        } else {
            return &reduce_subtrees<layout, how, no_shift, Tuning, View, T, Op>;
        }
    }

    template <access how>
    void start_fold(View const& from, T const* partials)
    {
        int const tiles_per_partial = iterations * warps * layout::chunks / Geometry::chunks_per_tile;
        constexpr auto kernel = &fold_subtrees<layout, how, Tuning, View, T, T, Op, Out>;
        bool const dependent = Tuning::dependent_launches && call.can_launch_dependent<kernel>();
        call.launch(kernel, "fold_subtrees", {1, Tuning::fold_threads, 1, dependent}, from, count, tiles,
                    log2_of(tiles_per_partial), partials, init, op, out);
    }

    device_call& call;
    View view;
    offset count;
    T init;
    Op op;
    Out out;
    int iterations;
    offset tiles, units; ///< before the last tile
};

inline constexpr char const* reduce_without_waiting = "reduce_into or transform_reduce_into with a policy's nosync()";

/// Combines `init` and `count` elements of an input, and waits for the result.
template <class Geometry, class Tuning = reduce_tuning, class Policy, class Input, class T, class Op>
T reduce(Policy const& policy, Input const& input, offset count, T const& init, Op const& op)
{
    if (count <= 0)
        return init;
    device_call call("reduce", count, policy, reduce_without_waiting);
    T* const result = call.line<T>();
    reducer<Geometry, Tuning, Input, T, Op, T*>(call, input, count, init, op, result).start();
    call.finish();
    return *result;
}

/// Combines `init` and `count` elements of an input and writes the result through `out`: in the stream if the GPU can
/// write there, otherwise from the host if the policy waits.
template <class Geometry, class Tuning = reduce_tuning, class Policy, class Input, class T, class Op, class Out>
void reduce_into(Policy const& policy, Input const& input, offset count, T const& init, Op const& op, Out out)
{
    if constexpr (!std::is_same_v<unwrapped<Out>, Out>) {
        gpu::reduce_into<Geometry, Tuning>(policy, input, count, init, op, tilewise::unwrap(out));
    } else if constexpr (std::is_pointer_v<Out> || (random_access<Out> && copies_as_bytes<Out>)) {
        count = std::max(offset{0}, count);
        device_call call("reduce", count, policy, reduce_without_waiting);
        if constexpr (std::is_pointer_v<Out>) {
            auto const kind = gpu::kind_of(out, call.device().index());
            if constexpr (Policy::waits)
                if (kind == memory_kind::pageable)
                    return tilewise::store(out, gpu::reduce<Geometry, Tuning>(policy, input, count, init, op));
            gpu::check_writable("reduce_into", kind);
        }
        reducer<Geometry, Tuning, Input, T, Op, Out>(call, input, count, init, op, out).start();
        call.finish();
    } else {
        static_assert(Policy::waits, "tilewise: under nosync() a kernel writes the result, so the output must be a "
                                     "random access iterator that kernels can use");
        tilewise::store(out, gpu::reduce<Geometry, Tuning>(policy, input, count, init, op));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
