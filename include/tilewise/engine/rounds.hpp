// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Who sends what to whom where ranks are too many for one gather: first the ranks of a group among themselves, then
/// the groups.
///
/// On both levels a unit, a rank or a group, gets what the units before it have, in cyclic order: those behind it come
/// first, then those in front of it. So every rank gets a status of every other, also where it needs no values of it.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// How ranks exchange the fragments of their parts.
struct standard_joining {
    /// Up to so many ranks gather all fragments by one collective, up to its square they take two rounds of messages,
    /// in groups and between those, and beyond it rounds of doubling.
    ///
    /// By the model of scripts/distributed_cost.py, with 12 us for a round between nodes, two rounds take 31 us for 32
    /// ranks, and the gather 42; with rounds of 17 us the two are equal. Doubling is quicker than groups from 100, 900
    /// or 7000 ranks on, with rounds of 2, 5 or 12 us.
    static constexpr int most_packets = 32;
};

/// What a unit receives in a round: from the unit `distance` before it, what the units from `first` before it up to
/// `last` before it have, the latter not included.
struct hop {
    int distance, first, last;
    constexpr bool brings_senders_own() const { return distance > last; }
};

/// A round of hops, in the cyclic order of what they bring.
using round_of_hops = std::vector<hop>;

/// One round, in which every unit sends to every other.
inline std::vector<round_of_hops> hops_at_once(int units)
{
    round_of_hops round;
    for (int distance = units - 1; distance > 0; --distance)
        round.push_back({distance, distance, distance - 1});
    return {round};
}

/// ceil(log2(units)) rounds with one message each. A unit that has what the w units before it have gets as many more,
/// or one more than that: the sender adds its own.
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

/// Ranks [first, last).
struct rank_range {
    int first, last;
    constexpr int size() const { return last - first; }
};

/// Ranks in units of consecutive ones, of equal sizes but for the last, and the unit and the place in it of one rank.
class rank_units {
public:
    rank_units(rank_range ranks, int size_of_unit, int rank)
        : ranks_(ranks), size_(size_of_unit), own_((rank - ranks.first) / size_of_unit),
          place_(rank - ranks_of(own_).first)
    {}
    int count() const { return (ranks_.size() + size_ - 1) / size_; }
    int own() const { return own_; } ///< the unit of the rank
    rank_range ranks_of(int unit) const
    {
        return {ranks_.first + unit * size_, std::min(ranks_.first + (unit + 1) * size_, ranks_.last)};
    }
    /// The ranks of some consecutive units.
    rank_range ranks_of(int first, int last) const { return {ranks_of(first).first, ranks_of(last - 1).last}; }

    /// The unit `distance` before the rank's own, in cyclic order; behind it, if that is negative.
    int before(int distance) const { return (own_ - distance + count()) % count(); }

    /// The rank of another unit that sends to the rank: that in its place, or in a smaller unit another.
    int sender_in(int unit) const { return ranks_of(unit).first + place_ % ranks_of(unit).size(); }
    /// The ranks of another unit that the rank sends to.
    std::vector<int> receivers_in(int unit) const
    {
        std::vector<int> receivers;
        for (int place = place_; place < ranks_of(unit).size(); place += ranks_of(own_).size())
            receivers.push_back(ranks_of(unit).first + place);
        return receivers;
    }

private:
    rank_range ranks_;
    int size_, own_, place_;
};

/// How many consecutive ranks form a group: about as many as there are groups, in whole nodes if the communicator says
/// how many ranks share one. If those were too many: a node, or a rank.
inline int size_of_group(int ranks, int ranks_of_node, int most_packets)
{
    int const node = ranks_of_node > 0 ? std::min(ranks_of_node, most_packets) : 1;
    if (ranks > most_packets * most_packets)
        return node;
    int const ranks_of_group = static_cast<int>(std::ceil(std::sqrt(ranks)));
    return std::min((ranks_of_group + node - 1) / node * node, ranks);
}

} // namespace engine
TILEWISE_NAMESPACE_END
