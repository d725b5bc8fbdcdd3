// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The extent of an input: the number of its elements, or the end of its range.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>

TILEWISE_NAMESPACE_BEGIN

/// Wraps the end of a range that is itself an integer of type offset, which alone would mean a count.
struct integer_sentinel {
    offset last;

    template <class It>
    constexpr bool operator==(It const& it) const // a member, since inputs define == with any sentinel
    {
        return it == last;
    }
};

/// Returns the extent of an input: the number of its elements (an offset) if the iterators give it in constant time,
/// else the end of its range. Others are the iterators that advance together with these, and must be random access,
/// too.
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

/// The same for a whole range. `first` is its beginning, since a range that can be read only once has only one begin().
template <class... Others, class Range, class It>
constexpr auto extent_of(Range& range, It const& first)
{
    if constexpr ((random_access<It> && ... && random_access<Others>) && std::ranges::sized_range<Range>)
        return static_cast<offset>(std::ranges::size(range));
    else
        return tilewise::extent_between<Others...>(first, std::ranges::end(range));
}

/// Returns whether an input is empty.
template <class Input, class Extent>
constexpr bool is_empty_input(Input const& input, Extent const& end)
{
    if constexpr (std::same_as<Extent, offset>)
        return end <= 0;
    else
        return input == end;
}

TILEWISE_NAMESPACE_END
