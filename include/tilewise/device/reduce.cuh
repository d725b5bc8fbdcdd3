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
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/cuda/workspace.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Writes `value` to where a result belongs.
template <class Out, class T>
TILEWISE_DEVICE void write_result(Out out, T const& value)
{
    using stored = std::remove_reference_t<decltype(*out)>;
    nested_calls<Out, T>::guard();
    if constexpr (std::is_arithmetic_v<stored> && std::is_arithmetic_v<T>)
        *out = static_cast<stored>(value);
    else if constexpr (std::is_same_v<stored, T>)
        gpu::put(*out, value);
    else
        *out = value;
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

/// Pass 2: the last tile, and then the partial results, of `2^log2_tiles` tiles each, to groups, supers and the carry.
template <class Layout, access how, class Tuning, class View, class T, class Op, class Out>
TILEWISE_KERNEL(Tuning::fold_threads, 1)
fold_subtrees(View view, offset count, offset tiles, int log2_tiles, T const* partials, T init, Op op, Out out)
{
    using order = typename Layout::order;
    using geometry = typename Layout::geometry;
    constexpr int warps = Tuning::fold_threads / warp_size, supers = Tuning::template fold_supers<T, geometry>,
                  groups_at_once = supers * geometry::groups_per_super,
                  rows = geometry::rows_per_chunk * geometry::chunks_per_tile;
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

    for (int first_group = 0;;) {
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
        // supers: a warp each
        int const groups = min_of(whole_groups - first_group, groups_at_once);
        int const used = (groups + geometry::groups_per_super - 1) / geometry::groups_per_super;
        for (int super = warp; super < used; super += warps) {
            int const first = super * geometry::groups_per_super;
            int const own =
                lane_index() < geometry::groups_per_super && first + lane_index() < groups ? lane_index() : 0;
            T const total =
                gpu::warp_tree_of_valid<1, geometry::groups_per_super>(op, T(group_total[first + own]), groups - first);
            if (lane_index() == 0)
                gpu::put(super_total[super], total);
        }
        if (used > 1)
            sync_block();
        // supers left to right, then the tiles of the group that is not whole
        if (thread_index() == 0) {
            TILEWISE_UNROLL_BY_4
            for (int super = 0; super < used; ++super)
                gpu::put(init, gpu::combine(op, init, T(super_total[super])));
            if (groups < groups_at_once && tiles % geometry::tiles_per_group != 0)
                gpu::put(init, gpu::combine(op, init, T(group_total[groups])));
        }
        first_group += groups_at_once;
        if (first_group << log2_partials >= partial_count)
            break;
        sync_block();
    }
    if (thread_index() == 0)
        gpu::write_result(out, gpu::append_last_tile<order>(ends, last_count, init, op));
}

/// The kernels for one kind of input, and the choice among them.
template <class Geometry, class Tuning, class View, class T, class Op, class Out>
class reducer {
    using order = tilewise::order<T, Geometry>;
    using layout = row_layout<View, T, Op, order, Tuning>;
    static constexpr int tile_rows = Geometry::rows_per_chunk * Geometry::chunks_per_tile;
    /// What reads a base that is not aligned for the widest loads.
    static constexpr access unaligned =
        View::bases > 0 && View::template can_cover<layout::packet> ? access::covering : access::elementwise;
    static constexpr bool can_be_unaligned = View::template alignment<layout::packet> > View::element_alignment;

public:
    View view;
    offset count;
    T init;
    Op op;
    Out out;

    template <class Policy>
    void run(Policy const& policy, current_device const& device, call const& by, bool captured)
    {
        if (count == 0) {
            gpu::launch<&write_init<T, Out>>(by, "write_init", {1, warp_size}, init, out);
            return;
        }
        with_access(view, [&]<access how>(std::integral_constant<access, how>, int misalignment) {
            run_with<how>(policy, device, by, captured, misalignment);
        });
    }

    /// The same in two passes, of which the first has copies of `at_once` elements at a time, whole groups. (The copies
    /// of a piece come after the kernels of the one before it: these take a percent of the time.)
    template <class Policy>
    void run_in_pieces(Policy const& policy, current_device const& device, call const& by, offset at_once)
    {
        offset const tiles = order::tiles_before_last(count), packs = gpu::packs_of_tiles<layout>(tiles);
        int const turns = turns_per_block();
        scratch const memory(policy, device, false, static_cast<std::size_t>(blocks_for(packs, turns)) * sizeof(T));
        auto* const partials = static_cast<T*>(memory.begin());
        for (offset begin = 0; begin < count; begin += at_once) {
            offset const before = gpu::packs_of_tiles<layout>(begin / order::tile),
                         there = std::min(packs - before, gpu::packs_of_tiles<layout>(at_once / order::tile));
            View piece = view.from(begin);
            stand_ins stand_in(by.algorithm, policy, device, false);
            stand_in.bring(piece, at_once);
            with_access(piece, [&]<access how>(std::integral_constant<access, how>, int misalignment) {
                if (there > 0)
                    start_subtrees<how>(by, piece, there, turns, misalignment, partials + blocks_for(before, turns));
                if (count - begin <= at_once)
                    start_fold<how>(device, by, piece.from(-begin), tiles, turns, partials);
            });
        }
    }

private:
    static constexpr int warps = Tuning::threads / warp_size;

    int turns_per_block() const
    {
        constexpr int most = Geometry::tiles_per_group * Geometry::chunks_per_tile / (warps * layout::chunks);
        static_assert(most >= 1, "a block's subtree is at most a group");
        return std::min(Tuning::turns(count * View::widest), most);
    }

    /// Calls `run` with how packets of a view can be loaded, and by how much it is not aligned.
    template <class Run>
    static void with_access(View const& from, Run const& run)
    {
        int misalignment = 0;
        from.for_each_base([&](void const* base, offset) {
            misalignment |= static_cast<int>(reinterpret_cast<std::uintptr_t>(base) % granule_bytes);
        });
        if (misalignment % View::template alignment<layout::packet> == 0)
            run(std::integral_constant<access, access::aligned>(), 0);
        else if constexpr (can_be_unaligned)
            run(std::integral_constant<access, unaligned>(), misalignment);
    }

    template <access how, class Policy>
    void run_with(Policy const& policy, current_device const& device, call const& by, bool captured, int misalignment)
    {
        offset const tiles = order::tiles_before_last(count);
        if (tiles == 0) {
            run_one_tile<how>(by);
        } else if (!(Tuning::clusters &&
                     (run_in_cluster<how, Tuning::threads>(device, by, captured, tiles) ||
                      (Tuning::wide_cluster_pays(sizeof(T)) &&
                       run_in_cluster<how, Tuning::wide_cluster_threads>(device, by, captured, tiles))))) {
            run_two_passes<how>(policy, device, by, captured, tiles, misalignment);
        }
    }

    template <access how>
    void run_one_tile(call const& by)
    {
        int const rows = static_cast<int>((count - 1) / order::row) + 1;
        int const threads = std::min(rows, warp_size) * warp_size;
        auto const few = static_cast<int>(count);
        if constexpr (tile_rows > warp_size) {
            if (rows > warp_size)
                return gpu::launch<&reduce_one_tile<layout, how, tile_rows / warp_size, View, T, Op, Out>>(
                    by, "reduce_one_tile", {1, threads}, view, few, init, op, out);
        }
        gpu::launch<&reduce_one_tile<layout, how, 1, View, T, Op, Out>>(by, "reduce_one_tile", {1, threads}, view, few,
                                                                        init, op, out);
    }

    template <access how, int threads>
    bool run_in_cluster(current_device const& device, call const& by, bool captured, offset tiles)
    {
        constexpr int tiles_per_block = threads / warp_size * layout::chunks / Geometry::chunks_per_tile;
        if constexpr (tiles_per_block == 0 || tiles_per_block > Geometry::tiles_per_group ||
                      tile_rows % (threads / warp_size) != 0) {
            return false;
        } else {
            constexpr auto kernel = &reduce_in_cluster<layout, how, threads, View, T, Op, Out>;
            offset const blocks = 1 + (tiles + tiles_per_block - 1) / tiles_per_block;
            if (blocks > Tuning::cluster_blocks)
                return false;
            int const cluster = static_cast<int>(std::bit_ceil(static_cast<std::size_t>(blocks)));
            if (!gpu::fits_cluster<kernel>(device, cluster, threads))
                return false;
            return gpu::launch_cluster<kernel>(by, captured, "reduce_in_cluster", {cluster, threads, cluster}, view,
                                               count, init, op, out);
        }
    }

    template <access how, class Policy>
    void run_two_passes(Policy const& policy, current_device const& device, call const& by, bool captured, offset tiles,
                        int misalignment)
    {
        int const turns = turns_per_block();
        offset const packs = gpu::packs_of_tiles<layout>(tiles);
        scratch const memory(policy, device, captured, static_cast<std::size_t>(blocks_for(packs, turns)) * sizeof(T));
        auto* const partials = static_cast<T*>(memory.begin());
        start_subtrees<how>(by, view, packs, turns, misalignment, partials);
        start_fold<how>(device, by, view, tiles, turns, partials);
    }

    static int blocks_for(offset packs, int turns)
    {
        int const per_block = turns * warps;
        return static_cast<int>((packs + per_block - 1) / per_block);
    }

    template <access how>
    void start_subtrees(call const& by, View const& from, offset packs, int turns, int misalignment, T* partials)
    {
        auto const pass1 = [&]<int shift>(std::integral_constant<int, shift>) {
            gpu::launch<&reduce_subtrees<layout, how, shift, Tuning, View, T, Op>>(
                by, "reduce_subtrees", {blocks_for(packs, turns), Tuning::threads}, from, packs, turns, op, partials);
        };
        if constexpr (how == access::covering && layout::can_shift)
            with_shift(misalignment, pass1);
        else
            pass1(std::integral_constant<int, no_shift>());
    }

    template <access how>
    void start_fold(current_device const& device, call const& by, View const& from, offset tiles, int turns,
                    T const* partials)
    {
        int const tiles_per_partial = turns * warps * layout::chunks / Geometry::chunks_per_tile;
        constexpr auto pass2 = &fold_subtrees<layout, how, Tuning, View, T, Op, Out>;
        bool const dependent = Tuning::dependent_launches && !is_timed(by) && gpu::has_sm90_features<pass2>(device);
        gpu::launch<pass2>(by, "fold_subtrees", {1, Tuning::fold_threads, 1, dependent}, from, count, tiles,
                           log2_of(tiles_per_partial), partials, init, op, out);
    }

    template <class Run>
    static void with_shift(int misalignment, Run run)
    {
        constexpr int alignment = View::element_alignment;
        switch (misalignment / 4) {
        case 1:
            if constexpr (alignment <= 4)
                return run(std::integral_constant<int, 1>());
            break;
        case 2:
            if constexpr (alignment <= 8)
                return run(std::integral_constant<int, 2>());
            break;
        case 3:
            if constexpr (alignment <= 4)
                return run(std::integral_constant<int, 3>());
            break;
        default:
            if constexpr (alignment < 4)
                return run(std::integral_constant<int, 0>());
            break;
        }
    }
};

/// Combines `init` and `count` elements of an input and writes the result through `out`, in the policy's stream.
template <class Geometry, class Tuning, class Policy, class Input, class T, class Op, class Out>
void enqueue_reduce(device_call<Policy>& started, Policy const& policy, Input const& input, offset count, T const& init,
                    Op const& op, Out out)
{
    auto view = gpu::view_of(input, count);
    bool const captured = started.captured();
    current_device const& device = started.device();
    call const& by = started.by();
    using reducer_type = reducer<Geometry, Tuning, decltype(view), T, Op, Out>;
    stand_ins stand_in("reduce", policy, device, captured);
    std::size_t const bytes_each = stand_in.bytes_per_element(view);
    if constexpr (Policy::waits && decltype(view)::bases > 0) {
        offset const at_once = gpu::elements_at_once(policy, count, bytes_each, order<T, Geometry>::group);
        if (at_once < count)
            return reducer_type{view, count, init, op, out}.run_in_pieces(policy, device, by, at_once);
    }
    if (bytes_each > 0)
        stand_in.bring(view);
    reducer_type{view, count, init, op, out}.run(policy, device, by, captured);
}

inline constexpr char const* reduce_without_waiting = "reduce_into or transform_reduce_into with a policy's nosync()";

/// Combines `init` and `count` elements of an input, and waits for the result.
template <class Geometry, class Tuning = reduce_tuning, class Policy, class Input, class T, class Op>
T reduce(Policy const& policy, Input const& input, offset count, T const& init, Op const& op)
{
    if (count <= 0)
        return init;
    profiler_range const range("tilewise::reduce");
    reject_earlier_error();
    device_call<Policy> started("reduce", count, policy, reduce_without_waiting);
    T* const result = started.template line<T>();
    gpu::enqueue_reduce<Geometry, Tuning>(started, policy, input, count, init, op, result);
    started.finish();
    return *result;
}

/// Combines `init` and `count` elements of an input and writes the result through `out`: in the stream where the GPU
/// can write there, otherwise, if the policy waits, from here.
template <class Geometry, class Tuning = reduce_tuning, class Policy, class Input, class T, class Op, class Out>
void reduce_into(Policy const& policy, Input const& input, offset count, T const& init, Op const& op, Out out)
{
    if constexpr (!std::is_same_v<unwrapped<Out>, Out>) {
        gpu::reduce_into<Geometry, Tuning>(policy, input, count, init, op, tilewise::unwrap(out));
    } else if constexpr (std::is_pointer_v<Out>) {
        profiler_range const range("tilewise::reduce_into");
        reject_earlier_error();
        count = std::max(offset{0}, count);
        device_call<Policy> started("reduce", count, policy, reduce_without_waiting);
        if (auto const kind = gpu::kind_of(out, started.device().index()); kind != memory_kind::pageable) {
            gpu::check_writable("reduce_into", kind);
            gpu::enqueue_reduce<Geometry, Tuning>(started, policy, input, count, init, op, out);
            started.finish();
        } else if constexpr (Policy::waits) {
            tilewise::store(out, gpu::reduce<Geometry, Tuning>(policy, input, count, init, op));
        } else {
            gpu::check_writable("reduce_into", kind);
        }
    } else if constexpr (random_access<Out> && copies_as_bytes<Out>) { // a fancy iterator
        profiler_range const range("tilewise::reduce_into");
        reject_earlier_error();
        count = std::max(offset{0}, count);
        device_call<Policy> started("reduce", count, policy, reduce_without_waiting);
        gpu::enqueue_reduce<Geometry, Tuning>(started, policy, input, count, init, op, out);
        started.finish();
    } else {
        static_assert(Policy::waits,
                      "tilewise: a policy that does not wait can write its result through a random access "
                      "iterator that works in kernels, and through no other");
        tilewise::store(out, gpu::reduce<Geometry, Tuning>(policy, input, count, init, op));
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
