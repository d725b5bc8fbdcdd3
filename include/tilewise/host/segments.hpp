// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segments of a range, and how they are distributed among threads.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// A part of a range.
struct segment {
    offset begin, count;
};

/// Returns the segment between two offsets. A segment that ends before it begins has no elements.
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
                reject_argument(algorithm, "first is null, but a segment is not empty");
        }
    }
    return {static_cast<offset>(begin), std::max(offset{0}, count)};
}

/// Returns the number of segments. (std::distance rejects some iterators of ranges, such as those of views::iota.)
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

/// Calls `body(segment)` for all segments in order.
template <class It, class Begins, class Ends, class Body>
void for_each_segment(char const* algorithm, It const& first, Begins begins, Begins const& begins_last, Ends ends,
                      Body body)
{
    for (; !(begins == begins_last); ++begins, (void)++ends)
        body(host::segment_between(algorithm, first, *begins, *ends));
}

/// The cost of locating a segment, in combined elements.
inline constexpr offset elements_per_segment = 16;

/// Calls `body(is_shared, i, segment)` for the segments `at(i)` with i below `count`, on the calling thread or on all
/// cores. In the latter case all cores share each segment of at least `long_from` elements, and each shorter segment
/// runs on one core. All cores pay off only if all segments together have at least `long_from` elements.
/// `is_shared` is a `std::bool_constant`, and each is passed in one place: the compiler would call a body that is used
/// in several. Each task copies `at` and `body`: what is captured by value stays in registers then, and what is
/// captured by reference is loaded for each segment.
template <class At, class Body>
void distribute_segments(bool is_parallel, offset count, offset long_from, At const& at, Body const& body)
{
    std::mutex mutex;
    std::vector<offset> long_ones;
    auto const combine = [&](offset begin, offset end) __attribute__((noinline)) {
        auto const own_at = at;
        auto const own_body = body;
        for (offset i = begin; i < end; ++i) {
            segment const own = own_at(i);
            if (!is_parallel || own.count < long_from) {
                own_body(std::false_type(), i, own);
            } else {
                std::lock_guard const lock(mutex);
                long_ones.push_back(i);
            }
        }
    };
    offset elements = 0;
    for (offset i = 0; is_parallel && i < count && elements < long_from; ++i)
        elements += at(i).count + elements_per_segment;
    if (elements >= long_from)
        host::parallel_for(count, combine);
    else
        combine(0, count);
    for (offset const i : long_ones)
        body(std::true_type(), i, at(i));
}

/// The same for segments that are given by offsets.
template <class It, class Begins, class Ends, class Body>
void distribute_segments(char const* algorithm, It const& first, Begins const& begins, Begins const& begins_last,
                         Ends const& ends, offset long_from, Body const& body)
{
    if constexpr (random_access<Begins> && random_access<Ends>) {
        host::distribute_segments(
            true, static_cast<offset>(begins_last - begins), long_from,
            [=](offset i) {
                return host::segment_between(algorithm, first, begins[static_cast<std::iter_difference_t<Begins>>(i)],
                                             ends[static_cast<std::iter_difference_t<Ends>>(i)]);
            },
            body);
    } else {
        std::vector<segment> segments;
        host::for_each_segment(algorithm, first, begins, begins_last, ends,
                               [&](segment own) { segments.push_back(own); });
        host::distribute_segments(
            true, static_cast<offset>(segments.size()), long_from,
            [&](offset i) { return segments[static_cast<std::size_t>(i)]; }, body);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
