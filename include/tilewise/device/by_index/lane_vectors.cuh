// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The aggregates of the lane vectors of each cell, computed without sorting in memory.
///
/// The digits are whole cell numbers. Each block has a contiguous share of the elements. Once they are counted, a block
/// knows the position of its first element of each cell in the sequence of the cell's elements. It sorts a tile in
/// shared memory, where each cell begins with a lane vector, and so with the elements that are left over from the tile
/// before. A thread then combines a lane vector, wherever it belongs. What reaches memory is one value in place of a
/// lane vector's elements.
///
/// A lane vector whose elements are in several blocks, or that is the incomplete last one of its cell, is put together
/// by `join_lane_vectors`.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/by_index/partition.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <bit>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The elements of a lane vector, some of which may not exist.
template <class T, int n>
struct alignas(std::has_single_bit(n * sizeof(T)) ? n * sizeof(T) : alignof(T)) lane_vector_elements {
    registers<T, n> values;
};

/// Copies the elements [first, last) of a lane vector: the others may not exist.
template <class T, int n>
TILEWISE_DEVICE void copy_elements(lane_vector_elements<T, n>& to, lane_vector_elements<T, n> const& from, int first,
                                   int last)
{
    TILEWISE_UNROLL
    for (int i = 0; i < n; ++i)
        if (i >= first && i < last)
            gpu::put(to.values[i], from.values[i]);
}

/// The order of a sequence of aggregates of lane vectors: that of the elements from the row on.
template <class Geometry, class T>
struct geometry_of_lane_vectors : Geometry {
    static constexpr int lane_vector_bytes = static_cast<int>(sizeof(T));
};

/// What kernels know of a cell's elements in each block, and where the aggregates go.
template <class T, int n>
struct lane_vectors_by_cell {
    using vector = lane_vector_elements<T, n>;

    offset const* counts; ///< of the elements in earlier blocks: a row per cell, a column per block
    offset const* totals; ///< of the elements
    offset const* begins; ///< of the cell's lane vectors in `aggregates`
    T* aggregates;
    vector* heads; ///< the lane vectors that began in earlier blocks: of each block, one per cell
    vector* tails; ///< those that do not end in the block

    /// The number of elements of a cell in the blocks before `block`.
    TILEWISE_DEVICE offset before(int cell, int block, int blocks) const
    {
        return block < blocks ? counts[offset{cell} * blocks + block] : totals[cell];
    }
};

/// The shared memory of `combine_lane_vectors`. Places in the stage are in bytes, since they are added to addresses.
template <class T, int n, int threads, int tile, int digits>
struct lane_vectors_in_block {
    static constexpr int warps = threads / warp_size;
    /// Each cell may begin with elements that were left, and end with an incomplete lane vector.
    static constexpr int vectors = (tile + 2 * (n - 1) * digits + n - 1) / n;
    static constexpr unsigned vector_bytes = n * sizeof(T), places = vectors * vector_bytes;
    /// What belongs to no cell is counted as another one, and stored in a place of its thread behind the others.
    static constexpr int staged = vectors + (threads + n - 1) / n;
    static constexpr unsigned no_place = 0x10000, no_cell = 0xffff;
    static_assert(places + threads * sizeof(T) <= no_place && tile * sizeof(T) < no_place, "16 bits for each of both");

    lane_vector_elements<T, n> stage[staged];
    unsigned counters[warps][digits + 1]; ///< elements per warp and cell, then the place of the first one
    T* targets[digits];                   ///< of a cell's first lane vector in the stage
    unsigned short cell_of[staged];       ///< of complete lane vectors, times 4
    unsigned heads;                       ///< how many lane vectors end in this tile that began in earlier blocks

    /// Whether the element at a place is the last one of its lane vector.
    TILEWISE_DEVICE static bool is_last(unsigned place) { return place % vector_bytes == vector_bytes - sizeof(T); }
};

/// Writes the aggregates of the lane vectors that are whole in a block, and the elements of the others.
template <class Tuning, int bits, int items, int n, class Source, class Values, class Op>
TILEWISE_KERNEL(Tuning::threads, Tuning::moving_blocks_per_multiprocessor)
combine_lane_vectors(Source source, Values values, int cells, lane_vectors_by_cell<typename Values::type, n> of, Op op)
{
    using T = typename Values::type;
    constexpr int threads = Tuning::threads, tile = threads * items, digits = 1 << bits;
    using memory_type = lane_vectors_in_block<T, n, threads, tile, digits>;
    constexpr unsigned vector_bytes = memory_type::vector_bytes, places = memory_type::places;
    static_assert(digits <= threads, "a thread for every cell");
    TILEWISE_SHARED(memory, memory_type);
    auto* const stage = reinterpret_cast<unsigned char*>(memory.stage);
    int const cell = thread_index(), lane = lane_index(), warp = warp_index();
    auto* const own_counters = reinterpret_cast<unsigned char*>(memory.counters[warp]);
    unsigned const lower_lanes = (1u << lane) - 1, lanes_up_to_own = lower_lanes * 2 + 1;
    unsigned const own_place = places + static_cast<unsigned>(thread_index()) * static_cast<unsigned>(sizeof(T));
    if (lane == 0)
        memory.counters[warp][digits] = memory_type::no_place;

    offset const earlier = cell < cells ? of.before(cell, block_index(), block_count()) : 0;
    int missing = static_cast<int>(earlier % n); // elements of the next lane vector that earlier blocks have
    int left = missing;                          // and those that the block itself has, up to the end of these
    T* next = cell < cells ? of.aggregates + of.begins[cell] + earlier / n : nullptr;
    lane_vector_elements<T, n> rest;

    offset const size = source.size();
    auto const share = gpu::own_tiles<tile>(size);
    TILEWISE_NO_UNROLL
    for (offset first = share.first * tile; first < share.last * tile; first += tile) {
        registers<typename Source::load_type, items> loaded;
        registers<typename Values::load_type, items> loaded_values;
        int const begin_of_own = warp * items * warp_size + lane;
        int const valid = static_cast<int>(gpu::at_most(size - first, tile)), own_valid = valid - begin_of_own;
        gpu::fetch_tile<tile, warp_size>(loaded, source, first, valid, begin_of_own);
        gpu::fetch_tile<tile, warp_size>(loaded_values, values, first, valid, begin_of_own);
        TILEWISE_UNROLL
        for (int i = lane; i < digits; i += warp_size)
            memory.counters[warp][i] = 0;
        sync_warp();

        // Four times the cell of each element, and in the upper half its rank among the warp's elements of the cell
        unsigned ranked[items];
        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            auto const found = source.locate(loaded[i]);
            bool const belongs = found.inside && i * warp_size < own_valid;
            unsigned const own = belongs ? found.cell : digits;
            unsigned const same = gpu::lanes_with_bits<bits>(own, belongs);
            unsigned& counter = *reinterpret_cast<unsigned*>(own_counters + own * 4);
            unsigned const rank = counter + static_cast<unsigned>(count_bits(same & lower_lanes));
            sync_warp();
            if (belongs && same <= lanes_up_to_own) // the last one
                counter = rank + 1;
            sync_warp();
            ranked[i] = own * 4 + rank * (static_cast<unsigned>(sizeof(T)) << 16);
        }
        sync_block(); // also: the stage of the preceding tile has been read
        if (thread_index() == 0)
            memory.heads = 0;

        unsigned before_warp[memory_type::warps], own_count = 0, end_of_all = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < memory_type::warps; ++i) {
            before_warp[i] = own_count;
            own_count += cell < digits ? memory.counters[i][cell] : 0;
        }
        unsigned const elements = static_cast<unsigned>(left) + own_count;
        unsigned const begin = gpu::block_sum_before<threads, true>((elements + n - 1) / n, end_of_all);
        unsigned const end = begin + elements / n;
        bool const has_head = missing != 0 && end != begin;
        if (cell < digits) {
            unsigned const place = begin * vector_bytes + static_cast<unsigned>(left * sizeof(T));
            TILEWISE_UNROLL
            for (int i = 0; i < memory_type::warps; ++i)
                memory.counters[i][cell] = place + before_warp[i] * static_cast<unsigned>(sizeof(T));
            gpu::copy_elements(memory.stage[begin], rest, missing, left);
            memory.targets[cell] = next - begin;
            left = static_cast<int>(elements % n);
            if (left != 0)
                memory.cell_of[end] = memory_type::no_cell;
            if (has_head)
                gpu::add_one(&memory.heads);
        }
        sync_block();

        TILEWISE_UNROLL
        for (int i = 0; i < items; ++i) {
            unsigned const own = ranked[i] & 0xffff;
            unsigned place = *reinterpret_cast<unsigned const*>(own_counters + own) + (ranked[i] >> 16);
            place = place < own_place ? place : own_place;
            if (Values::is_loaded || place < places) // without a branch, if it saves nothing
                gpu::put(*reinterpret_cast<T*>(stage + place), values.get(loaded_values[i]));
            if (memory_type::is_last(place))
                memory.cell_of[place / vector_bytes] = static_cast<unsigned short>(own);
        }
        sync_block();

        if (memory.heads != 0) {
            if (has_head) {
                gpu::copy_elements(of.heads[offset{block_index()} * cells + cell], memory.stage[begin], missing, n);
                memory.cell_of[begin] = memory_type::no_cell;
                missing = 0;
            }
            sync_block();
        }
        if (cell < digits) {
            gpu::copy_elements(rest, memory.stage[end], missing, left);
            next += end - begin;
        }
        TILEWISE_UNROLL_BY_4
        for (unsigned i = static_cast<unsigned>(thread_index()); i < end_of_all; i += threads) {
            unsigned const own = memory.cell_of[i];
            if (own == memory_type::no_cell)
                continue;
            lane_vector_elements<T, n> vector;
            gpu::put(vector, memory.stage[i]);
            T sum = vector.values[0];
            TILEWISE_UNROLL
            for (int j = 1; j < n; ++j)
                gpu::put(sum, gpu::combine(op, sum, T(vector.values[j])));
            gpu::put(memory.targets[own / 4][i], sum);
        }
    }
    if (cell < cells)
        gpu::copy_elements(of.tails[offset{block_index()} * cells + cell], rest, missing, left);
}

/// Writes the aggregates of the other lane vectors: a thread for each cell and block, which combines the one that
/// begins in the block and does not end in it.
template <int threads, int n, class T, class Op>
TILEWISE_KERNEL(threads, 1)
join_lane_vectors(int cells, int blocks, lane_vectors_by_cell<T, n> of, Op op)
{
    int const total = cells * blocks;
    for (int i = block_index() * threads + thread_index(); i < total; i += block_count() * threads) {
        int const cell = i / blocks, block = i % blocks;
        offset const begin = of.before(cell, block, blocks), end = of.before(cell, block + 1, blocks),
                     first = end / n * n, last = gpu::at_most(first + n, of.totals[cell]);
        if (end == first || first < begin)
            continue;
        T sum = of.tails[offset{block} * cells + cell].values[0];
        int holder = block;
        for (offset position = first + 1; position < last; ++position) {
            while (position >= of.before(cell, holder + 1, blocks))
                ++holder;
            bool const is_head = of.before(cell, holder + 1, blocks) >= first + n;
            auto const& held = (is_head ? of.heads : of.tails)[offset{holder} * cells + cell];
            gpu::put(sum, gpu::combine(op, sum, T(held.values[static_cast<int>(position - first)])));
        }
        gpu::put(of.aggregates[of.begins[cell] + first / n], sum);
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
