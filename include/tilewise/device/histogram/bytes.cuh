// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The histogram kernel for samples of one byte: it counts the 256 values, and only then finds the cell of each value.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether a view reads one-byte integers, other than bool, from memory.
template <class View>
inline constexpr bool has_bytes = false;
template <class E>
inline constexpr bool has_bytes<memory_view<E>> = std::is_integral_v<E> && sizeof(E) == 1 && !std::is_same_v<E, bool>;

/// A row of counters for each byte value: one counter, or one for each lane, in a bank of its own.
template <int columns>
struct byte_counters {
    static constexpr unsigned values = 256, words = values * columns;
    unsigned* word;

    /// Counts the four bytes of a word of samples. Each byte takes a shift, a mask that also inserts the lane's column,
    /// and an addition.
    TILEWISE_DEVICE void add_bytes_of(unsigned samples) const
    {
        constexpr int log2_bytes = columns == 32 ? 7 : 2;
        static_assert(4 * columns == 1 << log2_bytes);
        unsigned const column = static_cast<unsigned>(lane_index()) % columns * 4;
        auto* const bytes = reinterpret_cast<unsigned char*>(word);
        TILEWISE_UNROLL
        for (int i = 0; i < 4; ++i) {
            unsigned const shifted =
                8 * i < log2_bytes ? samples << (log2_bytes - 8 * i) % 32 : samples >> (8 * i - log2_bytes) % 32;
            add_one(reinterpret_cast<unsigned*>(bytes + ((shifted & 255U << log2_bytes) | column)));
        }
    }
    TILEWISE_DEVICE void add_byte(unsigned value) const { add_one(&word[value * columns]); }

    /// The number of times that a value was counted. Lanes with neighbouring values start in different columns.
    TILEWISE_DEVICE unsigned sum(unsigned value) const
    {
        unsigned total = 0;
        TILEWISE_UNROLL
        for (unsigned i = 0; i < columns; ++i)
            total += word[value * columns + (i + value) % columns];
        return total;
    }
};

/// Counts byte values in a table per block, and then adds the counts to the counters of their cells.
template <class Placement, access how, class View, class Bins, class Counter>
TILEWISE_KERNEL(Placement::threads, Placement::blocks_per_multiprocessor)
count_bytes(View view, offset count, Bins bins, unsigned cells, Counter* counts)
{
    using samples_type = shared_samples<Placement, how, View>;
    using counters = byte_counters<Placement::columns>;
    using byte = std::remove_cvref_t<decltype(*view.first)>;
    static_assert(samples_type::vector_size == vector_bytes);
    TILEWISE_SHARED_ARRAY(table, counters::words, unsigned);
    counters const of_value = {table};
    gpu::block_clear<Placement::threads>(table, counters::words);
    sync_block();
    samples_type const samples(view, count);
    samples.for_each_batch([&](auto& loaded) {
        TILEWISE_UNROLL
        for (int i = 0; i < samples_type::loads; ++i) {
            TILEWISE_UNROLL
            for (int k = 0; k < 4; ++k)
                of_value.add_bytes_of(loaded[i].vectors[0].word[k]);
        }
    });
    samples.for_each_of_rest([&](byte sample) { of_value.add_byte(static_cast<unsigned char>(sample)); });
    sync_block();

    // Each of the first threads takes one value. The values may share cells, and their cells may be in any order. So
    // the counts are added by cell in shared memory, if there is room: global memory then takes one addition per cell,
    // and neighbouring lanes add to neighbouring cells.
    static_assert(Placement::threads >= static_cast<int>(counters::values));
    auto const value = static_cast<unsigned>(thread_index());
    unsigned const total = value < counters::values ? of_value.sum(value) : 0;
    auto const found = gpu::locate(bins, static_cast<byte>(value), cells);
    bool const counts_in_cell = found.inside && total != 0;
    if (cells > counters::words) {
        wait_for_primary();
        if (counts_in_cell)
            gpu::add(&counts[found.cell], Counter{total});
        return;
    }
    sync_block();
    gpu::block_clear<Placement::threads>(table, cells);
    sync_block();
    if (counts_in_cell)
        gpu::add(&table[found.cell], total);
    sync_block();
    wait_for_primary();
    gpu::block_merge<Placement::threads>(table, cells, counts);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
