// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `zip`: several ranges as one range of tuples.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <compare>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup ranges
/// @{

/// An element of a zip(): a tuple that kernels can use without a compiler flag. Its members are the names of a
/// structured binding, or `get<i>(tuple)`.
template <class First, class... Rest>
class zip_tuple {
public:
    zip_tuple() = default; ///< value-initialized members
    /// The tuple of these members.
    TILEWISE_PORTABLE constexpr zip_tuple(First first, Rest... rest)
        : first_(std::move(first)), rest_(std::move(rest)...)
    {}

    /// Returns member i.
    template <std::size_t i>
    TILEWISE_PORTABLE constexpr auto const& get() const
    {
        if constexpr (i == 0)
            return first_;
        else
            return rest_.template get<i - 1>();
    }

    /// Compares the members one by one.
    friend bool operator==(zip_tuple const&, zip_tuple const&) = default;

private:
    First first_{};
    zip_tuple<Rest...> rest_{};
};

/// The end of the recursion.
template <class First>
class zip_tuple<First> {
public:
    zip_tuple() = default; ///< a value-initialized member
    /// The tuple of one member.
    TILEWISE_PORTABLE constexpr explicit zip_tuple(First first) : first_(std::move(first)) {}

    /// Returns the member.
    template <std::size_t>
    TILEWISE_PORTABLE constexpr First const& get() const
    {
        return first_;
    }

    /// Compares the members.
    friend bool operator==(zip_tuple const&, zip_tuple const&) = default;

private:
    First first_{};
};

/// Returns member i of a tuple.
template <std::size_t i, class... Members>
TILEWISE_PORTABLE constexpr auto const& get(zip_tuple<Members...> const& tuple)
{
    return tuple.template get<i>();
}

/// A position in several ranges at once. Its elements are copies: they can be read, but not written.
template <random_access... Its>
    requires(sizeof...(Its) > 0)
class zip_iterator {
public:
    using iterator_category = std::random_access_iterator_tag; ///< of the iterators
    using value_type = zip_tuple<value_of<Its>...>;            ///< the elements of all ranges at a position
    using reference = value_type;                              ///< a copy
    using pointer = void;                                      ///< none
    using difference_type = std::ptrdiff_t;                    ///< of positions

    zip_iterator() = default; ///< Refers to no element.
    /// The position of these iterators.
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr explicit zip_iterator(Its... its) : its_(std::move(its)...) {}

    /// Returns the iterators.
    TILEWISE_PORTABLE constexpr zip_tuple<Its...> const& bases() const { return its_; }

    /// @cond
    TILEWISE_PORTABLE constexpr value_type operator*() const { return (*this)[0]; }
    TILEWISE_PORTABLE constexpr value_type operator[](difference_type n) const
    {
        return elements(n, std::index_sequence_for<Its...>());
    }
    TILEWISE_PORTABLE constexpr zip_iterator& operator+=(difference_type n) { return *this = *this + n; }
    TILEWISE_PORTABLE constexpr zip_iterator& operator-=(difference_type n) { return *this = *this + -n; }
    TILEWISE_PORTABLE constexpr zip_iterator& operator++() { return *this += 1; }
    TILEWISE_PORTABLE constexpr zip_iterator& operator--() { return *this += -1; }
    TILEWISE_PORTABLE constexpr zip_iterator operator++(int)
    {
        zip_iterator before = *this;
        *this += 1;
        return before;
    }
    TILEWISE_PORTABLE constexpr zip_iterator operator--(int)
    {
        zip_iterator before = *this;
        *this += -1;
        return before;
    }
    TILEWISE_PORTABLE friend constexpr zip_iterator operator+(zip_iterator const& it, difference_type n)
    {
        return it.after(n, std::index_sequence_for<Its...>());
    }
    TILEWISE_PORTABLE friend constexpr zip_iterator operator+(difference_type n, zip_iterator const& it)
    {
        return it + n;
    }
    TILEWISE_PORTABLE friend constexpr zip_iterator operator-(zip_iterator const& it, difference_type n)
    {
        return it + -n;
    }
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE friend constexpr difference_type operator-(zip_iterator const& a, zip_iterator const& b)
    {
        return static_cast<difference_type>(a.its_.template get<0>() - b.its_.template get<0>());
    }
    TILEWISE_PORTABLE friend constexpr bool operator==(zip_iterator const& a, zip_iterator const& b)
    {
        return a - b == 0;
    }
    TILEWISE_PORTABLE friend constexpr std::strong_ordering operator<=>(zip_iterator const& a, zip_iterator const& b)
    {
        return a - b <=> 0;
    }
    /// @endcond

private:
    TILEWISE_CALLS_ANY
    template <std::size_t... i>
    TILEWISE_PORTABLE constexpr value_type elements(difference_type n, std::index_sequence<i...>) const
    {
        return value_type(its_.template get<i>()[n]...);
    }
    TILEWISE_CALLS_ANY
    template <std::size_t... i>
    TILEWISE_PORTABLE constexpr zip_iterator after(difference_type n, std::index_sequence<i...>) const
    {
        return zip_iterator(tilewise::advanced(its_.template get<i>(), n)...);
    }

    zip_tuple<Its...> its_;
};

/// Several ranges as one, without a copy of their elements.
template <random_access... Its>
class zip_range {
public:
    /// The `size` elements from a position on.
    TILEWISE_PORTABLE constexpr zip_range(zip_iterator<Its...> first, offset size)
        : first_(std::move(first)), size_(size)
    {}

    TILEWISE_PORTABLE constexpr zip_iterator<Its...> begin() const { return first_; }       ///< the first tuple
    TILEWISE_PORTABLE constexpr zip_iterator<Its...> end() const { return first_ + size_; } ///< after the last tuple
    TILEWISE_PORTABLE constexpr std::size_t size() const { return static_cast<std::size_t>(size_); } ///< of tuples

private:
    zip_iterator<Its...> first_;
    offset size_;
};

/// @cond internals
/// A range that zip() accepts: its iterators remain valid without it, and kernels can index them.
template <class Range>
concept zippable = std::ranges::borrowed_range<Range> && std::ranges::sized_range<Range> &&
                   random_access<std::ranges::iterator_t<Range>>;

/// Whether an iterator is a zip_iterator.
template <class It>
inline constexpr bool is_zip = false;
template <class... Its>
inline constexpr bool is_zip<zip_iterator<Its...>> = true;
/// @endcond

/// Returns the range whose element i is the tuple of the elements i of all ranges. It is as long as the shortest of
/// them, and refers to them, so they must outlive it.
///
/// Every algorithm reads such a range under every policy: containers, arrays and spans, for `device` in GPU or host
/// memory, whose elements it reads with vector loads (min_element and its relatives: one at a time). The ranges need
/// random access and a size. An element is a copy, of type zip_tuple; to write to several ranges, call an algorithm for
/// each.
/// @par Example
/// @snippet reference/zip.cpp program
template <zippable... Ranges>
    requires(sizeof...(Ranges) > 0)
constexpr auto zip(Ranges&&... ranges)
{
    offset size = std::numeric_limits<offset>::max();
    ((size = std::min(size, static_cast<offset>(std::ranges::size(ranges)))), ...);
    return zip_range(zip_iterator(std::ranges::begin(ranges)...), size);
}

/// @}

TILEWISE_NAMESPACE_END

/// @cond
template <class... Members>
struct std::tuple_size<tilewise::zip_tuple<Members...>> : std::integral_constant<std::size_t, sizeof...(Members)> {};
template <std::size_t i, class... Members>
struct std::tuple_element<i, tilewise::zip_tuple<Members...>> {
    using type = std::tuple_element_t<i, std::tuple<Members...>> const; // get() returns no more
};
template <class... Its>
inline constexpr bool std::ranges::enable_borrowed_range<tilewise::zip_range<Its...>> = true;
/// @endcond
