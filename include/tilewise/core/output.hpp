// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The output of an algorithm: an output iterator, or a range whose length is checked.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup requirements
/// @{

/// The output of an algorithm: an output iterator, or a range (a container, a view, an array) with at least as many
/// elements as there are results. If a range has fewer, the algorithm throws `std::invalid_argument`, in every mode and
/// under every policy, before anything is written, or at the end of the range if the input can be read only once.
/// Elements after the results remain unchanged.
template <class Out>
concept output = any_iterator<std::remove_cvref_t<Out>> || std::ranges::range<Out>;

/// @cond internals
/// The iterator type of an output.
template <class Out>
struct end_of_output {
    using type = std::remove_cvref_t<Out>;
};
template <class Out>
    requires(!any_iterator<std::remove_cvref_t<Out>>)
struct end_of_output<Out> {
    using type = std::ranges::borrowed_iterator_t<Out>;
};
/// @endcond

/// The type of the iterator that an algorithm returns for its output: that past the last result.
template <output Out>
using output_end = typename end_of_output<Out>::type;

/// @}

/// @cond internals
/// An output that is a range, not an iterator.
template <class Out>
concept output_range = output<Out> && !any_iterator<std::remove_cvref_t<Out>>;

/// A pair of iterators before an output. Excludes two arrays as input and output before an init that is a range, which
/// look like a pair of iterators and an output range if no operator follows.
template <class It, class Out, class T, class Op = std::plus<>>
concept pair_before_output = !std::is_pointer_v<It> || !output_range<Out> || !std::same_as<Op, std::plus<>> ||
                             writable<std::ranges::iterator_t<Out>, T>;

/// A range before an output iterator, where these and the next argument cannot be a pair of iterators and an output.
template <class Range, class Out, class Next>
concept range_before_output =
    std::ranges::input_range<Range> && (range_before<Range, std::decay_t<Out>> || !any_iterator<Next>);

/// The number of results of an input that can be read only once: it is unknown until the input has been read.
struct unknown_length {};

/// Returns the number of elements of an input whose extent is `end`, or unknown_length.
template <class It, class Extent>
constexpr auto length(It const& first, Extent const& end)
{
    if constexpr (std::same_as<Extent, offset>) {
        return end;
    } else if constexpr (multi_pass<It>) {
        offset count = 0;
        for (It it = first; !(it == end); ++it)
            ++count;
        return count;
    } else {
        return unknown_length{};
    }
}

/// Throws the exception for an output range that is too short.
[[noreturn]] inline void reject_output(char const* algorithm, offset available, std::string const& wanted)
{
    reject_argument(algorithm, "the output range has " + std::to_string(available) + " elements, but " + wanted);
}

/// An output iterator that throws at the end of its range.
template <class It, class Sentinel>
class output_up_to {
public:
    using iterator_category = std::output_iterator_tag;
    using value_type = void;
    using reference = void;
    using pointer = void;
    using difference_type = offset;

    output_up_to(char const* algorithm, It it, Sentinel last)
        : algorithm_(algorithm), it_(std::move(it)), last_(std::move(last))
    {}

    It const& base() const { return it_; }
    decltype(auto) operator*()
    {
        if (it_ == last_)
            tilewise::reject_output(algorithm_, written_, "there are more results");
        return *it_;
    }
    output_up_to& operator++()
    {
        ++it_;
        ++written_;
        return *this;
    }

private:
    char const* algorithm_;
    It it_;
    Sentinel last_;
    offset written_ = 0;
};

/// Returns the position of the first of `needed` results.
template <class Policy, class Needed, class Out>
constexpr auto output_begin([[maybe_unused]] char const* algorithm, [[maybe_unused]] Needed needed, Out&& out)
{
    if constexpr (!output_range<Out>) {
        return std::remove_cvref_t<Out>(std::forward<Out>(out));
    } else if constexpr (std::same_as<std::ranges::sentinel_t<Out>, std::unreachable_sentinel_t>) {
        return tilewise::begin_of<Policy>(out);
    } else if constexpr (!std::ranges::forward_range<Out>) {
        constexpr bool has_length = std::ranges::forward_range<Out>;
        static_assert(has_length, "tilewise: an output range must be a forward range, because its length is checked "
                                  "first; pass its begin() to write without a check");
        return std::ranges::begin(out);
    } else if constexpr (std::same_as<Needed, unknown_length>) {
        return output_up_to(algorithm, std::ranges::begin(out), std::ranges::end(out));
    } else {
        offset available = 0;
        if constexpr (std::ranges::sized_range<Out>)
            available = static_cast<offset>(std::ranges::size(out));
        else
            available = static_cast<offset>(std::ranges::distance(out));
        if (available < needed)
            tilewise::reject_output(algorithm, available, "there are " + std::to_string(needed) + " results");
        return tilewise::begin_of<Policy>(out);
    }
}

/// The same for as many results as an input with the extent `end` has elements.
template <class Policy, class It, class Extent, class Out>
constexpr auto output_for(char const* algorithm, [[maybe_unused]] It const& first, [[maybe_unused]] Extent const& end,
                          Out&& out)
{
    if constexpr (output_range<Out>)
        return tilewise::output_begin<Policy>(algorithm, tilewise::length(first, end), std::forward<Out>(out));
    else
        return tilewise::output_begin<Policy>(algorithm, offset{0}, std::forward<Out>(out));
}

/// Returns the end of the output as an iterator of `out`. `end` is where an algorithm that began at `output_begin(...)`
/// stopped.
template <class Out, class It>
constexpr output_end<Out> output_position([[maybe_unused]] std::remove_reference_t<Out>& out, It const& end)
{
    if constexpr (!output_range<Out>)
        return end;
    else if constexpr (!std::same_as<output_end<Out>, std::ranges::iterator_t<Out>>)
        return {}; // std::ranges::dangling, for a temporary
    else if constexpr (std::same_as<It, std::ranges::iterator_t<Out>>)
        return end;
    else if constexpr (requires { end.base(); })
        return end.base();
    else
        return tilewise::position_in(out, end);
}
/// @endcond

TILEWISE_NAMESPACE_END
