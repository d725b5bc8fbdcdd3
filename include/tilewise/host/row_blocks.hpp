// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where the lane vectors of rows are read and written, 16 bytes each: complete rows, or a part of one.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <cstddef>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Complete rows of `lanes` lane vectors.
template <class T, int lanes>
class complete_rows {
    static constexpr offset per_lane = 16 / sizeof(T);

public:
    complete_rows(T const* first, T* out) : first_(first), out_(out) {}

    TILEWISE_INLINE T const* source(offset lane) const { return first_ + lane * per_lane; }
    TILEWISE_INLINE T* destination(offset lane) { return out_ + lane * per_lane; }
    TILEWISE_INLINE void next_row()
    {
        first_ += lanes * per_lane;
        out_ += lanes * per_lane;
    }

private:
    T const* first_;
    T* out_;
};

/// The first `count` elements of a row, at least one. The last lane vector, if it is incomplete, and those after it
/// are in buffers; elements that do not exist have the value of the last one. There are no branches, because they would
/// be mispredicted for segments of various lengths.
template <class T>
class part_of_row {
    static constexpr offset per_lane = 16 / sizeof(T);

public:
    TILEWISE_INLINE part_of_row(T const* first, offset count, T* out)
        : first_(first), out_(out), complete_(count / per_lane), rest_(count % per_lane)
    {
        for (offset i = 0; i < per_lane; ++i)
            last_[i] = first[std::min(complete_ * per_lane + i, count - 1)];
    }

    TILEWISE_INLINE T const* source(offset lane) const { return lane < complete_ ? first_ + lane * per_lane : last_; }
    TILEWISE_INLINE T* destination(offset lane)
    {
        T* const past = lane == complete_ ? results_ : unused_;
        return lane < complete_ ? out_ + lane * per_lane : past;
    }
    void next_row() {}
    /// Writes the results of the incomplete lane vector.
    TILEWISE_INLINE void finish()
    {
        for (offset i = 0; i < per_lane - 1; ++i)
            *(i < rest_ ? out_ + complete_ * per_lane + i : unused_) = results_[i];
    }

private:
    T const* first_;
    T* out_;
    offset complete_, rest_;
    alignas(16) T last_[static_cast<std::size_t>(per_lane)];
    alignas(16) T results_[static_cast<std::size_t>(per_lane)];
    alignas(16) T unused_[static_cast<std::size_t>(per_lane)];
};

} // namespace host
TILEWISE_NAMESPACE_END
