// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Reductions and scans over ranks. Each rank works on its own part by the engine of a local policy; all of them join
/// the fragments of their parts in the same way.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/join.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/engine/scan.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/reduce/part.cuh>
#include <tilewise/device/scan/part.cuh>
#endif

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The order for values of type T, as they are combined.
template <class T, class Geometry>
using order_on_ranks =
    std::conditional_t<host::is_large<T>, order<combined<T>, host::order_of_lanes<Geometry>>, order<T, Geometry>>;

/// An input as the engines of the host read it.
template <class T, class Input>
auto host_input(Input input, offset count)
{
    auto elements = tilewise::unwrap_input(std::move(input), count);
    if constexpr (host::is_large<T>)
        return host::boxed_input<T, decltype(elements)>(std::move(elements));
    else
        return elements;
}
/// An operator as those engines call it.
template <class T, class Op>
auto host_operator(Op op)
{
    if constexpr (host::is_large<T>)
        return host::boxed_op<T, Op>{std::move(op)};
    else
        return op;
}

/// Goes on so many elements further.
template <class Elements>
void step_over(Elements& elements, offset count)
{
    if constexpr (host::skips_elements<Elements>)
        elements = tilewise::advanced(elements, count);
    else
        for (; count > 0; --count)
            ++elements;
}

/// Adds to `own` the `count` elements of this rank, of which the last one stays apart if the whole ends with it.
template <class Order, class T, class Local, class Elements, class Op, class HostOp>
void add_elements(joined<Order, combined<T>>& own, Local local, Elements elements, offset count, bool ends_whole,
                  [[maybe_unused]] Op op, HostOp& host_op)
{
    offset const begin = own.part.begin(), end = begin + count - ends_whole;
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::reduce_part<order<T, typename Order::geometry>, T>(
            local, elements, begin, end, ends_whole, gpu::operator_on<T>(op), [&](int level, T const& aggregate) {
                if (own.part.end() < end)
                    own.part.append(host_op, level, engine::to_combined(aggregate));
                else
                    own.last.emplace(engine::to_combined(aggregate));
            });
#else
        throw_no_device();
#endif
    } else {
        auto input = engine::host_input<T>(std::move(elements), count);
        host::aggregates<combined<T>> tiles;
        own.part = host::fragment_of<Order, combined<T>>(local, input, begin, end, host_op, tiles);
        if (ends_whole) {
            engine::step_over(input, count - 1);
            own.last.emplace(host::take<combined<T>>(input));
        }
    }
}

/// Combines rank 0's `init` and the elements of all ranks, of which this rank has `elements`.
template <class Geometry, class Tuning, class Communicator, class Local, class T, class Elements, class Op>
T reduce_in_order(rank_call<Communicator>& call, Local local, partition const& at, Elements elements, T const& init,
                  Op op)
{
    using order = order_on_ranks<T, Geometry>;
    offset const total = at.total();
    int const rank = call.rank(), last_rank = total > 0 ? at.last_rank() : -1;
    offset const end = std::max(total - 1, offset{0}); // the last element stays apart
    joining<order, T, Tuning, Communicator> join(call, at, end, true, last_rank, wanted::all);

    auto host_op = engine::host_operator<T>(op);
    joined<order, combined<T>> own(join.begin(rank));
    if (rank == 0)
        own.init.emplace(engine::to_combined(init));
    if (at.count(rank) > 0)
        engine::add_elements<order, T>(own, local, std::move(elements), at.count(rank), rank == last_rank, op, host_op);

    auto const all = join(host_op, std::move(own));
    T result = [&]() -> T {
        if (total == 0)
            return engine::plain(*all.init);
        return engine::plain(host::entry<order, combined<T>>(host_op, all.init, all.part).reduced(host_op, *all.last));
    }();
    host::make_opaque(result);
    return result;
}

/// The step of a scan that combines what precedes a rank: `reduce_own(own)` adds the elements of this rank to what it
/// has.
template <class Order, class Tuning, class T, class Communicator, class Op, class Reduce>
host::entry<Order, combined<T>> entry_of_rank(rank_call<Communicator>& call, partition const& at,
                                              std::optional<T> const& init, Op& op, Reduce reduce_own)
{
    int const rank = call.rank(), last_rank = at.total() > 0 ? at.last_rank() : 0;
    // nobody needs the elements of the last
    joining<Order, T, Tuning, Communicator> join(call, at, at.begin(last_rank), init.has_value(), -1, wanted::before);
    joined<Order, combined<T>> own(join.begin(rank));
    if (rank == 0 && init)
        own.init.emplace(engine::to_combined(*init));
    if (at.count(rank) > 0)
        if (auto part = reduce_own(rank == last_rank); rank < last_rank)
            own.part = std::move(part);
    std::optional<combined<T>> const own_init = own.init;
    auto const before = join(op, std::move(own));
    return {op, rank == 0 ? own_init : before.init, before.part};
}

/// Scans them after rank 0's `init`, if there is one, and writes the results for `elements`.
template <class Geometry, class Tuning, scan_form form, class Communicator, class Local, class T, class Elements,
          class Out, class Op>
Out scan_in_order(rank_call<Communicator>& call, Local local, partition const& at, Elements elements, Out out,
                  std::optional<T> const& init, Op op)
{
    auto host_op = engine::host_operator<T>(op);
    offset const begin = at.begin(call.rank()), count = at.count(call.rank());
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        using order = tilewise::order<T, Geometry>;
        auto device_op = gpu::operator_on<T>(op);
        std::optional<gpu::part_scanner<Geometry, form, T, Local, Elements, Out, decltype(device_op)>> scanner;
        auto const first = engine::entry_of_rank<order, Tuning>(call, at, init, host_op, [&](bool) {
            host::fragment<order, T> part(begin);
            scanner.emplace(local, elements, out, begin, begin + count, device_op);
            scanner->reduce([&](int level, T const& aggregate) { part.append(host_op, level, aggregate); });
            return part;
        });
        if (scanner)
            scanner->scan(first, host_op);
#else
        throw_no_device();
#endif
        return out + count;
    } else {
        using order = order_on_ranks<T, Geometry>;
        auto input = engine::host_input<T>(std::move(elements), count);
        host::aggregates<combined<T>> tiles;
        auto const first = engine::entry_of_rank<order, Tuning>(call, at, init, host_op, [&](bool is_last) {
            if (is_last && std::same_as<Local, sequenced_policy>) // whose scan finds the aggregates itself
                return host::fragment<order, combined<T>>(begin);
            return host::fragment_of<order, combined<T>>(local, input, begin, begin + count, host_op, tiles);
        });
        if (count == 0)
            return out;
        return host::scan_part<order, form>(first, std::move(input), count, std::move(out), host_op, tiles);
    }
}

/// The same reduction where every order gives the same bits: one value of each rank is enough.
template <class Communicator, class Local, class T, class Elements, class Known>
T reduce_in_any_order(rank_call<Communicator>& call, Local local, partition const& at, Elements elements, T init,
                      Known op)
{
    std::vector<offset> values(static_cast<std::size_t>(at.ranks()), 1);
    call.template expect<T>(values);
    T own = call.rank() == 0 ? init : Known::template identity<T>;
    packed<T> own_value;
    own_value.push_back(engine::reduce(local, std::move(elements), at.count(call.rank()), std::move(own), op));
    auto const all = call.template gather<T>(own_value);
    T result = all(0, 0);
    for (int r = 1; r < at.ranks(); ++r)
        result = op(result, all(r, 0));
    return result;
}

/// The same scan where every order gives the same bits. `known` is the known operator for `op`.
template <scan_form form, class Communicator, class Local, class T, class Elements, class Out, class Op, class Known>
Out scan_in_any_order(rank_call<Communicator>& call, Local local, partition const& at, Elements elements, Out out,
                      std::optional<T> init, Op op, Known known)
{
    int const rank = call.rank();
    call.template expect<T>(std::vector<offset>(static_cast<std::size_t>(at.ranks()), 1));
    packed<T> own;
    own.push_back(engine::reduce(local, elements, at.count(rank),
                                 rank == 0 && init ? T(*init) : T(Known::template identity<T>), known));
    auto const all = call.template gather<T>(own);
    if (rank > 0) {
        T before = all(0, 0);
        for (int r = 1; r < rank; ++r)
            before = known(before, all(r, 0));
        init.emplace(before);
    }
    return engine::scan<form, T>(local, std::move(elements), at.count(rank), std::move(out), std::move(init), op);
}

} // namespace engine
TILEWISE_NAMESPACE_END
