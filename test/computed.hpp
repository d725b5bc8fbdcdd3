// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// An iterator that computes its elements, through which the library cannot see.

#include <tilewise/core/config.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace values {

/// The elements `at(0)`, `at(1)`, ..., from that at `position` on.
template <class At>
struct computed {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::remove_cvref_t<decltype(std::declval<At const&>()(std::ptrdiff_t{}))>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    std::ptrdiff_t position = 0;
    At at{};

    TILEWISE_PORTABLE value_type operator*() const { return at(position); }
    TILEWISE_PORTABLE value_type operator[](std::ptrdiff_t i) const { return at(position + i); }
    TILEWISE_PORTABLE computed operator+(std::ptrdiff_t i) const { return {position + i, at}; }
    TILEWISE_PORTABLE std::ptrdiff_t operator-(computed const& other) const { return position - other.position; }
    TILEWISE_PORTABLE computed& operator++() { return ++position, *this; }
    TILEWISE_PORTABLE computed operator++(int) { return {position++, at}; }
    TILEWISE_PORTABLE bool operator==(computed const& other) const { return position == other.position; }
};

} // namespace values
