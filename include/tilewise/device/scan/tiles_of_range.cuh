// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The tiles that the blocks of a single-pass scan share out by tickets, if they are those of one range.

#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/head.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

inline constexpr offset no_tile = -1;

/// A tile of one range.
struct tile_number {
    offset number; ///< `no_tile` after the last one
};

/// The tiles of one range, in the order of the tickets. Another class of this form has tiles of many ranges.
template <class Scan>
struct tiles_of_range {
    using tile = tile_number;                     ///< what the producer writes about a tile
    static constexpr int producing_lanes = 1;     ///< of the producer
    static constexpr bool may_be_aligned = false; ///< whether a tile may be, in a kernel for misaligned memory
    static constexpr bool may_have_head = Scan::sums_integers;
    static constexpr int rows_from_stage = 1;           ///< at once, of a chunk that is not kept in registers
    static constexpr bool reads_before_carry_in = true; ///< whether writers read complete chunks before they wait

    scan_status status;
    offset count;             ///< of elements from the first tile on
    head_of_range<Scan> head; ///< those before it
    offset ticket = 0;        ///< of the producer

    /// @name For the producer
    /// @{
    TILEWISE_DEVICE void take() { ticket = status.take_tile(); }
    TILEWISE_DEVICE void look_ahead() {}
    TILEWISE_DEVICE tile find() const { return {ticket < (count + Scan::tile - 1) / Scan::tile ? ticket : no_tile}; }
    /// @}

    /// The first element of a tile.
    TILEWISE_DEVICE static offset begin(tile const& of) { return of.number * Scan::tile; }
    /// The elements before it, if it is the first one of a range that has some.
    TILEWISE_DEVICE head_of_range<Scan> head_of(tile const& of) const { return {of.number == 0 ? head.count : 0}; }
    /// How many elements its range has from there on.
    TILEWISE_DEVICE offset left(tile const& of) const { return count - of.number * Scan::tile; }
    TILEWISE_DEVICE static bool is_aligned(tile const&) { return false; }
    /// The aggregates of the tiles and groups of its range.
    TILEWISE_DEVICE scan_status const& status_of(tile const&) const { return status; }
    /// Whether its range is another one than that of the tile before it.
    TILEWISE_DEVICE static bool begins_range(tile const&) { return false; }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
