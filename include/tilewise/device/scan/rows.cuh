// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp scans rows in its registers, and stores the results.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Consecutive rows of a chunk in the registers of a warp. For each row, a lane holds the exclusive prefix of its lane
/// vector within the chunk, and either the running sums or the elements of the lane vector.
///
/// `whole` says that no row reaches past the last element. Otherwise no user code is called for elements past it.
template <class Scan, bool whole, int rows>
class rows_in_registers {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using vector_size = typename Scan::vector_size;
    static constexpr int N = Scan::lane_vector;
    static constexpr bool keeps_sums = Scan::has_wide_sums;
    static constexpr bool predicated = !whole && !Scan::is_unpredicated;

public:
    /// Scans the rows in `loaded`, of which the first `count` elements are valid. `run` is the aggregate of the
    /// preceding rows of the chunk; these rows are appended to it.
    TILEWISE_DEVICE void scan(registers<vector_size, rows> const& loaded, View& view, Op& op, int count,
                              optional_value<T>& run)
    {
        if constexpr (!keeps_sums)
            loaded_ = loaded;
        registers<T, rows> sum; // of each lane's vector, then of all lanes up to and including it
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            reduce_vector(loaded[row], view, op, row, present(row, count), sum[row]);
        TILEWISE_UNROLL
        for (int distance = 1; distance < warp_size; distance *= 2) {
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row) {
                T const left = gpu::shuffle_up(sum[row], distance);
                if (lane_index() >= distance && (!predicated || present(row, count) > 0))
                    gpu::put(sum[row], gpu::combine(op, left, T(sum[row])));
            }
        }
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            T const lanes = gpu::shuffle_up(sum[row], 1), aggregate = gpu::shuffle(sum[row], warp_size - 1);
            gpu::put(before_[row], run);
            if (lane_index() > 0 && (!predicated || present(row, count) > 0))
                before_[row].append(op, lanes);
            if (!predicated || count >= (row + 1) * Scan::row)
                run.append(op, aggregate);
        }
    }

    /// Stores the results of the rows, which begin at position `first` of the tile. `carry` is the exclusive prefix of
    /// the chunk. `realigns` says whether complete rows are stored in 16-byte vectors at any address, if `how` permits.
    template <access how, bool realigns = whole>
    TILEWISE_DEVICE void write(Sink& to, View& view, Op& op, int first, int count, optional_value<T> const& carry)
    {
        first += lane_index() * N;
        [[maybe_unused]] vector16 row_before = {}; // the last lane's vector of the preceding row, for the first lane
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            int const valid = present(row, count), position = first + row * Scan::row;
            auto const results = results_of(view, op, row, valid, prefix_of(op, row, valid, carry));
            if constexpr (realigns && how == access::realigned) {
                if (whole || count >= (row + 1) * Scan::row) {
                    bool const is_last = row == rows - 1 || (!whole && count < (row + 2) * Scan::row);
                    if (to.address_of(0) % vector_bytes != 0)
                        store_shifted(to, position, row == 0, is_last, results, row_before);
                    else
                        to.template store<access::aligned>(position, results);
                    continue;
                }
            }
            if (whole || valid >= N)
                to.template store<how == access::aligned ? how : access::elementwise>(position, results);
            else
                to.store_some(position, results, 0, valid);
        }
    }

private:
    /// The number of valid elements in this lane's vector of a row: N or more means all, 0 or less means none. (If the
    /// number is clamped to [0, N], nvcc 13.0 miscompiles a comparison with N.)
    TILEWISE_DEVICE static int present(int row, int count)
    {
        return whole ? N : count - row * Scan::row - lane_index() * N;
    }

    /// Computes the aggregate of a lane vector of which the first `valid` elements are valid.
    TILEWISE_DEVICE void reduce_vector(vector_size const& loaded, View& view, Op& op, int row, int valid, T& sum)
    {
        if constexpr (!predicated && !keeps_sums) {
            gpu::put(sum, gpu::load_aggregate<typename Scan::layout>(view, loaded, op));
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i) {
                if (!predicated || i < valid) {
                    T const element = gpu::operand<T, Op>(view, loaded, i);
                    gpu::put(sum, i == 0 ? element : gpu::combine(op, T(sum), element));
                    if constexpr (keeps_sums)
                        gpu::put(sums_[row][i], sum);
                }
            }
        }
    }

    /// Returns the exclusive prefix of the lane vector.
    TILEWISE_DEVICE optional_value<T> prefix_of(Op& op, int row, int valid, optional_value<T> const& carry)
    {
        optional_value<T> prefix(carry);
        if (before_[row].has_value) {
            if (carry.has_value && (!predicated || valid > 0))
                gpu::put(prefix.value[0], gpu::combine(op, T(carry.value[0]), T(before_[row].value[0])));
            else
                gpu::put(prefix.value[0], before_[row].value[0]);
            prefix.has_value = true;
        }
        return prefix;
    }

    /// Returns the results of a lane vector in the form that the sink stores.
    TILEWISE_DEVICE auto results_of(View& view, Op& op, int row, int valid, optional_value<T> const& prefix)
    {
        if constexpr (!predicated && Scan::scans_bytes) {
            typename Sink::template vector<N> results;
            unsigned sum = prefix.has_value ? static_cast<unsigned>(prefix.value[0]) : 0;
            TILEWISE_UNROLL
            for (int i = 0; i < 4; ++i) {
                unsigned const before = sum & 0xFF, word = gpu::scan_bytes(loaded_[row].vectors[0].word[i], sum);
                results.vectors[0].word[i] = Scan::form == scan_form::inclusive ? word : word << 8 | before;
            }
            return results;
        } else {
            registers<T, N> results;
            registers<T, 1> sum; // of the lane vector up to element i
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i) {
                if (predicated && i >= valid)
                    continue;
                if constexpr (Scan::form == scan_form::exclusive) {
                    if (i == 0) {
                        gpu::put(results[0], prefix.value[0]);
                    } else {
                        add_element(view, op, row, i - 1, sum[0]);
                        gpu::put(results[i], gpu::combine(op, T(prefix.value[0]), T(sum[0])));
                    }
                } else {
                    add_element(view, op, row, i, sum[0]);
                    gpu::put(results[i], prefix.has_value ? gpu::combine(op, T(prefix.value[0]), T(sum[0])) : sum[0]);
                }
            }
            return Sink::pack(results);
        }
    }
    TILEWISE_DEVICE void add_element(View& view, Op& op, int row, int i, T& sum)
    {
        if constexpr (keeps_sums) {
            gpu::put(sum, sums_[row][i]);
        } else {
            T const element = gpu::operand<T, Op>(view, loaded_[row], i);
            gpu::put(sum, i == 0 ? element : gpu::combine(op, T(sum), element));
        }
    }

    /// Stores a row at an address that is not 16-byte aligned. Each lane stores the aligned 16-byte vector that begins
    /// in the preceding lane's vector. The bytes that remain before the first row and after the last one are stored
    /// apart.
    template <class Vector>
    TILEWISE_DEVICE void store_shifted(Sink& to, int position, bool is_first, bool is_last, Vector const& own,
                                       vector16& row_before)
    {
        constexpr int alignment = Sink::element_alignment;
        int const skipped = static_cast<int>(to.address_of(0) % vector_bytes);
        vector16 left = {};
        TILEWISE_UNROLL
        for (int i = alignment / 4; i < 4; ++i) // words before these are in no vector of another lane
            left.word[i] = gpu::shuffle(own.vectors[0].word[i], (lane_index() + warp_size - 1) % warp_size);
        vector16 const rotated = left;
        if (lane_index() == 0)
            left = row_before;
        row_before = rotated;
        auto* const aligned = reinterpret_cast<unsigned char*>(to.first + position) - skipped;
        if (!is_first || lane_index() > 0) {
            vector16 const moved =
                gpu::shifted<alignment>(left, own.vectors[0], static_cast<unsigned>(vector_bytes - skipped));
            *reinterpret_cast<vector16*>(aligned) = moved;
        }
        if (is_first)
            to.store_bytes(position - lane_index() * N, of_lane(own, 0), 0, vector_bytes - skipped);
        if (is_last)
            to.store_bytes(position + (warp_size - 1 - lane_index()) * N, of_lane(own, warp_size - 1),
                           vector_bytes - skipped, vector_bytes);
    }
    template <class Vector>
    TILEWISE_DEVICE static vector16 of_lane(Vector const& own, int lane)
    {
        vector16 words;
        TILEWISE_UNROLL
        for (int i = 0; i < 4; ++i)
            words.word[i] = gpu::shuffle(own.vectors[0].word[i], lane);
        return words;
    }

    registers<vector_size, keeps_sums ? 1 : rows> loaded_;
    registers<registers<T, keeps_sums ? N : 1>, keeps_sums ? rows : 1> sums_;
    registers<optional_value<T>, rows> before_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
