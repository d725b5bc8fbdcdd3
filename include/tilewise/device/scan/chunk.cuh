// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp scans its chunk of a tile: it loads the elements, combines them, and stores the results.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/rows.cuh>
#include <tilewise/device/scan/tile_input.cuh>
#include <tilewise/device/scan/types.cuh>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Where a warp keeps its chunk between reading it and storing its results.
enum class chunk_storage {
    kept,       ///< in registers
    first_rows, ///< in registers, and it has no other rows than the first `few_rows`
    none        ///< nowhere: the chunk is read and combined twice, row by row
};

/// Of how few rows a range is scanned without instructions for the others. 2^4 elements, us with and without: f32 3.7,
/// 4.2; i8 3.9, 5.0; 2x2 matrices 4.1, 5.7; with 1 instead of 2: f32 3.6, but 2^8 4.2 (H200, 2026-11-29).
template <class Scan>
inline constexpr int few_rows = std::min(Scan::rows, 2);

/// The chunk of a tile that a warp scans.
template <class Scan, bool whole, access in, memory where, chunk_storage storage>
class warp_chunk {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    static constexpr int rows = storage == chunk_storage::kept         ? Scan::rows
                                : storage == chunk_storage::first_rows ? few_rows<Scan>
                                                                       : 1;

public:
    /// Reads and combines the chunk that begins at position `first` of a tile. Returns the aggregate of its complete
    /// rows in every lane.
    TILEWISE_DEVICE optional_value<T> read(tile_input<Scan>& from, int first, Op& op)
    {
        auto run = gpu::no_value<T>();
        for_rows(first, from.count, [&](int begin) { scan(from, begin, op, run); });
        return run;
    }

    /// Stores the results of the chunk, whose exclusive prefix is `carry`.
    template <access out>
    TILEWISE_DEVICE void write(tile_input<Scan>& from, int first, typename Scan::sink& to, Op& op,
                               optional_value<T> const& carry)
    {
        auto run = gpu::no_value<T>();
        for_rows(first, from.count, [&](int begin) {
            if constexpr (storage == chunk_storage::none)
                scan(from, begin, op, run);
            rows_.template write<out>(to, from.all, op, begin, from.count - begin, carry);
        });
    }

private:
    TILEWISE_DEVICE void scan(tile_input<Scan>& from, int begin, Op& op, optional_value<T>& run)
    {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, whole, in, where>(from, begin, loaded);
        rows_.scan(loaded, from.all, op, from.count - begin, run);
    }
    template <class Body>
    TILEWISE_DEVICE static void for_rows(int first, int count, Body const& body)
    {
        if constexpr (storage == chunk_storage::none) {
            TILEWISE_NO_UNROLL
            for (int row = 0; row < Scan::rows && first + row * Scan::row < count; ++row)
                body(first + row * Scan::row);
        } else {
            body(first);
        }
    }
    rows_in_registers<Scan, whole, rows> rows_;
};

/// How many rows of a segment, or of the last chunk of a range, a warp has in its registers: a divisor of those of a
/// chunk. Of elements of less than a word, a lane has at least 8, and the code for each of them is long: with 4 rows,
/// instructions have to be waited for.
template <class Scan>
inline constexpr int rows_at_once = std::min(Scan::rows & -Scan::rows, !Scan::batched || Scan::lane_vector > 4 ? 2 : 4);

/// Returns the aggregate of the rows of a complete chunk in every lane.
template <class Scan, int rows>
TILEWISE_DEVICE auto rows_aggregate(typename Scan::view& view,
                                    registers<typename Scan::vector_size, rows> const& loaded, typename Scan::op& op) ->
    typename Scan::value
{
    using T = typename Scan::value;
    registers<T, rows> aggregate;
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row)
        gpu::put(aggregate[row], gpu::load_aggregate<typename Scan::layout>(view, loaded[row], op));
    return gpu::warp_fold_rows<rows, warp_size, T>(op, gpu::warp_row_trees<rows, warp_size>(op, aggregate));
}

/// Returns the aggregate of a complete chunk in every lane; `whole` says whether its tile is complete, too. For tiles
/// whose results another warp or kernel writes.
template <class Scan, bool whole, access in, memory where>
TILEWISE_DEVICE auto chunk_aggregate(tile_input<Scan>& from, int first, typename Scan::op& op) -> typename Scan::value
{
    using T = typename Scan::value;
    constexpr int rows = Scan::rows;
    if constexpr (Scan::batched) {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, whole, in, where>(from, first, loaded);
        return gpu::rows_aggregate<Scan>(from.all, loaded, op);
    } else {
        auto run = gpu::no_value<T>();
        TILEWISE_NO_UNROLL
        for (int row = 0; row < rows; ++row) {
            registers<typename Scan::vector_size, 1> loaded;
            gpu::load_rows<Scan, whole, in, where>(from, first + row * Scan::row, loaded);
            T const aggregate = gpu::warp_tree(op, gpu::load_aggregate<typename Scan::layout>(from.all, loaded[0], op));
            run.append(op, gpu::shuffle(aggregate, 0));
        }
        return run.value[0];
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
