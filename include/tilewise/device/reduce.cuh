// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of reduce for the device policy: three ways to the same bits, chosen by size.
///
/// * `reduce_one_tile`: one block, a row per warp.
/// * `reduce_in_cluster`: the blocks of one cluster, which pass their partial results through shared memory.
/// * `reduce_subtrees`, then `fold_subtrees`: a block for every aligned subtree of tiles, then one block for the rest
/// of
///   the order, which starts while the others run and reads the last tile before it waits for them. (With the last tile
///   in a block of pass 1, a call with its wait was 1 us faster at 2^18 to 2^20 f32, but the kernels 0.2 to 0.8 us
///   slower up to 2^24.)

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/unwrap.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/last_tile.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Writes `value` to where a result belongs.
template <class Out, class T>
TILEWISE_DEVICE void write_result(Out out, T const& value)
{
    using stored = std::remove_reference_t<decltype(*out)>;
    nested_calls<Out, T>::guard();
    if constexpr (std::is_same_v<stored, T>)
        gpu::put(*out, value);
    else
        *out = tilewise::as_stored<stored>(value);
}

/// The result of an empty range.
template <class T, class Out>
TILEWISE_KERNEL(warp_size, 1)
write_init(T init, Out out)
{
    if (thread_index() == 0)
        gpu::write_result(out, init);
}

/// Reads the last tile, which begins at `first`, to `ends`, by a whole block. Warp 0 may read `ends` after it, the rest
/// of the block after a barrier.
template <class Layout, access how, int rows_per_warp, int warps, class View, class Op, class T>
TILEWISE_DEVICE void block_last_tile(View& view, offset first, int count, Op& op, last_tile_ends<T>& ends)
{
    TILEWISE_SHARED(parts, last_tile_parts<T, typename Layout::order>);
    gpu::read_last_tile<Layout, how, rows_per_warp, warps>(view, first, count, op, parts);
    sync_block();
    if (warp_index() == 0)
        gpu::join_last_tile<typename Layout::order>(parts, count, op, ends);
    sync_warp();
}

/// Up to a tile: row `r` by warp `r % warps`.
template <class Layout, access how, int rows_per_warp, class View, class T, class Op, class Out>
TILEWISE_KERNEL(warp_size* warp_size, 1)
reduce_one_tile(View view, int count, T init, Op op, Out out)
{
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    gpu::block_last_tile<Layout, how, rows_per_warp, warp_size>(view, 0, count, op, ends);
    if (thread_index() == 0)
        gpu::write_result(out, gpu::append_last_tile<typename Layout::order>(ends, count, init, op));
}

/// How many packs of chunks, one per warp and turn, fill the `tiles` tiles before the last.
template <class Layout>
TILEWISE_PORTABLE constexpr offset packs_of_tiles(offset tiles)
{
    return tiles * Layout::geometry::chunks_per_tile / Layout::chunks;
}

/// Up to as many tiles as a cluster has warps for: block 0 reads the last tile, the others a subtree each.
template <class Layout, access how, int threads, class View, class T, class Op, class Out>
TILEWISE_KERNEL(threads, 1)
reduce_in_cluster(View view, offset count, T init, Op op, Out out)
{
    using order = typename Layout::order;
    using geometry = typename Layout::geometry;
    constexpr int warps = threads / warp_size, rows = geometry::rows_per_chunk * geometry::chunks_per_tile;
    constexpr int shift = how == access::covering && Layout::can_shift ? any_shift : no_shift;
    constexpr int tiles_per_block = warps * Layout::chunks / geometry::chunks_per_tile;
    constexpr int blocks_per_group = geometry::tiles_per_group / tiles_per_block;
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    TILEWISE_SHARED(warp_totals, raw_storage<T[warps]>);
    TILEWISE_SHARED(subtrees, raw_storage<T[warp_size]>);

    offset const tiles = order::tiles_before_last(count);
    int const last_count = static_cast<int>(count - tiles * order::tile);
    offset const before = offset{block_index() - 1} * warps, left = gpu::packs_of_tiles<Layout>(tiles) - before;
    cluster_announce();
    if (block_index() == 0) {
        gpu::block_last_tile<Layout, how, rows / warps, warps>(view, tiles * order::tile, last_count, op, ends);
        cluster_wait();
    } else if (left > 0) {
        T const total = gpu::block_subtree<Layout, how, shift, threads>(view, before * Layout::chunks * order::chunk,
                                                                        left, 1, op, warp_totals.object());
        cluster_wait();
        if (thread_index() == 0)
            gpu::store_in_block(0, &subtrees.object()[block_index() - 1], total);
    } else {
        cluster_wait();
    }
    cluster_arrive();
    cluster_wait();
    if (block_index() != 0 || warp_index() != 0)
        return;

    // groups of blocks, the tree of the whole groups, then that of the tiles after them
    int const used = static_cast<int>((tiles + tiles_per_block - 1) / tiles_per_block);
    int const groups = static_cast<int>(tiles / geometry::tiles_per_group);
    T const subtree(subtrees.object()[lane_index() < used ? lane_index() : 0]);
    T const group = gpu::warp_tree_of_segments(op, subtree, blocks_per_group, used);
    T const total = gpu::warp_tree_of_valid<blocks_per_group>(op, group, groups * blocks_per_group);
    T const rest = gpu::shuffle(group, groups * blocks_per_group % warp_size);
    if (lane_index() == 0) {
        if (groups > 0)
            gpu::put(init, gpu::combine(op, init, total));
        if (tiles % geometry::tiles_per_group != 0)
            gpu::put(init, gpu::combine(op, init, rest));
        gpu::write_result(out, gpu::append_last_tile<order>(ends, last_count, init, op));
    }
}

/// Pass 1: block `b` reduces subtree `b`, of `turns` packs of chunks per warp, to `partials[b]`.
template <class Layout, access how, int shift, class Tuning, class View, class T, class Op>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
reduce_subtrees(View view, offset packs, int turns, Op op, T* partials)
{
    release_dependents();
    constexpr int warps = Tuning::threads / warp_size;
    TILEWISE_SHARED(warp_totals, raw_storage<T[warps]>);
    offset const before = offset{block_index()} * turns * warps;
    T const total = gpu::block_subtree<Layout, how, shift, Tuning::threads>(
        view, before * Layout::chunks * Layout::order::chunk, packs - before, turns, op, warp_totals.object());
    if (thread_index() == 0)
        gpu::put(partials[block_index()], total);
}

/// Pass 2: the last tile, and then the partial results, of `2^log2_tiles` tiles each, to groups, super-groups and the
/// carry. A round takes `fold_supers` super-groups; of several rounds each is a whole binary tree, but for the last.
template <class Layout, access how, class Tuning, class View, class T, class Op, class Out>
TILEWISE_KERNEL(Tuning::fold_threads, 1)
fold_subtrees(View view, offset count, offset tiles, int log2_tiles, T const* partials, T init, Op op, Out out)
{
    using order = typename Layout::order;
    using geometry = typename Layout::geometry;
    constexpr int warps = Tuning::fold_threads / warp_size, supers = Tuning::template fold_supers<T, geometry>,
                  super_size = geometry::groups_per_super, groups_at_once = supers * super_size,
                  rows = geometry::rows_per_chunk * geometry::chunks_per_tile;
    static_assert((supers & (supers - 1)) == 0 && supers <= super_size, "a round is a whole binary tree");
    TILEWISE_SHARED(ends, last_tile_ends<T>);
    TILEWISE_SHARED(group_totals, raw_storage<T[groups_at_once]>);
    TILEWISE_SHARED(super_totals, raw_storage<T[supers]>);
    auto& group_total = group_totals.object();
    auto& super_total = super_totals.object();
    int const warp = warp_index();
    auto const partial_count = static_cast<int>((tiles + (offset{1} << log2_tiles) - 1) >> log2_tiles);
    int const log2_partials = gpu::log2_of(geometry::tiles_per_group) - log2_tiles; // per group
    auto const whole_groups = static_cast<int>(tiles / geometry::tiles_per_group);
    int const last_count = static_cast<int>(count - tiles * order::tile);
    gpu::block_last_tile<Layout, how, (rows + warps - 1) / warps, warps>(view, tiles * order::tile, last_count, op,
                                                                         ends);
    wait_for_primary();

    running_carry<order, T, order::log2_tiles(2) + gpu::log2_of(supers)> rounds; // of warp 0
    for (int first_group = 0;; first_group += groups_at_once) {
        // groups: a warp takes as many as it has lanes for
        int const first_partial = first_group << log2_partials;
        int const there = min_of(partial_count - first_partial, groups_at_once << log2_partials);
        for (int i = warp * warp_size; i < there; i += Tuning::fold_threads) {
            int const own = i + lane_index();
            T const partial(partials[first_partial + min_of(own, there - 1)]);
            T const total = gpu::warp_tree_of_segments(op, partial, 1 << log2_partials, there - i);
            if (own < there && own >> log2_partials << log2_partials == own)
                gpu::put(group_total[own >> log2_partials], total);
        }
        sync_block();
        // super-groups: a warp each; the last may not be whole
        int const groups = min_of(whole_groups - first_group, groups_at_once), whole = groups / super_size;
        int const used = (groups + super_size - 1) / super_size;
        for (int super = warp; super < used; super += warps) {
            int const first = super * super_size;
            int const own = lane_index() < super_size && first + lane_index() < groups ? lane_index() : 0;
            T const total = gpu::warp_tree_of_valid<1, super_size>(op, T(group_total[first + own]), groups - first);
            if (lane_index() == 0)
                gpu::put(super_total[super], total);
        }
        if (used > 1)
            sync_block();
        bool const is_last = (first_group + groups_at_once) << log2_partials >= partial_count;
        if (warp == 0) {
            auto rest = gpu::nothing<T>(); // the whole super-groups of a round that is not whole
            if (whole > 0) {
                sync_warp();
                gpu::append_tree<supers>(op, rest, T(super_total[min_of(lane_index(), whole - 1)]), whole);
            }
            if (whole == supers) {
                rounds.append(op, T(rest.value[0]));
                rest.there = false;
            }
            if (is_last) {
                auto carry = gpu::nothing<T>();
                carry.append(op, init);
                rounds.append_to(op, carry, rest);
                if (lane_index() == 0) {
                    if (groups % super_size != 0)
                        carry.append(op, T(super_total[whole]));
                    if (tiles % geometry::tiles_per_group != 0)
                        carry.append(op, T(group_total[groups]));
                    gpu::write_result(out, gpu::append_last_tile<order>(ends, last_count, T(carry.value[0]), op));
                }
            }
        }
        if (is_last)
            return;
        sync_block();
    }
}

/// The choice among the kernels.
template <class Geometry, class Tuning, class Input, class T, class Op, class Out>
class reducer {
    using View = decltype(gpu::view_of(std::declval<Input const&>(), offset{}));
    using order = tilewise::order<T, Geometry>;
    using layout = row_layout<View, T, Op, order, Tuning>;
    static constexpr int tile_rows = Geometry::rows_per_chunk * Geometry::chunks_per_tile;
    static constexpr int warps = Tuning::threads / warp_size;
    static constexpr int most_turns = Geometry::tiles_per_group * Geometry::chunks_per_tile / (warps * layout::chunks);
    static_assert(most_turns >= 1, "a block's subtree is at most a group");
    static constexpr access misaligned = misaligned_access<View, layout::packet>;

public:
    reducer(device_call& by, Input const& input, offset size, T const& first, Op const& combine, Out to)
        : call(by), view(gpu::view_of(input, size)), count(size), init(first), op(combine), out(to),
          turns(std::min(Tuning::turns(size * View::widest), most_turns)), tiles(order::tiles_before_last(size)),
          packs(gpu::packs_of_tiles<layout>(tiles))
    {}

    /// Starts the kernels. Elements in host memory are staged in, in pieces of whole groups if need be.
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
        if (misalignment % View::template alignment<layout::packet> == 0)
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
        if (Tuning::clusters &&
            (starts_in_cluster<how, Tuning::threads>() ||
             (Tuning::wide_cluster_pays(sizeof(T)) && starts_in_cluster<how, Tuning::wide_cluster_threads>())))
            return;
        scratch<T> const partials(call, blocks_for(packs));
        start_subtrees<how>(view, packs, misalignment, partials.begin());
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

    template <access how, int threads>
    bool starts_in_cluster()
    {
        constexpr int tiles_per_block = threads / warp_size * layout::chunks / Geometry::chunks_per_tile;
        if constexpr (tiles_per_block == 0 || tiles_per_block > Geometry::tiles_per_group ||
                      tile_rows % (threads / warp_size) != 0) {
            return false;
        } else {
            offset const blocks = 1 + (tiles + tiles_per_block - 1) / tiles_per_block;
            return blocks <= Tuning::cluster_blocks && order::digits(tiles) <= 2 && // tiles and groups
                   call.launch_cluster<&reduce_in_cluster<layout, how, threads, View, T, Op, Out>>(
                       "reduce_in_cluster", static_cast<int>(std::bit_ceil(static_cast<std::size_t>(blocks))), threads,
                       view, count, init, op, out);
        }
    }

    /// Two passes, of which the first has copies of `at_once` elements at a time. (The copies of a piece come after the
    /// kernels of the one before it: these take a percent of the time.)
    void start_in_pieces(offset at_once)
    {
        scratch<T> const partials(call, blocks_for(packs));
        for (offset begin = 0; begin < count; begin += at_once) {
            staging staged(call);
            View piece = view.from(begin);
            staged.stage_in_first(piece, at_once);
            int const misalignment = gpu::misalignment_of(piece);
            if (misalignment % View::template alignment<layout::packet> == 0)
                start_piece<access::aligned>(piece, begin, at_once, 0, partials.begin());
            else if constexpr (misaligned != access::aligned)
                start_piece<misaligned>(piece, begin, at_once, misalignment, partials.begin());
        }
    }
    template <access how>
    void start_piece(View const& piece, offset begin, offset at_once, int misalignment, T* partials)
    {
        offset const before = gpu::packs_of_tiles<layout>(begin / order::tile),
                     there = std::min(packs - before, gpu::packs_of_tiles<layout>(at_once / order::tile));
        if (there > 0)
            start_subtrees<how>(piece, there, misalignment, partials + blocks_for(before));
        if (count - begin <= at_once)
            start_fold<how>(piece.from(-begin), partials);
    }

    int blocks_for(offset of_packs) const
    {
        int const per_block = turns * warps;
        return static_cast<int>((of_packs + per_block - 1) / per_block);
    }

    template <access how>
    void start_subtrees(View const& from, offset of_packs, int misalignment, T* partials)
    {
        call.launch(subtrees_kernel<how>(misalignment), "reduce_subtrees", {blocks_for(of_packs), Tuning::threads},
                    from, of_packs, turns, op, partials);
    }
    /// Pass 1 for a base that is so many bytes, or some of them, after a boundary of 16.
    template <access how>
    static auto subtrees_kernel([[maybe_unused]] int misalignment)
    {
        if constexpr (how == access::covering && layout::can_shift) {
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
        int const tiles_per_partial = turns * warps * layout::chunks / Geometry::chunks_per_tile;
        constexpr auto kernel = &fold_subtrees<layout, how, Tuning, View, T, Op, Out>;
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
    int turns;
    offset tiles, packs; ///< before the last tile
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

/// Combines `init` and `count` elements of an input and writes the result through `out`: in the stream where the GPU
/// can write there, otherwise, if the policy waits, from here.
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
        static_assert(Policy::waits,
                      "tilewise: a policy that does not wait can write its result through a random access "
                      "iterator that works in kernels, and through no other");
        tilewise::store(out, gpu::reduce<Geometry, Tuning>(policy, input, count, init, op));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
