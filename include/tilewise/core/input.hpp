// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What an engine reads: an iterator as it is, or one of the inputs below, which an algorithm lays over iterators. An
/// input needs `*` and `++`, comparison with the end of its range, and `+ n` where its iterators are random access. It
/// is passed by value.

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
    /// Moves to another position of the same input: the transform, which may not be assignable, stays.
    constexpr transformed& operator=(transformed const& other)
    {
        it_ = other.it_;
        return *this;
    }

    constexpr decltype(auto) operator*()
    {
        if constexpr (std::is_reference_v<decltype(*it_)>)
            return transform_(*it_);
        else // a reference from the transform may be to the element, which ends here
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

    /// Calls `sink(i, element)` for the next `count` elements. The position is a variable of its own meanwhile, which
    /// nothing that `sink` writes can change, so that the compiler may use vector instructions.
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

/// The positions of a range in place of its elements: for algorithms that answer with an iterator.
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

/// The same for any input, also if it is a plain iterator.
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

/// An iterator over memory of the host as a pointer, any other as it is.
template <class It>
constexpr auto memory_behind(It it)
{
    if constexpr (std::contiguous_iterator<It> || (known::container_iterator<It> && !reads_device_memory<It>))
        return tilewise::unwrap(it);
    else
        return it;
}

/// An input of a known number of elements with pointers in place of iterators over memory, so that engines are compiled
/// once for all of them. (A transform may ask whether an element is constant; engines do not.)
template <class Input, class Extent>
constexpr auto unwrap_input(Input input, [[maybe_unused]] Extent const& end)
{
    using place = decltype(tilewise::memory_behind(std::declval<Input>()));
    if constexpr (!std::same_as<Extent, offset>)
        return input;
    else if constexpr (std::is_pointer_v<place> && std::is_arithmetic_v<std::remove_pointer_t<place>>)
        return static_cast<std::remove_pointer_t<place> const*>(tilewise::memory_behind(std::move(input)));
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

/// May be read more than once, from any place that a copy was left at.
template <class Input>
inline constexpr bool is_forward_input = multi_pass<Input>;
template <class Transform, class It>
inline constexpr bool is_forward_input<transformed<Transform, It>> = multi_pass<It>;
template <class Transform, class It1, class It2>
inline constexpr bool is_forward_input<transformed_pairs<Transform, It1, It2>> = multi_pass<It1> && multi_pass<It2>;
template <class It>
inline constexpr bool is_forward_input<positions<It>> = multi_pass<It>;

/// What this type refers to may be moved away by whoever gets it: an rvalue reference, or a tuple with one in it.
template <class Reference>
inline constexpr bool is_spent_by_reading =
    std::is_rvalue_reference_v<Reference> && !std::is_trivially_copyable_v<std::remove_reference_t<Reference>>;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_spent_by_reading<Kind<Parts...>> = (is_spent_by_reading<Parts> || ...);

/// Each element is to be read once at most: the second time it may have been moved from.
template <class Input>
inline constexpr bool is_read_once = is_spent_by_reading<decltype(*std::declval<Input&>())>;
template <class Transform, class It>
inline constexpr bool is_read_once<transformed<Transform, It>> =
    is_read_once<It> || is_spent_by_reading<std::invoke_result_t<Transform&, decltype(*std::declval<It&>())>>;
template <class Transform, class It1, class It2>
inline constexpr bool is_read_once<transformed_pairs<Transform, It1, It2>> =
    is_read_once<It1> || is_read_once<It2> ||
    is_spent_by_reading<
        std::invoke_result_t<Transform&, decltype(*std::declval<It1&>()), decltype(*std::declval<It2&>())>>;

/// Its elements are computed, at a cost that nobody knows, and not just read; and they may be computed twice.
template <class Input>
inline constexpr bool is_computed = false;
template <class Transform, class It>
inline constexpr bool is_computed<transformed<Transform, It>> = !is_read_once<transformed<Transform, It>>;
template <class Transform, class It1, class It2>
inline constexpr bool is_computed<transformed_pairs<Transform, It1, It2>> =
    !is_read_once<transformed_pairs<Transform, It1, It2>>;

/// A reference to bits of a vector, an iterator of them, or something made of these.
template <class Type>
inline constexpr bool is_of_bits =
    std::same_as<Type, std::vector<bool>::iterator> || std::same_as<Type, std::vector<bool>::reference>;
template <class Allocator>
inline constexpr bool is_of_bits<std::vector<bool, Allocator>> = true;
template <class... Parts, template <class...> class Kind>
inline constexpr bool is_of_bits<Kind<Parts...>> = (is_of_bits<Parts> || ...);

/// An output whose elements share words of memory, so that only one thread at a time may write there.
template <class Out>
inline constexpr bool shares_words =
    is_of_bits<Out> || is_of_bits<std::remove_cvref_t<decltype(*std::declval<Out&>())>>;

/// Can be passed to a kernel, which gets a copy that nobody destroys. Not all that can is trivially copyable: Thrust's
/// iterators have assignment operators of their own, and nvcc's stand-in for a lambda on the host has more.
template <class Type>
inline constexpr bool copies_as_bytes =
    (std::is_trivially_copy_constructible_v<Type> && std::is_trivially_destructible_v<Type>) ||
    known::has_portable_lambda<Type>;

TILEWISE_NAMESPACE_END
