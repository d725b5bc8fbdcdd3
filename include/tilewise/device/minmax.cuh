// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Smallest and largest elements on the GPU: of values, which are read in wide loads as those of a sum, and of
/// positions of elements that are not cheap to copy.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/minmax/elements.cuh>
#include <tilewise/device/minmax/values.cuh>
#include <tilewise/device/reduce.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

using engine::candidates;

/// Where the accumulators of elements of type E stand in the order.
template <class E, class T>
using order_of_elements = order<T, engine::geometry_of_elements<E, T>>;

/// The better of two answers; of what is none yet and another, of the first element and that.
template <class Better, class Elements>
struct better_after_first {
    Better better;
    Elements elements; ///< candidates

    template <class Answer>
    TILEWISE_DEVICE Answer operator()(Answer const& a, Answer const& b)
    {
        return is_none(a) ? better(Answer(elements[0]), b) : better(a, b);
    }

private:
    template <class E>
    TILEWISE_DEVICE static bool is_none(candidate<E> const& one)
    {
        return one.index == candidate<E>::none;
    }
    template <class E>
    TILEWISE_DEVICE static bool is_none(extremes<candidate<E>> const& both)
    {
        return is_none(both.smallest);
    }
};

/// Pass 1: block `b` reduces the values of subtree `b`, of `iterations` chunks per warp, to `partials[b]`, and says
/// which chunk they are from.
template <class Layout, access how, int shift, class Tuning, class E, class Op, class Better, class Answer>
TILEWISE_KERNEL(Tuning::threads, Tuning::blocks_per_multiprocessor)
best_of_subtrees(memory_view<E> view, offset index, offset chunks, int iterations, Op op, Better better,
                 Answer* partials)
{
    release_dependents();
    constexpr int warps = Tuning::threads / warp_size;
    constexpr offset chunk = Layout::order::chunk;
    TILEWISE_SHARED(warp_best, raw_storage<Answer[warps]>);
    offset const before = offset{block_index()} * iterations * warps;
    int const warp = warp_index(), valid = static_cast<int>(at_most(chunks - before, warps * iterations));
    int const own = min_of(valid - warp * iterations, iterations);
    if (own > 0) {
        offset const first = (before + warp * iterations) * chunk;
        registers<typename Layout::value, 1> values;
        TILEWISE_NO_UNROLL
        for (int i = 0; i < own; ++i) {
            auto const next = gpu::shuffle(gpu::warp_chunks<Layout, how, shift>(view, first + i * chunk, op), 0);
            if (lane_index() == i || i == 0)
                gpu::put(values[0], next);
        }
        offset const own_chunk = index + first + min_of(lane_index(), own - 1) * chunk;
        Answer best = gpu::candidates_of<E>(values[0], candidate<E>::in_unit_at(own_chunk));
        if (iterations > 1)
            gpu::put(best, gpu::warp_tree_of_valid<1, 8>(better, best, own));
        if (lane_index() == 0)
            gpu::put(warp_best.object()[warp], best);
    }
    sync_block();
    int const used = (valid + iterations - 1) / iterations;
    Answer const best(warp_best.object()[lane_index() < used ? lane_index() : 0]);
    Answer const aggregate = gpu::warp_tree_of_valid<1, warps>(better, best, used);
    if (thread_index() == 0)
        gpu::put(partials[block_index()], aggregate);
}

/// Pass 3: reads the chunk with the best element again, where it is. (nvcc 13.0, sm_90: of bytes, 4096 candidates in
/// one warp, a dozen registers spill.)
template <class Layout, class View, class Answer, class Better>
TILEWISE_KERNEL(warp_size, 1)
find_in_chunk(View elements, offset index, Better better, Answer const* best, Answer* found)
{
    wait_for_primary();
    Answer const answer = engine::found_in_units(*best, [&](offset chunk) {
        return gpu::warp_chunks<Layout, access::aligned, no_shift>(elements, chunk - index, better);
    });
    if (lane_index() == 0)
        gpu::put(*found, answer);
}

/// The best of `best` and the elements of a view, which are numbered from `index` on.
template <class Tuning = reduce_tuning, class Policy, class E, class Answer, class Better>
Answer best_in_memory(Policy const& policy, memory_view<E> view, offset index, Answer const& best, Better const& better)
{
    using order = order_of_elements<E, Answer>;
    using elements = candidates<E const*, E>;
    elements const numbered{view.first, index};
    auto const after_first = gpu::operator_on<Answer>(better_after_first<Better, elements>{better, numbered});
    offset const tiles = order::tiles_before_last(view.size);
    if (tiles < Tuning::cluster_blocks)
        return gpu::reduce<engine::geometry_of_elements<E, Answer>, Tuning>(policy, numbered, view.size, best,
                                                                            after_first);

    auto const op = gpu::operator_on_values<E>(better);
    using op_type = std::remove_const_t<decltype(op)>;
    using value = value_for<Answer, E, Better, op_type>;
    using layout = row_layout<memory_view<E>, value, op_type, order_of_elements<E, value>, Tuning>;
    auto const elements_view = gpu::view_of(numbered, view.size);
    using view_type = std::remove_const_t<decltype(elements_view)>;
    using fold_op = std::remove_const_t<decltype(after_first)>;
    using elements_layout = row_layout<view_type, Answer, fold_op, order, Tuning>;
    static_assert(layout::chunks == 1 && elements_layout::chunks == 1 && layout::order::chunk == order::chunk);

    constexpr access misaligned = misaligned_access<memory_view<E>, layout::vector_size>;
    constexpr int shift = misaligned == access::realigned && layout::can_shift ? any_shift : no_shift;
    auto const pass_1 = gpu::misalignment_of(view) % memory_view<E>::template alignment<layout::vector_size> == 0
                            ? &best_of_subtrees<layout, access::aligned, no_shift, Tuning, E, op_type, Better, Answer>
                            : &best_of_subtrees<layout, misaligned, shift, Tuning, E, op_type, Better, Answer>;
    constexpr auto pass_2 =
        &fold_subtrees<elements_layout, access::aligned, Tuning, view_type, Answer, fold_op, Answer*>;
    constexpr auto pass_3 = &find_in_chunk<elements_layout, view_type, Answer, Better>;

    constexpr int warps = Tuning::threads / warp_size, chunks_per_tile = order::geometry::chunks_per_tile;
    int const iterations = std::min(Tuning::iterations(view.size * offset{sizeof(E)}),
                                    order::geometry::tiles_per_group * chunks_per_tile / warps);
    offset const chunks = tiles * chunks_per_tile;
    auto const blocks = static_cast<int>((chunks - 1) / (iterations * warps)) + 1;
    device_call call("reduce", view.size, policy, reduce_without_waiting);
    scratch<Answer> const partials(call, blocks + 1);
    Answer *const aggregate = partials.begin() + blocks, *const found = call.line<Answer>();
    call.launch(pass_1, "best_of_subtrees", {blocks, Tuning::threads}, view, index, chunks, iterations, op, better,
                partials.begin());
    bool const dependent =
        Tuning::dependent_launches && call.can_launch_dependent<pass_2>() && call.can_launch_dependent<pass_3>();
    call.launch(pass_2, "fold_subtrees", {1, Tuning::fold_threads, 1, dependent}, elements_view, view.size, tiles,
                gpu::log2_of(iterations * warps / chunks_per_tile), partials.begin(), best, after_first, aggregate);
    call.launch(pass_3, "find_in_chunk", {1, warp_size, 1, dependent}, elements_view, index, better, aggregate, found);
    call.finish();
    return *found;
}

/// What is found of elements that are cheap to copy. Those in host memory are copied to the GPU, if need be one piece
/// after the other.
template <class Answer, class Policy, class It, class Better>
Answer best_candidates(Policy const& policy, It const& first, offset count, Better const& better)
{
    using E = std::iter_value_t<It>;
    device_call const call("reduce", count, policy, reduce_without_waiting);
    std::optional<staging> staged(std::in_place, call);
    auto view = gpu::view_of(first, count);
    std::size_t const bytes_each = staged->bytes_per_element(view);
    Answer best(candidate<E>{E(), candidate<E>::none});
    if constexpr (std::same_as<decltype(view), memory_view<E>>) {
        offset const at_once = staged->elements_at_once(count, bytes_each, staging_tuning::least_elements);
        for (offset begin = 0; begin < count; begin += at_once) {
            if (begin > 0)
                staged.emplace(call);
            offset const piece = std::min(at_once, count - begin);
            best = gpu::best_in_memory(policy, memory_view<E>{staged->stage_in(view.first + begin, piece), piece},
                                       begin, best, better);
            if (at_once < count)
                call.report_progress(begin + piece, count);
        }
        return best;
    } else {
        auto const best_of = [&]<class Elements>(Elements const& elements, offset begin, offset size) {
            using numbered = candidates<Elements, E>;
            numbered const from{elements, 0, begin};
            return gpu::reduce<engine::geometry_of_elements<E, Answer>>(
                policy, from, size, best, gpu::operator_on<Answer>(better_after_first<Better, numbered>{better, from}));
        };
        // Memory is read through the view: an iterator to it may be one that only the host can use.
        if constexpr (decltype(view)::bases > 0) {
            if (bytes_each == 0)
                return best_of(elements_of_view<decltype(view), E>{view}, 0, count);
            offset const at_once = staged->elements_at_once(count, bytes_each, staging_tuning::least_elements);
            for (offset begin = 0; begin < count; begin += at_once) {
                if (begin > 0)
                    staged.emplace(call);
                offset const piece = std::min(at_once, count - begin);
                auto copy = view;
                staged->stage_in_part(copy, begin, piece);
                best = best_of(elements_of_view<decltype(view), E>{copy}, begin, piece);
                if (at_once < count)
                    call.report_progress(begin + piece, count);
            }
            return best;
        } else {
            return best_of(elements_in_kernels<It>{first}, 0, count);
        }
    }
}

/// The numbers of the two elements that `find(elements, count)` chooses among those of a view, of which memory is on
/// the host: copied, if need be one piece after the other, each behind the two chosen from those before it.
template <class E, class View, class Find>
std::array<offset, 2> find_two_in_pieces(device_call const& call, View const& view, offset end, std::size_t bytes_each,
                                         Find const& find)
{
    std::array<offset, 2> found = {0, 0};
    offset const at_once =
        staging(call).elements_at_once(end, bytes_each, staging_tuning::least_elements, 2 * bytes_each);
    for (offset begin = 0; begin < end; begin += at_once) {
        offset const count = std::min(at_once, end - begin), ahead = begin > 0 ? 2 : 0;
        staging staged(call);
        elements_of_piece<View, E> piece{{{view}, {view}}, {found[0], found[1]}, {view}, begin, ahead};
        for (int i = 0; i < ahead; ++i)
            staged.stage_in_part(piece.chosen[i].view, found[static_cast<std::size_t>(i)], 1);
        staged.stage_in_part(piece.others.view, begin, count);
        std::array<offset, 2> const in_piece = find(piece, ahead + count), before = found;
        for (std::size_t i = 0; i < 2; ++i)
            found[i] =
                in_piece[i] < ahead ? before[static_cast<std::size_t>(in_piece[i])] : begin + in_piece[i] - ahead;
        if (at_once < end)
            call.report_progress(begin + count, end);
    }
    return found;
}

/// The numbers of the two elements that `find(elements, count)` chooses among those from `first` on. Elements in host
/// memory are copied, if need be one piece after the other, each behind the two chosen from those before it.
template <class Policy, class It, class Extent, class Find>
std::array<offset, 2> find_two(Policy const& policy, It const& first, Extent const& end, Find const& find)
{
    if constexpr (std::contiguous_iterator<It> && std::same_as<Extent, offset>) {
        using element = std::iter_value_t<It>;
        auto const* const elements = static_cast<element const*>(std::to_address(first));
        gpu::device_call const call("reduce", end, policy, gpu::reduce_without_waiting);
        std::optional<gpu::staging> staged(std::in_place, call);
        gpu::memory_view<element> whole = {elements, end};
        offset const at_once = staged->elements_at_once(end, staged->bytes_per_element(whole),
                                                        gpu::staging_tuning::least_elements, 2 * sizeof(element));
        std::array<offset, 2> found = find(staged->stage_in(elements, at_once), at_once);
        if (at_once < end)
            call.report_progress(at_once, end);
        for (offset begin = at_once; begin < end; begin += at_once) {
            offset const count = std::min(at_once, end - begin);
            constexpr offset ahead = 2;
            staged.emplace(call);
            auto const* const staged_elements =
                staged->stage_in({elements + found[0], elements + found[1]}, elements + begin, count);
            std::array<offset, 2> const in_copy = find(staged_elements, ahead + count), before = found;
            for (std::size_t i = 0; i < 2; ++i)
                found[i] =
                    in_copy[i] < ahead ? before[static_cast<std::size_t>(in_copy[i])] : begin + in_copy[i] - ahead;
            call.report_progress(begin + count, end);
        }
        return found;
    } else {
        if constexpr (std::same_as<Extent, offset>) {
            gpu::device_call const call("reduce", end, policy, gpu::reduce_without_waiting);
            auto view = gpu::view_of(first, end);
            std::size_t const bytes_each = gpu::staging(call).bytes_per_element(view);
            if constexpr (decltype(view)::bases > 0)
                return bytes_each > 0
                           ? gpu::find_two_in_pieces<std::iter_value_t<It>>(call, view, end, bytes_each, find)
                           : find(elements_of_view<decltype(view), std::iter_value_t<It>>{view}, end);
        }
        return find(elements_in_kernels<It>{first}, end);
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
