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
#include <tilewise/host/few_lanes.hpp>
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

/// Combines `init` and a segment, on all cores if it is shared. `init` and elements in memory are opaque to the
/// compiler: the caller makes them so once for all segments.
template <class Geometry, class T, class It, class Op>
TILEWISE_INLINE T reduce_segment(bool is_shared, It const& first, segment of, T const& init, Op const& op)
{
    T result(init);
    if (of.count == 0)
        return result;
    Op own_op(op);
    auto const from = [&] { return It(tilewise::advanced(first, of.begin)); };
    if constexpr (is_plain<T>) {
        using order = tilewise::order<T, Geometry>;
        if (of.count <= few_reduced<order, T>)
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
                                  [=, &init](auto is_shared, offset i, segment own) {
                                      Out to = tilewise::advanced(out, i);
                                      host::put<T>(to, host::reduce_segment<Geometry>(is_shared, first, own, init, op));
                                  });
        host::forget_memory<T>(out);
        return tilewise::advanced(out, count);
    } else {
        aggregates<T> results(static_cast<std::size_t>(count));
        host::distribute_segments("segmented_reduce", first, begins, begins_last, ends, long_from,
                                  [&](auto is_shared, offset i, segment own) {
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
TILEWISE_INLINE void scan_segment(bool is_shared, [[maybe_unused]] char const* algorithm, It const& first, segment of,
                                  Out const& out, std::optional<T> const& init, Op const& op)
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
        if (of.count <= few_scanned<order, T, Op>) {
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
        algorithm, first, begins, begins_last, ends, long_from, [=, &init](auto is_shared, offset, segment own) {
            host::scan_segment<Geometry, form, T>(is_shared, algorithm, first, own, out, init, op);
        });
    host::forget_memory<T>(out);
}

} // namespace host
TILEWISE_NAMESPACE_END
