// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The one order of combination, shared by every algorithm and every engine: `docs/order.md` in constants and indices.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <bit>
#include <cstddef>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup order
/// @{

/// A position in a range, or a number of elements. Signed and as wide as an address.
using offset = std::ptrdiff_t;

/// The version of the order. It changes if, and only if, some result may change in some bit.
inline constexpr int order_version = 2;

/// @cond internals
/// Whether a scan's result for an element includes that element.
enum class scan_form { inclusive, exclusive };
/// @endcond

/// The sizes of the order's units. Tests instantiate the engines with smaller ones, so that a few hundred elements
/// cross every level; nobody else has a reason to.
struct standard_geometry {
    static constexpr int lane_vector_bytes = 16;      ///< consecutive elements, combined left to right
    static constexpr int lanes_per_row = 32;          ///< combined as an adjacent-pair tree
    static constexpr int rows_per_chunk = 8;          ///< combined left to right
    static constexpr int chunks_per_tile = 8;         ///< combined as an adjacent-pair tree
    static constexpr int tiles_per_group = 32;        ///< combined as an adjacent-pair tree
    static constexpr int groups_per_super_group = 32; ///< and units per unit of every further level, combined alike
};

/// The order for accumulators of type T: the size of each unit in elements, and where an element stands.
///
/// It depends on `sizeof(T)` alone: not on the type of the elements, the iterator, the length of the range or the
/// machine.
template <class T, class Geometry = standard_geometry>
struct order {
    using geometry = Geometry; ///< the sizes of its units, as numbers of smaller units

    static_assert(std::has_single_bit(static_cast<unsigned>(Geometry::lanes_per_row)) &&
                      std::has_single_bit(static_cast<unsigned>(Geometry::chunks_per_tile)) &&
                      std::has_single_bit(static_cast<unsigned>(Geometry::tiles_per_group)) &&
                      std::has_single_bit(static_cast<unsigned>(Geometry::groups_per_super_group)) &&
                      Geometry::groups_per_super_group > 1,
                  "tilewise: units that combine as a tree have a power of two of parts");

    /// The elements of a lane vector, which are combined left to right.
    static constexpr offset lane_vector = std::max(offset{1}, offset{Geometry::lane_vector_bytes} / offset{sizeof(T)});
    static constexpr offset row = lane_vector * Geometry::lanes_per_row;            ///< The elements of a row.
    static constexpr offset chunk = row * Geometry::rows_per_chunk;                 ///< The elements of a chunk.
    static constexpr offset tile = chunk * Geometry::chunks_per_tile;               ///< The elements of a tile.
    static constexpr offset group = tile * Geometry::tiles_per_group;               ///< The elements of a group.
    static constexpr offset super_group = group * Geometry::groups_per_super_group; ///< The elements of a super-group.

    /// Where an element stands inside its tile.
    struct position {
        int chunk;   ///< in the tile
        int row;     ///< in the chunk
        int lane;    ///< in the row
        int element; ///< in the lane vector
    };

    /// The place of element `index` of a tile.
    TILEWISE_PORTABLE static constexpr position locate(offset index)
    {
        return {static_cast<int>(index / chunk), static_cast<int>(index % chunk / row),
                static_cast<int>(index % row / lane_vector), static_cast<int>(index % lane_vector)};
    }

    /// @name Units of every level above the tile
    /// Level 0 is the tile, 1 the group, 2 the super-group, and so on without end. A unit of any level is a whole
    /// binary tree of tiles; the number of tiles before a tile, as digits with one digit per level, says which units
    /// precede it.
    /// @{

    /// The binary logarithm of the number of tiles of a group.
    static constexpr int group_bits = std::countr_zero(static_cast<unsigned>(Geometry::tiles_per_group));
    /// The binary logarithm of the number of parts of a unit of any further level.
    static constexpr int further_bits = std::countr_zero(static_cast<unsigned>(Geometry::groups_per_super_group));
    /// The binary logarithm of the number of tiles of a unit of `level`.
    TILEWISE_PORTABLE static constexpr int log2_tiles(int level)
    {
        return level == 0 ? 0 : group_bits + (level - 1) * further_bits;
    }
    /// How many digits `tiles` has: none for 0.
    TILEWISE_PORTABLE static constexpr int digits(offset tiles)
    {
        int level = 0;
        while (log2_tiles(level) < 63 && tiles >> log2_tiles(level) != 0)
            ++level;
        return level;
    }
    /// The digit of `tiles` at `level`: how many units of that level follow the last whole unit of the next.
    TILEWISE_PORTABLE static constexpr int digit(offset tiles, int level)
    {
        return static_cast<int>((tiles >> log2_tiles(level)) &
                                ((offset{1} << (log2_tiles(level + 1) - log2_tiles(level))) - 1));
    }
    /// @}

    /// How many tiles of a range of `count` elements (at least one) come before its last. The last tile is combined as
    /// a scan combines its last element, also when it is full; the others are combined whole.
    TILEWISE_PORTABLE static constexpr offset tiles_before_last(offset count) { return (count - 1) / tile; }
};

/// @}

TILEWISE_NAMESPACE_END
