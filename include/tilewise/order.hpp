// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The order of combination, which all algorithms and engines share: the constants and index computations of
/// `docs/order.md`.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <bit>
#include <cstddef>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup order
/// @{

/// A position in a range, or a number of elements. Signed, and as wide as a pointer.
using offset = std::ptrdiff_t;

/// The version of the order. It changes if, and only if, the bits of some result may change.
inline constexpr int order_version = 2;

/// @cond internals
/// Whether a scan's result for an element includes that element.
enum class scan_form { inclusive, exclusive };
/// @endcond

/// The sizes of the units of the order. Only tests use other sizes: they instantiate the engines with smaller units, so
/// that a few hundred elements span every level.
struct standard_geometry {
    static constexpr int lane_vector_bytes = 16;      ///< consecutive elements, combined left to right
    static constexpr int lanes_per_row = 32;          ///< combined as an adjacent-pair tree
    static constexpr int rows_per_chunk = 8;          ///< combined left to right
    static constexpr int chunks_per_tile = 8;         ///< combined as an adjacent-pair tree
    static constexpr int tiles_per_group = 32;        ///< combined as an adjacent-pair tree
    static constexpr int groups_per_super_group = 32; ///< also the units per unit of every higher level
};

/// The order for accumulators of type T: the size of each unit in elements, and the position of an element in its
/// units.
///
/// It depends on `sizeof(T)` alone, not on the type of the elements, the iterator, the length of the range or the
/// machine.
template <class T, class Geometry = standard_geometry>
struct order {
    using geometry = Geometry; ///< the size of each unit, as a number of smaller units

    static_assert(std::has_single_bit(static_cast<unsigned>(Geometry::lanes_per_row)) &&
                      std::has_single_bit(static_cast<unsigned>(Geometry::chunks_per_tile)) &&
                      std::has_single_bit(static_cast<unsigned>(Geometry::tiles_per_group)) &&
                      std::has_single_bit(static_cast<unsigned>(Geometry::groups_per_super_group)) &&
                      Geometry::groups_per_super_group > 1,
                  "tilewise: the number of parts of a unit that is combined as a tree must be a power of two");

    /// The number of elements in a lane vector, which are combined left to right.
    static constexpr offset lane_vector = std::max(offset{1}, offset{Geometry::lane_vector_bytes} / offset{sizeof(T)});
    static constexpr offset row = lane_vector * Geometry::lanes_per_row;            ///< Elements per row.
    static constexpr offset chunk = row * Geometry::rows_per_chunk;                 ///< Elements per chunk.
    static constexpr offset tile = chunk * Geometry::chunks_per_tile;               ///< Elements per tile.
    static constexpr offset group = tile * Geometry::tiles_per_group;               ///< Elements per group.
    static constexpr offset super_group = group * Geometry::groups_per_super_group; ///< Elements per super-group.

    /// The position of an element in its tile.
    struct position {
        int chunk;   ///< the index of the chunk in the tile
        int row;     ///< the index of the row in the chunk
        int lane;    ///< the index of the lane vector in the row
        int element; ///< the index of the element in the lane vector
    };

    /// Returns the position of element `index` of a tile.
    TILEWISE_PORTABLE static constexpr position locate(offset index)
    {
        return {static_cast<int>(index / chunk), static_cast<int>(index % chunk / row),
                static_cast<int>(index % row / lane_vector), static_cast<int>(index % lane_vector)};
    }

    /// @name Units of every level above the tile
    /// Level 0 is the tile, level 1 the group, level 2 the super-group, and so on without limit. A unit of any level is
    /// a complete binary tree of tiles. The number of tiles before a tile, written with one digit per level, determines
    /// the units that precede the tile.
    /// @{

    /// The binary logarithm of the number of tiles in a group.
    static constexpr int group_bits = std::countr_zero(static_cast<unsigned>(Geometry::tiles_per_group));
    /// The binary logarithm of the number of units per unit of every higher level.
    static constexpr int further_bits = std::countr_zero(static_cast<unsigned>(Geometry::groups_per_super_group));
    /// Returns the binary logarithm of the number of tiles in a unit of `level`.
    TILEWISE_PORTABLE static constexpr int log2_tiles(int level)
    {
        return level == 0 ? 0 : group_bits + (level - 1) * further_bits;
    }
    /// Returns the number of digits of `tiles`, which is 0 for 0.
    TILEWISE_PORTABLE static constexpr int digits(offset tiles)
    {
        int level = 0;
        while (log2_tiles(level) < 63 && tiles >> log2_tiles(level) != 0)
            ++level;
        return level;
    }
    /// Returns the digit of `tiles` at `level`: the number of units of that level after the last complete unit of the
    /// next level.
    TILEWISE_PORTABLE static constexpr int digit(offset tiles, int level)
    {
        return static_cast<int>((tiles >> log2_tiles(level)) &
                                ((offset{1} << (log2_tiles(level + 1) - log2_tiles(level))) - 1));
    }
    /// @}

    /// Returns the number of tiles before the last tile of a range of `count` elements, which is at least 1. The last
    /// tile is combined as a scan combines its last element, even if the tile is full; the other tiles are combined as
    /// complete units.
    TILEWISE_PORTABLE static constexpr offset tiles_before_last(offset count) { return (count - 1) / tile; }
};

/// @}

TILEWISE_NAMESPACE_END
