// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Schedules the messages between ranks where there are too many for one gather: first the ranks of a group exchange
/// messages, then the groups.
///
/// On both levels, a unit (a rank or a group) receives the values of the units before it in cyclic order: first of the
/// higher units, which are behind it, then of the lower units, which are in front of it. So every rank receives a
/// status of every other, even if it needs no values of it.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <bit>
#include <cmath>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The parameters of the exchange of fragments between ranks.
struct standard_joining {
    /// The most ranks that gather all fragments with one collective. Up to the square of this number, ranks take two
    /// rounds of messages, within groups and between groups, and beyond it rounds of doubling.
    ///
    /// By the model of scripts/distributed_cost.py, with 12 us for a round between nodes, two rounds take 31 us for 32
    /// ranks, and the gather takes 42 us; with rounds of 17 us the two are equal. Doubling is faster than groups from
    /// 100, 900 or 7000 ranks on, with rounds of 2, 5 or 12 us.
    static constexpr int most_ranks_per_gather = 32;
};

/// A message that a unit receives in a round: from the unit `distance` before it, the values of the units from `first`
/// before it up to, but not including, `last` before it.
struct hop {
    int distance, first, last;
    constexpr bool includes_sender() const { return distance > last; }
};

/// The hops of a round, in the cyclic order of the values that they bring.
using round_of_hops = std::vector<hop>;

/// Returns one round, in which every unit sends to every other.
inline std::vector<round_of_hops> hops_at_once(int units)
{
    round_of_hops round;
    for (int distance = units - 1; distance > 0; --distance)
        round.push_back({distance, distance, distance - 1});
    return {round};
}

/// Returns ceil(log2(units)) rounds with one message each. A unit that has the values of the w units before it receives
/// those of w more, or of w + 1 if the sender adds its own.
inline std::vector<round_of_hops> hops_by_doubling(int units)
{
    std::vector<round_of_hops> rounds;
    int const others = units - 1;
    for (int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(others))); bits > 0; --bits) {
        int const next = others >> (bits - 1), window = next / 2;
        rounds.push_back({{next - window, next, window}});
    }
    return rounds;
}

/// The ranks [first, last).
struct rank_range {
    int first, last;
    constexpr int size() const { return last - first; }
};

/// Divides ranks into units of consecutive ranks, all of equal size except the last, and locates one rank in its unit.
class rank_units {
public:
    rank_units(rank_range ranks, int size_of_unit, int rank)
        : ranks_(ranks), size_(size_of_unit), own_(unit_of(rank)), member_(rank - ranks_of(own_).first)
    {}
    int count() const { return (ranks_.size() + size_ - 1) / size_; }
    int own() const { return own_; } ///< the unit of the rank
    /// Returns the unit of a rank.
    int unit_of(int rank) const { return (rank - ranks_.first) / size_; }
    rank_range ranks_of(int unit) const
    {
        return {ranks_.first + unit * size_, std::min(ranks_.first + (unit + 1) * size_, ranks_.last)};
    }
    /// Returns the ranks of the units [first, last).
    rank_range ranks_of(int first, int last) const { return {ranks_of(first).first, ranks_of(last - 1).last}; }

    /// Returns the unit `distance` before the rank's own, in cyclic order, or behind it if `distance` is negative.
    int before(int distance) const { return (own_ - distance + count()) % count(); }

    /// Returns the rank of another unit that sends to the rank: the one at the same position, wrapped around in a
    /// smaller unit.
    int sender_in(int unit) const { return ranks_of(unit).first + member_ % ranks_of(unit).size(); }
    /// Returns the ranks of another unit that the rank sends to.
    std::vector<int> receivers_in(int unit) const
    {
        std::vector<int> receivers;
        for (int member = member_; member < ranks_of(unit).size(); member += ranks_of(own_).size())
            receivers.push_back(ranks_of(unit).first + member);
        return receivers;
    }

private:
    rank_range ranks_;
    int size_, own_, member_;
};

/// Returns the number of consecutive ranks that form a group: about as many as there are groups, in whole nodes if the
/// communicator provides the number of ranks per node, and there are several nodes. If there are too many ranks for
/// that, a group is a node, or one rank.
inline int size_of_group(int ranks, int ranks_of_node, int most_ranks_per_gather)
{
    int const node = ranks_of_node > 0 && ranks_of_node < ranks ? std::min(ranks_of_node, most_ranks_per_gather) : 1;
    if (ranks > most_ranks_per_gather * most_ranks_per_gather)
        return node;
    int const ranks_of_group = static_cast<int>(std::ceil(std::sqrt(ranks)));
    return std::min((ranks_of_group + node - 1) / node * node, ranks);
}

} // namespace engine
TILEWISE_NAMESPACE_END
