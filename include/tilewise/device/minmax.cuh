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
#include <tilewise/device/minmax/first_pass.cuh>
#include <tilewise/device/minmax/last_tile.cuh>
#include <tilewise/device/minmax/search.cuh>
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

template <class E>
TILEWISE_DEVICE bool is_none(candidate<E> const& one)
{
    return one.index == candidate<E>::none;
}
template <class E>
TILEWISE_DEVICE bool is_none(extremes<candidate<E>> const& both)
{
    return gpu::is_none(both.smallest);
}
/// Returns an answer; of none yet, the first element.
template <class Answer, class Elements>
TILEWISE_DEVICE Answer or_first(Answer const& answer, Elements const& elements)
{
    return gpu::is_none(answer) ? Answer(elements[0]) : answer;
}

/// The best of the elements before a range; without any, the first one of the range.
template <class Answer, class Elements>
struct best_before {
    Answer best;
    Elements elements; ///< candidates

    TILEWISE_DEVICE operator Answer() const { return gpu::or_first(best, elements); }
};

/// The better of two answers; of what is none yet and another, of the first element and that.
template <class Better, class Elements>
struct better_after_first {
    Better better;
    Elements elements; ///< candidates

    template <class Answer>
    TILEWISE_DEVICE Answer operator()(Answer const& a, Answer const& b)
    {
        return better(gpu::or_first(a, elements), b);
    }
};

/// The best of `best` and the elements of a view, which are numbered from `index` on.
template <class Tuning = reduce_tuning, class Policy, class E, class Answer, class Better>
Answer best_in_memory(Policy const& policy, memory_view<E> view, offset index, Answer const& best, Better const& better)
{
    using order = order_of_elements<E, Answer>;
    using elements = candidates<E const*, E>;
    elements const numbered{view.first, index};
    offset const tiles = order::tiles_before_last(view.size);
    if (tiles < Tuning::cluster_blocks)
        return gpu::reduce<engine::geometry_of_elements<E, Answer>, Tuning>(
            policy, numbered, view.size, best,
            gpu::operator_on<Answer>(better_after_first<Better, elements>{better, numbered}));

    auto const op = gpu::operator_on_values<E>(better);
    using op_type = std::remove_const_t<decltype(op)>;
    using value = value_for<Answer, E, Better, op_type>;
    using layout = row_layout<memory_view<E>, value, op_type, order_of_elements<E, value>, Tuning>;
    constexpr access misaligned = misaligned_access<memory_view<E>, layout::vector_size>;
    constexpr int shift = misaligned == access::realigned && layout::can_shift ? any_shift : no_shift;
    bool const is_aligned = gpu::misalignment_of(view) % memory_view<E>::template alignment<layout::vector_size> == 0;
    auto const pass_1 = is_aligned
                            ? &best_of_subtrees<layout, access::aligned, no_shift, Tuning, E, op_type, Better, Answer>
                            : &best_of_subtrees<layout, misaligned, shift, Tuning, E, op_type, Better, Answer>;
    using view_type = values_of_last_tile<layout, misaligned, E, op_type>;
    using candidates_layout = row_layout<view_type, Answer, Better, order, Tuning>;
    static_assert(layout::chunks == 1 && layout::order::chunk == order::chunk);
    static_assert(layout::lane_vector == candidates_layout::lane_vector);
    using init_type = best_before<Answer, elements>;
    using found_type = found_answer<unit_search<layout, misaligned, shift, E, op_type, Better, Answer>, Answer>;
    constexpr auto pass_2 =
        &fold_subtrees<candidates_layout, misaligned, Tuning, view_type, Answer, init_type, Better, found_type>;

    constexpr int warps = Tuning::threads / warp_size, chunks_per_tile = order::geometry::chunks_per_tile;
    int const iterations = std::min(Tuning::iterations(view.size * offset{sizeof(E)}),
                                    order::geometry::tiles_per_group * chunks_per_tile / warps);
    offset const chunks = tiles * chunks_per_tile;
    auto const blocks = static_cast<int>((chunks - 1) / (iterations * warps)) + 1;
    device_call call("reduce", view.size, policy, reduce_without_waiting);
    scratch<Answer> const partials(call, blocks);
    Answer* const found = call.line<Answer>();
    call.launch(pass_1, "best_of_subtrees", {blocks, Tuning::threads}, view, index, chunks, iterations, op, better,
                partials.begin());
    bool const dependent = Tuning::dependent_launches && call.can_launch_dependent<pass_2>();
    call.launch(pass_2, "fold_subtrees", {1, Tuning::fold_threads, 1, dependent}, view_type{view, index, op}, view.size,
                tiles, gpu::log2_of(iterations * warps / chunks_per_tile), partials.begin(), init_type{best, numbered},
                better, found_type{{view, index, tiles * order::tile, op, better}, found});
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
