// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of the segmented algorithms for seq and par: those of reduce and of the scans, once for every segment.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// A part of a range.
struct segment {
    offset begin, count;
};

/// The segment that two offsets bound; one that ends before it begins has no elements.
template <class It, class Begin, class End>
segment segment_between([[maybe_unused]] char const* algorithm, [[maybe_unused]] It const& first, Begin const& begin,
                        End const& end)
{
    offset const count = static_cast<offset>(end) - static_cast<offset>(begin);
    if constexpr (hardened) {
        if (count < 0)
            reject_argument(algorithm, "a segment ends before it begins");
        if constexpr (std::is_pointer_v<It>) {
            if (first == nullptr && count > 0)
                reject_argument(algorithm, "first is null and a segment is not empty");
        }
    }
    return {static_cast<offset>(begin), std::max(offset{0}, count)};
}

/// The number of segments. (std::distance refuses some iterators of ranges, such as those of views::iota.)
template <class Begins>
offset count_of(Begins begins, Begins const& begins_last)
{
    if constexpr (random_access<Begins>) {
        return static_cast<offset>(begins_last - begins);
    } else {
        offset count = 0;
        for (; !(begins == begins_last); ++begins)
            ++count;
        return count;
    }
}

/// Calls `body(segment)` for all segments in turn.
template <class It, class Begins, class Ends, class Body>
void for_each_segment(char const* algorithm, It const& first, Begins begins, Begins const& begins_last, Ends ends,
                      Body body)
{
    for (; !(begins == begins_last); ++begins, (void)++ends)
        body(host::segment_between(algorithm, first, *begins, *ends));
}

/// What a segment takes to be found, in elements that are combined.
inline constexpr offset elements_per_segment = 16;

/// Calls `body(policy, i, segment)` for the segments `at(i)` with i below `count`, on all cores: `policy` is par for
/// the segments of at least `long_from` elements, which all cores share, and seq for the others, which they deal out.
/// On the calling thread, if all segments together have fewer.
template <class At, class Body>
void share_segments(offset count, offset long_from, At const& at, Body const& body)
{
    offset elements = 0, first = 0;
    for (; first < count && elements < long_from; ++first)
        elements += at(first).count + elements_per_segment;
    if (elements < long_from) {
        for (offset i = 0; i < count; ++i)
            body(seq, i, at(i));
        return;
    }
    std::mutex mutex;
    std::vector<offset> long_ones;
    host::parallel_for(count, [&](offset begin, offset end) {
        for (offset i = begin; i < end; ++i) {
            segment const own = at(i);
            if (own.count < long_from) {
                body(seq, i, own);
            } else {
                std::lock_guard const lock(mutex);
                long_ones.push_back(i);
            }
        }
    });
    for (offset const i : long_ones)
        body(par, i, at(i));
}

/// The same for segments between offsets.
template <class It, class Begins, class Ends, class Body>
void share_segments(char const* algorithm, It const& first, Begins const& begins, Begins const& begins_last,
                    Ends const& ends, offset long_from, Body const& body)
{
    if constexpr (random_access<Begins> && random_access<Ends>) {
        host::share_segments(
            static_cast<offset>(begins_last - begins), long_from,
            [&](offset i) {
                return host::segment_between(algorithm, first, begins[static_cast<std::iter_difference_t<Begins>>(i)],
                                             ends[static_cast<std::iter_difference_t<Ends>>(i)]);
            },
            body);
    } else {
        std::vector<segment> segments;
        host::for_each_segment(algorithm, first, begins, begins_last, ends,
                               [&](segment own) { segments.push_back(own); });
        host::share_segments(
            static_cast<offset>(segments.size()), long_from,
            [&](offset i) { return segments[static_cast<std::size_t>(i)]; }, body);
    }
}

/// @name Segments of a few lane vectors
/// The engines are made for more: for segments of one float they took 14 ns to reduce and 54 ns to scan, this 2 to 3.
/// @{
inline constexpr int few_lanes = 4;

/// Values that cost nothing to copy.
template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 64;

/// Room for a plain value that is not there yet, and that nobody needs to destroy. It need not have a default
/// constructor.
template <class T>
union room_for {
    room_for() { std::memset(static_cast<void*>(this), 0, sizeof *this); } // or g++ believes that it is read too early
    T value;
    TILEWISE_INLINE T& put(T const& by) { return *std::construct_at(std::addressof(value), by); }
};

/// The right-aligned trees over lane vectors 0, 0 and 1, 0 to 2. (An optional would cost more than the operators.)
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

template <class Order, class T, class Op, class Input>
T reduce_few_lanes(Op& op, Input elements, offset count, T const& init)
{
    auto input = host::forgotten_input<T>(std::move(elements));
    trees_of_few_lanes<T> before;
    for (;; count -= Order::lane_vector) {
        T sum = host::take<T>(input);
        for (offset i = 1; i < std::min(count, Order::lane_vector); ++i)
            sum = host::combine_copies<T>(op, sum, host::take<T>(input));
        if (count <= Order::lane_vector)
            return host::combine_copies<T>(
                op, before.lanes() > 0 ? host::combine_copies<T>(op, init, before.tree()) : init, sum);
        before.append(op, sum);
    }
}

template <class Order, scan_form form, bool has_init, class T, class Op, class Input, class Out>
void scan_few_lanes(Op& op, Input elements, offset count, Out out, [[maybe_unused]] T const* init)
{
    auto input = host::forgotten_input<T>(std::move(elements));
    trees_of_few_lanes<T> before;
    for (;; count -= Order::lane_vector) {
        bool const has_prefix = has_init || before.lanes() > 0;
        room_for<T> prefix, sum; // what comes before the lane vector, and the sum of that so far
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

/// Combines `init` and a segment. The compiler knows nothing of `init`, nor of elements in memory: whoever combines
/// many segments makes it forget them once.
template <class Geometry, class T, class Policy, class It, class Op>
T reduce_segment(Policy policy, It const& first, segment of, T const& init, Op const& op)
{
    T result(init);
    if (of.count == 0)
        return result;
    Op own_op(op);
    auto const from = [&] { return It(tilewise::advanced(first, of.begin)); };
    if constexpr (is_plain<T>) {
        using order = tilewise::order<T, Geometry>;
        if (of.count <= few_lanes * order::lane_vector)
            return host::reduce_few_lanes<order>(own_op, from(), of.count, result);
    }
    return host::reduce<Geometry>(policy, from(), of.count, std::move(result), std::move(own_op));
}

/// Combines `init` and every segment, on the calling thread. Returns the end of the output.
template <class Geometry, class T, class It, class Begins, class Ends, class Out, class Op>
Out segmented_reduce(sequenced_policy, It const& first, Begins const& begins, Begins const& begins_last,
                     Ends const& ends, Out out, T const& init, Op const& op)
{
    host::forget_memory<T>(first);
    host::for_each_segment("segmented_reduce", first, begins, begins_last, ends, [&](segment own) {
        host::put<T>(out, host::reduce_segment<Geometry>(seq, first, own, init, op));
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
        host::share_segments("segmented_reduce", first, begins, begins_last, ends, long_from,
                             [&](auto policy, offset i, segment own) {
                                 Out to = tilewise::advanced(out, i);
                                 host::put<T>(to, host::reduce_segment<Geometry>(policy, first, own, init, op));
                             });
        host::forget_memory<T>(out);
        return tilewise::advanced(out, count);
    } else {
        totals<T> results(static_cast<std::size_t>(count));
        host::share_segments("segmented_reduce", first, begins, begins_last, ends, long_from,
                             [&](auto policy, offset i, segment own) {
                                 results[static_cast<std::size_t>(i)].emplace(
                                     host::reduce_segment<Geometry>(policy, first, own, init, op));
                             });
        for (auto& result : results)
            host::put<T>(out, *std::move(result));
        return out;
    }
}

/// Scans a segment after `init`, if there is one, to the same place of the output.
template <class Geometry, scan_form form, class T, class Policy, class It, class Out, class Op>
void scan_segment(Policy policy, [[maybe_unused]] char const* algorithm, It const& first, segment of, Out const& out,
                  std::optional<T> const& init, Op const& op)
{
    if (of.count == 0)
        return;
    if constexpr (hardened && std::is_pointer_v<Out>) {
        if (out == nullptr)
            reject_argument(algorithm, "the output is null and a segment is not empty");
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
    host::scan<Geometry, form>(policy, std::move(from), of.count, std::move(to), std::optional<T>(init),
                               std::move(own_op));
}

/// Scans every segment, on the calling thread.
template <class Geometry, scan_form form, class T, class It, class Begins, class Ends, class Out, class Op>
void segmented_scan(sequenced_policy, char const* algorithm, It const& first, Begins const& begins,
                    Begins const& begins_last, Ends const& ends, Out const& out, std::optional<T> const& init,
                    Op const& op)
{
    host::forget_memory<T>(first);
    host::for_each_segment(algorithm, first, begins, begins_last, ends, [&](segment own) {
        host::scan_segment<Geometry, form, T>(seq, algorithm, first, own, out, init, op);
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
    host::share_segments(algorithm, first, begins, begins_last, ends, long_from, [&](auto policy, offset, segment own) {
        host::scan_segment<Geometry, form, T>(policy, algorithm, first, own, out, init, op);
    });
    host::forget_memory<T>(out);
}

} // namespace host
TILEWISE_NAMESPACE_END
