// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `segmented_reduce`, `segmented_inclusive_scan` and `segmented_exclusive_scan`: the algorithms for many parts of a
/// range at once.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#include <tilewise/reduction.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/segmented.cuh>
#endif

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// Whether segments can be found between offsets, and where they are. If not, one sentence says why.
template <class Policy, class It, class Begins, class Ends>
constexpr bool can_segment()
{
    constexpr bool jumps = random_access<It>;
    constexpr bool integral = std::integral<value_of<Begins>> && std::integral<value_of<Ends>>;
    constexpr bool repeats = multi_pass<Begins> && multi_pass<Ends>;
    static_assert(jumps, "tilewise: a segment begins at an offset into the elements, so they need random access "
                         "iterators; copy the elements into a vector first");
    static_assert(integral, "tilewise: segments are given by offsets, which must be integers: where each begins, and "
                            "where each ends");
    static_assert(repeats, "tilewise: offsets need iterators that can be read more than once (forward iterators)");
    if constexpr (is_device_policy<Policy>) {
        constexpr bool indexed =
            random_access<Begins> && random_access<Ends> && copies_as_bytes<Begins> && copies_as_bytes<Ends>;
        static_assert(indexed, "tilewise: device reads offsets through random access iterators that are trivially "
                               "copyable, from memory of the GPU");
        return tilewise::can_pass_to_kernels<Begins, Ends>() && jumps && integral && repeats && indexed;
    } else {
        return jumps && integral && repeats;
    }
}

/// Whether a segmented algorithm that combines to a T and writes to Out takes its arguments. If not, one sentence says
/// why.
template <class Policy, class T, class It, class Begins, class Ends, class Out, class Op>
constexpr bool can_combine_segments()
{
    if constexpr (tilewise::can_segment<Policy, It, Begins, Ends>())
        return tilewise::can_reduce<Policy, T, Op, It, offset>() && tilewise::can_write<Policy, T, Out>();
    else
        return false;
}

/// Whether a segmented scan can write where the elements stand. If not, one sentence says why.
template <class Out>
constexpr bool can_place()
{
    constexpr bool jumps = random_access<Out>;
    static_assert(jumps, "tilewise: a segmented scan writes to the places of the elements, so it needs an output of "
                         "random access iterators");
    return jumps;
}

/// Says that the compiled library has no segmented algorithms.
template <class Policy, class Out>
Out no_segments_in_library(Out out)
{
    static_assert(!is_device_policy<Policy>, "tilewise: the compiled library has no segmented algorithms; compile this "
                                             "file with nvcc, or use tilewise::par");
    return out;
}

/// The hardened mode's check of what bounds segments.
template <class Begins, class Ends>
void check_offsets([[maybe_unused]] char const* algorithm, [[maybe_unused]] Begins const& begins,
                   [[maybe_unused]] Begins const& begins_last, [[maybe_unused]] Ends const& ends)
{
    if constexpr (hardened) {
        tilewise::check_range(algorithm, begins, begins_last);
        if constexpr (std::is_pointer_v<Ends>) {
            if (ends == nullptr && begins != begins_last)
                reject_argument(algorithm, "the ends of the segments are null and there are segments");
        }
    }
}

/// How many elements from the first on a segment reaches over, if it is not empty.
struct reach_of_segment {
    static constexpr offset before_all = std::numeric_limits<offset>::max();

    template <class Begin, class End>
    TILEWISE_PORTABLE constexpr offset operator()(Begin const& begin, End const& end) const
    {
        auto const from = static_cast<offset>(begin), to = static_cast<offset>(end);
        return to <= from ? 0 : from < 0 ? before_all : to;
    }
};

/// The hardened mode's check of what device reads elements from, or writes them to, and what may be null if no segment
/// has any: where a policy waits, the segments are looked at then. (The host checks each segment on its way.)
template <class Policy, class Begins, class Ends, class Pointer>
void check_segments_of([[maybe_unused]] char const* algorithm, [[maybe_unused]] char const* null_sentence,
                       [[maybe_unused]] Policy const& policy, [[maybe_unused]] Begins const& begins,
                       [[maybe_unused]] Begins const& begins_last, [[maybe_unused]] Ends const& ends,
                       [[maybe_unused]] Pointer const& pointer)
{
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (hardened && std::is_pointer_v<Pointer>) {
        if (pointer != nullptr || begins == begins_last)
            return;
        if constexpr (Policy::waits) {
            if (tilewise::reduce_input(policy, transformed_pairs<reach_of_segment, Begins, Ends>({}, begins, ends),
                                       static_cast<offset>(begins_last - begins), offset{0},
                                       tilewise::maximum<>{}) == 0)
                return;
        }
        reject_argument(algorithm, null_sentence);
    }
#endif
}
/// @endcond

/// @cond internals
/// What is behind all forms of segmented_reduce.
template <class Policy, class It, class Begins, class Ends, class Out, class T, class Op>
Out reduce_segments(Policy policy, It const& first, Begins const& begins, Begins const& begins_last, Ends const& ends,
                    Out out, T init, Op op)
{
    if constexpr (tilewise::can_combine_segments<Policy, T, It, Begins, Ends, Out, Op>()) {
        tilewise::check_offsets("segmented_reduce", begins, begins_last, ends);
        tilewise::check_output("segmented_reduce", begins, begins_last, out);
        if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
            offset const count = static_cast<offset>(begins_last - begins);
            tilewise::check_segments_of("segmented_reduce", "first is null and a segment is not empty", policy, begins,
                                        begins_last, ends, first);
            gpu::segmented_reduce<standard_geometry>(policy, first, begins, ends, count, out, init,
                                                     gpu::operator_on<T>(op));
            return out + count;
#elif defined(TILEWISE_COMPILED)
            return tilewise::no_segments_in_library<Policy>(out);
#else
            throw_no_device();
#endif
        } else {
            host::make_opaque(init);
            return host::segmented_reduce<standard_geometry, T>(policy, first, begins, begins_last, ends,
                                                                std::move(out), init,
                                                                known::operator_or_self<T>(std::move(op)));
        }
    } else {
        return out;
    }
}
/// @endcond

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
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, class T,
          operation Op>
output_end<Out> segmented_reduce(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                                 T init, Op op)
{
    auto to = tilewise::output_for<Policy>("segmented_reduce", begins, tilewise::extent_between(begins, begins_last),
                                           std::forward<Out>(out));
    return tilewise::output_position<Out>(out, tilewise::reduce_segments(tilewise::resolve(policy), first, begins,
                                                                         begins_last, ends, std::move(to),
                                                                         std::move(init), std::move(op)));
}

/// Adds up `init` and each segment.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, class T>
output_end<Out> segmented_reduce(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                                 T init)
{
    return tilewise::segmented_reduce(policy, std::move(first), std::move(begins), std::move(begins_last),
                                      std::move(ends), std::forward<Out>(out), std::move(init), std::plus<>{});
}

/// Adds up each segment in the elements' own type.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out>
output_end<Out> segmented_reduce(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out)
{
    return tilewise::segmented_reduce(policy, std::move(first), std::move(begins), std::move(begins_last),
                                      std::move(ends), std::forward<Out>(out), value_of<It>{}, std::plus<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires leads_a_call<First>
auto segmented_reduce(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::segmented_reduce(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

/// @cond internals
/// An array where its length cannot be checked: there it is a pointer to its first element, as in the standard.
template <class Policy, class Out>
inline constexpr bool is_array_of_nosync = false;
template <class Policy, class Out>
    requires is_device_policy<Policy>
inline constexpr bool is_array_of_nosync<Policy, Out> = std::is_array_v<Out> && !Policy::waits;

/// Where a segmented scan writes: to a range only if that has a place for each element of every segment.
template <class Policy, class Begins, class Ends, class Out>
auto output_for_segments(char const* algorithm, [[maybe_unused]] Policy const& policy,
                         [[maybe_unused]] Begins const& begins, [[maybe_unused]] Begins const& begins_last,
                         [[maybe_unused]] Ends const& ends, Out& out)
{
    if constexpr (!output_range<Out&>) {
        return out;
    } else if constexpr (is_array_of_nosync<Policy, Out>) {
        return std::ranges::begin(out);
    } else {
        offset reach = 0;
        if constexpr (!is_device_policy<Policy>) {
            Ends end = ends;
            for (Begins begin = begins; !(begin == begins_last); ++begin, (void)++end)
                reach = std::max(reach, reach_of_segment{}(*begin, *end));
        } else {
            static_assert(Policy::waits, "tilewise: how far segments reach into an output range is checked first, for "
                                         "which a policy with nosync() cannot wait; pass the output's begin()");
#if defined(TILEWISE_DEVICE_ENGINE)
            if constexpr (Policy::waits)
                reach =
                    tilewise::reduce_input(policy, transformed_pairs<reach_of_segment, Begins, Ends>({}, begins, ends),
                                           static_cast<offset>(begins_last - begins), offset{0}, tilewise::maximum<>{});
#endif
        }
        if (reach == reach_of_segment::before_all)
            reject_argument(algorithm, "a segment begins before the output range");
        return tilewise::output_begin<Policy>(algorithm, reach, out);
    }
}

/// What the segmented scans have in common.
template <scan_form form, class T, class Policy, class It, class Begins, class Ends, class Out, class Op>
void scan_segments(Policy policy, It const& first, Begins const& begins, Begins const& begins_last, Ends const& ends,
                   Out&& output, std::optional<T> init, Op op)
{
    constexpr char const* algorithm =
        form == scan_form::inclusive ? "segmented_inclusive_scan" : "segmented_exclusive_scan";
    using out_type = decltype(tilewise::output_begin<Policy>(algorithm, offset{0}, output));
    if constexpr (!tilewise::can_place<out_type>()) {
    } else if constexpr (tilewise::can_combine_segments<Policy, T, It, Begins, Ends, out_type, Op>()) {
        tilewise::check_offsets(algorithm, begins, begins_last, ends);
        out_type const out = tilewise::output_for_segments(algorithm, policy, begins, begins_last, ends, output);
        if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
            tilewise::check_segments_of(algorithm, "first is null and a segment is not empty", policy, begins,
                                        begins_last, ends, first);
            tilewise::check_segments_of(algorithm, "the output is null and a segment is not empty", policy, begins,
                                        begins_last, ends, out);
            gpu::segmented_scan<standard_geometry, form, T>(policy, first, begins, ends,
                                                            static_cast<offset>(begins_last - begins), out, init,
                                                            gpu::operator_on<T>(op));
#elif defined(TILEWISE_COMPILED)
            static_cast<void>(tilewise::no_segments_in_library<Policy>(out));
#else
            throw_no_device();
#endif
        } else {
            if (init)
                host::make_opaque(*init);
            host::segmented_scan<standard_geometry, form, T>(policy, algorithm, first, begins, begins_last, ends, out,
                                                             init, known::operator_or_self<T>(std::move(op)));
        }
    }
}
/// @endcond

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
    tilewise::scan_segments<scan_form::inclusive, T>(tilewise::resolve(policy), first, begins, begins_last, ends, out,
                                                     std::optional<T>(std::move(init)), std::move(op));
}

/// Scans each segment in the elements' own type.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, operation Op>
void segmented_inclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out, Op op)
{
    using T = value_of<It>;
    tilewise::scan_segments<scan_form::inclusive, T>(tilewise::resolve(policy), first, begins, begins_last, ends, out,
                                                     std::optional<T>(), std::move(op));
}

/// Adds up each segment in the elements' own type.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out>
void segmented_inclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out)
{
    tilewise::segmented_inclusive_scan(policy, std::move(first), std::move(begins), std::move(begins_last),
                                       std::move(ends), std::forward<Out>(out), std::plus<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires leads_a_call<First>
void segmented_inclusive_scan(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        tilewise::segmented_inclusive_scan(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
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
          operation Op>
void segmented_exclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                              T init, Op op)
{
    tilewise::scan_segments<scan_form::exclusive, T>(tilewise::resolve(policy), first, begins, begins_last, ends, out,
                                                     std::optional<T>(std::move(init)), std::move(op));
}

/// Adds up each segment after `init`.
template <execution_policy Policy, any_iterator It, any_iterator Begins, any_iterator Ends, output Out, class T>
void segmented_exclusive_scan(Policy&& policy, It first, Begins begins, Begins begins_last, Ends ends, Out&& out,
                              T init)
{
    tilewise::segmented_exclusive_scan(policy, std::move(first), std::move(begins), std::move(begins_last),
                                       std::move(ends), std::forward<Out>(out), std::move(init), std::plus<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires leads_a_call<First>
void segmented_exclusive_scan(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        tilewise::segmented_exclusive_scan(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

TILEWISE_NAMESPACE_END
