// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented reductions and scans over ranks. A segment that lies in the part of one rank is processed there; of a
/// segment that spans several, ranks exchange the fragments of their parts.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/combine_on_ranks.hpp>
#include <tilewise/engine/join.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/segment_parts.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Has all ranks agree on the segments, and learn rank 0's init, if there is one.
template <class T, class Communicator>
std::optional<T> agree_on_segments(rank_call<Communicator>& call, agreement const& what,
                                   segments_on_ranks const& segments, std::optional<T> const& init, partition& parts)
{
    packed<T> own;
    if (init && call.rank() == 0)
        own.push_back(*init);
    call.require_position();
    parts = call.agree(what);
    call.template expect<T>([&](int rank) { return init && rank == 0 ? 1 : 0; });
    segments.check(call.algorithm(), parts.total());
    auto const received = call.gather(own);
    return init ? std::optional<T>(received(0, 0)) : std::nullopt;
}

/// An operator whose values the engines combine in the order, though any order would give the same.
template <class T, class Known>
struct operator_in_order {
    Known op;
    T operator()(T const& left, T const& right) const { return static_cast<T>(op(left, right)); }
};
/// Returns the operator with which parts of segments are combined: fragments need the order.
template <class T, class Op>
auto part_operator(Op const& op)
{
    if constexpr (known::is_exact<Op, T>)
        return operator_in_order<T, Op>{op};
    else
        return engine::host_operator<T>(op);
}

/// The values that a rank sends of its part of a segment, for a reduction: the result of a whole segment, or the
/// fragment of the part and, apart, the last element.
template <class Order>
offset values_to_reduce(part_of_segment const& part)
{
    if (part.is_whole())
        return 1;
    return host::unit<Order>::count(part.begin, std::min(part.end, part.count - 1)) + (part.has_last() ? 1 : 0);
}
/// For a scan: the fragment of a part that others follow.
template <class Order>
offset values_to_scan(part_of_segment const& part)
{
    return part.has_last() ? 0 : host::unit<Order>::count(part.begin, part.end);
}

/// Combines rank 0's `init` and each segment, of whose elements this rank has those from `first` on. Every rank writes
/// all results.
template <class Geometry, class Communicator, class Local, class It, class Out, class T, class Op>
Out segmented_reduce_on_ranks(rank_call<Communicator>& call, Local local, agreement const& what,
                              segments_on_ranks const& segments, It const& first, Out out, T const& init, Op op)
{
    using order = order_on_ranks<T, Geometry>;
    using joined = engine::joined<order, combined<T>>;
    constexpr bool is_parallel = std::same_as<Local, parallel_policy>;
    constexpr offset long_from = host::tiles_that_pay<T, Op, It>() * tilewise::order<T, Geometry>::tile + 1;
    int const rank = call.rank();
    std::vector<offset> counts(static_cast<std::size_t>(call.ranks()));
    partition parts(call.ranks());
    T const first_init = *engine::agree_on_segments<T>(call, what, segments, std::optional<T>(init), parts);
    engine::count_values(counts, segments, parts,
                         [](auto const& part) { return engine::values_to_reduce<order>(part); });
    call.template expect<T>([&](int r) { return counts[static_cast<std::size_t>(r)]; });

    auto host_op = engine::part_operator<T>(op);
    auto const whole = engine::segments_of_rank(segments, parts, rank);
    host::aggregates<T> results(whole.size());
    host::forget_memory<T>(first);
    host::distribute_segments(
        is_parallel, static_cast<offset>(whole.size()), long_from,
        [&](offset i) { return whole[static_cast<std::size_t>(i)]; },
        [&](bool is_shared, offset i, host::segment const& own) {
            results[static_cast<std::size_t>(i)].emplace(
                host::reduce_segment<Geometry>(is_shared, first, own, first_init, op));
        });
    packed<T> sent;
    auto result = results.begin();
    segments.for_each([&](host::segment const& each) {
        segments_on_ranks::for_each_part(parts, each, [&](part_of_segment const& part) {
            if (part.rank != rank)
                return;
            if (part.is_whole()) {
                sent.push_back(**result++);
                return;
            }
            joined own(part.begin);
            engine::add_elements<order, T>(own, local,
                                           It(tilewise::advanced(first, each.begin + part.begin - parts.begin(rank))),
                                           part.end - part.begin, part.has_last(), op, host_op);
            own.for_each([&](combined<T> const& value) { sent.push_back(engine::plain(value)); });
        });
    });

    auto const received = call.gather(sent);
    std::vector<offset> next(counts.size()); // the value of each rank to read next
    segments.for_each([&](host::segment const& each) {
        std::optional<T> all;
        joined before(0);
        segments_on_ranks::for_each_part(parts, each, [&](part_of_segment const& part) {
            auto const take = [&] { return received(part.rank, next[static_cast<std::size_t>(part.rank)]++); };
            if (part.is_whole()) {
                all.emplace(take());
                return;
            }
            before.part.append_part(host_op, std::min(part.end, part.count - 1),
                                    [&]() -> combined<T> { return engine::to_combined(take()); });
            if (part.has_last()) {
                host::entry<order, combined<T>> end(each.count);
                end.move_behind(host_op, std::optional<combined<T>>(engine::to_combined(first_init)), before.part);
                all.emplace(engine::plain(end.reduced(host_op, engine::to_combined(take()))));
            }
        });
        T value = all ? *all : first_init;
        host::make_opaque(value);
        host::put<T>(out, std::move(value));
    });
    return out;
}

/// Scans each segment after rank 0's `init`, if there is one. This rank has the elements from `first` on, and writes
/// the results for them.
template <class Geometry, scan_form form, class T, class Communicator, class Local, class It, class Out, class Op>
void segmented_scan_on_ranks(rank_call<Communicator>& call, Local local, agreement const& what,
                             segments_on_ranks const& segments, It const& first, Out& output,
                             std::optional<T> const& init, Op op)
{
    using order = order_on_ranks<T, Geometry>;
    using out_type = decltype(tilewise::output_begin<Local>("", offset{0}, output));
    constexpr bool is_parallel = std::same_as<Local, parallel_policy> && !shares_words<out_type>;
    constexpr offset long_from = host::tiles_that_pay_to_scan<T, Op>() * tilewise::order<T, Geometry>::tile + 1;
    int const rank = call.rank();
    std::vector<offset> counts(static_cast<std::size_t>(call.ranks()));
    partition parts(call.ranks());
    auto const first_init = engine::agree_on_segments<T>(call, what, segments, init, parts);
    engine::count_values(counts, segments, parts, [](auto const& part) { return engine::values_to_scan<order>(part); });
    call.template expect<T>([&](int r) { return counts[static_cast<std::size_t>(r)]; });

    // this rank's parts of segments that span several
    struct own_part {
        host::segment segment;
        part_of_segment part;
        host::fragment<order, combined<T>> before;
        host::aggregates<combined<T>> tiles;
    };
    std::vector<own_part> own_parts;
    offset reach = 0;
    segments.for_each([&](host::segment const& each) {
        segments_on_ranks::for_each_part(parts, each, [&](part_of_segment const& part) {
            if (part.rank != rank)
                return;
            reach = std::max(reach, each.begin + part.end - parts.begin(rank));
            if (!part.is_whole())
                own_parts.push_back({each, part, host::fragment<order, combined<T>>(0), {}});
        });
    });
    out_type const out = tilewise::output_begin<Local>(call.algorithm(), reach, output);

    auto host_op = engine::part_operator<T>(op);
    auto const input_of = [&](own_part const& own) {
        return engine::host_input<T>(
            It(tilewise::advanced(first, own.segment.begin + own.part.begin - parts.begin(rank))),
            own.part.end - own.part.begin);
    };
    host::forget_memory<T>(first);
    packed<T> sent;
    for (own_part& own : own_parts) {
        if (own.part.has_last() && !is_parallel)
            continue;
        auto const fragment = host::fragment_of<order, combined<T>>(local, input_of(own), own.part.begin, own.part.end,
                                                                    host_op, own.tiles);
        if (!own.part.has_last())
            for (combined<T> const& value : fragment.aggregates())
                sent.push_back(engine::plain(value));
    }
    auto const received = call.gather(sent);

    std::vector<offset> next(counts.size()); // the value of each rank to read next
    auto own = own_parts.begin();
    segments.for_each([&](host::segment const& each) {
        host::fragment<order, combined<T>> before(0);
        segments_on_ranks::for_each_part(parts, each, [&](part_of_segment const& part) {
            if (part.rank == rank && !part.is_whole())
                (own++)->before.assign(before);
            if (!part.has_last())
                before.append_part(host_op, part.end, [&]() -> combined<T> {
                    return engine::to_combined(received(part.rank, next[static_cast<std::size_t>(part.rank)]++));
                });
        });
    });
    std::optional<combined<T>> from;
    if (first_init)
        from.emplace(engine::to_combined(*first_init));
    for (own_part& each : own_parts) {
        host::entry<order, combined<T>> entry(each.segment.count);
        entry.move_behind(host_op, from, each.before);
        host::scan_part<order, form>(
            std::move(entry), input_of(each), each.part.end - each.part.begin,
            out_type(tilewise::advanced(out, each.segment.begin + each.part.begin - parts.begin(rank))), host_op,
            each.tiles);
    }
    auto const whole = engine::segments_of_rank(segments, parts, rank);
    host::distribute_segments(
        is_parallel, static_cast<offset>(whole.size()), long_from,
        [&](offset i) { return whole[static_cast<std::size_t>(i)]; },
        [&](bool is_shared, offset, host::segment const& each) {
            host::scan_segment<Geometry, form, T>(is_shared, call.algorithm(), first, each, out, first_init, op);
        });
    host::forget_memory<T>(out);
}

} // namespace engine
TILEWISE_NAMESPACE_END
