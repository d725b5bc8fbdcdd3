// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The algorithms by key over ranks. A run that lies on one rank is processed there; of a run that spans several, ranks
/// exchange the fragments of their parts.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/engine/by_key.hpp>
#include <tilewise/engine/combine_on_ranks.hpp>
#include <tilewise/engine/joined.hpp>
#include <tilewise/engine/part_scan.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/run_requirements.hpp>
#include <tilewise/engine/runs_of_rank.hpp>
#include <tilewise/engine/runs_on_ranks.hpp>
#include <tilewise/engine/segments_on_ranks.hpp>
#include <tilewise/host/by_key.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The algorithms by key in a call over ranks.
template <class Communicator, class Local, class Geometry, bool scatters_counts>
class by_key_on_ranks {
    template <class Out>
    using position_in = decltype(tilewise::output_begin<Local>("", offset{0}, std::declval<Out&>()));
    template <class KeysOut, class Out>
    using ends_of = host::ends_of_runs<position_in<KeysOut>, position_in<Out>>;
    template <class T, class Op>
    using known_type = decltype(known::operator_or_self<T>(std::declval<Op>()));

public:
    using local_policy = Local; ///< by which this rank works on its own part

    by_key_on_ranks(rank_call<Communicator>& call, Local const& local) : call_(call), local_(local) {}

    /// Writes the first key and the combined values of each run that begins on this rank, and their number.
    template <class Keys, class Extent, class Values, class Pred, class KeysOut, class Out, class Runs, class Op>
    ends_of<KeysOut, Out> reduce_by_key(Keys first, Extent end, Values first_value, Pred is_same, KeysOut& keys_out,
                                        Out& out, Runs& number, Op op) const
    {
        using T = typename accumulator_of<Values>::type;
        if constexpr (gives_all() &&
                      engine::can_find_runs_on_ranks<Local, Keys, Extent, Pred, position_in<KeysOut>>() &&
                      tilewise::can_reduce<Local, T, Op, Values, Extent>() &&
                      tilewise::can_write<Local, T, position_in<Out>>() && engine::can_send<T>() &&
                      engine::has_parts<Local, T, known_type<T, Op>>())
            return engine::with_keys_and_values<T>(
                std::move(first), end, std::move(first_value), [&](auto keys, auto values, offset count) {
                    auto const what =
                        engine::agree_on_runs<value_of<Keys>, Pred>(engine::description_of<Geometry, T, Op>(), count);
                    auto ends = reduce_runs<T>(what, keys, values, is_same, keys_out, out,
                                               known::operator_or_self<T>(std::move(op)));
                    engine::write_number(call_.algorithm(), local_, number, ends.count);
                    call_.finish();
                    return ends;
                });
        else
            std::abort();
    }

    /// Writes the first key and the number of keys of each run that begins on this rank, and their number.
    template <class Keys, class Extent, class Pred, class KeysOut, class Out, class Runs>
    ends_of<KeysOut, Out> count_by_key(Keys first, Extent end, Pred is_same, KeysOut& keys_out, Out& out,
                                       Runs& number) const
    {
        if constexpr (gives_all() &&
                      engine::can_find_runs_on_ranks<Local, Keys, Extent, Pred, position_in<KeysOut>>() &&
                      tilewise::can_write<Local, offset, position_in<Out>>())
            return engine::with_keys_and_values<int>(
                std::move(first), end, host::no_values(), [&](auto keys, auto, offset count) {
                    runs_on_ranks runs(call_.ranks());
                    runs.find(call_, local_, engine::agree_on_runs<value_of<Keys>, Pred>("", count), keys, is_same);
                    keys_of_rank const& own = runs[call_.rank()];
                    offset const begin = own.begin_whole();
                    auto const whole_keys = tilewise::advanced(keys, begin);
                    auto to = outputs_of(own, whole_keys, is_same, keys_out, out);
                    auto ends = engine::count_whole_runs(call_.algorithm(), local_, whole_keys, own.end_whole() - begin,
                                                         is_same, std::move(to.first), std::move(to.second));
                    if (own.begins_long_run())
                        engine::append_run(call_.algorithm(), local_, ends, key_at(keys, count - own.in_last_run),
                                           runs[runs.last_rank_of_run(call_.rank())].end_of_first_run());
                    engine::write_number(call_.algorithm(), local_, number, ends.count);
                    call_.finish();
                    return ends;
                });
        else
            std::abort();
    }

    /// Scans the values of each run after rank 0's `init`, if there is one, and writes the results for this rank's
    /// elements.
    template <scan_form form, class T, class Keys, class Extent, class Values, class Pred, class Out, class Op>
    Out scan_by_key(Keys first, Extent end, Values first_value, Pred is_same, Out out, std::optional<T> const& init,
                    Op op) const
    {
        if constexpr (gives_all() && engine::can_find_runs_on_ranks<Local, Keys, Extent, Pred, discard_iterator>() &&
                      tilewise::can_reduce<Local, T, Op, Values, Extent>() && tilewise::can_write<Local, T, Out>() &&
                      engine::can_send<T>() && engine::has_parts<Local, T, known_type<T, Op>>())
            return engine::with_keys_and_values<T>(
                std::move(first), end, std::move(first_value), [&](auto keys, auto values, offset count) {
                    auto const what =
                        engine::agree_on_runs<value_of<Keys>, Pred>(engine::description_of<Geometry, T, Op>(), count);
                    Out const last = scan_runs<form, T>(what, keys, values, is_same, std::move(out), init,
                                                        known::operator_or_self<T>(std::move(op)));
                    call_.finish();
                    return last;
                });
        else
            std::abort();
    }

protected:
    /// Whether each rank gets all that it asks for. If not, one sentence says why.
    static constexpr bool gives_all()
    {
        static_assert(!scatters_counts, "tilewise: scattered() is for histogram and histogram_add; other algorithms "
                                        "have no results to scatter, or give each rank all of them");
        return !scatters_counts;
    }

    rank_call<Communicator>& call_;
    Local local_;

private:
    /// Returns one of this rank's keys.
    template <class Keys>
    value_of<Keys> key_at(Keys const& keys, offset i) const
    {
        return engine::element_on_rank(call_.algorithm(), local_, keys, Keys(tilewise::advanced(keys, i)));
    }

    /// Returns the positions where this rank writes its keys and results, of which there may be too few.
    template <class Keys, class Pred, class KeysOut, class Out>
    std::pair<position_in<KeysOut>, position_in<Out>> outputs_of(keys_of_rank const& own, Keys const& whole_keys,
                                                                 Pred const& is_same, KeysOut& keys_out, Out& out) const
    {
        offset const whole = own.end_whole() - own.begin_whole();
        offset results = offset{own.begins_long_run()};
        if constexpr (output_range<KeysOut&> || output_range<Out&>)
            results += engine::count_runs(local_, whole_keys, whole, is_same);
        char const* const algorithm = call_.algorithm();
        std::pair<position_in<KeysOut>, position_in<Out>> to(
            tilewise::output_begin<Local>(algorithm, results, keys_out),
            tilewise::output_begin<Local>(algorithm, results, out));
        tilewise::check_output(algorithm, whole_keys, whole + own.begins_long_run(), to.first);
        tilewise::check_output(algorithm, whole_keys, whole + own.begins_long_run(), to.second);
        return to;
    }

    template <class T, class Keys, class Values, class Pred, class KeysOut, class Out, class Op>
    ends_of<KeysOut, Out> reduce_runs(agreement const& what, Keys const& keys, Values const& values,
                                      Pred const& is_same, KeysOut& keys_out, Out& out, Op const& op) const
    {
        using order = order_on_ranks<T, Geometry>;
        using joined = engine::joined<order, combined<T>>;
        runs_on_ranks runs(call_.ranks());
        runs.find(call_, local_, what, keys, is_same);
        call_.template expect<T>([&](int rank) { return runs[rank].template values_to_reduce<order>(); });

        keys_of_rank const& own = runs[call_.rank()];
        offset const begin = own.begin_whole(), in_last_run = own.in_last_run;
        auto to = outputs_of(own, Keys(tilewise::advanced(keys, begin)), is_same, keys_out, out);
        auto host_op = engine::part_operator<T>(op);
        if constexpr (!is_device_policy<Local>)
            host::forget_memory<T>(values);
        packed<T> sent;
        if (own.continues) {
            joined part(own.position);
            engine::add_elements<order, T>(part, local_, values, own.in_first_run, own.ends_first_run(), op, host_op);
            part.for_each([&](combined<T> const& value) { sent.push_back(engine::plain(value)); });
        }
        auto ends = engine::reduce_whole_runs<Geometry, T>(
            call_.algorithm(), local_, Keys(tilewise::advanced(keys, begin)), own.end_whole() - begin,
            Values(tilewise::advanced(values, begin)), is_same, std::move(to.first), std::move(to.second), op);
        joined run(0); // which begins here, and ends on another rank
        if (own.begins_long_run())
            engine::add_elements<order, T>(run, local_, Values(tilewise::advanced(values, what.count - in_last_run)),
                                           in_last_run, false, op, host_op);

        auto const received = call_.gather(sent);
        if (own.begins_long_run()) {
            int const last = runs.last_rank_of_run(call_.rank());
            runs.for_each(call_.rank() + 1, last + 1, [&](int rank, keys_of_rank const& each) {
                auto next = [&, i = offset{0}]() mutable -> combined<T> {
                    return engine::to_combined(received(rank, i++));
                };
                run.part.append_part(host_op, each.end_of_first_run() - each.ends_first_run(), next);
                if (each.ends_first_run())
                    run.last.emplace(next());
            });
            host::entry<order, combined<T>> end(runs.total());
            end.move_behind(host_op, std::optional<combined<T>>(), run.part);
            T result = engine::plain(end.reduced(host_op, *run.last));
            host::make_opaque(result);
            engine::append_run(call_.algorithm(), local_, ends, key_at(keys, what.count - in_last_run),
                               std::move(result));
        }
        return ends;
    }

    template <scan_form form, class T, class Keys, class Values, class Pred, class Out, class Op>
    Out scan_runs(agreement const& what, Keys const& keys, Values const& values, Pred const& is_same, Out out,
                  std::optional<T> init, Op const& op) const
    {
        using order = order_on_ranks<T, Geometry>;
        using fragment = host::fragment<order, combined<T>>;
        runs_on_ranks runs(call_.ranks());
        runs.find(call_, local_, what, keys, is_same);
        call_.template expect<T>(
            [&](int rank) { return offset{init && rank == 0} + runs[rank].template values_to_scan<order>(); });

        keys_of_rank const& own = runs[call_.rank()];
        auto host_op = engine::part_operator<T>(op);
        if constexpr (!is_device_policy<Local>)
            host::forget_memory<T>(values);
        using first_part = part_scan<Geometry, form, T, Local, Values, Out, Op>;
        std::optional<first_part> first_run; // if that begins on another rank
        if (own.continues)
            first_run.emplace(local_, values, out, own.position, own.in_first_run, op);
        packed<T> sent;
        if (init && call_.rank() == 0)
            sent.push_back(*init);
        auto const send = [&](fragment const& part) {
            for (combined<T> const& value : part.aggregates())
                sent.push_back(engine::plain(value));
        };
        bool const passes_on = own.continues && !own.ends_first_run();
        if (passes_on)
            send(first_run->reduce(host_op));
        else if (own.continues && first_part::scans_after_reduction)
            first_run->reduce(host_op);
        if (own.is_continued && !passes_on) {
            engine::joined<order, combined<T>> part(0);
            engine::add_elements<order, T>(part, local_,
                                           Values(tilewise::advanced(values, what.count - own.in_last_run)),
                                           own.in_last_run, false, op, host_op);
            send(part.part);
        }

        auto const received = call_.gather(sent);
        std::optional<combined<T>> first;
        if (init) {
            init.emplace(received(0, 0));
            host::make_opaque(*init);
            first.emplace(engine::to_combined(*init));
        }
        Out rest = [&] {
            if (!own.continues)
                return std::move(out);
            fragment before(0);
            runs.for_each(own.begins_on, call_.rank(), [&](int rank, keys_of_rank const& each) {
                before.append_part(host_op, each.end_of_last_run(),
                                   [&, i = offset{init && rank == 0}]() mutable -> combined<T> {
                                       return engine::to_combined(received(rank, i++));
                                   });
            });
            host::entry<order, combined<T>> entry(runs.total());
            entry.move_behind(host_op, first, before);
            Out behind = first_run->scan(std::move(entry), host_op);
            first_run->wait();
            return behind;
        }();
        offset const begin = own.begin_whole();
        return engine::scan_whole_runs<Geometry, form, T>(
            call_.algorithm(), local_, Keys(tilewise::advanced(keys, begin)), what.count - begin,
            Values(tilewise::advanced(values, begin)), is_same, std::move(rest), init, op);
    }
};

} // namespace engine
TILEWISE_NAMESPACE_END
