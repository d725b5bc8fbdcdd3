// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `even_partition` and `aligned_begin`: where to split a range into parts for ranks.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <string>
#include <vector>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup distributed
/// @{

/// Returns where to split `count` elements into parts for `ranks` ranks: rank r has [cuts[r], cuts[r + 1]). T is the
/// type of the accumulator.
///
/// The sizes of the parts differ by at most a 64th, or by a lane vector if that is more. Parts begin at multiples of a
/// unit of the order, at least of a lane vector, so that ranks exchange as little as possible. Any other partition
/// gives the same bits. Throws `std::invalid_argument` for a negative count or fewer than one rank.
template <class T>
std::vector<offset> even_partition(offset count, int ranks)
{
    if (count < 0 || ranks < 1)
        reject_argument("even_partition", std::to_string(count) + " elements for " + std::to_string(ranks) + " ranks");
    offset unit = order<T>::lane_vector;
    for (offset const larger : {order<T>::row, order<T>::chunk, order<T>::tile, order<T>::group})
        if (larger <= count / ranks / 64)
            unit = larger;
    offset const units = (count + unit - 1) / unit;
    std::vector<offset> cuts;
    for (int rank = 0; rank <= ranks; ++rank)
        cuts.push_back(std::min(count, (units / ranks * rank + units % ranks * rank / ranks) * unit));
    return cuts;
}

/// Returns how many elements to leave unused at the beginning of memory that is aligned to 16 bytes, for a part of a
/// range that begins at `begin`. T is the type of the elements.
///
/// The units of the order are then aligned as they are at the beginning of the range, and scans of the part are as
/// fast.
template <class T>
constexpr offset aligned_begin(offset begin)
{
    return begin % std::max(offset{1}, offset{16} / offset{sizeof(T)});
}

/// @}

TILEWISE_NAMESPACE_END
