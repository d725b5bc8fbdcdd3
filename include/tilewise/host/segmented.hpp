// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of the segmented algorithms for seq and par: those of reduce and of the scans, once for every segment.

#include <tilewise/config.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/opaque.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reduce.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/iterator.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
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

/// Calls `body(segment)` for all segments in turn.
template <class It, class Begins, class Ends, class Body>
void for_each_segment(char const* algorithm, It const& first, Begins begins, Begins const& begins_last, Ends ends,
                      Body body)
{
    for (; !(begins == begins_last); ++begins, ++ends)
        body(segment_between(algorithm, first, *begins, *ends));
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
    parallel_for(count, [&](offset begin, offset end) {
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
        share_segments(
            static_cast<offset>(begins_last - begins), long_from,
            [&](offset i) { return segment_between(algorithm, first, begins[i], ends[i]); }, body);
    } else {
        std::vector<segment> segments;
        for_each_segment(algorithm, first, begins, begins_last, ends, [&](segment own) { segments.push_back(own); });
        share_segments(
            static_cast<offset>(segments.size()), long_from,
            [&](offset i) { return segments[static_cast<std::size_t>(i)]; }, body);
    }
}

/// Combines `init` and a segment.
template <class Geometry, class T, class Policy, class It, class Op>
T reduce_segment(Policy policy, It const& first, segment of, T const& init, Op const& op)
{
    T result(init);
    if (of.count == 0)
        return result;
    make_opaque(result);
    T total = reduce<Geometry>(policy, It(first + of.begin), of.count, std::move(result), Op(op));
    make_opaque(total);
    return total;
}

/// Combines `init` and every segment, on the calling thread. Returns the end of the output.
template <class Geometry, class T, class It, class Begins, class Ends, class Out, class Op>
Out segmented_reduce(sequenced_policy, It const& first, Begins const& begins, Begins const& begins_last,
                     Ends const& ends, Out out, T const& init, Op const& op)
{
    for_each_segment("segmented_reduce", first, begins, begins_last, ends, [&](segment own) {
        tilewise::store(out, reduce_segment<Geometry>(seq, first, own, init, op));
        ++out;
    });
    return out;
}

/// The same on all cores.
template <class Geometry, class T, class It, class Begins, class Ends, class Out, class Op>
Out segmented_reduce(parallel_policy, It const& first, Begins const& begins, Begins const& begins_last,
                     Ends const& ends, Out out, T const& init, Op const& op)
{
    using order = tilewise::order<T, Geometry>;
    constexpr offset long_from = tiles_that_pay<T, Op, It>() * order::tile + 1;
    if constexpr (random_access<Out>) {
        share_segments("segmented_reduce", first, begins, begins_last, ends, long_from,
                       [&](auto policy, offset i, segment own) {
                           Out to = out + i;
                           tilewise::store(to, reduce_segment<Geometry>(policy, first, own, init, op));
                       });
        return out + static_cast<offset>(std::distance(begins, begins_last));
    } else {
        totals<T> results(static_cast<std::size_t>(std::distance(begins, begins_last)));
        share_segments(
            "segmented_reduce", first, begins, begins_last, ends, long_from, [&](auto policy, offset i, segment own) {
                results[static_cast<std::size_t>(i)].emplace(reduce_segment<Geometry>(policy, first, own, init, op));
            });
        for (auto& result : results) {
            tilewise::store(out, *std::move(result));
            ++out;
        }
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
    std::optional<T> own_init(init);
    if (own_init)
        make_opaque(*own_init);
    scan<Geometry, form>(policy, It(first + of.begin), of.count, Out(out + of.begin), std::move(own_init), Op(op));
}

/// Scans every segment, on the calling thread.
template <class Geometry, scan_form form, class T, class It, class Begins, class Ends, class Out, class Op>
void segmented_scan(sequenced_policy, char const* algorithm, It const& first, Begins const& begins,
                    Begins const& begins_last, Ends const& ends, Out const& out, std::optional<T> const& init,
                    Op const& op)
{
    for_each_segment(algorithm, first, begins, begins_last, ends,
                     [&](segment own) { scan_segment<Geometry, form, T>(seq, algorithm, first, own, out, init, op); });
}

/// The same on all cores.
template <class Geometry, scan_form form, class T, class It, class Begins, class Ends, class Out, class Op>
void segmented_scan(parallel_policy, char const* algorithm, It const& first, Begins const& begins,
                    Begins const& begins_last, Ends const& ends, Out const& out, std::optional<T> const& init,
                    Op const& op)
{
    using order = tilewise::order<T, Geometry>;
    constexpr offset long_from = tiles_that_pay_to_scan<T, Op>() * order::tile + 1;
    share_segments(algorithm, first, begins, begins_last, ends, long_from, [&](auto policy, offset, segment own) {
        scan_segment<Geometry, form, T>(policy, algorithm, first, own, out, init, op);
    });
}

} // namespace host
TILEWISE_NAMESPACE_END
