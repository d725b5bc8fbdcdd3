// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Elements that kernels read from a view by number: the copies of host memory behind a zip or a transform.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The elements of a view, by number, as values of type E.
template <class View, class E>
struct elements_of_view {
    View view;

    TILEWISE_DEVICE E operator[](offset n) const
    {
        View elements = view; // whose functions may have state
        auto const loaded = elements.template fetch_clamped<1>(n, n);
        return static_cast<E>(elements.element(loaded, 0));
    }
};

/// The elements of a piece of a range from `begin` on, behind `ahead` elements chosen from those before: none, or two.
/// The views keep the positions that the elements have in the whole range.
template <class View, class E>
struct elements_of_piece {
    elements_of_view<View, E> chosen[2];
    offset positions[2];
    elements_of_view<View, E> others;
    offset begin, ahead;

    TILEWISE_DEVICE E operator[](offset n) const
    {
        if (n >= ahead)
            return others[begin + n - ahead];
        return n == 0 ? chosen[0][positions[0]] : chosen[1][positions[1]];
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
