// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented algorithms: checks the arguments and selects the engine.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/error.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/segmented.cuh>
#endif

#include <concepts>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Returns whether the policy supports segments of these elements, given by these offsets. If not, a static_assert says
/// why.
template <class Policy, class It, class Begins, class Ends>
constexpr bool can_segment()
{
    constexpr bool jumps = random_access<It>;
    constexpr bool integral = std::integral<value_of<Begins>> && std::integral<value_of<Ends>>;
    constexpr bool repeats = multi_pass<Begins> && multi_pass<Ends>;
    static_assert(jumps, "tilewise: segmented algorithms need random access iterators, because a segment begins at an "
                         "offset; copy the elements into a vector first");
    static_assert(integral, "tilewise: the offsets at which segments begin and end must be integers");
    static_assert(repeats, "tilewise: the iterators over offsets must be forward iterators");
    if constexpr (is_device_policy<Policy>) {
        constexpr bool indexed =
            random_access<Begins> && random_access<Ends> && copies_as_bytes<Begins> && copies_as_bytes<Ends>;
        static_assert(indexed,
                      "tilewise: under device, offsets must be given by trivially copyable random access iterators");
        return tilewise::can_pass_to_kernels<Begins, Ends>() && jumps && integral && repeats && indexed;
    } else {
        return jumps && integral && repeats;
    }
}

/// Returns whether a segmented algorithm that combines to a T and writes to Out accepts its arguments. If not, a
/// static_assert says why.
template <class Policy, class T, class It, class Begins, class Ends, class Out, class Op>
constexpr bool can_combine_segments()
{
    if constexpr (engine::can_segment<Policy, It, Begins, Ends>())
        return tilewise::can_reduce<Policy, T, Op, It, offset>() && tilewise::can_write<Policy, T, Out>();
    else
        return false;
}

/// Returns whether a segmented scan can write to the positions of the elements. If not, a static_assert says why.
template <class Out>
constexpr bool can_write_positions()
{
    constexpr bool jumps = random_access<Out>;
    static_assert(jumps, "tilewise: a segmented scan writes to the positions of its elements, so the output must be a "
                         "random access iterator");
    return jumps;
}

/// Rejects a call under device: the compiled library has no segmented algorithms.
template <class Policy, class Out>
Out no_segments_in_library(Out out)
{
    static_assert(!is_device_policy<Policy>, "tilewise: the compiled library has no segmented algorithms; compile this "
                                             "file with nvcc, or use tilewise::par");
    return out;
}

/// Checks the offsets of segments in the hardened mode.
template <class Begins, class Ends>
void check_offsets([[maybe_unused]] char const* algorithm, [[maybe_unused]] Begins const& begins,
                   [[maybe_unused]] Begins const& begins_last, [[maybe_unused]] Ends const& ends)
{
    if constexpr (hardened) {
        tilewise::check_range(algorithm, begins, begins_last);
        if constexpr (std::is_pointer_v<Ends>) {
            if (ends == nullptr && begins != begins_last)
                reject_argument(algorithm, "the ends of the segments are null, but there are segments");
        }
    }
}

/// Computes the end of a segment as a number of elements from the first on: 0 if the segment is empty, before_all if it
/// begins before the first element.
struct reach_of_segment {
    static constexpr offset before_all = std::numeric_limits<offset>::max();

    template <class Begin, class End>
    TILEWISE_PORTABLE constexpr offset operator()(Begin const& begin, End const& end) const
    {
        auto const from = static_cast<offset>(begin), to = static_cast<offset>(end);
        return to <= from ? 0 : from < 0 ? before_all : to;
    }
};

/// Whether a call under a policy may wait for a result.
template <class Policy>
inline constexpr bool can_wait = true;
/// False under nosync().
template <bool waits>
inline constexpr bool can_wait<basic_device_policy<waits>> = waits;

/// Returns the furthest end of all segments.
template <class Policy, class Begins, class Ends>
offset furthest_reach([[maybe_unused]] Policy const& policy, Begins const& begins, Begins const& begins_last,
                      Ends const& ends)
{
    offset reach = 0;
    if constexpr (!is_device_policy<Policy>) {
        Ends end = ends;
        for (Begins begin = begins; !(begin == begins_last); ++begin, (void)++end)
            reach = std::max(reach, reach_of_segment{}(*begin, *end));
    } else if constexpr (has_kernels && can_wait<Policy>) {
        reach = engine::reduce(policy, transformed_pairs<reach_of_segment, Begins, Ends>({}, begins, ends),
                               static_cast<offset>(begins_last - begins), offset{0}, tilewise::maximum<>{});
    }
    return reach;
}

/// Checks, in the hardened mode, the pointer through which device reads or writes the elements of segments. It may be
/// null if all segments are empty, which is checked only if the policy may wait. (The host checks each segment when it
/// processes it.)
template <class Policy, class Begins, class Ends, class Pointer>
void check_segments_of([[maybe_unused]] char const* algorithm, [[maybe_unused]] char const* null_sentence,
                       [[maybe_unused]] Policy const& policy, [[maybe_unused]] Begins const& begins,
                       [[maybe_unused]] Begins const& begins_last, [[maybe_unused]] Ends const& ends,
                       [[maybe_unused]] Pointer const& pointer)
{
    if constexpr (hardened && std::is_pointer_v<Pointer>) {
        if (pointer != nullptr || begins == begins_last)
            return;
        if constexpr (can_wait<Policy>) {
            if (engine::furthest_reach(policy, begins, begins_last, ends) == 0)
                return;
        }
        reject_argument(algorithm, null_sentence);
    }
}

/// Combines `init` and each segment, and returns the end of the output.
template <class Policy, class It, class Begins, class Ends, class Out, class T, class Op>
Out segmented_reduce(Policy policy, It const& first, Begins const& begins, Begins const& begins_last, Ends const& ends,
                     Out out, T init, Op op)
{
    if constexpr (engine::can_combine_segments<local_policy_of<Policy>, T, It, Begins, Ends, Out, Op>()) {
        engine::check_offsets("segmented_reduce", begins, begins_last, ends);
        tilewise::check_output("segmented_reduce", begins, begins_last, out);
        if constexpr (is_engine<Policy>) {
            return policy.segmented_reduce(first, begins, begins_last, ends, std::move(out), std::move(init),
                                           std::move(op));
        } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
            offset const count = static_cast<offset>(begins_last - begins);
            engine::check_segments_of("segmented_reduce", "first is null, but a segment is not empty", policy, begins,
                                      begins_last, ends, first);
            gpu::segmented_reduce<standard_geometry>(policy, first, begins, ends, count, out, init,
                                                     gpu::operator_on<T>(op));
            return out + count;
#elif defined(TILEWISE_COMPILED)
            return engine::no_segments_in_library<Policy>(out);
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

/// Returns the position where a segmented scan begins to write. Throws if an output range has no position for an
/// element of a segment.
template <class Policy, class Begins, class Ends, class Out>
auto output_for_segments(char const* algorithm, [[maybe_unused]] Policy const& policy,
                         [[maybe_unused]] Begins const& begins, [[maybe_unused]] Begins const& begins_last,
                         [[maybe_unused]] Ends const& ends, Out& out)
{
    if constexpr (!output_range<Out&>) {
        return out;
    } else if constexpr (std::is_array_v<Out> && !can_wait<Policy>) {
        return std::ranges::begin(out); // as in the standard, where an array decays to a pointer
    } else {
        static_assert(can_wait<Policy>, "tilewise: a call with nosync() cannot check that an output range is long "
                                        "enough for its segments; pass the output's begin()");
        offset const reach = engine::furthest_reach(policy, begins, begins_last, ends);
        if (reach == reach_of_segment::before_all)
            reject_argument(algorithm, "a segment begins before the output range");
        return tilewise::output_begin<Policy>(algorithm, reach, out);
    }
}

/// Scans each segment after `init`, if it has a value, into an output that is an iterator or a range.
template <scan_form form, class T, class Policy, class It, class Begins, class Ends, class Out, class Op>
void segmented_scan(Policy policy, It const& first, Begins const& begins, Begins const& begins_last, Ends const& ends,
                    Out&& output, std::optional<T> init, Op op)
{
    constexpr char const* algorithm =
        form == scan_form::inclusive ? "segmented_inclusive_scan" : "segmented_exclusive_scan";
    using local = local_policy_of<Policy>;
    using out_type = decltype(tilewise::output_begin<local>(algorithm, offset{0}, output));
    if constexpr (!engine::can_write_positions<out_type>()) {
    } else if constexpr (!engine::can_combine_segments<local, T, It, Begins, Ends, out_type, Op>()) {
    } else if constexpr (is_engine<Policy>) {
        engine::check_offsets(algorithm, begins, begins_last, ends);
        policy.template segmented_scan<form, T>(first, begins, begins_last, ends, output, init, std::move(op));
    } else {
        engine::check_offsets(algorithm, begins, begins_last, ends);
        out_type const out = engine::output_for_segments(algorithm, policy, begins, begins_last, ends, output);
        if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
            engine::check_segments_of(algorithm, "first is null, but a segment is not empty", policy, begins,
                                      begins_last, ends, first);
            engine::check_segments_of(algorithm, "the output is null, but a segment is not empty", policy, begins,
                                      begins_last, ends, out);
            gpu::segmented_scan<standard_geometry, form, T>(policy, first, begins, ends,
                                                            static_cast<offset>(begins_last - begins), out, init,
                                                            gpu::operator_on<T>(op));
#elif defined(TILEWISE_COMPILED)
            static_cast<void>(engine::no_segments_in_library<Policy>(out));
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

} // namespace engine
TILEWISE_NAMESPACE_END
