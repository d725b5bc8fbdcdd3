// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The elements of an mdspan as a range.
///
/// Opt-in, and without a header of mdspan's: takes the standard's, libcu++'s and any other with the same members.

#include <tilewise/core/config.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond
/// The element of an array that has a number when they are counted, the last index turning fastest.
template <class Mdspan>
struct element_of {
    Mdspan array;

    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE constexpr typename Mdspan::reference operator()(offset number) const
    {
        return at(number, std::make_index_sequence<Mdspan::rank()>());
    }

private:
    TILEWISE_CALLS_ANY
    template <std::size_t... i>
    TILEWISE_PORTABLE constexpr typename Mdspan::reference at(offset number, std::index_sequence<i...>) const
    {
        using index = typename Mdspan::index_type;
        index indices[sizeof...(i) + 1] = {};
        for (std::size_t k = sizeof...(i); k-- > 0;) {
            auto const extent = static_cast<offset>(array.extent(k));
            indices[k] = static_cast<index>(number % extent);
            number /= extent;
        }
        return array.accessor().access(array.data_handle(), array.mapping()(indices[i]...));
    }
};

/// Its elements stand in memory, in the sequence in which they are counted.
template <class Mdspan>
concept row_major = std::is_pointer_v<typename Mdspan::data_handle_type> &&
                    std::is_same_v<typename Mdspan::reference, typename Mdspan::element_type&> &&
                    (known::is_named<typename Mdspan::accessor_type>("", "::default_accessor") ||
                     known::is_named<typename Mdspan::accessor_type>("", "::aligned_accessor")) &&
                    known::is_named<typename Mdspan::layout_type>("", "::layout_right");
/// @endcond

/// @addtogroup ranges
/// @{

/// The elements of a multidimensional array as a range, the last index turning fastest: a std::span if it is stored
/// that way (layout_right) and its accessor is the default one, otherwise a view, which under tilewise::device needs
/// `nvcc --expt-relaxed-constexpr`.
///
/// Takes constant time; the range refers to the array's memory and is good for as long as that.
template <class Mdspan>
constexpr auto elements_of(Mdspan const& array)
{
    if constexpr (row_major<Mdspan>) {
        return std::span(array.data_handle(), static_cast<std::size_t>(array.size()));
    } else {
        using number = std::conditional_t<std::is_void_v<Mdspan>, void, offset>; // (clang 14 cannot compile its view)
        return std::views::iota(number{0}, static_cast<number>(array.size())) |
               std::views::transform(element_of<Mdspan>{array});
    }
}

/// @}

TILEWISE_NAMESPACE_END
