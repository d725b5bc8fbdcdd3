// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The kernel for more cells than shared memory has words: two counters of 16 bits in each.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/device/view.cuh>
#include <tilewise/order.hpp>

#include <algorithm>
#include <bit>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The words of a table for so many cells: a whole number of granules.
TILEWISE_PORTABLE constexpr unsigned packed_words(unsigned cells)
{
    return (cells + 7) / 8 * 4;
}

/// Counters of 16 bits: of cell w in the low half of word w, and of cell w + words in its high half.
///
/// Between two sweeps a counter takes the additions of some batches, or of the rest of the samples in place of one; a
/// sweep leaves less than `least_swept` in it: together they fit.
template <class Home, class Samples, class Counter>
struct packed_counters {
    unsigned* word;
    unsigned words, cells;
    Counter* counts;

    static constexpr int batches_between_sweeps = std::max(1, Home::most_between_sweeps / Samples::batch);
    static constexpr int most_between_sweeps =
        (batches_between_sweeps - 1) * Samples::batch + std::max(Samples::batch, Samples::most_rest);
    static_assert(most_between_sweeps < 65536);
    static constexpr unsigned least_swept = std::bit_floor(65536U - most_between_sweeps);

    TILEWISE_DEVICE void add_to(unsigned cell, unsigned times) const
    {
        if (cell < cells) {
            bool const high = cell >= words;
            add(&word[high ? cell - words : cell], high ? times << 16 : times);
        }
    }

    /// Moves the large ones to memory.
    TILEWISE_DEVICE void block_sweep() const
    {
        constexpr unsigned large = (0x10000 - least_swept) * 0x10001U; // the bits that only those have
        sync_block();
        wait_for_primary();
        auto* const granules = reinterpret_cast<granule*>(word);
        for (unsigned i = static_cast<unsigned>(thread_index()); i < words / 4; i += Home::threads) {
            granule four = granules[i];
            if (((four.word[0] | four.word[1] | four.word[2] | four.word[3]) & large) == 0)
                continue;
            TILEWISE_UNROLL
            for (unsigned k = 0; k < 4; ++k) {
                unsigned const low = four.word[k] & 0xFFFF, high = four.word[k] >> 16;
                if (low >= least_swept)
                    add(&counts[4 * i + k], Counter{low});
                if (high >= least_swept)
                    add(&counts[4 * i + k + words], Counter{high});
                four.word[k] = (low >= least_swept ? 0 : low) | (high >= least_swept ? 0 : high << 16);
            }
            granules[i] = four;
        }
        sync_block();
    }

    /// Adds all to memory.
    TILEWISE_DEVICE void block_merge_all() const
    {
        block_for_each_cell<Home::threads>(words, [&](unsigned i) {
            unsigned const low = word[i] & 0xFFFF, high = word[i] >> 16;
            if (low != 0)
                add(&counts[i], Counter{low});
            if (high != 0)
                add(&counts[i + words], Counter{high});
        });
    }
};

/// Counts in a table of the block, with additions that the machine does not merge: a warp whose samples repeat
/// themselves counts runs of them.
template <class Home, access how, class View, class Bins, class Counter>
TILEWISE_KERNEL(Home::threads, Home::blocks_per_multiprocessor)
count_in_packed_table(View view, offset count, Bins bins, unsigned cells, Counter* counts)
{
    using samples_type = shared_samples<Home, how, View>;
    constexpr int packet = samples_type::packet, own = samples_type::packets * packet;
    unsigned const words = packed_words(cells);
    TILEWISE_SHARED_ARRAY(table, words, unsigned);
    packed_counters<Home, samples_type, Counter> const counters = {table, words, cells, counts};
    block_clear<Home::threads>(table, words);
    sync_block();

    samples_type const samples(view, count);
    samples.for_each_of_rest([&](auto const& sample) { counters.add_to(cell_of(bins, sample), 1); });
    int batches = 1;
    samples.template for_each_batch<true>([&](auto& loaded) {
        if (batches == counters.batches_between_sweeps) {
            counters.block_sweep();
            batches = 0;
        }
        ++batches;
        auto const cell = [&](int i, int k) { return cell_of(bins, view.element(loaded[i], k)); };
        bool const repeats = own > 1 && cell(0, 0) == cell(packet > 1 ? 0 : own > 1, packet > 1);
        if (count_bits(lanes_that(repeats)) >= Home::repeating_lanes) {
            unsigned last = ~0U, run = 0;
            TILEWISE_UNROLL
            for (int i = 0; i < samples_type::packets; ++i) { // one loop for all samples takes nvcc for ever
                TILEWISE_UNROLL
                for (int k = 0; k < packet; ++k) {
                    unsigned const next = cell(i, k);
                    bool const more = next == last;
                    counters.add_to(more ? ~0U : last, run);
                    run = more ? run + 1 : 1;
                    last = next;
                }
            }
            counters.add_to(last, run);
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < samples_type::packets; ++i) {
                TILEWISE_UNROLL
                for (int k = 0; k < packet; ++k)
                    counters.add_to(cell(i, k), 1);
            }
        }
    });
    sync_block();
    wait_for_primary();
    counters.block_merge_all();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
