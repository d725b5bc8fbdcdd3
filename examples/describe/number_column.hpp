// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "element_type.hpp"
#include "strided_view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace example {

template <class ElementType>
struct values_of;

template <class... Ts>
struct values_of<std::variant<element<Ts>...>> {
    using type = std::variant<std::vector<double>, std::span<Ts const>..., strided_view<Ts>...>;
};

/// Numbers of one type: parsed ones are owned, those that lie in a mapped file are referred to.
using column_values = values_of<element_type>::type;

/// One column of numbers, or one rank's part of it.
struct number_column {
    std::string label;     ///< `column "ppm"`, `column 2`; empty where the file has nothing but this column
    std::string_view type; ///< a name of `element_types`
    column_values values;
};

/// `count` elements of a type, the first at `first`, each `stride` bytes after the one before; not copied.
/// Only elements that lie as in an array of their type are read as one; all others are copied out one by one.
inline column_values view_elements(element_type type, std::byte const* first, std::size_t stride, std::size_t count)
{
    return std::visit(
        [=](auto chosen) -> column_values {
            using T = typename decltype(chosen)::type;
            bool const is_aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(T) == 0;
            if (stride == sizeof(T) && is_aligned) {
                return std::span(reinterpret_cast<T const*>(first), count);
            }
            return strided_view<T>(first, stride, count);
        },
        type);
}

/// The values [first, last); refers to the same bytes.
inline column_values part_of(column_values const& values, std::size_t first, std::size_t last)
{
    return std::visit(
        [=](auto const& elements) -> column_values {
            if constexpr (requires { elements.subspan(first, last - first); }) {
                return elements.subspan(first, last - first);
            } else {
                return std::vector<double>(elements.begin() + static_cast<std::ptrdiff_t>(first),
                                           elements.begin() + static_cast<std::ptrdiff_t>(last));
            }
        },
        values);
}

/// How many values there are.
inline std::size_t length_of(column_values const& values)
{
    return std::visit([](auto const& elements) { return elements.size(); }, values);
}

/// The column that `wanted` says, counted from 0, among `count` columns: the first of this name, or else of this
/// number, counted from 1. Throws `bad_input` when there is none.
std::size_t find_column(std::string const& wanted, std::size_t count, std::span<std::string const> names = {});

} // namespace example
