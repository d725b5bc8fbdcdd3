// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `discard_iterator`: an output that is not wanted.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <cstddef>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup requirements
/// @{

/// An output iterator that ignores what is written through it, under every policy: for an output of an algorithm that
/// is not wanted, such as the keys of @ref reduce_by_key. Its position counts the results.
class discard_iterator {
public:
    /// The element of every position: ignores what is assigned to it.
    struct element {
        /// Ignores a value.
        template <class Value>
        // NOLINTNEXTLINE(misc-unconventional-assign-operator): std::indirectly_writable assigns to a constant
        TILEWISE_PORTABLE constexpr element const& operator=(Value const&) const
        {
            return *this;
        }
    };

    using iterator_category = std::random_access_iterator_tag; ///< of an iterator to write through
    using value_type = element;                                ///< ignores what is assigned
    using reference = element;                                 ///< ignores what is assigned
    using pointer = void;                                      ///< none
    using difference_type = std::ptrdiff_t;                    ///< of positions

    constexpr discard_iterator() = default; ///< the position 0
    /// The position `index`.
    TILEWISE_PORTABLE constexpr explicit discard_iterator(difference_type index) : index_(index) {}

    /// @cond
    TILEWISE_PORTABLE constexpr element operator*() const { return {}; }
    TILEWISE_PORTABLE constexpr element operator[](difference_type) const { return {}; }
    TILEWISE_PORTABLE constexpr discard_iterator& operator++()
    {
        ++index_;
        return *this;
    }
    TILEWISE_PORTABLE constexpr discard_iterator operator++(int) { return discard_iterator(index_++); }
    TILEWISE_PORTABLE constexpr discard_iterator& operator--()
    {
        --index_;
        return *this;
    }
    TILEWISE_PORTABLE constexpr discard_iterator operator--(int) { return discard_iterator(index_--); }
    TILEWISE_PORTABLE constexpr discard_iterator& operator+=(difference_type n)
    {
        index_ += n;
        return *this;
    }
    TILEWISE_PORTABLE constexpr discard_iterator& operator-=(difference_type n)
    {
        index_ -= n;
        return *this;
    }
    TILEWISE_PORTABLE friend constexpr discard_iterator operator+(discard_iterator it, difference_type n)
    {
        return discard_iterator(it.index_ + n);
    }
    TILEWISE_PORTABLE friend constexpr discard_iterator operator+(difference_type n, discard_iterator it)
    {
        return it + n;
    }
    TILEWISE_PORTABLE friend constexpr discard_iterator operator-(discard_iterator it, difference_type n)
    {
        return discard_iterator(it.index_ - n);
    }
    TILEWISE_PORTABLE friend constexpr difference_type operator-(discard_iterator a, discard_iterator b)
    {
        return a.index_ - b.index_;
    }
    TILEWISE_PORTABLE friend constexpr bool operator==(discard_iterator a, discard_iterator b)
    {
        return a.index_ == b.index_;
    }
    /// @endcond

private:
    difference_type index_ = 0;
};

/// @}

TILEWISE_NAMESPACE_END
