// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The aggregates of the lane vectors of each cell, computed without sorting in memory.
///
/// The digits are whole cell numbers. Each block has a contiguous share of the elements. Once these are counted, the
/// position of the block's first element of each cell in the sequence of the cell's elements is known. The block sorts
/// a tile in shared memory, where each cell begins with a lane vector, and so with the elements that are left over from
/// the tile before. A thread then combines a lane vector, wherever it belongs. What reaches memory is one value in
/// place of a lane vector's elements.
///
/// A lane vector whose elements are in several blocks, or that is the incomplete last one of its cell, is put together
/// by `join_lane_vectors`.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/by_index/lane_vectors.cuh>
#include <tilewise/device/by_index/partition.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The blocks that combine lane vectors of up to 2^bits cells. With more cells than digits of a sort, there is one for
/// a multiprocessor, and several cells for a thread.
template <class Tuning, int bits_, int items_>
struct lane_vector_blocks {
    static constexpr bool are_wide = bits_ > Tuning::digit_bits;
    static constexpr int bits = bits_, digits = 1 << bits, items = are_wide ? items_ * 3 / 2 : items_;
    static constexpr int threads = are_wide ? Tuning::many_cells_threads : Tuning::threads;
    static constexpr int per_multiprocessor = are_wide ? 1 : Tuning::moving_blocks_per_multiprocessor;
    static constexpr int warps = threads / warp_size, tile = threads * items;
    static constexpr int cells_each = (digits + threads - 1) / threads;
};

/// The shared memory of `combine_lane_vectors`. A place in the stage is in bytes, since it is added to addresses, or in
/// elements where that would take more than 16 bits.
template <class Blocks, class T, int n>
struct lane_vectors_in_block {
    using counter = std::conditional_t<Blocks::are_wide, unsigned short, unsigned>;
    static constexpr unsigned element = Blocks::are_wide ? 1 : sizeof(T), place_bytes = sizeof(T) / element;
    static constexpr unsigned vector = n * element, counter_bytes = sizeof(counter);
    /// Each cell may begin with elements that were left, and end with an incomplete lane vector.
    static constexpr unsigned vectors = (Blocks::tile + 2 * (n - 1) * Blocks::digits + n - 1) / n;
    /// What belongs to no cell is counted as another one, and stored in a place of its thread behind the others.
    static constexpr unsigned places = vectors * vector, staged = vectors + (Blocks::threads + n - 1) / n;
    static constexpr unsigned no_place = 0xffff, no_cell = 0xffff;
    static constexpr bool fits = places + Blocks::threads * element <= no_place && Blocks::tile * element <= no_place;

    lane_vector_elements<T, n> stage[staged];
    T* targets[Blocks::digits];                          ///< of a cell's first lane vector in the stage
    counter counters[Blocks::warps][Blocks::digits + 1]; ///< elements per cell, then the place of the first one
    unsigned short cell_of[staged];                      ///< of complete lane vectors, in bytes of counters
    unsigned heads; ///< how many lane vectors end in this tile that began in earlier blocks

    /// Whether the element at a place is the last one of its lane vector.
    TILEWISE_DEVICE static bool is_last(unsigned place) { return place % vector == vector - element; }
};

/// Writes the aggregates of the lane vectors that are whole in a block, and the elements of the others.
template <class Blocks, int n, class Source, class Values, class Op>
TILEWISE_KERNEL(Blocks::threads, Blocks::per_multiprocessor)
combine_lane_vectors(Source source, Values values, int cells, lane_vectors_by_cell<typename Values::type, n> of, Op op)
{
    using T = typename Values::type;
    constexpr int threads = Blocks::threads, items = Blocks::items, tile = Blocks::tile, digits = Blocks::digits;
    constexpr int warps = Blocks::warps, each = Blocks::cells_each;
    using memory_type = lane_vectors_in_block<Blocks, T, n>;
    using counter = typename memory_type::counter;
    constexpr unsigned element = memory_type::element;
    TILEWISE_LARGE_SHARED(memory, memory_type);
    auto* const stage = reinterpret_cast<unsigned char*>(memory.stage);
    int const thread = thread_index(), lane = lane_index(), warp = warp_index();
    auto* const own_counters = reinterpret_cast<unsigned char*>(memory.counters[warp]);
    unsigned const lower_lanes = (1u << lane) - 1, lanes_up_to_own = lower_lanes * 2 + 1;
    unsigned const own_place = memory_type::places + static_cast<unsigned>(thread) * element;
    if (lane == 0)
        memory.counters[warp][digits] = memory_type::no_place;

    int missing[each]; // elements of a cell's next lane vector that earlier blocks have
    int left[each];    // and those that the block itself has, up to the end of these
    T* next[each];
    registers<lane_vector_elements<T, n>, each> rest;
    TILEWISE_UNROLL
    for (int k = 0; k < each; ++k) {
        int const cell = k * threads + thread;
        offset const earlier = cell < cells ? of.before(cell, block_index(), block_count()) : 0;
        missing[k] = left[k] = static_cast<int>(earlier % n);
        next[k] = of.aggregates + (cell < cells ? of.begins[cell] + earlier / n : 0);
    }

    offset const size = source.size();
    auto const share = gpu::own_tiles<tile>(size);
    offset const last = share.last * tile;
    int const begin_of_own = warp * items * warp_size + lane;
    auto const elements_at = [&](offset first) { return static_cast<int>(gpu::at_most(size - first, tile)); };
    registers<typename Source::load_type, items> loaded;
    auto const fetch_samples = [&](offset first) {
        gpu::fetch_tile<tile, warp_size>(loaded, source, first, elements_at(first), begin_of_own);
    };
    constexpr bool fetches_ahead = Source::fits_word && !Blocks::are_wide; // of more, registers are spilled
    if (fetches_ahead && share.first < share.last)
        fetch_samples(share.first * tile);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < last; first += tile) {
        if constexpr (!fetches_ahead)
            fetch_samples(first);
        registers<typename Values::load_type, items> loaded_values;
        int const valid = elements_at(first), own_valid = valid - begin_of_own;
        gpu::fetch_tile<tile, warp_size>(loaded_values, values, first, valid, begin_of_own);
        TILEWISE_UNROLL_BY_4
        for (int i = lane; i < digits; i += warp_size)
            memory.counters[warp][i] = 0;
        sync_warp();

        // The address of each element's counter, and in the upper half its rank among the warp's elements of the cell.
        // While a counter is read, the lanes with the next element's cell are found.
        unsigned ranked[items], own[2], same[2];
        bool belongs[2];
        auto const find_lanes = [&](int i) {
            auto const found = source.locate(loaded[i]);
            belongs[i % 2] = found.inside && i * warp_size < own_valid;
            own[i % 2] = belongs[i % 2] ? found.cell : digits;
            same[i % 2] = gpu::lanes_with_bits<Blocks::bits>(own[i % 2], belongs[i % 2]);
        };
        find_lanes(0);
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            int const now = i % 2;
            ranked[i] = own[now] * memory_type::counter_bytes;
            counter& counted = *reinterpret_cast<counter*>(own_counters + ranked[i]);
            unsigned const known = counted;
            if (i + 1 < items)
                find_lanes(i + 1);
            unsigned const rank = known + static_cast<unsigned>(count_bits(same[now] & lower_lanes));
            sync_warp();
            if (belongs[now] && same[now] <= lanes_up_to_own) // the last one
                counted = static_cast<counter>(rank + 1);
            sync_warp();
            ranked[i] += rank * (element << 16);
        }
        if (fetches_ahead && first + tile < last)
            fetch_samples(first + tile);
        sync_block(); // also: the stage of the preceding tile has been read
        if (thread == 0)
            memory.heads = 0;

        // Where the lane vectors of each cell are in the stage, with what was left of the tile before
        unsigned begin[each], end[each], own_vectors = 0, end_of_all = 0;
        TILEWISE_UNROLL
        for (int k = 0; k < each; ++k) {
            unsigned count = 0;
            if (k * threads + thread < digits)
                TILEWISE_UNROLL
            for (int i = 0; i < warps; ++i)
                count += memory.counters[i][k * threads + thread];
            end[k] = static_cast<unsigned>(left[k]) + count; // for now, the number of elements
            begin[k] = own_vectors;
            own_vectors += (end[k] + n - 1) / n;
        }
        unsigned const begin_of_all = gpu::block_sum_before<threads, true>(own_vectors, end_of_all);
        bool has_head[each];
        TILEWISE_UNROLL
        for (int k = 0; k < each; ++k) {
            int const cell = k * threads + thread;
            begin[k] += begin_of_all;
            has_head[k] = missing[k] != 0 && end[k] >= n;
            if (cell < digits) {
                unsigned place = begin[k] * memory_type::vector + static_cast<unsigned>(left[k]) * element;
                TILEWISE_UNROLL
                for (int i = 0; i < warps; ++i) {
                    unsigned const count = memory.counters[i][cell];
                    memory.counters[i][cell] = static_cast<counter>(place);
                    place += count * element;
                }
                gpu::copy_elements(memory.stage[begin[k]], rest[k], missing[k], left[k]);
                memory.targets[cell] = next[k] - begin[k];
                left[k] = static_cast<int>(end[k] % n);
                end[k] = begin[k] + end[k] / n;
                if (left[k] != 0)
                    memory.cell_of[end[k]] = memory_type::no_cell;
                if (has_head[k])
                    gpu::add_one(&memory.heads);
            }
        }
        sync_block();

        // The elements go to their places
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            unsigned const own_cell = ranked[i] & 0xffff;
            unsigned place = *reinterpret_cast<counter const*>(own_counters + own_cell) + (ranked[i] >> 16);
            place = place < own_place ? place : own_place;
            if (Values::is_loaded || place < memory_type::places) // without a branch, if it saves nothing
                gpu::put(*reinterpret_cast<T*>(stage + place * memory_type::place_bytes), values.get(loaded_values[i]));
            if (memory_type::is_last(place))
                memory.cell_of[place / memory_type::vector] = static_cast<unsigned short>(own_cell);
        }
        sync_block();

        // Of lane vectors that began in earlier blocks, the elements are written; the other complete ones are combined
        if (memory.heads != 0) {
            TILEWISE_UNROLL
            for (int k = 0; k < each; ++k) {
                if (has_head[k]) {
                    gpu::copy_elements(of.heads[offset{block_index()} * cells + k * threads + thread],
                                       memory.stage[begin[k]], missing[k], n);
                    memory.cell_of[begin[k]] = memory_type::no_cell;
                    missing[k] = 0;
                }
            }
            sync_block();
        }
        TILEWISE_UNROLL
        for (int k = 0; k < each; ++k) {
            if (k * threads + thread < digits) {
                gpu::copy_elements(rest[k], memory.stage[end[k]], missing[k], left[k]);
                next[k] += end[k] - begin[k];
            }
        }
        TILEWISE_UNROLL_BY_4
        for (unsigned i = static_cast<unsigned>(thread); i < end_of_all; i += threads) {
            unsigned const of_cell = memory.cell_of[i];
            if (of_cell == memory_type::no_cell)
                continue;
            lane_vector_elements<T, n> vector;
            gpu::put(vector, memory.stage[i]);
            T sum = vector.values[0];
            TILEWISE_UNROLL
            for (int j = 1; j < n; ++j)
                gpu::put(sum, gpu::combine(op, sum, T(vector.values[j])));
            gpu::put(memory.targets[of_cell / memory_type::counter_bytes][i], sum);
        }
    }
    TILEWISE_UNROLL
    for (int k = 0; k < each; ++k)
        if (int const cell = k * threads + thread; cell < cells)
            gpu::copy_elements(of.tails[offset{block_index()} * cells + cell], rest[k], missing[k], left[k]);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
