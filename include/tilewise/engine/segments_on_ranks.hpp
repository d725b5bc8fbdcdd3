// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Segmented reductions and scans over ranks. A segment that lies in the part of one rank is processed there; of a
/// segment that spans several, ranks exchange the fragments of their parts.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/combine_on_ranks.hpp>
#include <tilewise/engine/joined.hpp>
#include <tilewise/engine/part_scan.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/segment_parts.hpp>
#include <tilewise/engine/whole_segments.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <type_traits>
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

/// Rejects a null pointer to elements or results, if there are some.
template <class Pointer>
void check_elements([[maybe_unused]] char const* algorithm, [[maybe_unused]] offset count,
                    [[maybe_unused]] Pointer const& first)
{
    if constexpr (hardened && std::is_pointer_v<Pointer>)
        if (first == nullptr && count > 0)
            reject_argument(algorithm, "a pointer is null, but this rank has elements in segments");
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
    int const rank = call.rank();
    std::vector<offset> counts(static_cast<std::size_t>(call.ranks()));
    partition parts(call.ranks());
    T const first_init = *engine::agree_on_segments<T>(call, what, segments, std::optional<T>(init), parts);
    engine::count_values(counts, segments, parts,
                         [](auto const& part) { return engine::values_to_reduce<order>(part); });
    call.template expect<T>([&](int r) { return counts[static_cast<std::size_t>(r)]; });

    auto host_op = engine::part_operator<T>(op);
    engine::check_elements(call.algorithm(), engine::reach_on_rank(segments, parts, rank), first);
    reduced_segments<Geometry, T, Local> whole(local, engine::segments_of_rank(segments, parts, rank), first,
                                               first_init, op);
    packed<T> sent;
    std::size_t next_whole = 0;
    segments.for_each_part_on(parts, rank, [&](host::segment const& each, part_of_segment const& part) {
        if (part.is_whole()) {
            sent.push_back(whole[next_whole++]);
            return;
        }
        joined own(part.begin);
        engine::add_elements<order, T>(own, local,
                                       It(tilewise::advanced(first, each.begin + part.begin - parts.begin(rank))),
                                       part.end - part.begin, part.has_last(), op, host_op);
        own.for_each([&](combined<T> const& value) { sent.push_back(engine::plain(value)); });
    });

    auto const received = call.gather(sent);
    std::vector<offset> next(counts.size()); // the value of each rank to read next
    results_of_rank<T, Local, Out> results(call.algorithm(), local, std::move(out));
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
        results.push_back(all ? *all : first_init);
    });
    return results.finish();
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
    using scan_type = part_scan<Geometry, form, T, Local, It, out_type, Op>;
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
        host::fragment<order, combined<T>> before{0};
        scan_type scan;

        own_part(host::segment const& whole, part_of_segment const& own, Local const& by, It from, out_type to,
                 Op const& combine)
            : segment(whole), part(own),
              scan(by, std::move(from), std::move(to), own.begin, own.end - own.begin, combine)
        {}
    };
    offset const reach = engine::reach_on_rank(segments, parts, rank);
    out_type const out = tilewise::output_begin<Local>(call.algorithm(), reach, output);
    engine::check_elements(call.algorithm(), reach, first);
    engine::check_elements(call.algorithm(), reach, out);

    auto host_op = engine::part_operator<T>(op);
    if constexpr (!is_device_policy<Local>)
        host::forget_memory<T>(first);
    struct parts_of_rank : std::deque<own_part> {
        ~parts_of_rank() // in reverse order: each call on a device restores the device that was the current one
        {
            while (!this->empty())
                this->pop_back();
        }
    } own_parts;
    segments.for_each_part_on(parts, rank, [&](host::segment const& each, part_of_segment const& part) {
        offset const at = each.begin + part.begin - parts.begin(rank);
        if (!part.is_whole())
            own_parts.emplace_back(each, part, local, It(tilewise::advanced(first, at)),
                                   out_type(tilewise::advanced(out, at)), op);
    });
    packed<T> sent;
    for (own_part& own : own_parts) {
        if (own.part.has_last() && !scan_type::scans_after_reduction)
            continue;
        auto const fragment = own.scan.reduce(host_op);
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
        each.scan.scan(std::move(entry), host_op);
        each.scan.wait();
    }
    engine::scan_whole_segments<Geometry, form, T>(
        call.algorithm(), local, engine::segments_of_rank(segments, parts, rank), first, out, first_init, op);
}

} // namespace engine
TILEWISE_NAMESPACE_END
