// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a lane combines by itself: the elements of a vector that it has loaded. Of bytes and of counts, several at
/// once.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/device/block/functors.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>

#include <concepts>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether a reduction sums bytes, which it can do in any order: four at a time.
template <class View, class T, class Op>
inline constexpr bool adds_bytes = false;
template <class E, class T>
    requires std::integral<E> && std::integral<T> && (sizeof(E) == 1) && (!std::same_as<T, bool>)
inline constexpr bool adds_bytes<memory_view<E>, T, plus> = !std::same_as<E, bool>;

/// @name Bounds of bytes
/// A reduction may take minima and maxima in any order, too: those of bytes two at a time, as halfwords. Which of two
/// halfwords is smaller depends on their upper bytes first, so the upper byte of the smallest one is the smallest upper
/// byte. Lower bytes are shifted up.
/// @{
/// One bound of bytes.
template <bool is_least>
struct bound_of_bytes {
    /// Whether elements of type E that are converted to T first have the same bound: T has all values of E.
    template <class E, class T>
    static constexpr bool is_taken =
        std::integral<T> && !std::same_as<T, bool> &&
        (std::is_signed_v<E> ? std::is_signed_v<T> : std::is_unsigned_v<T> || (sizeof(T) > sizeof(E)));

    /// Returns the bound of the bytes of `count` words, which are elements of type E.
    template <class E, class T, int count>
    TILEWISE_DEVICE static T of(unsigned const* words)
    {
        unsigned upper = words[0], lower = words[0] << 8;
        TILEWISE_UNROLL
        for (int i = 1; i < count; ++i) {
            upper = choose<E>(upper, words[i]);
            lower = choose<E>(lower, words[i] << 8);
        }
        unsigned const both = choose<E>(upper, lower);
        return static_cast<T>(static_cast<E>(choose<E>(both, both << 16) >> 24));
    }

private:
    template <class E>
    TILEWISE_DEVICE static unsigned choose(unsigned a, unsigned b)
    {
        return gpu::bounds_of_halfwords<is_least, std::is_signed_v<E>>(a, b);
    }
};

/// What an operator takes of bytes.
template <class Op>
struct bounds_of_bytes {
    template <class E, class T>
    static constexpr bool is_taken = false;
};
template <>
struct bounds_of_bytes<minimum> : bound_of_bytes<true> {};
template <>
struct bounds_of_bytes<maximum> : bound_of_bytes<false> {};

/// Whether a reduction takes bounds of bytes.
template <class View, class T, class Op>
inline constexpr bool takes_bounds_of_bytes = false;
template <class E, class T, class Op>
    requires std::integral<E> && (sizeof(E) == 1) && (!std::same_as<E, bool>)
inline constexpr bool takes_bounds_of_bytes<memory_view<E>, T, Op> = bounds_of_bytes<Op>::template is_taken<E, T>;
/// @}

/// Whether a reduction counts the elements that satisfy a predicate, which it can do in any order.
template <class View, class T, class Op>
inline constexpr bool counts_elements = false;
template <class View, std::integral T>
    requires(sizeof(T) == sizeof(unsigned)) && requires { requires known::is_one_if<decltype(View::function)>; }
inline constexpr bool counts_elements<View, T, plus> = true;

/// Whether every order of combination gives the same bits.
template <class Op, class T>
inline constexpr bool takes_any_order = known::is_exact<Op, T>;

/// Returns the aggregate of the lane vectors in a vector: each left to right, then the adjacent-pair tree over them.
template <class Layout, class View, class Vector, class Op>
TILEWISE_DEVICE auto load_aggregate(View& view, Vector const& loaded, Op& op) -> typename Layout::value
{
    using T = typename Layout::value;
    if constexpr (adds_bytes<View, T, Op> && Layout::vector_size % 4 == 0) {
        std::conditional_t<std::is_signed_v<std::remove_cvref_t<decltype(view.element(loaded, 0))>>, int, unsigned>
            sum = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < Layout::vector_size / 4; ++i)
            sum = gpu::add_bytes(loaded.vectors[0].word[i], sum);
        return static_cast<T>(sum);
    } else if constexpr (takes_bounds_of_bytes<View, T, Op> && Layout::vector_size % 4 == 0) {
        using E = std::remove_cvref_t<decltype(view.element(loaded, 0))>;
        return bounds_of_bytes<Op>::template of<E, T, Layout::vector_size / 4>(loaded.vectors[0].word);
    } else if constexpr (counts_elements<View, T, Op>) {
        float counted = count_base;
        TILEWISE_UNROLL
        for (int i = 0; i < Layout::vector_size; ++i)
            counted = gpu::plus_one_if(view.element(loaded, i) != 0, counted);
        return static_cast<T>(gpu::count_of(counted));
    } else {
        registers<T, Layout::vectors> aggregate;
        TILEWISE_UNROLL
        for (int v = 0; v < Layout::vectors; ++v) {
            T sum = gpu::operand<T, Op>(view, loaded, v * Layout::lane_vector);
            TILEWISE_UNROLL
            for (int i = 1; i < Layout::lane_vector; ++i)
                gpu::put(sum, gpu::combine(op, sum, gpu::operand<T, Op>(view, loaded, v * Layout::lane_vector + i)));
            gpu::put(aggregate[v], sum);
        }
        TILEWISE_UNROLL
        for (int distance = 1; distance < Layout::vectors; distance *= 2)
            TILEWISE_UNROLL
        for (int v = 0; v + distance < Layout::vectors; v += 2 * distance)
            gpu::put(aggregate[v], gpu::combine(op, T(aggregate[v]), T(aggregate[v + distance])));
        return aggregate[0];
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
