// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the algorithms that answer with a position answer with over ranks.

#include <tilewise/core/config.hpp>

#include <cstddef>

// In every mode the same, as communicator.hpp is.
namespace tilewise {

/// @ingroup distributed
/// Where an element stands in a range over ranks. All ranks get the same.
struct rank_position {
    int rank = -1;            ///< that has it, or -1 if there is none
    std::ptrdiff_t local = 0; ///< its index in that rank's part
    std::ptrdiff_t index = 0; ///< its index in the whole range

    friend bool operator==(rank_position const&, rank_position const&) = default; ///< the same element
};

} // namespace tilewise
