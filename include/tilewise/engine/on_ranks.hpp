// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The algorithms over ranks. Each rank works on its own part by the engine of a local policy; what ranks exchange is
/// the fragments of their parts, which every rank joins in the same way.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/distributed/position.hpp>
#include <tilewise/engine/cells_on_ranks.hpp>
#include <tilewise/engine/histogram.hpp>
#include <tilewise/engine/join.hpp>
#include <tilewise/engine/minmax.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/engine/rounds.hpp>
#include <tilewise/engine/samples.hpp>
#include <tilewise/engine/scan.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/by_index.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether values of a type can travel between ranks. If not, one sentence says why.
template <class T>
constexpr bool can_travel()
{
    constexpr bool copies = std::is_trivially_copyable_v<T>;
    static_assert(copies, "tilewise: ranks exchange values of the accumulator's type, which is init's, so it must be "
                          "trivially copyable");
    return copies;
}

/// Whether a local policy can work on a part of a range at its position in the whole. If not, one sentence says why.
template <class Policy, class T, class Op>
constexpr bool has_parts()
{
    constexpr bool parts = !is_device_policy<Policy> || known::is_exact<Op, T>;
    static_assert(parts, "tilewise: distributed(communicator, device) combines integers under the operators that the "
                         "library knows by name, and nothing else yet; use tilewise::par");
    return parts;
}

/// Whether a local policy can combine values by key. If not, one sentence says why.
template <class Policy, class T>
constexpr bool has_cells()
{
    constexpr bool on_host = !is_device_policy<Policy>, small = !host::is_large<T>;
    static_assert(on_host,
                  "tilewise: distributed(communicator, device) combines nothing by key yet; use tilewise::par");
    static_assert(small, "tilewise: values that ranks combine by key have at most 1024 bytes");
    return on_host && small;
}

/// What a rank has found: the element and its index in the rank's part.
template <class T>
struct candidate {
    T value;
    offset index;
};

/// A position that can be read on every rank.
template <class T>
struct candidate_position {
    T value;
    rank_position position;
    T const& operator*() const { return value; }
};

/// A policy that is an engine: one rank's part in a call.
template <class Communicator, class Local, class Geometry = standard_geometry, class Tuning = standard_joining>
class on_ranks {
public:
    using local_policy = Local; ///< by which this rank works on its own part

    on_ranks(rank_call<Communicator>& call, Local const& local) : call_(call), local_(local) {}

    /// Combines rank 0's `init` and the elements of all ranks.
    template <class Input, class Extent, class T, class Op>
    T reduce(Input input, Extent end, T&& init, Op op) const
    {
        auto known = known::operator_or_self<T>(std::move(op));
        if constexpr (tilewise::can_reduce<Local, T, Op, Input, Extent>() && engine::can_travel<T>() &&
                      engine::has_parts<Local, T, decltype(known)>())
            return with_elements<T, false>(std::move(input), end, [&](auto elements, offset count) -> T {
                constexpr bool is_exact = known::is_exact<decltype(known), T>;
                bool const fails_late =
                    !is_exact && !known::is_operator<decltype(known)> && Tuning::most_packets < call_.ranks();
                partition const at = call_.agree(described<T, Op>(), 0, count, fails_late);
                if constexpr (is_exact)
                    return reduce_in_any_order(at, std::move(elements), init, known);
                else
                    return reduce_in_order(at, host_input<T>(std::move(elements), count), init, operator_on<T>(known));
            });
        else
            return std::move(init);
    }

    /// Scans the elements of all ranks after rank 0's `init`; each rank writes the results for its own.
    template <scan_form form, class T, class Input, class Extent, class Out, class Op>
    Out scan(Input input, Extent end, Out out, std::optional<T> init, Op op) const
    {
        auto known = known::operator_or_self<T>(op);
        if constexpr (tilewise::can_reduce<Local, T, Op, Input, Extent>() && tilewise::can_write<Local, T, Out>() &&
                      engine::can_travel<T>() && engine::has_parts<Local, T, decltype(known)>())
            return with_elements<T, true>(std::move(input), end, [&](auto elements, offset count) {
                constexpr bool never_throws = known::is_operator<decltype(known)> &&
                                              contiguous_of<decltype(elements), T> && contiguous_of<Out, T>;
                partition const at =
                    call_.agree(described<T, Op>() + (init ? ", after init" : ""), 0, count, !never_throws);
                Out const last = [&] {
                    if constexpr (known::is_exact<decltype(known), T>)
                        return scan_in_any_order<form>(at, std::move(elements), std::move(out), init, op, known);
                    else
                        return scan_in_order<form>(at, host_input<T>(std::move(elements), count), std::move(out), init,
                                                   operator_on<T>(known));
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
        static_assert(!is_device_policy<Local>, "tilewise: there is no distributed histogram under device yet; use "
                                                "tilewise::par");
        auto const cells = static_cast<std::size_t>(axis.extent());
        call_.agree(" in " + std::to_string(cells) + " cells of " + std::string(known::spelling_of<Axis>),
                    engine::hash_of_edges(axis), 0, !std::is_pointer_v<Out>);
        call_.expect_sum(cells);
        std::vector<std::uint64_t> all(cells);
        engine::histogram<counting::overwrites>(local_, std::move(first), std::move(end), axis, all.data());
        call_.add_up(all);
        for (std::uint64_t const count : all) {
            if constexpr (adds)
                tilewise::store(counts, static_cast<std::uint64_t>(*counts) + count);
            else
                tilewise::store(counts, count);
            ++counts;
        }
        call_.finish();
        return counts;
    }

    /// Combines rank 0's `init` and the values of each cell of all ranks; every rank writes all results.
    template <class T, class It, class Extent, class Values, class View, class Out, class Op>
    Out reduce_by_cell(It first, Extent end, Values values, View const& view, Out out, T init, Op op) const
    {
        auto known = known::operator_or_self<T>(std::move(op));
        if constexpr (engine::can_index<Local, It, View>() && tilewise::can_reduce<Local, T, Op, Values, Extent>() &&
                      tilewise::can_write<Local, T, Out>() && engine::can_travel<T>() &&
                      engine::has_cells<Local, T>()) {
            offset const cells = view.extent();
            call_.agree(" in " + std::to_string(cells) + " cells of " + std::string(known::spelling_of<View>) +
                            described<T, Op>(),
                        engine::hash_of_edges(view), 0, !contiguous_of<Out, T>);
            std::vector<offset> inits(static_cast<std::size_t>(call_.ranks()), 0);
            inits[0] = 1;
            call_.template expect<T>(std::move(inits));
            packed<T> own_init;
            if (call_.rank() == 0)
                own_init.push_back(init);
            auto const input = tilewise::unwrap_input(std::move(first), end);
            auto const own_values = tilewise::unwrap_input(std::move(values), end);
            if constexpr (known::is_exact<decltype(known), T>) {
                std::vector<T> table(static_cast<std::size_t>(cells));
                host::reduce_by_cell<Geometry>(local_, input, end, own_values, view, table.data(),
                                               T(decltype(known)::template identity<T>), known);
                init = call_.gather(own_init)(0, 0);
                call_.combine(table, known);
                out = host::write_results<T>(std::move(out), cells, [&, cell = table.begin()]() mutable {
                    return static_cast<T>(known(init, *cell++));
                });
            } else {
                host::with_numbers<T>(
                    std::same_as<Local, parallel_policy>, input, end, own_values, view,
                    [&](int const* numbers, auto const& numbered, offset count) {
                        auto by_cell = host::sort_by_bucket<T>(std::same_as<Local, parallel_policy>, numbers, numbered,
                                                               count, cells, 0);
                        std::vector<offset> counts;
                        for (offset cell = 0; cell < cells; ++cell)
                            counts.push_back(by_cell.places.at(cell).count);
                        cells_on_ranks<order_of<T>, T, rank_call<Communicator>> all(call_, cells);
                        init = call_.gather(own_init)(0, 0);
                        all.place(std::move(counts));
                        T const* const sorted = by_cell.values.input();
                        all.send(local_, [&](offset cell) { return sorted + by_cell.places.at(cell).begin; }, known);
                        auto const results = all.combine(init, known);
                        owned_cells const owned(cells, call_.ranks());
                        for (int r = 0; r < call_.ranks(); ++r)
                            out = host::write_results<T>(std::move(out), owned.count(r),
                                                         [&, i = offset{0}]() mutable { return results(r, i++); });
                    });
            }
            call_.finish();
        }
        return out;
    }

    /// The position of what is best of all ranks; `Answer` is one position, or the two that `extremes` has.
    template <template <class> class Answer, class It, class Extent, class Better>
    auto best_position(It first, Extent const& end, Better better) const
    {
        using T = value_of<It>;
        static_assert(!is_device_policy<Local>, "tilewise: there is no distributed min_element, max_element and "
                                                "minmax_element under device yet; use tilewise::par");
        static_assert(engine::can_travel<T>());
        offset const count = tilewise::length(first, end);
        partition const at = call_.agree(described<T, Better>(), 0, count, false);
        constexpr offset answers = std::same_as<Answer<It>, It> ? 1 : 2;
        std::vector<offset> candidates;
        for (int r = 0; r < at.ranks(); ++r)
            candidates.push_back(at.count(r) > 0 ? answers : 0);
        call_.template expect<candidate<T>>(candidates);

        packed<candidate<T>> own;
        auto const add = [&](It const& found) {
            own.push_back({static_cast<T>(*found), static_cast<offset>(std::distance(first, found))});
        };
        if (count > 0) {
            auto const found = engine::best_position<Answer>(local_, first, end, better);
            if constexpr (answers == 1) {
                add(found);
            } else {
                add(found.smallest);
                add(found.largest);
            }
        }

        auto const all = call_.gather(own);
        std::optional<Answer<candidate_position<T>>> best;
        for (int r = 0; r < at.ranks(); ++r) {
            if (at.count(r) == 0)
                continue;
            auto const position = [&](offset i) {
                candidate<T> const one = all(r, i);
                return candidate_position<T>{one.value, {r, one.index, at.begin(r) + one.index}};
            };
            std::optional<Answer<candidate_position<T>>> of_rank;
            if constexpr (answers == 1)
                of_rank.emplace(position(0));
            else
                of_rank.emplace(position(0), position(1));
            best.emplace(best ? better(*best, *of_rank) : *of_rank);
        }
        if constexpr (answers == 1)
            return best ? best->position : rank_position();
        else
            return best ? extremes(best->smallest.position, best->largest.position) : extremes(rank_position());
    }

private:
    template <class T>
    using order_of =
        std::conditional_t<host::is_large<T>, order<combined<T>, host::order_of_lanes<Geometry>>, order<T, Geometry>>;

    /// What all ranks have to agree on: types and the order.
    template <class T, class Op>
    static std::string described()
    {
        return " of " + std::string(known::spelling_of<T>) + ", " + std::to_string(sizeof(T)) + " bytes, with " +
               std::string(known::spelling_of<Op>) + ", order " + std::to_string(order_version) + ", tiles of " +
               std::to_string(order<T, Geometry>::tile);
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

    /// An input as the engines of the host read it.
    template <class T, class Input>
    static auto host_input(Input input, offset count)
    {
        auto elements = tilewise::unwrap_input(std::move(input), count);
        if constexpr (host::is_large<T>)
            return host::boxed_input<T, decltype(elements)>(std::move(elements));
        else
            return elements;
    }
    template <class T, class Op>
    static auto operator_on(Op op)
    {
        if constexpr (host::is_large<T>)
            return host::boxed_op<T, Op>{std::move(op)};
        else
            return op;
    }

    template <class T, class Elements, class Op>
    T reduce_in_order(partition const& at, Elements elements, T const& init, Op op) const
    {
        using order = order_of<T>;
        offset const total = at.total();
        int const rank = call_.rank(), last_rank = total > 0 ? at.last_rank() : -1;
        offset const end = std::max(total - 1, offset{0}); // the last element stays apart
        joining<order, T, Tuning, Communicator> join(call_, at, end, true, last_rank, wanted::all);

        joined<order, combined<T>> own(join.begin(rank));
        if (rank == 0)
            own.init.emplace(engine::to_combined(init));
        if (at.count(rank) > 0) {
            host::totals<combined<T>> tiles;
            own.part =
                host::fragment_of<order, combined<T>>(local_, elements, join.begin(rank), join.end(rank), op, tiles);
            if (rank == last_rank) {
                step_over(elements, at.count(rank) - 1);
                own.last.emplace(host::take<combined<T>>(elements));
            }
        }

        auto const all = join(op, std::move(own));
        T result = [&]() -> T {
            if (total == 0)
                return engine::plain(*all.init);
            return engine::plain(host::entry<order, combined<T>>(op, all.init, all.part).reduced(op, *all.last));
        }();
        host::make_opaque(result);
        call_.finish();
        return result;
    }

    template <scan_form form, class T, class Elements, class Out, class Op>
    Out scan_in_order(partition const& at, Elements elements, Out out, std::optional<T> const& init, Op op) const
    {
        using order = order_of<T>;
        int const rank = call_.rank(), last_rank = at.total() > 0 ? at.last_rank() : 0;
        // nobody needs the elements of the last
        joining<order, T, Tuning, Communicator> join(call_, at, at.begin(last_rank), init.has_value(), -1,
                                                     wanted::before);

        joined<order, combined<T>> own(join.begin(rank));
        if (rank == 0 && init)
            own.init.emplace(engine::to_combined(*init));
        host::totals<combined<T>> tiles;
        constexpr bool scans_in_turn = std::same_as<Local, sequenced_policy>;
        if (at.count(rank) > 0 && !(scans_in_turn && rank == last_rank)) {
            auto part =
                host::fragment_of<order, combined<T>>(local_, elements, at.begin(rank), at.end(rank), op, tiles);
            if (rank < last_rank)
                own.part = std::move(part);
        }
        std::optional<combined<T>> const own_init = own.init;

        auto const before = join(op, std::move(own));
        if (at.count(rank) == 0)
            return out;
        host::entry<order, combined<T>> const first(op, rank == 0 ? own_init : before.init, before.part);
        return host::scan_part<order, form>(first, std::move(elements), at.count(rank), std::move(out), op, tiles);
    }

    /// Where every order gives the same bits, one value of each rank is enough.
    template <class T, class Elements, class Known>
    T reduce_in_any_order(partition const& at, Elements elements, T init, Known op) const
    {
        std::vector<offset> values(static_cast<std::size_t>(at.ranks()), 1);
        call_.template expect<T>(values);
        T own = call_.rank() == 0 ? init : Known::template identity<T>;
        packed<T> packet;
        packet.push_back(engine::reduce(local_, std::move(elements), at.count(call_.rank()), std::move(own), op));
        auto const all = call_.template gather<T>(packet);
        T result = all(0, 0);
        for (int r = 1; r < at.ranks(); ++r)
            result = op(result, all(r, 0));
        return result;
    }

    template <scan_form form, class T, class Elements, class Out, class Op, class Known>
    Out scan_in_any_order(partition const& at, Elements elements, Out out, std::optional<T> init, Op op,
                          Known known) const
    {
        int const rank = call_.rank();
        call_.template expect<T>(std::vector<offset>(static_cast<std::size_t>(at.ranks()), 1));
        packed<T> own;
        own.push_back(engine::reduce(local_, elements, at.count(rank),
                                     rank == 0 && init ? T(*init) : T(Known::template identity<T>), known));
        auto const all = call_.template gather<T>(own);
        if (rank > 0) {
            T before = all(0, 0);
            for (int r = 1; r < rank; ++r)
                before = known(before, all(r, 0));
            init.emplace(before);
        }
        return engine::scan<form, T>(local_, std::move(elements), at.count(rank), std::move(out), std::move(init), op);
    }

    template <class Elements>
    static void step_over(Elements& elements, offset count)
    {
        if constexpr (host::skips_elements<Elements>)
            elements = tilewise::advanced(elements, count);
        else
            for (; count > 0; --count)
                ++elements;
    }

    rank_call<Communicator>& call_;
    Local local_;
};

} // namespace engine
TILEWISE_NAMESPACE_END
