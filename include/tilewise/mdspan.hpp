// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `elements_of`: the elements of an mdspan as a range.
///
/// Opt-in. Includes no mdspan header: accepts the mdspan of the standard library, that of libcu++, and any other with
/// the same members.

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
/// A function object that returns the element of an array at a position in row-major order, in which the last index
/// varies fastest.
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

/// The elements of the array are stored contiguously in row-major order.
template <class Mdspan>
concept row_major = std::is_pointer_v<typename Mdspan::data_handle_type> &&
                    std::is_same_v<typename Mdspan::reference, typename Mdspan::element_type&> &&
                    (known::is_named<typename Mdspan::accessor_type>("", "::default_accessor") ||
                     known::is_named<typename Mdspan::accessor_type>("", "::aligned_accessor")) &&
                    known::is_named<typename Mdspan::layout_type>("", "::layout_right");
/// @endcond

/// @addtogroup ranges
/// @{

/// Returns the elements of a multidimensional array as a range in row-major order, in which the last index varies
/// fastest. The range is a std::span if the array is stored in that order (layout_right) and its accessor is
/// default_accessor or aligned_accessor. Otherwise it is a view, which requires `nvcc --expt-relaxed-constexpr` under
/// tilewise::device.
///
/// Constant time. The range refers to the memory of the array and is valid as long as that memory is.
template <class Mdspan>
constexpr auto elements_of(Mdspan const& array)
{
    if constexpr (row_major<Mdspan>) {
        return std::span(array.data_handle(), static_cast<std::size_t>(array.size()));
    } else {
        using number = std::conditional_t<std::is_void_v<Mdspan>, void, offset>; // dependent: clang 14 rejects the view
        return std::views::iota(number{0}, static_cast<number>(array.size())) |
               std::views::transform(element_of<Mdspan>{array});
    }
}

/// @}

TILEWISE_NAMESPACE_END
