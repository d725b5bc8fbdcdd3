// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The algorithms over ranks, as a policy that runs them: what ranks have to agree on, and what they may throw.

#include <tilewise/axis/checks.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/distributed/partition.hpp>
#include <tilewise/distributed/position.hpp>
#include <tilewise/engine/by_key_on_ranks.hpp>
#include <tilewise/engine/cells_on_ranks.hpp>
#include <tilewise/engine/combine_on_ranks.hpp>
#include <tilewise/engine/histogram.hpp>
#include <tilewise/engine/histogram_on_ranks.hpp>
#include <tilewise/engine/minmax_on_ranks.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/rounds.hpp>
#include <tilewise/engine/samples.hpp>
#include <tilewise/engine/scattered_counts.hpp>
#include <tilewise/engine/segments_on_ranks.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/by_index.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether a local policy can combine values by key. If not, one sentence says why.
template <class Policy, class T, class Op>
constexpr bool has_cells()
{
    constexpr bool small = !host::is_large<T>;
    static_assert(small, "tilewise: values that ranks combine by key must have at most 1024 bytes");
    return small && engine::has_parts<Policy, T, Op>() && engine::can_write_on_ranks<Policy>();
}

/// Combining two values of type T throws nothing. What may is followed by a last gather, so that all ranks throw.
/// (Large values are in boxes, which take memory.)
template <class Op, class T>
inline constexpr bool never_throws =
    !host::is_large<T> && (known::is_operator<Op> || std::is_nothrow_invocable_v<Op&, T, T>);

/// A policy that is an engine: one rank's part in a call.
template <class Communicator, class Local, class Geometry = standard_geometry, class Tuning = standard_joining,
          bool scatters_counts = false>
class on_ranks : public by_key_on_ranks<Communicator, Local, Geometry, scatters_counts> {
    using by_key = by_key_on_ranks<Communicator, Local, Geometry, scatters_counts>;
    using by_key::call_, by_key::local_, by_key::gives_all;

public:
    using by_key::by_key;

    /// Combines rank 0's `init` and the elements of all ranks.
    template <class Input, class Extent, class T, class Op>
    T reduce(Input input, Extent end, T&& init, Op op) const
    {
        return reduce_and<false>(std::move(input), std::move(end), init, std::move(op),
                                 [](T result) { return result; });
    }

    /// The same, written through every rank's `out`.
    template <class Input, class Extent, class Out, class T, class Op>
    Out reduce_into(Input input, Extent end, Out out, T init, Op op) const
    {
        if constexpr (tilewise::can_write<Local, T, Out>() && engine::can_write_on_ranks<Local>())
            static_cast<void>(reduce_and<writes_may_throw<Local, Out, T>>(
                std::move(input), std::move(end), init, std::move(op), [&](T result) {
                    engine::write_on_ranks<false>(call_.algorithm(), local_, std::addressof(result), 1, out);
                    return result;
                }));
        return ++out;
    }

    /// Scans the elements of all ranks after rank 0's `init`; each rank writes the results for its own.
    template <scan_form form, class T, class Input, class Extent, class Out, class Op>
    Out scan(Input input, Extent end, Out out, std::optional<T> init, Op op) const
    {
        auto known = known::operator_or_self<T>(op);
        if constexpr (gives_all() && tilewise::can_reduce<Local, T, Op, Input, Extent>() &&
                      tilewise::can_write<Local, T, Out>() && engine::can_send<T>() &&
                      engine::has_parts<Local, T, decltype(known)>())
            return with_elements<T, true>(std::move(input), end, [&](auto elements, offset count) {
                constexpr bool fails_late = !never_throws<decltype(known), T> ||
                                            !contiguous_of<decltype(elements), T> || writes_may_throw<Local, Out, T>;
                agreement const what{engine::description_of<Geometry, T, Op>() + (init ? ", after init" : ""), 0, count,
                                     fails_late};
                Out const last = [&] {
                    if constexpr (known::is_exact<decltype(known), T>)
                        return engine::scan_in_any_order<form>(call_, local_, what, std::move(elements), std::move(out),
                                                               init, op, known);
                    else
                        return engine::scan_in_order<Geometry, Tuning, form>(call_, local_, what, std::move(elements),
                                                                             std::move(out), init, known);
                }();
                call_.finish();
                return last;
            });
        else
            return out;
    }

    /// Counts the samples of all ranks; every rank gets all counts.
    template <bool adds, class It, class Extent, class Axis, class Out>
    Out histogram(It first, Extent end, Axis const& axis, Out counts) const
    {
        constexpr counting how = adds ? counting::adds : counting::overwrites;
        if constexpr (engine::can_index<Local, It, decltype(tilewise::axis_view(axis))>() &&
                      engine::can_count<Local, how, Out>() && engine::can_write_on_ranks<Local>())
            return engine::histogram_on_ranks<adds, scatters_counts>(call_, local_, std::move(first), std::move(end),
                                                                     axis, std::move(counts));
        else
            return counts;
    }
    /// The number of counts for so many cells that this rank gets.
    offset results_for(offset cells) const
        requires scatters_counts
    {
        binning::check_cells(call_.algorithm(), cells);
        auto const cuts = tilewise::even_partition<std::uint64_t>(cells, call_.ranks());
        auto const own = cuts.begin() + call_.rank();
        return own[1] - own[0];
    }

    /// Combines rank 0's `init` and the values of each cell of all ranks; every rank writes all results.
    template <class T, class It, class Extent, class Values, class View, class Out, class Op>
    Out reduce_by_cell(It first, Extent end, Values values, View const& view, Out out, T init, Op op) const
    {
        auto known = known::operator_or_self<T>(std::move(op));
        if constexpr (gives_all() && engine::can_index<Local, It, View>() &&
                      tilewise::can_reduce<Local, T, Op, Values, Extent>() && tilewise::can_write<Local, T, Out>() &&
                      engine::can_send<T>() && engine::has_cells<Local, T, decltype(known)>()) {
            if (offset const cells = view.extent(); cells > 0)
                engine::check_output_memory(call_.algorithm(), local_, out);
            packed<T> own_init;
            if (call_.rank() == 0)
                own_init.push_back(init);
            call_.agree({" in " + std::to_string(view.extent()) + " cells of " + std::string(known::spelling_of<View>) +
                             engine::description_of<Geometry, T, Op>(),
                         engine::hash_of_bins(view), engine::count_if_indexed(end),
                         engine::writes_may_throw<Local, Out, T>});
            call_.template expect<T>([](int rank) { return rank == 0 ? 1 : 0; });
            if constexpr (known::is_exact<decltype(known), T>)
                out = engine::reduce_cells_in_any_order(call_, local_, std::move(first), std::move(end),
                                                        std::move(values), view, std::move(out), own_init, known);
            else
                out = engine::reduce_cells_in_order<Geometry>(call_, local_, std::move(first), end, std::move(values),
                                                              view, std::move(out), own_init, init, known);
            call_.finish();
        }
        return out;
    }

    /// The position of what is best of all ranks by a comparison; `Answer` is one position, or the two that `extremes`
    /// has.
    template <template <class> class Answer, template <class> class Better, class It, class Extent, class Less>
    Answer<rank_position> best_position(It first, Extent const& end, Less less) const
    {
        using T = value_of<It>;
        if constexpr (gives_all() && engine::has_positions<Local, It, Less>()) {
            constexpr bool fails_late = !std::is_nothrow_invocable_v<Less&, T const&, T const&>;
            agreement const what{engine::description_of<Geometry, T, Better<Less>>(), 0, tilewise::length(first, end),
                                 fails_late};
            auto const found = engine::best_position_on_ranks<Answer, Better>(call_, local_, what, first, end, less);
            call_.finish();
            return found;
        } else {
            return Answer<rank_position>(rank_position());
        }
    }

    /// Combines rank 0's `init` and each segment; every rank writes all results.
    template <class It, class Begins, class Ends, class Out, class T, class Op>
    Out segmented_reduce(It const& first, Begins const& begins, Begins const& begins_last, Ends const& ends, Out out,
                         T init, Op op) const
    {
        auto known = known::operator_or_self<T>(std::move(op));
        if constexpr (has_segments<T, decltype(known)>()) {
            auto const segments = engine::read_segments(call_.algorithm(), local_, begins, begins_last, ends);
            out = engine::segmented_reduce_on_ranks<Geometry>(call_, local_, described_segments<T, Op>(segments),
                                                              segments, first, std::move(out), init, known);
            call_.finish();
        }
        return out;
    }

    /// Scans each segment; each rank writes the results for its own elements.
    template <scan_form form, class T, class It, class Begins, class Ends, class Out, class Op>
    void segmented_scan(It const& first, Begins const& begins, Begins const& begins_last, Ends const& ends, Out& out,
                        std::optional<T> const& init, Op op) const
    {
        auto known = known::operator_or_self<T>(std::move(op));
        if constexpr (has_segments<T, decltype(known)>()) {
            auto const segments = engine::read_segments(call_.algorithm(), local_, begins, begins_last, ends);
            agreement what = described_segments<T, Op>(segments);
            what.description += init ? ", after init" : "";
            engine::segmented_scan_on_ranks<Geometry, form, T>(call_, local_, what, segments, first, out, init, known);
            call_.finish();
        }
    }

private:
    /// Whether segmented algorithms can combine values of a type under the local policy. If not, one sentence says why.
    template <class T, class Op>
    static constexpr bool has_segments()
    {
        return gives_all() && engine::can_write_on_ranks<Local>() && engine::can_send<T>() &&
               engine::has_parts<Local, T, Op>();
    }
    /// What all ranks have to agree on where there are segments.
    template <class T, class Op>
    static agreement described_segments(segments_on_ranks const& segments)
    {
        return {" of " + std::to_string(segments.count()) + " segments" + engine::description_of<Geometry, T, Op>(),
                segments.hash(), agreement::not_counted, true};
    }

    /// Calls `use(result)`, which may throw if `use_may_throw`, before ranks part, and returns what it returns.
    template <bool use_may_throw, class Input, class Extent, class T, class Op, class Use>
    T reduce_and(Input input, Extent end, T& init, Op op, Use use) const
    {
        auto known = known::operator_or_self<T>(std::move(op));
        if constexpr (gives_all() && tilewise::can_reduce<Local, T, Op, Input, Extent>() && engine::can_send<T>() &&
                      engine::has_parts<Local, T, decltype(known)>())
            return with_elements<T, false>(std::move(input), end, [&](auto elements, offset count) -> T {
                agreement const what{engine::description_of<Geometry, T, Op>(), 0, count,
                                     use_may_throw || !never_throws<decltype(known), T>};
                T result = use([&]() -> T {
                    if constexpr (known::is_exact<decltype(known), T>)
                        return engine::reduce_in_any_order(call_, local_, what, std::move(elements), init, known);
                    else
                        return engine::reduce_in_order<Geometry, Tuning>(call_, local_, what, std::move(elements), init,
                                                                         known);
                }());
                call_.finish();
                return result;
            });
        else
            return std::move(init);
    }

    /// Calls `use(elements, count)` with an input whose length is known, and that can be read again if `again`.
    template <class T, bool again, class Input, class Extent, class Use>
    static auto with_elements(Input input, Extent const& end, Use use)
    {
        constexpr bool is_indexed = std::same_as<Extent, offset>;
        if constexpr ((!is_forward_input<Input> && !is_indexed) || (again && is_read_once<Input>)) {
            std::deque<T> values;
            for (offset i = 0; !host::is_at(input, end, i); ++i)
                values.push_back(host::take<T>(input));
            return use(values.begin(), static_cast<offset>(values.size()));
        } else if constexpr (is_indexed) {
            if (end < 0)
                throw std::invalid_argument("last is before first");
            return use(std::move(input), end);
        } else {
            offset count = 0;
            for (Input at = input; !(at == end); ++at)
                ++count;
            return use(std::move(input), count);
        }
    }
};

} // namespace engine
TILEWISE_NAMESPACE_END
