// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs of equal keys that span ranks: which parts of them lie on which rank.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/runs_of_rank.hpp>
#include <tilewise/host/elements.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The first and the last key of a rank, and how many of its keys are in the runs of these.
template <class Key>
struct keys_at_ends {
    Key first, last;
    offset in_first_run, in_last_run;
};

/// The keys of a rank, of which the first may continue a run of the ranks before it, and the last be continued.
struct keys_of_rank {
    offset count = 0;          ///< of all its keys
    offset in_first_run = 0;   ///< how many of its keys are in the run of the first
    offset in_last_run = 0;    ///< and of the last
    offset position = 0;       ///< the number of keys of the first run on the ranks before
    int begins_on = 0;         ///< the rank that has the first key of the first run
    bool continues = false;    ///< whether the first run begins on another rank
    bool is_continued = false; ///< whether the last run ends on another rank

    bool is_one_run() const { return in_first_run == count; }
    /// Whether the first run ends on this rank.
    bool ends_first_run() const { return !(is_one_run() && is_continued); }
    /// Whether the last run begins on this rank and ends on another.
    bool begins_long_run() const { return is_continued && !(is_one_run() && continues); }
    /// The number of keys of the first run on the ranks before and on this one.
    offset end_of_first_run() const { return position + in_first_run; }
    /// The same of the last run.
    offset end_of_last_run() const { return (is_one_run() ? position : 0) + in_last_run; }

    /// The keys [begin_whole(), end_whole()) are those of the runs that begin and end on this rank.
    offset begin_whole() const { return continues ? in_first_run : 0; }
    offset end_whole() const { return is_continued ? std::max(begin_whole(), count - in_last_run) : count; }

    /// The values that a rank sends for a reduction to the rank where its first run begins: a fragment, and apart from
    /// it the last value of the run.
    template <class Order>
    offset values_to_reduce() const
    {
        offset const last = ends_first_run();
        return continues ? host::unit<Order>::count(position, end_of_first_run() - last) + last : 0;
    }
    /// The values that a rank sends for a scan to the ranks that continue its last run.
    template <class Order>
    offset values_to_scan() const
    {
        return is_continued ? host::unit<Order>::count(end_of_last_run() - in_last_run, end_of_last_run()) : 0;
    }
};

/// Whether every rank may apply a predicate to keys of others, with the same results: it has no state, and throws
/// nothing.
template <class Pred, class Key>
inline constexpr bool is_same_on_ranks =
    std::is_empty_v<Pred> && std::is_nothrow_invocable_r_v<bool, Pred&, Key&, Key&>;

/// What all ranks have to agree on. Values are joined, and results written, after the last gather of values.
template <class Key, class Pred>
agreement agree_on_runs(std::string const& description, offset count)
{
    return {" by keys of " + std::string(known::spelling_of<Key>) + ", " + std::to_string(sizeof(Key)) + " bytes, by " +
                std::string(known::spelling_of<Pred>) + description,
            0, count, true};
}

/// Calls `use(keys, values, count)` with keys and values that can be indexed, and read again.
template <class T, class Keys, class Extent, class Values, class Use>
auto with_keys_and_values(Keys keys, Extent const& end, Values values, Use use)
{
    if constexpr (!std::same_as<Extent, offset> || is_read_once<Keys> || is_read_once<Values>) {
        std::deque<value_of<Keys>> own_keys;
        std::deque<T> own_values;
        for (offset i = 0; !host::is_at(keys, end, i); ++i) {
            own_keys.push_back(*keys);
            ++keys;
            own_values.push_back(host::take<T>(values));
        }
        auto const count = static_cast<offset>(own_keys.size());
        return use(own_keys.begin(), own_values.begin(), count);
    } else {
        if (end < 0)
            throw std::invalid_argument("last is before first");
        return use(std::move(keys), std::move(values), end);
    }
}

/// The runs of keys over all ranks.
class runs_on_ranks {
public:
    /// Allocates what is needed for so many ranks.
    explicit runs_on_ranks(int ranks) : parts_(ranks), ranks_(static_cast<std::size_t>(ranks)) {}

    /// Has all ranks agree, and finds where runs span ranks. This rank has `what.count` keys. The predicate is applied
    /// to neighboring keys alone.
    template <class Communicator, class Local, class Keys, class Pred>
    void find(rank_call<Communicator>& call, Local const& local, agreement const& what, Keys const& keys, Pred is_same)
    {
        using key = value_of<Keys>;
        auto const received = call.template agree_and_gather<keys_at_ends<key>>(
            what, parts_, [](partition const& parts, int rank) { return offset{parts.count(rank) > 0}; },
            [&](partition const&) {
                packed<keys_at_ends<key>> own;
                if (offset const count = what.count; count > 0) {
                    auto const [in_first, in_last] = engine::lengths_of_runs_at_ends(local, keys, count, is_same);
                    auto const key_at = [&](offset i) {
                        return engine::element_on_rank(call.algorithm(), local, keys,
                                                       Keys(tilewise::advanced(keys, i)));
                    };
                    own.push_back({key_at(0), key_at(count - 1), in_first, in_last});
                }
                return own;
            });
        int previous = -1; // the rank before one that has keys
        auto const continues = [&](int r) {
            auto last = received(previous, 0).last, first = received(r, 0).first;
            return static_cast<bool>(is_same(last, first));
        };
        constexpr bool compares_all = is_same_on_ranks<Pred, key>;
        int previous_of_this = -1;
        for (int r = 0; r < call.ranks(); ++r) {
            if (r == call.rank())
                previous_of_this = previous;
            if (parts_.count(r) == 0)
                continue;
            auto const ends = received(r, 0);
            of(r).count = parts_.count(r);
            of(r).in_first_run = ends.in_first_run;
            of(r).in_last_run = ends.in_last_run;
            if constexpr (compares_all)
                of(r).continues = previous >= 0 && continues(r);
            previous = r;
        }
        if constexpr (!compares_all) { // so that all ranks are at the same gather if the predicate throws on one
            call.template expect<bool>([](int) { return 1; });
            previous = previous_of_this;
            packed<bool> own;
            own.push_back(what.count > 0 && previous >= 0 && continues(call.rank()));
            auto const all = call.gather(own);
            for (int r = 0; r < call.ranks(); ++r)
                of(r).continues = all(r, 0);
        }
        settle();
    }

    keys_of_rank const& operator[](int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    offset total() const { return parts_.total(); } ///< the number of keys of all ranks
    /// Calls `use(rank, keys)` for the ranks [first, last) that have keys.
    template <class Use>
    void for_each(int first, int last, Use use) const
    {
        for (; first < last; ++first)
            if ((*this)[first].count > 0)
                use(first, (*this)[first]);
    }
    /// Returns the rank on which the last run of a rank ends.
    int last_rank_of_run(int rank) const
    {
        while ((*this)[rank].is_continued) {
            do {
                ++rank;
            } while ((*this)[rank].count == 0);
            if ((*this)[rank].ends_first_run())
                break;
        }
        return rank;
    }

private:
    keys_of_rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    /// Derives the rest from the runs at the ends of all ranks.
    void settle()
    {
        int previous = -1;
        for (int r = 0; r < parts_.ranks(); ++r) {
            keys_of_rank& own = of(r);
            own.begins_on = r;
            if (own.continues) {
                keys_of_rank& last = of(previous);
                last.is_continued = true;
                own.position = last.end_of_last_run();
                own.begins_on = last.is_one_run() ? last.begins_on : previous;
            }
            if (own.count > 0)
                previous = r;
        }
    }

    partition parts_;
    std::vector<keys_of_rank> ranks_;
};

} // namespace engine
TILEWISE_NAMESPACE_END
