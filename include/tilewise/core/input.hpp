// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The inputs of the engines: iterators, or the adaptors below, which algorithms put around iterators. An input needs
/// `*` and `++`, comparison with the end of its range, and `+ n` if its iterators are random access. It is passed by
/// value.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/unwrap.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN

/// The elements of one range, transformed.
template <class Transform, class It>
class transformed {
public:
    constexpr transformed(Transform function, It it) : transform_(std::move(function)), it_(std::move(it)) {}
    constexpr transformed(transformed const&) = default;
    constexpr transformed(transformed&&) = default;
    /// Assigns only the position: both inputs have the same transform, which may not be assignable.
    constexpr transformed& operator=(transformed const& other)
    {
        it_ = other.it_;
        return *this;
    }

    constexpr decltype(auto) operator*()
    {
        if constexpr (std::is_reference_v<decltype(*it_)>)
            return transform_(*it_);
        else // the transform may return a reference to the element, which is a temporary
            return std::remove_cvref_t<decltype(transform_(*it_))>(transform_(*it_));
    }
    constexpr transformed& operator++()
    {
        ++it_;
        return *this;
    }
    template <class Sentinel>
    constexpr bool operator==(Sentinel const& last) const
    {
        return it_ == last;
    }
    constexpr transformed operator+(offset n) const
        requires random_access<It>
    {
        return {transform_, tilewise::advanced(it_, n)};
    }

    /// Calls `sink(i, element)` for the next `count` elements. The position is kept in a local variable, which the
    /// writes of `sink` cannot change, so that the compiler can use vector instructions.
    template <class Sink>
    constexpr void for_each(offset count, Sink sink)
    {
        It it = it_;
        for (offset i = 0; i < count; ++i, (void)++it)
            sink(i, transform_(*it));
        it_ = std::move(it);
    }

    constexpr Transform const& transform() const { return transform_; }
    constexpr It const& base() const { return it_; }

private:
    Transform transform_;
    It it_;
};

/// The elements of two ranges, transformed in pairs.
template <class Transform, class It1, class It2>
class transformed_pairs {
public:
    constexpr transformed_pairs(Transform function, It1 it1, It2 it2)
        : transform_(std::move(function)), it1_(std::move(it1)), it2_(std::move(it2))
    {}
    constexpr transformed_pairs(transformed_pairs const&) = default;
    constexpr transformed_pairs(transformed_pairs&&) = default;
    constexpr transformed_pairs& operator=(transformed_pairs const& other)
    {
        it1_ = other.it1_;
        it2_ = other.it2_;
        return *this;
    }

    constexpr decltype(auto) operator*()
    {
        if constexpr (std::is_reference_v<decltype(*it1_)> && std::is_reference_v<decltype(*it2_)>)
            return transform_(*it1_, *it2_);
        else // as above
            return std::remove_cvref_t<decltype(transform_(*it1_, *it2_))>(transform_(*it1_, *it2_));
    }
    constexpr transformed_pairs& operator++()
    {
        ++it1_;
        ++it2_;
        return *this;
    }
    template <class Sentinel>
    constexpr bool operator==(Sentinel const& last) const
    {
        return it1_ == last;
    }
    constexpr transformed_pairs operator+(offset n) const
        requires random_access<It1> && random_access<It2>
    {
        return {transform_, tilewise::advanced(it1_, n), tilewise::advanced(it2_, n)};
    }
    template <class Sink>
    constexpr void for_each(offset count, Sink sink)
    {
        It1 it1 = it1_;
        It2 it2 = it2_;
        for (offset i = 0; i < count; ++i, (void)++it1, (void)++it2)
            sink(i, transform_(*it1, *it2));
        it1_ = std::move(it1);
        it2_ = std::move(it2);
    }

    constexpr Transform const& transform() const { return transform_; }
    constexpr It1 const& base1() const { return it1_; }
    constexpr It2 const& base2() const { return it2_; }

private:
    Transform transform_;
    It1 it1_;
    It2 it2_;
};

/// Yields the positions of a range instead of its elements, for algorithms that return an iterator.
template <class It>
class positions {
public:
    constexpr explicit positions(It it) : it_(std::move(it)) {}

    constexpr It operator*() const { return it_; }
    constexpr positions& operator++()
    {
        ++it_;
        return *this;
    }
    template <class Sentinel>
    constexpr bool operator==(Sentinel const& last) const
    {
        return it_ == last;
    }
    constexpr positions operator+(offset n) const
        requires random_access<It>
    {
        return positions(tilewise::advanced(it_, n));
    }

private:
    It it_;
};

/// Calls `sink(i, element)` for the next `count` elements of any input, including a plain iterator.
template <class Input, class Sink>
constexpr void for_each_element(Input& input, offset count, Sink sink)
{
    if constexpr (requires { input.for_each(count, sink); }) {
        input.for_each(count, sink);
    } else {
        Input it = input;
        for (offset i = 0; i < count; ++i, (void)++it)
            sink(i, *it);
        input = std::move(it);
    }
}

/// Returns an iterator over host memory as a pointer, and any other iterator unchanged.
template <class It>
constexpr auto memory_behind(It it)
{
    if constexpr (std::contiguous_iterator<It> || (known::container_iterator<It> && !reads_device_memory<It>))
        return tilewise::unwrap(it);
    else
        return it;
}

/// Returns an input of known length with pointers in place of iterators over host memory, so that engines are compiled
/// once for all of them. (Arithmetic elements become const, except under a transform, which may depend on constness.)
template <class Input, class Extent>
constexpr auto unwrap_input(Input input, [[maybe_unused]] Extent const& end)
{
    using pointer = decltype(tilewise::memory_behind(std::declval<Input>()));
    if constexpr (!std::same_as<Extent, offset>)
        return input;
    else if constexpr (std::is_pointer_v<pointer> && std::is_arithmetic_v<std::remove_pointer_t<pointer>>)
        return static_cast<std::remove_pointer_t<pointer> const*>(tilewise::memory_behind(std::move(input)));
    else
        return tilewise::memory_behind(std::move(input));
}
template <class Transform, class It>
constexpr auto unwrap_input(transformed<Transform, It> const& input, offset)
{
    return transformed(input.transform(), tilewise::memory_behind(input.base()));
}
template <class Transform, class It1, class It2>
constexpr auto unwrap_input(transformed_pairs<Transform, It1, It2> const& input, offset)
{
    return transformed_pairs(input.transform(), tilewise::memory_behind(input.base1()),
                             tilewise::memory_behind(input.base2()));
}

/// Whether an input can be read more than once, from the position of any copy.
template <class Input>
inline constexpr bool is_forward_input = multi_pass<Input>;
template <class Transform, class It>
inline constexpr bool is_forward_input<transformed<Transform, It>> = multi_pass<It>;
template <class Transform, class It1, class It2>
inline constexpr bool is_forward_input<transformed_pairs<Transform, It1, It2>> = multi_pass<It1> && multi_pass<It2>;
template <class It>
inline constexpr bool is_forward_input<positions<It>> = multi_pass<It>;

/// Whether reading an element of this type may move from it: an rvalue reference, or a tuple that contains one.
template <class Reference>
inline constexpr bool is_moved_by_reading =
    std::is_rvalue_reference_v<Reference> && !std::is_trivially_copyable_v<std::remove_reference_t<Reference>>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_moved_by_reading<Kind<Parts...>> = (is_moved_by_reading<Parts> || ...);

/// Whether each element must be read at most once: the second time it may have been moved from.
template <class Input>
inline constexpr bool is_read_once = is_moved_by_reading<decltype(*std::declval<Input&>())>;
template <class Transform, class It>
inline constexpr bool is_read_once<transformed<Transform, It>> =
    is_read_once<It> || is_moved_by_reading<std::invoke_result_t<Transform&, decltype(*std::declval<It&>())>>;
template <class Transform, class It1, class It2>
inline constexpr bool is_read_once<transformed_pairs<Transform, It1, It2>> =
    is_read_once<It1> || is_read_once<It2> ||
    is_moved_by_reading<
        std::invoke_result_t<Transform&, decltype(*std::declval<It1&>()), decltype(*std::declval<It2&>())>>;

/// Whether the elements are computed, at an unknown cost, and may be computed twice.
template <class Input>
inline constexpr bool is_computed = false;
template <class Transform, class It>
inline constexpr bool is_computed<transformed<Transform, It>> = !is_read_once<transformed<Transform, It>>;
template <class Transform, class It1, class It2>
inline constexpr bool is_computed<transformed_pairs<Transform, It1, It2>> =
    !is_read_once<transformed_pairs<Transform, It1, It2>>;

/// Whether a type is an iterator or a reference of std::vector<bool>, or made of these.
template <class Type>
inline constexpr bool is_of_bits =
    std::same_as<Type, std::vector<bool>::iterator> || std::same_as<Type, std::vector<bool>::reference>;
template <class Allocator>
inline constexpr bool is_of_bits<std::vector<bool, Allocator>> = true;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_of_bits<Kind<Parts...>> = (is_of_bits<Parts> || ...);

/// Whether the elements of an output share words of memory, so that only one thread at a time may write them.
template <class Out>
inline constexpr bool shares_words =
    is_of_bits<Out> || is_of_bits<std::remove_cvref_t<decltype(*std::declval<Out&>())>>;

/// Whether a type can be passed to a kernel, which gets a copy that is not destroyed. Such a type need not be trivially
/// copyable: Thrust's iterators have their own assignment operators, and the type that replaces a lambda in nvcc's host
/// code also has other special members.
template <class Type>
inline constexpr bool copies_as_bytes =
    (std::is_trivially_copy_constructible_v<Type> && std::is_trivially_destructible_v<Type>) ||
    known::has_portable_lambda<Type>;

TILEWISE_NAMESPACE_END
