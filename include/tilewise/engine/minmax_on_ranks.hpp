// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Smallest and largest elements over ranks: the best of what each rank finds in its own part.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/position.hpp>
#include <tilewise/engine/minmax.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/rank_call.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// A position that can be read on every rank.
template <class T>
struct candidate_position {
    T value;
    rank_position position;
    T const& operator*() const { return value; }
};

/// Calls a comparison from the host, so that nvcc rejects one that is for kernels only.
template <class Less, class T>
void call_on_host(Less& less, T const& value)
{
    static_cast<void>(less(value, value));
}

/// Whether a local policy can find positions, which ranks exchange with their elements. If not, one sentence says why.
template <class Policy, class It, class Less>
constexpr bool has_positions()
{
    using T = value_of<It>;
    constexpr bool copies = std::is_trivially_copyable_v<T>, readable = multi_pass<It>;
    static_assert(copies,
                  "tilewise: ranks exchange the elements that they find, so elements must be trivially copyable");
    static_assert(readable, "tilewise: min_element, max_element and minmax_element need forward iterators");
    if constexpr (is_device_policy<Policy>) {
        constexpr bool waits = Policy::waits, fits = sizeof(T) <= 256, indexed = random_access<It>;
        constexpr bool compares = !known::has_device_lambda<Less>;
        static_assert(waits, "tilewise: ranks wait for each other, so the local policy must wait, too; omit nosync()");
        static_assert(fits, "tilewise: under device, the elements that ranks exchange must have at most 256 bytes");
        static_assert(
            indexed,
            "tilewise: device needs random access iterators; copy the elements into a vector on the device first");
        static_assert(compares,
                      "tilewise: ranks also compare elements on the host; write [=] __host__ __device__ (...)");
        return copies && readable && waits && fits && indexed && compares;
    } else {
        return copies && readable;
    }
}

/// The position of what is best of all ranks, of which this one has the elements from `first` on up to `end`. `Answer`
/// is one position, or the two that `extremes` has.
template <template <class> class Answer, template <class> class Better, class Communicator, class Local, class It,
          class Extent, class Less>
auto best_position_on_ranks(rank_call<Communicator>& call, Local local, agreement const& what, It first,
                            Extent const& end, Less less)
{
    using T = value_of<It>;
    static_cast<void>(&call_on_host<Less, T>);
    constexpr offset answers = std::same_as<Answer<It>, It> ? 1 : 2;
    partition at(call.ranks());
    auto const find = [&](partition const&) {
        packed<candidate<T>> own;
        auto const add = [&](It const& found) {
            own.push_back({engine::element_on_rank(call.algorithm(), local, first, found),
                           static_cast<offset>(std::distance(first, found))});
        };
        if (what.count > 0) {
            auto const found = engine::best_position<Answer>(
                local, first, end, Better<callable_for<Local, Less>>{engine::callable<Local>(less)});
            if constexpr (answers == 1) {
                add(found);
            } else {
                add(found.smallest);
                add(found.largest);
            }
        }
        return own;
    };
    auto const all = call.template agree_and_gather<candidate<T>>(
        what, at, [](partition const& parts, int rank) { return parts.count(rank) > 0 ? answers : 0; }, find);
    Better<Less> better{std::move(less)};
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
