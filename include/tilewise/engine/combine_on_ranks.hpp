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
#include <tilewise/core/type_names.hpp>
#include <tilewise/engine/join.hpp>
#include <tilewise/engine/part_scan.hpp>
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
#endif

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether values of a type can be sent between ranks. If not, one sentence says why.
template <class T>
constexpr bool can_send()
{
    constexpr bool copies = std::is_trivially_copyable_v<T>;
    static_assert(copies, "tilewise: ranks exchange values of the accumulator's type, which is the type of init, so it "
                          "must be trivially copyable");
    return copies;
}

/// Whether a local policy can work on a part of a range at its position in the whole. If not, one sentence says why.
template <class Policy, class T, class Op>
constexpr bool has_parts()
{
    constexpr bool combines = !is_device_policy<Policy> || known::is_exact<Op, T> || !known::has_device_lambda<Op>;
    static_assert(combines,
                  "tilewise: ranks combine the results of their GPUs on the host; write [=] __host__ __device__ (...)");
    return combines;
}

/// Describes the types and the order of a call, on which all ranks have to agree.
template <class Geometry, class T, class Op>
std::string description_of()
{
    return " of " + std::string(known::spelling_of<T>) + ", " + std::to_string(sizeof(T)) + " bytes, with " +
           std::string(known::spelling_of<Op>) + ", order " + std::to_string(order_version) + ", tiles of " +
           std::to_string(order<T, Geometry>::tile);
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
T reduce_in_order(rank_call<Communicator>& call, Local local, agreement const& what, Elements elements, T const& init,
                  Op op)
{
    using order = order_on_ranks<T, Geometry>;
    using joined = engine::joined<order, combined<T>>;
    int const rank = call.rank();
    joining<order, T, Tuning, Communicator> join(call, true, wanted::all);
    std::optional<host::entry<order, combined<T>>> end;

    auto host_op = engine::host_operator<T>(op);
    joined const& all = join(what, host_op, [&] {
        joined own(join.begin(rank));
        if (rank == 0)
            own.init.emplace(engine::to_combined(init));
        if (offset const count = join.parts().count(rank); count > 0)
            engine::add_elements<order, T>(own, local, std::move(elements), count, rank == join.last_rank(), op,
                                           host_op);
        end.emplace(join.parts().total());
        return own;
    });
    T result = [&]() -> T {
        if (!all.last)
            return engine::plain(*all.init);
        end->move_behind(host_op, all.init, all.part);
        return engine::plain(end->reduced(host_op, *all.last));
    }();
    host::make_opaque(result);
    return result;
}

/// The step of a scan that combines what precedes a rank: `reduce_own(begin, is_last)` returns the elements of this
/// rank, of which there are some. They begin at `begin`, and are not needed if this rank has the last ones.
template <class Order, class Tuning, class T, class Communicator, class Op, class Reduce>
host::entry<Order, combined<T>> entry_of_rank(rank_call<Communicator>& call, agreement const& what,
                                              std::optional<T> const& init, Op& op, Reduce reduce_own)
{
    using joined = engine::joined<Order, combined<T>>;
    int const rank = call.rank();
    joining<Order, T, Tuning, Communicator> join(call, init.has_value(), wanted::before);
    std::optional<combined<T>> own_init;
    std::optional<host::entry<Order, combined<T>>> entry;
    joined const& before = join(what, op, [&] {
        partition const& parts = join.parts();
        joined own(join.begin(rank));
        if (rank == 0 && init) {
            own.init.emplace(engine::to_combined(*init));
            own_init.emplace(*own.init);
        }
        if (what.count > 0) {
            bool const is_last = rank == parts.last_rank();
            auto part = reduce_own(parts.begin(rank), is_last);
            if (!is_last)
                own.part = std::move(part);
        }
        entry.emplace(parts.total());
        return own;
    });
    entry->move_behind(op, rank == 0 ? own_init : before.init, before.part);
    return std::move(*entry);
}

/// Scans them after rank 0's `init`, if there is one, and writes the results for `elements`.
template <class Geometry, class Tuning, scan_form form, class Communicator, class Local, class T, class Elements,
          class Out, class Op>
Out scan_in_order(rank_call<Communicator>& call, Local local, agreement const& what, Elements elements, Out out,
                  std::optional<T> const& init, Op op)
{
    using order = order_on_ranks<T, Geometry>;
    using part = part_scan<Geometry, form, T, Local, Elements, Out, Op>;
    auto host_op = engine::host_operator<T>(op);
    std::optional<part> own;
    auto first = engine::entry_of_rank<order, Tuning>(call, what, init, host_op, [&](offset begin, bool is_last) {
        own.emplace(local, std::move(elements), std::move(out), begin, what.count, op);
        return is_last && !part::scans_after_reduction ? host::fragment<order, combined<T>>(begin)
                                                       : own->reduce(host_op);
    });
    if (!own)
        return out;
    Out behind = own->scan(std::move(first), host_op);
    if constexpr (rank_call<Communicator>::template waits_for_streams<Local>) {
        call.finish(); // while the kernels run
        call.wait(local.stream());
    } else {
        own->wait();
    }
    return behind;
}

/// The local policy for elements of which only the number is known: threads need to find their own.
template <class Local, class Elements>
using policy_for_elements = std::conditional_t<std::same_as<Local, parallel_policy> && !host::skips_elements<Elements>,
                                               sequenced_policy, Local>;
/// Such a policy for elements.
template <class Elements, class Local>
policy_for_elements<Local, Elements> local_for([[maybe_unused]] Local const& local)
{
    if constexpr (std::same_as<policy_for_elements<Local, Elements>, Local>)
        return local;
    else
        return {};
}

/// The value of each rank for a reduction or scan where every order gives the same bits: one is enough.
template <class Communicator, class Local, class T, class Elements, class Known>
gathered<T> values_of_ranks(rank_call<Communicator>& call, Local local, agreement const& what, Elements elements,
                            T const& init, Known op)
{
    partition parts(call.ranks());
    return call.template agree_and_gather<T>(
        what, parts, [](partition const&, int) { return 1; },
        [&](partition const&) {
            packed<T> own;
            own.push_back(engine::reduce(engine::local_for<Elements>(local), std::move(elements), what.count,
                                         call.rank() == 0 ? init : T(Known::template identity<T>), op));
            return own;
        });
}

/// The same reduction where every order gives the same bits.
template <class Communicator, class Local, class T, class Elements, class Known>
T reduce_in_any_order(rank_call<Communicator>& call, Local local, agreement const& what, Elements elements, T init,
                      Known op)
{
    auto const all = engine::values_of_ranks(call, local, what, std::move(elements), init, op);
    T result = all(0, 0);
    for (int r = 1; r < call.ranks(); ++r)
        result = op(result, all(r, 0));
    return result;
}

/// The same scan where every order gives the same bits. `known` is the known operator for `op`.
template <scan_form form, class Communicator, class Local, class T, class Elements, class Out, class Op, class Known>
Out scan_in_any_order(rank_call<Communicator>& call, Local local, agreement const& what, Elements elements, Out out,
                      std::optional<T> init, Op op, Known known)
{
    T const first = init ? *init : T(Known::template identity<T>);
    auto const all = engine::values_of_ranks(call, local, what, elements, first, known);
    if (call.rank() > 0) {
        T before = all(0, 0);
        for (int r = 1; r < call.rank(); ++r)
            before = known(before, all(r, 0));
        init.emplace(before);
    }
    return engine::scan<form, T>(engine::local_for<Elements>(local), std::move(elements), what.count, std::move(out),
                                 std::move(init), op);
}

} // namespace engine
TILEWISE_NAMESPACE_END
