// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of the segmented algorithms for seq and par. They run those of reduce and of the scans once for every
/// segment.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// @name Segments of a few lane vectors
/// The general engines are made for longer ranges: for segments of one float they took 14 ns to reduce and 54 ns to
/// scan, these functions 2 to 3 ns.
/// @{
inline constexpr int few_lanes = 4;

/// Whether values of type T cost nothing to copy.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 64;

/// Combines `init`, unless it is null, and a segment of up to `few_lanes` lane vectors.
template <class Order, class T, class Op, class Input>
TILEWISE_INLINE T reduce_few_lanes(Op& op, Input elements, offset count, T const* init)
{
    constexpr offset n = Order::lane_vector;
    auto input = host::forgotten_input<T>(std::move(elements));
    auto const lane = [&](auto length) {
        T sum = host::take<T>(input);
        for (offset i = 1; i < length; ++i)
            sum = host::combine_copies<T>(op, sum, host::take<T>(input));
        return sum;
    };
    auto const complete_lane = [&] { return lane(std::integral_constant<offset, n>()); };
    auto const with_last = [&](T const& before, offset length) {
        T const last = lane(length);
        return host::combine_copies<T>(op, init != nullptr ? host::combine_copies<T>(op, *init, before) : before, last);
    };
    if (count <= n) {
        T const only = lane(count);
        return init != nullptr ? host::combine_copies<T>(op, *init, only) : only;
    }
    T const first = complete_lane();
    if (count <= 2 * n)
        return with_last(first, count - n);
    T const second = complete_lane();
    if (count <= 3 * n)
        return with_last(host::combine_copies<T>(op, first, second), count - 2 * n);
    T const third = complete_lane();
    return with_last(host::combine_copies<T>(op, first, host::combine_copies<T>(op, second, third)), count - 3 * n);
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

/// Scans a segment of up to `few_lanes` lane vectors, after `init`, if `has_init`. An exclusive scan has init.
template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
void scan_few_lanes(Op& op, Input elements, offset count, Out out, [[maybe_unused]] T const* init)
{
    constexpr std::integral_constant<offset, Order::lane_vector> n{};
    auto input = host::forgotten_input<T>(std::move(elements));
    auto const first_lane = [&](auto length) {
        return host::scan_lane_vector<form, has_init, T>(op, input, length, out, init);
    };
    auto const lane_after = [&](T const& lanes, auto length) {
        T const before = has_init ? host::combine_copies<T>(op, *init, lanes) : lanes;
        return host::scan_lane_vector<form, true, T>(op, input, length, out, std::addressof(before));
    };
    if (count <= n) {
        first_lane(count);
        return;
    }
    T const first = first_lane(n);
    if (count <= 2 * n) {
        lane_after(first, count - n);
        return;
    }
    T const second = lane_after(first, n), two = host::combine_copies<T>(op, first, second);
    if (count <= 3 * n) {
        lane_after(two, count - 2 * n);
        return;
    }
    T const third = lane_after(two, n);
    lane_after(host::combine_copies<T>(op, first, host::combine_copies<T>(op, second, third)), count - 3 * n);
}
/// @}

/// Combines `init` and a segment, on all cores if it is shared. `init` and elements in memory are opaque to the
/// compiler: the caller makes them so once for all segments.
template <class Geometry, class T, class It, class Op>
T reduce_segment(bool is_shared, It const& first, segment of, T const& init, Op const& op)
{
    T result(init);
    if (of.count == 0)
        return result;
    Op own_op(op);
    auto const from = [&] { return It(tilewise::advanced(first, of.begin)); };
    if constexpr (is_plain<T>) {
        using order = tilewise::order<T, Geometry>;
        if (of.count <= few_lanes * order::lane_vector)
            return host::reduce_few_lanes<order>(own_op, from(), of.count, std::addressof(result));
    }
    return is_shared ? host::reduce<Geometry>(par, from(), of.count, std::move(result), std::move(own_op))
                     : host::reduce<Geometry>(seq, from(), of.count, std::move(result), std::move(own_op));
}

/// Combines `init` and each segment, on the calling thread. Returns the end of the output.
template <class Geometry, class T, class It, class Begins, class Ends, class Out, class Op>
Out segmented_reduce(sequenced_policy, It const& first, Begins const& begins, Begins const& begins_last,
                     Ends const& ends, Out out, T const& init, Op const& op)
{
    host::forget_memory<T>(first);
    host::for_each_segment("segmented_reduce", first, begins, begins_last, ends, [&](segment own) {
        host::put<T>(out, host::reduce_segment<Geometry>(false, first, own, init, op));
    });
    host::forget_memory<T>(out);
    return out;
}

/// The same on all cores.
template <class Geometry, class T, class It, class Begins, class Ends, class Out, class Op>
Out segmented_reduce(parallel_policy, It const& first, Begins const& begins, Begins const& begins_last,
                     Ends const& ends, Out out, T const& init, Op const& op)
{
    using order = tilewise::order<T, Geometry>;
    constexpr offset long_from = host::tiles_that_pay<T, Op, It>() * order::tile + 1;
    offset const count = host::count_of(begins, begins_last);
    host::forget_memory<T>(first);
    if constexpr (random_access<Out> && !shares_words<Out>) {
        host::distribute_segments("segmented_reduce", first, begins, begins_last, ends, long_from,
                                  [&](bool is_shared, offset i, segment own) {
                                      Out to = tilewise::advanced(out, i);
                                      host::put<T>(to, host::reduce_segment<Geometry>(is_shared, first, own, init, op));
                                  });
        host::forget_memory<T>(out);
        return tilewise::advanced(out, count);
    } else {
        aggregates<T> results(static_cast<std::size_t>(count));
        host::distribute_segments("segmented_reduce", first, begins, begins_last, ends, long_from,
                                  [&](bool is_shared, offset i, segment own) {
                                      results[static_cast<std::size_t>(i)].emplace(
                                          host::reduce_segment<Geometry>(is_shared, first, own, init, op));
                                  });
        for (auto& result : results)
            host::put<T>(out, *std::move(result));
        return out;
    }
}

/// Scans a segment after `init`, if it has a value, to the same position in the output.
template <class Geometry, scan_form form, class T, class It, class Out, class Op>
void scan_segment(bool is_shared, [[maybe_unused]] char const* algorithm, It const& first, segment of, Out const& out,
                  std::optional<T> const& init, Op const& op)
{
    if (of.count == 0)
        return;
    if constexpr (hardened && std::is_pointer_v<Out>) {
        if (out == nullptr)
            reject_argument(algorithm, "the output is null, but a segment is not empty");
    }
    Op own_op(op);
    It from(tilewise::advanced(first, of.begin));
    Out to(tilewise::advanced(out, of.begin));
    if constexpr (is_plain<T>) {
        using order = tilewise::order<T, Geometry>;
        if (of.count <= few_lanes * order::lane_vector) {
            if (init)
                host::scan_few_lanes<order, form, true>(own_op, std::move(from), of.count, std::move(to),
                                                        std::addressof(*init));
            else
                host::scan_few_lanes<order, form, false, T>(own_op, std::move(from), of.count, std::move(to), nullptr);
            return;
        }
    }
    if (is_shared)
        host::scan<Geometry, form>(par, std::move(from), of.count, std::move(to), std::optional<T>(init),
                                   std::move(own_op));
    else
        host::scan<Geometry, form>(seq, std::move(from), of.count, std::move(to), std::optional<T>(init),
                                   std::move(own_op));
}

/// Scans each segment, on the calling thread.
template <class Geometry, scan_form form, class T, class It, class Begins, class Ends, class Out, class Op>
void segmented_scan(sequenced_policy, char const* algorithm, It const& first, Begins const& begins,
                    Begins const& begins_last, Ends const& ends, Out const& out, std::optional<T> const& init,
                    Op const& op)
{
    host::forget_memory<T>(first);
    host::for_each_segment(algorithm, first, begins, begins_last, ends, [&](segment own) {
        host::scan_segment<Geometry, form, T>(false, algorithm, first, own, out, init, op);
    });
    host::forget_memory<T>(out);
}

/// The same on all cores.
template <class Geometry, scan_form form, class T, class It, class Begins, class Ends, class Out, class Op>
void segmented_scan(parallel_policy, char const* algorithm, It const& first, Begins const& begins,
                    Begins const& begins_last, Ends const& ends, Out const& out, std::optional<T> const& init,
                    Op const& op)
{
    if constexpr (shares_words<Out>)
        return host::segmented_scan<Geometry, form>(seq, algorithm, first, begins, begins_last, ends, out, init, op);
    using order = tilewise::order<T, Geometry>;
    constexpr offset long_from = host::tiles_that_pay_to_scan<T, Op>() * order::tile + 1;
    host::forget_memory<T>(first);
    host::distribute_segments(
        algorithm, first, begins, begins_last, ends, long_from, [&](bool is_shared, offset, segment own) {
            host::scan_segment<Geometry, form, T>(is_shared, algorithm, first, own, out, init, op);
        });
    host::forget_memory<T>(out);
}

} // namespace host
TILEWISE_NAMESPACE_END
