// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `segmented_reduce`, `segmented_inclusive_scan` and `segmented_exclusive_scan`: the algorithms for many parts of a
/// range at once.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/segmented.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <optional>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup segmented_reduce
/// Combines `init` and the elements of each of many segments of a range to one value per segment.
///
/// Header `<tilewise/segmented.hpp>`. Segment i is made of the elements from `begins[i]` to `ends[i]`, excluding the
/// last, counted from `first`; `*(out + i)` becomes what @ref reduce returns for it. An empty segment gives `init`.
/// Segments may overlap and come in any order. Of n + 1 offsets of which each ends a segment and begins the next, pass
/// `offsets, offsets + n, offsets + 1`. Without `init` the accumulator is a value-initialised element, without `op` it
/// is `std::plus<>`. Returns the end of the output, which shall not overlap with the elements.
///
/// @par Order
/// That of @ref reduce for each segment as a range of its own, bit for bit, whatever the policy. So the bits of a
/// result do not depend on where the segment stands, or on the other segments.
/// @par Output
/// `out` is an output iterator, or a range of which the first elements are overwritten and whose length is checked:
/// see tilewise::output.
/// @par Requirements
/// Those of @ref reduce; T is copy constructible and converts to what `out` takes. Elements need random access
/// iterators; offsets are of any integral types, behind forward iterators, and random access ones under device, where
/// of the iterators of views only those of std::views::iota will do. seq
/// writes through output iterators, par through forward iterators, device through random access iterators. Under
/// device, elements in host memory are copied from the first to the last that some segments have; while a scan writes
/// there, nobody may change what is in between.
/// @par Complexity
/// That of @ref reduce for each segment. par deals the segments out to the threads, and lets all of them share a
/// segment that would pay alone. device takes a few lanes for a segment of up to a row of the order, a warp for one of
/// up to a chunk (8 rows), and a block for a longer one; it keeps 4 bytes per segment, for up to 4 Mi segments at a
/// time. With `device.trace(sink)` the items are the segments.
/// @par Errors
/// Those of @ref reduce. The hardened mode throws `std::invalid_argument` for a null pointer where there are segments,
/// for one to the elements or results of a segment that is not empty (with nosync(), of any segment), and under seq and
/// par for a segment that ends before it begins; otherwise such a segment counts as empty.
/// @par Example
/// @snippet guide/segmented.cpp reduce
/// @{

/// Combines `init` and each segment.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out,
          class T = value_of<It>, operation Op = std::plus<>>
output_end<Out> segmented_reduce(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                                 T init = T{}, Op op = {})
{
    auto to = tilewise::output_for<Policy>("segmented_reduce", begins, tilewise::extent_between(begins, begins_last),
                                           std::forward<Out>(out));
    return tilewise::output_position<Out>(out, engine::segmented_reduce(tilewise::resolve(policy), first, begins,
                                                                        begins_last, ends, std::move(to),
                                                                        std::move(init), std::move(op)));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(segmented_reduce, leads_a_call)
/// @}

/// @addtogroup segmented_inclusive_scan
/// Writes, for each element of each of many segments of a range, the combination of `init` and all elements of its
/// segment up to and including it.
///
/// Header `<tilewise/segmented.hpp>`. Segments are given as to @ref segmented_reduce. The result for the element at
/// `first + i` goes to `out + i`, and what stands between the segments is left alone, so there is no end to return.
/// Segments that are not empty shall not overlap; they may come in any order, and the output may be the input. T is the
/// type of `init`, or of the elements where there is none.
///
/// @par Order
/// The results for a segment are those of @ref inclusive_scan, bit for bit, whatever the policy.
/// @par Requirements, complexity, errors
/// Those of @ref segmented_reduce and @ref inclusive_scan; the output needs random access iterators under every policy.
/// An output range has to reach as far as the segments do, for which their offsets are read first: under device by a
/// reduction that is waited for, so with nosync() an output range does not compile.
/// @par Example
/// @snippet guide/segmented.cpp scan
/// @{

/// Scans each segment after `init`.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, operation Op,
          class T>
void segmented_inclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out, Op op,
                              T init)
{
    engine::segmented_scan<scan_form::inclusive, T>(tilewise::resolve(policy), first, begins, begins_last, ends, out,
                                                    std::optional<T>(std::move(init)), std::move(op));
}

/// Scans each segment in the elements' own type.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out,
          operation Op = std::plus<>>
void segmented_inclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                              Op op = {})
{
    engine::segmented_scan<scan_form::inclusive, value_of<It>>(tilewise::resolve(policy), first, begins, begins_last,
                                                               ends, out, std::nullopt, std::move(op));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(segmented_inclusive_scan, leads_a_call)
/// @}

/// @addtogroup segmented_exclusive_scan
/// Writes, for each element of each of many segments of a range, the combination of `init` and all elements of its
/// segment before it.
///
/// Header `<tilewise/segmented.hpp>`. T is the type of `init`, which is the first result of every segment.
///
/// @par Order
/// The results for a segment are those of @ref exclusive_scan, bit for bit, whatever the policy.
/// @par Requirements, complexity, errors
/// Those of @ref segmented_inclusive_scan; all else that is said there holds here.
/// @par Example
/// @snippet guide/segmented.cpp scan
/// @{

/// Scans each segment after `init`.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, class T,
          operation Op = std::plus<>>
void segmented_exclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                              T init, Op op = {})
{
    engine::segmented_scan<scan_form::exclusive, T>(tilewise::resolve(policy), first, begins, begins_last, ends, out,
                                                    std::optional<T>(std::move(init)), std::move(op));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(segmented_exclusive_scan, leads_a_call)
/// @}

TILEWISE_NAMESPACE_END
