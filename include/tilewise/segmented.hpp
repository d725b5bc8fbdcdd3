// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `segmented_reduce`, `segmented_inclusive_scan` and `segmented_exclusive_scan`: the algorithms for many segments of a
/// range in one call.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/segmented.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <optional>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// The elements of segments and the offsets that separate them, both as ranges. Excludes arrays that decay to what
/// looks like elements, offsets and further iterators.
template <class Range, class Offsets, class Next>
concept segments_of_range =
    std::ranges::forward_range<Range> && std::ranges::forward_range<Offsets> && !any_iterator<Next>;

/// The offsets at which segments begin and end.
template <class It>
struct segment_offsets {
    It begins, begins_last, ends;
};

/// Returns the offsets of the segments that neighboring offsets separate. In the hardened mode, checks that they are in
/// the range.
template <class Policy, class Range, class Offsets>
auto separated_segments([[maybe_unused]] char const* algorithm, [[maybe_unused]] Policy const& policy,
                        [[maybe_unused]] Range& range, Offsets& offsets)
{
    using it = beginning_of<Policy, Offsets>;
    it const first = tilewise::begin_of<Policy>(offsets), last = tilewise::end_of<Policy>(offsets);
    segment_offsets<it> of{first, first, first};
    if (first == last)
        return of;
    ++of.ends;
    if constexpr (random_access<it>)
        of.begins_last = tilewise::advanced(first, static_cast<offset>(last - first) - 1);
    else
        for (it next = of.ends; !(next == last); ++next)
            ++of.begins_last;
    using resolved = policy_for<Policy>;
    if constexpr (hardened && std::ranges::sized_range<Range> && engine::call_under<resolved>::is_on_one_machine &&
                  engine::can_wait<resolved> && (engine::has_kernels || !is_device_policy<resolved>)) {
        offset const reach = engine::furthest_reach(tilewise::resolve(policy), of.begins, of.begins_last, of.ends);
        tilewise::reject_fault(algorithm, std::cmp_less(std::ranges::size(range), reach)
                                              ? "the offsets of a segment are not in the range"
                                              : nullptr);
    }
    return of;
}
/// @endcond

/// @addtogroup segmented_reduce
/// Combines `init` and the elements of each segment of a range into one value per segment.
///
/// Header `<tilewise/segmented.hpp>`. Segment i contains the elements from `first + begins[i]` up to, but excluding,
/// `first + ends[i]`; `*(out + i)` receives the result of @ref reduce for it. An empty segment gives `init`. Segments
/// may overlap and may be in any order. If n + 1 offsets separate n consecutive segments, pass the elements and the
/// offsets as two ranges, or `offsets, offsets + n, offsets + 1`. `init` defaults to a value-initialized element, `op`
/// to `std::plus<>`. Returns the end of the output, which must not overlap the elements.
///
/// @par Order
/// As for @ref reduce for each segment as a range of its own, with the same bits under every policy. Therefore the bits
/// of a result depend neither on the position of the segment nor on the other segments.
/// @par Output
/// `out` is an output iterator, or a range whose length is checked and whose first elements are overwritten: see
/// @ref tilewise::output.
/// @par Requirements
/// As for @ref reduce; T is also copy constructible and converts to the type that `out` accepts. Elements need random
/// access iterators. Offsets are of any integral types, behind forward iterators. Under device, offsets need random
/// access iterators; of the iterators of standard views, only those of std::views::iota are supported. seq writes
/// through output iterators, par through forward iterators, device through random access iterators. Under device,
/// elements in host memory are copied from the first to the last element of several segments at a time, including the
/// elements between these segments; while a scan writes such memory, the elements in between must not be modified.
/// @par Complexity
/// As for @ref reduce for each segment. par distributes the segments over the threads, and all threads share a segment
/// that is long enough to be worth it. device assigns a lane to each lane vector of a segment of up to a row of the
/// order, where there are thousands of segments a warp to one of up to a tile, and a block to a longer one. All blocks
/// share long ones: of more than 8 tiles for reductions; of more than a tile for scans on sm_90 and later, elsewhere of
/// more than 32 tiles. It stores 4 bytes per segment, for up to 16 Mi segments at a time, and
/// about 1 MiB; for a scan on sm_90 and later about 5 MiB, or 1/800 of the memory that is allocated for the output if
/// that is more, up to 160 MiB. With `device.trace(sink)`, the items of a launch are segments.
/// @par Errors
/// As for @ref reduce. The hardened mode throws `std::invalid_argument` for a null pointer to offsets or output if
/// there are segments, for a segment that is not in a range of elements of known size (not with nosync(), which cannot
/// wait for the check, and not over ranks, whose ranges are parts), and for a null pointer to elements if a segment is
/// not empty. For a scan, the output, too, may be null if all segments are empty; with nosync(), any segment counts as
/// not empty. Under seq and par it also throws for a segment that ends before it begins; otherwise such a segment
/// counts as empty.
/// @par Example
/// @snippet reference/segmented_reduce.cpp program
/// @{

/// Combines `init` and the elements of each segment.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out,
          class T = value_of<It>, operation Op = std::plus<>>
output_end<Out> segmented_reduce(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                                 T init = T{}, Op op = {})
{
    return engine::in_call(policy, "segmented_reduce", [&](auto on) -> output_end<Out> {
        auto to = tilewise::output_for<Policy>("segmented_reduce", begins,
                                               tilewise::extent_between(begins, begins_last), std::forward<Out>(out));
        return tilewise::output_position<Out>(out,
                                              engine::segmented_reduce(on, first, begins, begins_last, ends,
                                                                       std::move(to), std::move(init), std::move(op)));
    });
}

/// Combines `init` and the elements of each of the consecutive segments of a range that `offsets` separate.
template <execution_policy Policy, class Range, class Offsets, output Out, class T = std::ranges::range_value_t<Range>,
          operation Op = std::plus<>>
    requires segments_of_range<Range, Offsets, T>
output_end<Out> segmented_reduce(Policy&& policy, Range&& range, Offsets&& offsets, Out&& out, T init = T{}, Op op = {})
{
    auto const of = tilewise::separated_segments("segmented_reduce", policy, range, offsets);
    return tilewise::segmented_reduce(policy, tilewise::begin_of<Policy>(range), of.begins, of.begins_last, of.ends,
                                      std::forward<Out>(out), std::move(init), std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(segmented_reduce, leads_a_call)
/// @}

/// @addtogroup segmented_inclusive_scan
/// Writes, for each element of each segment of a range, the combination of `init` and all elements of its segment up to
/// and including that element.
///
/// Header `<tilewise/segmented.hpp>`. Segments are specified as for @ref segmented_reduce. The result for the element
/// at `first + i` is written to `out + i`. The output between the segments is not modified, so there is no end to
/// return. Segments that are not empty must not overlap; they may be in any order, and the output may be the input. T
/// is the type of `init`, or of the elements if there is no `init`.
///
/// @par Order
/// The results for a segment have the same bits as those of @ref inclusive_scan, under every policy.
/// @par Requirements, complexity, errors
/// As for @ref segmented_reduce and @ref inclusive_scan; the output needs random access iterators under every policy.
/// An output range must extend as far as the segments do. To check that, the call reads the offsets first. Under device
/// it waits for a reduction of the offsets, so an output range does not compile with nosync().
/// @par Example
/// @snippet reference/segmented_inclusive_scan.cpp program
/// @{

/// Scans each segment, starting with `init`.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, operation Op,
          class T>
void segmented_inclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out, Op op,
                              T init)
{
    engine::in_call(policy, "segmented_inclusive_scan", [&](auto on) {
        engine::segmented_scan<scan_form::inclusive, T>(on, first, begins, begins_last, ends, out,
                                                        std::optional<T>(std::move(init)), std::move(op));
    });
}

/// Scans each segment without `init`, in the type of the elements.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out,
          operation Op = std::plus<>>
void segmented_inclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                              Op op = {})
{
    engine::in_call(policy, "segmented_inclusive_scan", [&](auto on) {
        engine::segmented_scan<scan_form::inclusive, value_of<It>>(on, first, begins, begins_last, ends, out,
                                                                   std::nullopt, std::move(op));
    });
}

/// Scans each of the consecutive segments of a range that `offsets` separate, starting with `init`.
template <execution_policy Policy, class Range, class Offsets, output Out, operation Op, class T>
    requires segments_of_range<Range, Offsets, T>
void segmented_inclusive_scan(Policy&& policy, Range&& range, Offsets&& offsets, Out&& out, Op op, T init)
{
    auto const of = tilewise::separated_segments("segmented_inclusive_scan", policy, range, offsets);
    tilewise::segmented_inclusive_scan(policy, tilewise::begin_of<Policy>(range), of.begins, of.begins_last, of.ends,
                                       out, std::move(op), std::move(init));
}

/// Scans each of these segments without `init`, in the type of the elements.
template <execution_policy Policy, class Range, class Offsets, output Out, operation Op = std::plus<>>
    requires segments_of_range<Range, Offsets, Op>
void segmented_inclusive_scan(Policy&& policy, Range&& range, Offsets&& offsets, Out&& out, Op op = {})
{
    auto const of = tilewise::separated_segments("segmented_inclusive_scan", policy, range, offsets);
    tilewise::segmented_inclusive_scan(policy, tilewise::begin_of<Policy>(range), of.begins, of.begins_last, of.ends,
                                       out, std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(segmented_inclusive_scan, leads_a_call)
/// @}

/// @addtogroup segmented_exclusive_scan
/// Writes, for each element of each segment of a range, the combination of `init` and all elements of its segment
/// before that element.
///
/// Header `<tilewise/segmented.hpp>`. T is the type of `init`, which is the first result of every segment.
///
/// @par Order
/// The results for a segment have the same bits as those of @ref exclusive_scan, under every policy.
/// @par Requirements, complexity, errors
/// As for @ref segmented_inclusive_scan. The rest of the description of @ref segmented_inclusive_scan applies, too.
/// @par Example
/// @snippet reference/segmented_exclusive_scan.cpp program
/// @{

/// Scans each segment, starting with `init`.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, class T,
          operation Op = std::plus<>>
void segmented_exclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                              T init, Op op = {})
{
    engine::in_call(policy, "segmented_exclusive_scan", [&](auto on) {
        engine::segmented_scan<scan_form::exclusive, T>(on, first, begins, begins_last, ends, out,
                                                        std::optional<T>(std::move(init)), std::move(op));
    });
}

/// Scans each of the consecutive segments of a range that `offsets` separate, starting with `init`.
template <execution_policy Policy, class Range, class Offsets, output Out, class T, operation Op = std::plus<>>
    requires segments_of_range<Range, Offsets, T>
void segmented_exclusive_scan(Policy&& policy, Range&& range, Offsets&& offsets, Out&& out, T init, Op op = {})
{
    auto const of = tilewise::separated_segments("segmented_exclusive_scan", policy, range, offsets);
    tilewise::segmented_exclusive_scan(policy, tilewise::begin_of<Policy>(range), of.begins, of.begins_last, of.ends,
                                       out, std::move(init), std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(segmented_exclusive_scan, leads_a_call)
/// @}

TILEWISE_NAMESPACE_END
