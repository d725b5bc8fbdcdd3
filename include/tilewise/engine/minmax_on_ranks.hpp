// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Smallest and largest elements over ranks: the best of what each rank finds in its own part.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/position.hpp>
#include <tilewise/engine/minmax.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <iterator>
#include <optional>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

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

/// The position of what is best of all ranks, of which this one has the elements from `first` on up to `end`. `Answer`
/// is one position, or the two that `extremes` has.
template <template <class> class Answer, class Communicator, class Local, class It, class Extent, class Better>
auto best_position_on_ranks(rank_call<Communicator>& call, Local local, partition const& at, It first,
                            Extent const& end, Better better)
{
    using T = value_of<It>;
    constexpr offset answers = std::same_as<Answer<It>, It> ? 1 : 2;
    std::vector<offset> candidates;
    for (int r = 0; r < at.ranks(); ++r)
        candidates.push_back(at.count(r) > 0 ? answers : 0);
    call.template expect<candidate<T>>(candidates);

    packed<candidate<T>> own;
    auto const add = [&](It const& found) {
        own.push_back({static_cast<T>(*found), static_cast<offset>(std::distance(first, found))});
    };
    if (at.count(call.rank()) > 0) {
        auto const found = engine::best_position<Answer>(local, first, end, better);
        if constexpr (answers == 1) {
            add(found);
        } else {
            add(found.smallest);
            add(found.largest);
        }
    }

    auto const all = call.gather(own);
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

} // namespace engine
TILEWISE_NAMESPACE_END
