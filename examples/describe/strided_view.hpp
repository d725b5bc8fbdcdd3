// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace example {

/// Elements a fixed number of bytes apart, at any alignment: each is copied out of the bytes when it is read.
template <class T>
    requires std::is_trivially_copyable_v<T>
class strided_view {
public:
    class iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using reference = T;
        using pointer = void;
        using iterator_category = std::input_iterator_tag; // all that C++17 allows where reference is no T&
        using iterator_concept = std::random_access_iterator_tag;

        iterator() = default;

        T operator*() const { return (*this)[0]; }
        T operator[](difference_type n) const
        {
            T element;
            std::memcpy(&element, first_ + (index_ + n) * stride_, sizeof(T));
            return element;
        }

        iterator& operator+=(difference_type n)
        {
            index_ += n;
            return *this;
        }
        iterator& operator-=(difference_type n) { return *this += -n; }
        iterator& operator++() { return *this += 1; }
        iterator& operator--() { return *this -= 1; }
        iterator operator++(int)
        {
            auto const before = *this;
            ++*this;
            return before;
        }
        iterator operator--(int)
        {
            auto const before = *this;
            --*this;
            return before;
        }

        friend iterator operator+(iterator it, difference_type n) { return it += n; }
        friend iterator operator+(difference_type n, iterator it) { return it += n; }
        friend iterator operator-(iterator it, difference_type n) { return it -= n; }
        friend difference_type operator-(iterator a, iterator b) { return a.index_ - b.index_; }
        friend bool operator==(iterator a, iterator b) { return a.index_ == b.index_; }
        friend std::strong_ordering operator<=>(iterator a, iterator b) { return a.index_ <=> b.index_; }

    private:
        friend strided_view;
        iterator(std::byte const* first, difference_type stride, difference_type index)
            : first_(first), stride_(stride), index_(index)
        {}

        // An index rather than a moving pointer: the end of a column would lie past the end of the bytes.
        std::byte const* first_ = nullptr;
        difference_type stride_ = 0;
        difference_type index_ = 0;
    };

    strided_view(std::byte const* first, std::size_t stride, std::size_t count)
        : first_(first), stride_(static_cast<std::ptrdiff_t>(stride)), count_(static_cast<std::ptrdiff_t>(count))
    {}

    std::size_t size() const { return static_cast<std::size_t>(count_); }
    /// `count` elements from the one at `begin` on.
    strided_view subspan(std::size_t begin, std::size_t count) const
    {
        return {begin == 0 ? first_ : first_ + static_cast<std::ptrdiff_t>(begin) * stride_,
                static_cast<std::size_t>(stride_), count};
    }

    iterator begin() const { return {first_, stride_, 0}; }
    iterator end() const { return {first_, stride_, count_}; }

private:
    std::byte const* first_;
    std::ptrdiff_t stride_;
    std::ptrdiff_t count_;
};

static_assert(std::random_access_iterator<strided_view<double>::iterator>);

} // namespace example
