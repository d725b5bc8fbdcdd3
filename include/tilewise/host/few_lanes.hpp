// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reductions and scans of a few lane vectors, as short ranges and segments have: straight code without the state of
/// the general engines. These took 14 ns to reduce a segment of one float and 54 ns to scan it; these functions take 1
/// to 2 ns. Segments of 33 floats take 5 and 11 ns instead of 17 and 26.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/order.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The largest number of elements to reduce with these functions: those of sixteen lane vectors, all in one row; of
/// values of more than 16 bytes, a row.
template <class Order, class T>
inline constexpr offset few_reduced = sizeof(T) > 16 ? Order::row : std::min(16 * Order::lane_vector, Order::row);
/// The same to scan: of four lane vectors if the operator is exact, as the general engine then folds from the left.
template <class Order, class T, class Op>
inline constexpr offset few_scanned = std::min((known::is_exact<Op, T> ? 4 : 16) * Order::lane_vector, Order::row);

/// Whether values of type T cost nothing to copy.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 64;

/// Whether the engines of reduce and of the scans use these functions for short ranges: of numbers, which they
/// otherwise process in registers.
template <class T, class Op, class Input>
inline constexpr bool takes_few_lanes = known::is_operator<Op> && std::floating_point<T> && contiguous_of<Input, T>;

/// Combines the lane vectors of an input, one after another.
template <class Order, class T, class Op, class Input>
struct lanes_of_input {
    std::conditional_t<std::is_empty_v<Op>, Op, Op&> op; // g++ keeps what a reference refers to in memory
    Input input;

    TILEWISE_INLINE T combine(T const& left, T const& right) { return host::combine_copies<T>(op, left, right); }
    /// Combines the next `length` elements from left to right.
    template <class Length>
    TILEWISE_INLINE T fold(Length length)
    {
        T sum = host::take<T>(input);
        for (offset i = 1; i < length; ++i)
            sum = combine(sum, host::take<T>(input));
        return sum;
    }
    /// Computes the tree over the next `lanes` lane vectors, a power of two.
    template <offset lanes>
    TILEWISE_INLINE T complete_tree()
    {
        if constexpr (lanes == 1) {
            return fold(std::integral_constant<offset, Order::lane_vector>());
        } else {
            T const left = complete_tree<lanes / 2>();
            return combine(left, complete_tree<lanes / 2>());
        }
    }
    /// Computes the right-aligned tree over the lane vectors of a segment of `count` elements before the last one: over
    /// one to seven of them.
    TILEWISE_INLINE T tree_before_last(offset count)
    {
        constexpr offset n = Order::lane_vector;
        T const a = complete_tree<1>();
        if (count <= 2 * n)
            return a;
        T const b = complete_tree<1>();
        if (count <= 3 * n)
            return combine(a, b);
        T const c = complete_tree<1>();
        if (count <= 4 * n)
            return combine(a, combine(b, c));
        T const d = complete_tree<1>();
        if (count <= 5 * n)
            return combine(combine(a, b), combine(c, d));
        T const e = complete_tree<1>();
        if (count <= 6 * n)
            return combine(a, combine(combine(b, c), combine(d, e)));
        T const f = complete_tree<1>();
        if (count <= 7 * n)
            return combine(combine(a, b), combine(combine(c, d), combine(e, f)));
        T const g = complete_tree<1>();
        return combine(combine(a, combine(b, c)), combine(combine(d, e), combine(f, g)));
    }
};

/// Combines `init`, if it has a value, and a segment of 9 to 16 lane vectors. A function of its own keeps the code for
/// fewer of them small.
template <class Order, class T, class Op, class Input>
[[gnu::noinline]] T reduce_many_lanes(lanes_of_input<Order, T, Op, Input> lanes, offset count, std::optional<T> init)
{
    constexpr offset n = Order::lane_vector;
    auto const tree = [&]() -> T {
        if (count <= 9 * n)
            return lanes.template complete_tree<8>();
        T const left = lanes.tree_before_last(count - 8 * n);
        return lanes.combine(left, lanes.template complete_tree<8>());
    };
    T before = tree();
    if (init)
        before = lanes.combine(*init, before);
    return lanes.combine(before, lanes.fold((count - 1) % n + 1));
}

/// Combines `init`, unless it is null, and a segment of up to a row, whose values are lane vectors of their own. 17 to
/// 32 structs of three doubles take 0.4 to 0.7 ns each, 1.6 to 2.3 without this function; 9 to 16 2x2 matrices 2.1 ns
/// instead of 3.
template <class Order, class T, class Op, class Input>
[[gnu::noinline, gnu::flatten]] T reduce_large_values(Op& op, Input input, offset count, T const* init)
{
    T before = host::right_aligned_tree<T, Order::geometry::lanes_per_row / 2>(op, static_cast<int>(count - 1),
                                                                               [&] { return host::take<T>(input); });
    if (init != nullptr)
        before = host::combine_copies<T>(op, *init, before);
    return host::combine_copies<T>(op, before, host::take<T>(input));
}

/// Combines `init`, unless it is null, and a segment of up to `few_reduced` elements.
template <class Order, class T, class Op, class Input>
TILEWISE_INLINE T reduce_few_lanes(Op& op, Input elements, offset count, T const* init)
{
    constexpr offset n = Order::lane_vector;
    auto input = host::forgotten_input<T>(std::move(elements));
    lanes_of_input<Order, T, Op, decltype(input)> lanes{op, std::move(input)};
    auto const with_init = [&](T const& value) { return init != nullptr ? lanes.combine(*init, value) : value; };
    if (count <= n)
        return with_init(lanes.fold(count));
    if constexpr (n == 1)
        if (count > 8)
            return host::reduce_large_values<Order, T>(op, lanes.input, count, init);
    if (count > 8 * n)
        return host::reduce_many_lanes(lanes, count, init != nullptr ? std::optional<T>(*init) : std::nullopt);
    T const before = with_init(lanes.tree_before_last(count));
    return lanes.combine(before, lanes.fold((count - 1) % n + 1));
}

/// Scans the next `length` elements, at most a lane vector, after `before`, if `has_before`. Returns their aggregate.
template <scan_form form, bool has_before, class T, class Op, class Input, class Length, class Out>
TILEWISE_INLINE T scan_lane_vector(Op& op, Input& input, Length length, Out& out, [[maybe_unused]] T const* before)
{
    T sum = host::take<T>(input);
    auto const result = [&]() -> T {
        if constexpr (has_before)
            return host::combine_copies<T>(op, *before, sum);
        else
            return sum;
    };
    if constexpr (form == scan_form::exclusive && has_before)
        host::put<T>(out, *before);
    else
        host::put<T>(out, result());
    for (offset i = 1; i < length; ++i) {
        T const element = host::take<T>(input);
        if constexpr (form == scan_form::exclusive)
            host::put<T>(out, result());
        sum = host::combine_copies<T>(op, sum, element);
        if constexpr (form == scan_form::inclusive)
            host::put<T>(out, result());
    }
    return sum;
}

/// The right-aligned trees over the complete lane vectors of a row so far, as in a doubling scan: after step d, that of
/// a lane is the tree over the 2^d lane vectors up to its own, or over all of them.
template <class T, std::size_t most>
class trees_of_lanes {
    static constexpr std::size_t steps = std::bit_width(most - 1);

public:
    /// Begins with some value, which is not read.
    TILEWISE_INLINE explicit trees_of_lanes(T const& any)
        : trees_(filled<std::array<T, most>>(filled<T>(any, std::make_index_sequence<most>()),
                                             std::make_index_sequence<steps>()))
    {}
    /// Appends lane vector `lane`, of which `tree` is that before a step. Returns the tree over all lane vectors so
    /// far.
    template <std::size_t lane, std::size_t step = 0, class Op>
    TILEWISE_INLINE T append(Op& op, T const& tree)
    {
        if constexpr (step == steps) {
            return tree;
        } else {
            constexpr std::size_t distance = std::size_t{1} << step;
            trees_[step][lane] = tree;
            if constexpr (lane < distance)
                return append<lane, step + 1>(op, tree);
            else
                return append<lane, step + 1>(op, host::combine_copies<T>(op, trees_[step][lane - distance], tree));
        }
    }

private:
    template <class Value, std::size_t... i>
    TILEWISE_INLINE static std::array<Value, sizeof...(i)> filled(Value const& value, std::index_sequence<i...>)
    {
        return {(static_cast<void>(i), value)...};
    }

    std::array<std::array<T, most>, steps> trees_;
};

/// Scans the lane vectors from `lane` on: `left` elements. `lanes` is the tree over those before.
template <class Order, scan_form form, bool has_init, std::size_t lane, class T, std::size_t most, class Op,
          class Input, class Out>
TILEWISE_INLINE void scan_lanes_from(Op& op, Input& input, offset left, Out& out, T const* init, T const& lanes,
                                     trees_of_lanes<T, most>& trees)
{
    constexpr std::integral_constant<offset, Order::lane_vector> n{};
    T const before = has_init ? host::combine_copies<T>(op, *init, lanes) : lanes;
    if (lane + 1 == most || left <= n) {
        host::scan_lane_vector<form, true, T>(op, input, left, out, std::addressof(before));
        return;
    }
    if constexpr (lane + 1 < most) {
        T const sum = host::scan_lane_vector<form, true, T>(op, input, n, out, std::addressof(before));
        T const all = trees.template append<lane>(op, sum);
        host::scan_lanes_from<Order, form, has_init, lane + 1>(op, input, left - n, out, init, all, trees);
    }
}

/// The same from the first lane vector on, of several, after `init`, if `has_init`.
template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
void scan_lanes(Op& op, Input input, offset count, Out out, T const* init)
{
    constexpr std::integral_constant<offset, Order::lane_vector> n{};
    constexpr auto most = static_cast<std::size_t>(few_scanned<Order, T, Op> / n);
    T const first = host::scan_lane_vector<form, has_init, T>(op, input, n, out, init);
    trees_of_lanes<T, most> trees(first);
    trees.template append<0>(op, first);
    host::scan_lanes_from<Order, form, has_init, 1>(op, input, count - n, out, init, first, trees);
}

/// The same with `op` compiled into it. In programs of several such calls, g++ calls the operator of a class instead,
/// as it has 64 copies here: 16 2x2 matrices take 19 ns each then, and 4 this way.
template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
[[gnu::flatten]] void scan_lanes_of_class(Op& op, Input input, offset count, Out out, T const* init)
{
    host::scan_lanes<Order, form, has_init>(op, std::move(input), count, std::move(out), init);
}

/// Scans a segment of up to `few_scanned` elements, after `init`, if `has_init`. An exclusive scan has init.
template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
TILEWISE_INLINE void scan_few_lanes(Op& op, Input elements, offset count, Out out, [[maybe_unused]] T const* init)
{
    auto input = host::forgotten_input<T>(std::move(elements));
    if (few_scanned<Order, T, Op> <= Order::lane_vector || count <= Order::lane_vector) {
        host::scan_lane_vector<form, has_init, T>(op, input, count, out, init);
        return;
    }
    if constexpr (few_scanned<Order, T, Op> > Order::lane_vector) {
        if constexpr (std::is_class_v<T>)
            host::scan_lanes_of_class<Order, form, has_init>(op, input, count, out, init);
        else
            host::scan_lanes<Order, form, has_init>(op, input, count, out, init);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
