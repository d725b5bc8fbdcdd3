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
#include <cstring>
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

/// Storage for a plain value that is set later and needs no destruction. T need not have a default constructor.
template <class T>
union room_for {
    room_for() { std::memset(static_cast<void*>(this), 0, sizeof *this); } // g++ would report an uninitialized read
    T value;
    TILEWISE_INLINE T& put(T const& by) { return *std::construct_at(std::addressof(value), by); }
};

/// The right-aligned trees of lane vectors 0, 0 and 1, 0 to 2. (std::optional would cost more than the operators.)
template <class T>
class trees_of_few_lanes {
public:
    int lanes() const { return lanes_; }
    T const& tree() const { return tree_.value; }

    template <class Op>
    TILEWISE_INLINE void append(Op& op, T const& lane)
    {
        if (lanes_ == 0)
            tree_.put(first_.put(lane));
        else if (lanes_ == 1)
            tree_.put(host::combine_copies<T>(op, first_.value, last_.put(lane)));
        else
            tree_.put(host::combine_copies<T>(op, first_.value, host::combine_copies<T>(op, last_.value, lane)));
        ++lanes_;
    }

private:
    room_for<T> tree_, first_, last_;
    int lanes_ = 0;
};

/// Combines `init`, unless it is null, and a segment of up to `few_lanes` lane vectors.
template <class Order, class T, class Op, class Input>
T reduce_few_lanes(Op& op, Input elements, offset count, T const* init)
{
    auto input = host::forgotten_input<T>(std::move(elements));
    trees_of_few_lanes<T> before;
    for (;; count -= Order::lane_vector) {
        T sum = host::take<T>(input);
        for (offset i = 1; i < std::min(count, Order::lane_vector); ++i)
            sum = host::combine_copies<T>(op, sum, host::take<T>(input));
        if (count > Order::lane_vector) {
            before.append(op, sum);
            continue;
        }
        if (init != nullptr)
            return host::combine_copies<T>(
                op, before.lanes() > 0 ? host::combine_copies<T>(op, *init, before.tree()) : *init, sum);
        return before.lanes() > 0 ? host::combine_copies<T>(op, before.tree(), sum) : sum;
    }
}

template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
void scan_few_lanes(Op& op, Input elements, offset count, Out out, [[maybe_unused]] T const* init)
{
    auto input = host::forgotten_input<T>(std::move(elements));
    trees_of_few_lanes<T> before;
    for (;; count -= Order::lane_vector) {
        bool const has_prefix = has_init || before.lanes() > 0;
        room_for<T> prefix, sum; // the exclusive prefix of the lane vector, and its running sum
        if constexpr (has_init)
            prefix.put(before.lanes() > 0 ? host::combine_copies<T>(op, *init, before.tree()) : *init);
        else if (before.lanes() > 0)
            prefix.put(before.tree());
        for (offset i = 0; i < std::min(count, Order::lane_vector); ++i) {
            T const element = host::take<T>(input);
            if constexpr (form == scan_form::exclusive)
                host::put<T>(out, i > 0 ? host::combine_copies<T>(op, prefix.value, sum.value) : prefix.value);
            sum.put(i > 0 ? host::combine_copies<T>(op, sum.value, element) : element);
            if constexpr (form == scan_form::inclusive)
                host::put<T>(out, has_prefix ? host::combine_copies<T>(op, prefix.value, sum.value) : sum.value);
        }
        if (count <= Order::lane_vector)
            return;
        before.append(op, sum.value);
    }
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
