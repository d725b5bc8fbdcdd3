// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where an input ends: after a number of elements, or at the end of its range.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>

TILEWISE_NAMESPACE_BEGIN

/// The end of a range where that end is itself an integer of type offset, which alone would mean a count.
struct integer_sentinel {
    offset last;

    template <class It>
    constexpr bool operator==(It const& it) const // a member: the inputs above compare with any sentinel themselves
    {
        return it == last;
    }
};

/// Where an input ends: the number of its elements if the iterators tell it at once (an offset), else the end of its
/// range. Others are the iterators that it steps along with them, which must be able to skip elements too.
template <class... Others, class It, class Sentinel>
constexpr auto extent_between(It const& first, Sentinel const& last)
{
    if constexpr ((random_access<It> && ... && random_access<Others>) && requires {
                      { last - first } -> std::convertible_to<offset>;
                  })
        return static_cast<offset>(last - first);
    else if constexpr (std::same_as<Sentinel, offset>)
        return integer_sentinel{last};
    else
        return last;
}

/// The same for the whole of a range, whose beginning is at hand: a range that can be read once begins only once.
template <class... Others, class Range, class It>
constexpr auto extent_of(Range& range, It const& first)
{
    if constexpr ((random_access<It> && ... && random_access<Others>) && std::ranges::sized_range<Range>)
        return static_cast<offset>(std::ranges::size(range));
    else
        return tilewise::extent_between<Others...>(first, std::ranges::end(range));
}

/// Whether an input ends where it begins.
template <class Input, class Extent>
constexpr bool is_empty_input(Input const& input, Extent const& end)
{
    if constexpr (std::same_as<Extent, offset>)
        return end <= 0;
    else
        return input == end;
}

TILEWISE_NAMESPACE_END
