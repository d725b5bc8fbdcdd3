// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Smallest and largest elements on every engine. Elements that are cheap to copy are reduced as values; of others, the
/// positions are.

#include <tilewise/core/config.hpp>
#include <tilewise/core/extremes.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/host/minmax.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/minmax.cuh>
#endif

#include <array>
#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// An iterator that is the number of its element, which kernels can pass around whatever the iterators are.
template <class It>
struct numbered {
    It const& first;
    offset number;
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr decltype(auto) operator*() const { return first[number]; }
};

/// The better of two answers in numbers of elements.
template <class Better, class It>
struct better_of_numbers {
    Better better;
    It first;

    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr offset operator()(offset a, offset b)
    {
        return better(numbered<It>{first, a}, numbered<It>{first, b}).number;
    }
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr extremes<offset> operator()(extremes<offset> const& a, extremes<offset> const& b)
    {
        using at = numbered<It>;
        auto const best = better(extremes<at>(at{first, a.smallest}, at{first, a.largest}),
                                 extremes<at>(at{first, b.smallest}, at{first, b.largest}));
        return {best.smallest.number, best.largest.number};
    }
};

/// The numbers in an answer, twice the same one where it has one.
constexpr std::array<offset, 2> numbers_in(offset number)
{
    return {number, number};
}
/// The same of two numbers.
constexpr std::array<offset, 2> numbers_in(extremes<offset> const& numbers)
{
    return {numbers.smallest, numbers.largest};
}
/// The same of an element that was found.
template <class E>
constexpr std::array<offset, 2> numbers_in(candidate<E> const& found)
{
    return {found.index, found.index};
}
/// The same of two.
template <class E>
constexpr std::array<offset, 2> numbers_in(extremes<candidate<E>> const& found)
{
    return {found.smallest.index, found.largest.index};
}

/// The best number of an element among `count` from `first` on.
template <template <class> class Answer, class E, class Policy, class It, class Better>
std::array<offset, 2> best_number(Policy const& policy, It const& first, offset count, Better const& better)
{
    return engine::numbers_in(engine::reduce<geometry_of_elements<E, Answer<offset>>>(
        policy, positions<offset>(0), count, Answer<offset>(0), better_of_numbers<Better, It>{better, first}));
}

/// The numbers of the elements in the best answer for a range that kernels read.
template <template <class> class Answer, class Policy, class It, class Better>
std::array<offset, 2> best_numbers_on_device(Policy const& policy, It const& first, offset count, Better const& better)
{
    using E = value_of<It>;
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (compared_as_copies<E, Better>) {
        if constexpr (engine::can_return_a_value<Policy>() &&
                      tilewise::can_reduce<Policy, Answer<candidate<E>>, Better, candidates<It, E>, offset>())
            return engine::numbers_in(gpu::best_candidates<Answer<candidate<E>>>(policy, first, count, better));
        else
            return {};
    } else {
        return gpu::find_two(policy, first, count, [&]<class Copy>(Copy const& copy, offset number) {
            return engine::best_number<Answer, E>(policy, copy, number, better);
        });
    }
#else
    return engine::best_number<Answer, E>(policy, first, count, better);
#endif
}

/// The best of a range, which is not empty.
template <template <class> class Answer, class Policy, class It, class Extent, class Better>
Answer<It> best_position(Policy policy, It first, Extent end, Better better)
{
    constexpr bool readable = multi_pass<It>;
    static_assert(readable, "tilewise: min_element, max_element and minmax_element need forward iterators");
    using E = value_of<It>;
    using pointer = decltype(tilewise::memory_behind(first));
    auto const at = [&](auto const& found) -> Answer<It> {
        if constexpr (std::same_as<Answer<It>, It>)
            return tilewise::advanced(first, found[0]);
        else
            return {tilewise::advanced(first, found[0]), tilewise::advanced(first, found[1])};
    };
    if constexpr (!readable)
        return Answer<It>(first);
    else if constexpr (is_device_policy<Policy> && random_access<It> && std::same_as<Extent, offset>)
        return at(engine::best_numbers_on_device<Answer>(policy, first, end, better));
    else if constexpr (std::is_convertible_v<pointer, E const*> && std::same_as<Extent, offset> &&
                       compared_as_copies<E, Better>)
        return at(engine::numbers_in(host::best_in_memory<Answer<candidate<E>>>(
            policy, static_cast<E const*>(tilewise::memory_behind(first)), end, std::move(better))));
    else // The first position is where the accumulator starts, and is read again as an element: that changes nothing.
        return engine::reduce<geometry_of_elements<E, Answer<It>>>(policy, positions<It>(first), std::move(end),
                                                                   Answer<It>(first), std::move(better));
}

} // namespace engine
TILEWISE_NAMESPACE_END
