// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Positions in a range that is distributed across ranks: of an element, and of a rank's part.

#include <tilewise/core/config.hpp>

#include <cstddef>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @ingroup distributed
/// The position of an element in a range that is distributed across ranks. All ranks get the same position.
struct rank_position {
    int rank = -1;            ///< the rank that has the element, or -1 if there is none
    std::ptrdiff_t local = 0; ///< its index in that rank's part
    std::ptrdiff_t index = 0; ///< its index in the whole range

    friend bool operator==(rank_position const&, rank_position const&) = default; ///< whether they are equal
};

/// @ingroup distributed
/// The position of a rank's part in a range that is distributed across ranks.
struct part_position {
    std::ptrdiff_t begin = 0; ///< the number of elements before the part
    std::ptrdiff_t total = 0; ///< the number of elements of the range
};

} // namespace tilewise
