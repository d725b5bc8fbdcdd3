// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Joins the fragments of all ranks, or of those before a rank. A few ranks gather all fragments; more ranks exchange
/// them in rounds of messages. Fragments can be joined in any grouping, so the bits are the same.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/joined.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/rounds.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

#include <array>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The ranks whose fragments a rank needs.
enum class wanted { before, all };

/// Joins the fragments of the ranks of a call. Create it before ranks agree.
template <class Order, class T, class Tuning, communicator Communicator>
class joining {
public:
    using value = combined<T>;
    using joined = engine::joined<Order, value>;

    /// Returns whether this number of ranks exchanges messages in rounds. (If a rank throws between two rounds, all
    /// ranks throw only if there is a gather afterwards; see rank_call.)
    static constexpr bool takes_rounds(int ranks) { return ranks > Tuning::most_ranks_per_gather; }

    /// Prepares to join. Rank 0 has an init if `has_init`. If all ranks are wanted, the last element stays apart. If
    /// those before a rank are, the elements of the last rank are not needed.
    joining(rank_call<Communicator>& call, bool has_init, wanted whose)
        : call_(call), at_(call.ranks()), has_init_(has_init), whose_(whose)
    {
        if (takes_rounds(call.ranks()))
            plan();
    }

    partition const& parts() const { return at_; } ///< the parts of all ranks, or what is known of them
    /// Returns the rank that has the last element, if that stays apart, and -1 otherwise.
    int last_rank() const { return whose_ == wanted::all ? at_.last_rank() : -1; }
    offset begin(int rank) const { return std::min(at_.begin(rank), end()); } ///< the beginning of a rank's elements
    offset end(int rank) const { return std::min(at_.end(rank), end()); }     ///< the end of these

    /// Has all ranks agree, and joins the values of this rank, which `work()` returns, with those of the others. While
    /// `work` is called, a rank that throws reports that to the others instead of its values. What it allocates is
    /// reported, too, so it should allocate what is needed later. The result lasts as long as this object.
    template <class Op, class Work>
    joined const& operator()(agreement const& what, Op& op, Work work)
    {
        if (!takes_rounds(call_.ranks())) {
            auto const received = call_.template agree_and_gather<T>(
                what, at_, [&](partition const&, int rank) { return count({rank, rank + 1}); },
                [&](partition const&) {
                    packed<T> own_values;
                    work().for_each([&](value const& v) { own_values.push_back(engine::plain(v)); });
                    before_.reserve(most_values());
                    return own_values;
                });
            return join(op, received);
        }
        at_ = call_.agree(what);
        expect_rounds();
        call_.allocate_rounds();
        for (joined* each : {&own_, &before_, &behind_, &front_, &scratch_})
            each->reserve(most_values());
        for (joined& each : more_)
            each.reserve(most_values());
        own_values_.reserve(2 * most_values());
        own_.assign(work());
        before_.clear(begin(call_.rank()));
        for (level const& each : levels_) {
            exchange(op, each);
            if (each.whose == wanted::all) {
                scratch_.assign(front_);
                scratch_.append(op, own_);
                scratch_.append(op, behind_);
                own_.assign(scratch_);
            }
            front_.append(op, before_);
            before_.assign(front_);
        }
        return whose_ == wanted::all ? own_ : before_;
    }

private:
    /// Units of ranks that exchange their values, and the rounds in which they do so.
    struct level {
        rank_units units;
        std::vector<round_of_hops> rounds;
        wanted whose;
    };

    /// The end of the elements that are joined.
    offset end() const
    {
        int const last = at_.last_rank();
        return last < 0 ? 0 : whose_ == wanted::all ? at_.total() - 1 : at_.begin(last);
    }
    /// The most values that can stand for any part, while one more is appended.
    offset most_values() const { return host::unit<Order>::most(at_.total()) + 3; }

    /// Returns the number of values of some ranks once they are joined.
    offset count(rank_range ranks) const
    {
        int const last = last_rank();
        return offset{has_init_ && ranks.first == 0} +
               host::unit<Order>::count(begin(ranks.first), end(ranks.last - 1)) +
               offset{ranks.first <= last && last < ranks.last};
    }

    /// Appends the values of some ranks to `to`, from left to right.
    template <class Op, class Next>
    void append(Op& op, joined& to, rank_range ranks, Next next) const
    {
        if (has_init_ && ranks.first == 0)
            to.init.emplace(next());
        to.part.append_part(op, end(ranks.last - 1), next);
        if (int const last = last_rank(); ranks.first <= last && last < ranks.last)
            to.last.emplace(next());
    }

    /// Joins the values of all ranks, or of those before this one.
    template <class Op>
    joined const& join(Op& op, gathered<T> const& received)
    {
        before_.clear(begin(0));
        for (int rank = 0; rank < (whose_ == wanted::all ? at_.ranks() : call_.rank()); ++rank)
            append(op, before_, {rank, rank + 1},
                   [&, i = offset{0}]() mutable -> value { return engine::to_combined(received(rank, i++)); });
        return before_;
    }

    /// Plans the rounds, and between which ranks there are messages. Their sizes follow when the parts are known.
    void plan()
    {
        int const ranks = call_.ranks(), rank = call_.rank();
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
        for (level const& each : levels_)
            for (round_of_hops const& hops : each.rounds) {
                message_round messages;
                for (hop const& h : hops) {
                    messages.in.push_back({each.units.sender_in(each.units.before(h.distance)), 0});
                    for (int const receiver : each.units.receivers_in(each.units.before(-h.distance)))
                        messages.out.push_back({receiver, 0});
                }
                rounds_.push_back(std::move(messages));
            }
    }

    /// Says how large the messages of the rounds are. Allocates nothing.
    void expect_rounds()
    {
        auto round = rounds_.begin();
        for (level const& each : levels_)
            for (round_of_hops const& hops : each.rounds) {
                auto in = round->in.begin(), out = round->out.begin();
                for (hop const& h : hops) {
                    int const to = each.units.before(-h.distance);
                    (in++)->values = values(each, each.units.own(), h);
                    for (; out != round->out.end() && each.units.unit_of(out->rank) == to; ++out)
                        out->values = values(each, to, h);
                }
                ++round;
            }
        call_.template expect<T>(std::move(rounds_));
    }
    /// Returns the number of values that a hop brings to a unit.
    offset values(level const& in, int receiver, hop const& h) const
    {
        offset sum = 0;
        for_each_part(in, receiver, h, [&](rank_range ranks, bool) { sum += count(ranks); });
        return sum;
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

    /// Performs the rounds of a level, in which each unit starts with its own values, and has those of the units
    /// behind and in front of it at the end.
    template <class Op>
    void exchange(Op& op, level const& in)
    {
        behind_.clear(end(in.units.ranks_of(0, in.units.count()).last - 1));
        front_.clear(begin(in.units.ranks_of(in.units.own()).first));
        for (round_of_hops const& hops : in.rounds) {
            own_values_.clear();
            auto const pack = [&](value const& v) { own_values_.push_back(engine::plain(v)); };
            behind_.for_each(pack);
            scratch_.assign(front_);
            if (!hops.empty() && hops[0].includes_sender())
                scratch_.append(op, own_);
            scratch_.for_each(pack);
            auto const received = call_.exchange_values(own_values_);

            std::array<bool, 2> has_more{}; // in front of the unit, and behind it
            int message = 0;
            for (hop const& each : hops) {
                for_each_part(in, in.units.own(), each, [&, i = offset{0}](rank_range ranks, bool behind) mutable {
                    if (!std::exchange(has_more[behind], true))
                        more_[behind].clear(begin(ranks.first));
                    append(op, more_[behind], ranks,
                           [&]() -> value { return engine::to_combined(received(message, i++)); });
                });
                ++message;
            }
            for (bool const behind : {false, true})
                if (has_more[behind]) {
                    joined& held = behind ? behind_ : front_;
                    more_[behind].append(op, held);
                    held.assign(more_[behind]);
                }
        }
    }

    rank_call<Communicator>& call_;
    partition at_;
    bool has_init_;
    wanted whose_;
    std::vector<level> levels_;
    std::vector<message_round> rounds_;
    packed<T> own_values_;
    // Of this rank's group, of the ranks before it, of the units of a level behind and in front of the rank's own.
    joined own_{0}, before_{0}, behind_{0}, front_{0}, scratch_{0};
    std::array<joined, 2> more_{joined(0), joined(0)};
};

} // namespace engine
TILEWISE_NAMESPACE_END
