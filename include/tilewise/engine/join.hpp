// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Joins the fragments of all ranks, or of those before a rank. A few ranks gather all fragments; more ranks exchange
/// them in rounds of messages. Fragments can be joined in any grouping, so the bits are the same.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/rounds.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The values of consecutive ranks: the init of rank 0, the elements as a fragment, and the last element, if a
/// reduction keeps it separate.
template <class Order, class T>
struct joined {
    std::optional<T> init;
    host::fragment<Order, T> part;
    std::optional<T> last;

    /// Creates an empty object before the element `at`.
    explicit joined(offset at) : part(at) {}
    joined(joined const&) = default;
    joined(joined&&) = default;
    ~joined() = default;
    joined& operator=(joined other) // T need not be assignable
    {
        init.reset();
        last.reset();
        part = std::move(other.part);
        set(init, std::move(other.init));
        set(last, std::move(other.last));
        return *this;
    }

    /// Appends the values of the ranks behind.
    template <class Op>
    void append(Op& op, joined const& behind)
    {
        set(init, behind.init);
        part.append_part(op, behind.part.end(),
                         [next = behind.part.aggregates().begin()]() mutable -> T { return *next++; });
        set(last, behind.last);
    }
    /// Calls `use` for all values, from left to right.
    template <class Use>
    void for_each(Use use) const
    {
        if (init)
            use(*init);
        for (T const& aggregate : part.aggregates())
            use(aggregate);
        if (last)
            use(*last);
    }

private:
    static void set(std::optional<T>& value, std::optional<T> other)
    {
        if (other)
            value.emplace(std::move(*other));
    }
};

/// The ranks whose fragments a rank needs.
enum class wanted { before, all };

/// Joins the fragments of the ranks of a call. Create it before a rank works on its part: from then on, a rank that
/// throws reports that to the others in place of its fragment.
template <class Order, class T, class Tuning, communicator Communicator>
class joining {
public:
    using value = combined<T>;
    using joined = engine::joined<Order, value>;

    /// Returns whether this number of ranks exchanges messages in rounds. (If a rank throws between two rounds, all
    /// ranks throw only if there is a gather afterwards; see rank_call.)
    static constexpr bool takes_rounds(int ranks) { return ranks > Tuning::most_ranks_per_gather; }

    /// Prepares to join the elements of `at` up to `end`. Rank 0 has an init if `has_init`. `last_rank` has a last
    /// element, unless it is negative.
    joining(rank_call<Communicator>& call, partition const& at, offset end, bool has_init, int last_rank, wanted whose)
        : call_(call), at_(at), end_(end), has_init_(has_init), last_rank_(last_rank), whose_(whose)
    {
        if (takes_rounds(at.ranks())) {
            plan();
        } else {
            std::vector<offset> values;
            for (int rank = 0; rank < at.ranks(); ++rank)
                values.push_back(count({rank, rank + 1}));
            call_.template expect<T>(std::move(values));
        }
    }

    offset begin(int rank) const { return std::min(at_.begin(rank), end_); } ///< the beginning of a rank's elements
    offset end(int rank) const { return std::min(at_.end(rank), end_); }     ///< the end of these

    /// Joins the values of this rank with those of the others.
    template <class Op>
    joined operator()(Op& op, joined own)
    {
        if (!takes_rounds(at_.ranks()))
            return gather(op, own);
        joined before(begin(call_.rank()));
        for (level const& each : levels_) {
            neighbours others = exchange(op, each, own);
            if (each.whose == wanted::all) {
                joined all = others.front;
                all.append(op, own);
                all.append(op, others.behind);
                own = std::move(all);
            }
            others.front.append(op, before);
            before = std::move(others.front);
        }
        return whose_ == wanted::all ? own : before;
    }

private:
    /// Units of ranks that exchange their values, and the rounds in which they do so.
    struct level {
        rank_units units;
        std::vector<round_of_hops> rounds;
        wanted whose;
    };
    /// The values that a unit has of the others in its level.
    struct neighbours {
        joined behind, front;
    };

    /// Returns the number of values of some ranks once they are joined.
    offset count(rank_range ranks) const
    {
        return offset{has_init_ && ranks.first == 0} +
               host::unit<Order>::count(begin(ranks.first), end(ranks.last - 1)) +
               offset{ranks.first <= last_rank_ && last_rank_ < ranks.last};
    }

    /// Appends the values of some ranks to `to`, from left to right.
    template <class Op, class Next>
    void append(Op& op, joined& to, rank_range ranks, Next next) const
    {
        if (has_init_ && ranks.first == 0)
            to.init.emplace(next());
        to.part.append_part(op, end(ranks.last - 1), next);
        if (ranks.first <= last_rank_ && last_rank_ < ranks.last)
            to.last.emplace(next());
    }

    template <class Op>
    joined gather(Op& op, joined const& own) const
    {
        packed<T> own_values;
        own.for_each([&](value const& v) { own_values.push_back(engine::plain(v)); });
        auto const received = call_.template gather<T>(own_values);
        joined result(begin(0));
        for (int rank = 0; rank < (whose_ == wanted::all ? at_.ranks() : call_.rank()); ++rank)
            append(op, result, {rank, rank + 1},
                   [&, i = offset{0}]() mutable -> value { return engine::to_combined(received(rank, i++)); });
        return result;
    }

    void plan()
    {
        int const ranks = at_.ranks(), rank = call_.rank();
        int const group_size = engine::size_of_group(ranks, call_.ranks_of_node(), Tuning::most_ranks_per_gather);
        rank_units const groups({0, ranks}, group_size, rank);
        if (group_size > 1) {
            rank_units const members(groups.ranks_of(groups.own()), 1, rank);
            levels_.push_back(
                {members, engine::hops_at_once(members.count()), groups.count() > 1 ? wanted::all : whose_});
        }
        if (groups.count() > 1)
            levels_.push_back({groups,
                               groups.count() > Tuning::most_ranks_per_gather ? engine::hops_by_doubling(groups.count())
                                                                              : engine::hops_at_once(groups.count()),
                               whose_});
        std::vector<message_round> rounds;
        for (level const& each : levels_)
            for (round_of_hops const& hops : each.rounds)
                rounds.push_back(messages(each, hops));
        call_.template expect<T>(std::move(rounds));
    }

    /// Returns the messages of this rank in a round.
    message_round messages(level const& in, round_of_hops const& hops) const
    {
        auto const values = [&](int receiver, hop const& h) {
            offset sum = 0;
            for_each_part(in, receiver, h, [&](rank_range ranks, bool) { sum += count(ranks); });
            return sum;
        };
        message_round messages;
        for (hop const& each : hops) {
            int const from = in.units.before(each.distance), to = in.units.before(-each.distance);
            messages.in.push_back({in.units.sender_in(from), values(in.units.own(), each)});
            for (int const receiver : in.units.receivers_in(to))
                messages.out.push_back({receiver, values(to, each)});
        }
        return messages;
    }

    /// Calls `use(ranks, are_behind)` for the ranks behind and in front of a unit whose values a hop brings to the
    /// unit.
    template <class Use>
    static void for_each_part(level const& in, int receiver, hop const& h, Use use)
    {
        int const first = receiver - h.first, last = receiver - h.last, units = in.units.count();
        if (first < 0 && in.whose == wanted::all)
            use(in.units.ranks_of(first + units, std::min(last, 0) + units), true);
        if (last > 0)
            use(in.units.ranks_of(std::max(first, 0), last), false);
    }

    /// Performs the rounds of a level, in which each unit starts with its own values.
    template <class Op>
    neighbours exchange(Op& op, level const& in, joined const& own)
    {
        neighbours others{joined(end(in.units.ranks_of(0, in.units.count()).last - 1)),
                          joined(begin(in.units.ranks_of(in.units.own()).first))};
        for (round_of_hops const& hops : in.rounds) {
            packed<T> own_values;
            auto const pack = [&](value const& v) { own_values.push_back(engine::plain(v)); };
            others.behind.for_each(pack);
            if (!hops.empty() && hops[0].includes_sender()) {
                joined front = others.front;
                front.append(op, own);
                front.for_each(pack);
            } else {
                others.front.for_each(pack);
            }
            auto const received = call_.template exchange_values<T>(own_values);

            std::array<std::optional<joined>, 2> more; // in front of the unit, and behind it
            int message = 0;
            for (hop const& each : hops) {
                for_each_part(in, in.units.own(), each, [&, i = offset{0}](rank_range ranks, bool behind) mutable {
                    std::optional<joined>& part = more[behind];
                    if (!part)
                        part.emplace(begin(ranks.first));
                    append(op, *part, ranks, [&]() -> value { return engine::to_combined(received(message, i++)); });
                });
                ++message;
            }
            for (bool const behind : {false, true})
                if (more[behind]) {
                    joined& held = behind ? others.behind : others.front;
                    more[behind]->append(op, held);
                    held = std::move(*more[behind]);
                }
        }
        return others;
    }

    rank_call<Communicator>& call_;
    partition const& at_;
    offset end_;
    bool has_init_;
    int last_rank_;
    wanted whose_;
    std::vector<level> levels_;
};

} // namespace engine
TILEWISE_NAMESPACE_END
