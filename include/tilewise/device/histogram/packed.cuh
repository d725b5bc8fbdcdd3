// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The histogram kernel for more cells than shared memory has words: as many words as necessary hold two counters each.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/order.hpp>

#include <bit>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Which counters share a word. Cell w is counted in word w. The last `shared` words hold two counters each: cell w in
/// the low half, and cell w + shared in the high half. Both members are numbers of words, and multiples of a 16-byte
/// vector.
struct packed_layout {
    unsigned words, shared;

    /// Takes `wanted` words, but no more than the cells need, and no fewer than half of that.
    packed_layout(unsigned cells, int wanted)
    {
        constexpr unsigned g = vector_bytes / sizeof(unsigned);
        unsigned const whole = (cells + g - 1) / g * g, least = (whole / 2 + g - 1) / g * g;
        words = std::clamp(static_cast<unsigned>(std::max(0, wanted)) / g * g, least, whole);
        shared = whole - words;
    }
    /// The number of words in a table. It includes one word for each lane, which counts the samples outside the cells:
    /// a branch around them would delay the other samples.
    TILEWISE_PORTABLE unsigned table_words() const { return words + warp_size; }
};

/// Counters of a block, some of 16 bits. Between two flushes each counts at most `most_between_flushes` samples: some
/// batches, or the samples outside the batches in place of one. A flush leaves less than `least_flushed` in each, so
/// that none overflows.
template <class Placement, class Samples, class Counter>
struct packed_counters {
    unsigned* word;
    packed_layout layout;
    Counter* counts;

    static constexpr int batches_between_flushes = std::max(1, Placement::most_between_flushes / Samples::batch);
    static constexpr int most_between_flushes =
        (batches_between_flushes - 1) * Samples::batch + std::max(Samples::batch, Samples::most_rest);
    static_assert(most_between_flushes < 65536);
    static constexpr unsigned least_flushed = std::bit_floor(65536U - most_between_flushes);

    TILEWISE_DEVICE void add_to(binning::located found, unsigned times) const
    {
        bool const high = found.cell >= layout.words;
        unsigned const counter = high ? found.cell - layout.shared : found.cell;
        add(&word[found.inside ? counter : layout.words + static_cast<unsigned>(lane_index())],
            high ? times << 16 : times);
    }

    /// Moves the counts of large 16-bit counters to global memory.
    TILEWISE_DEVICE void block_flush() const
    {
        constexpr unsigned large = (0x10000 - least_flushed) * 0x10001U; // bits that only large counters have
        sync_block();
        wait_for_primary();
        auto* const vectors = reinterpret_cast<vector16*>(word);
        for (unsigned i = (layout.words - layout.shared) / 4 + static_cast<unsigned>(thread_index());
             i < layout.words / 4; i += Placement::threads) {
            vector16 four = vectors[i];
            if (((four.word[0] | four.word[1] | four.word[2] | four.word[3]) & large) == 0)
                continue;
            TILEWISE_UNROLL
            for (unsigned k = 0; k < 4; ++k) {
                unsigned const low = four.word[k] & 0xFFFF, high = four.word[k] >> 16;
                if (low >= least_flushed)
                    gpu::add(&counts[4 * i + k], Counter{low});
                if (high >= least_flushed)
                    gpu::add(&counts[4 * i + k + layout.shared], Counter{high});
                four.word[k] = (low >= least_flushed ? 0 : low) | (high >= least_flushed ? 0 : high << 16);
            }
            vectors[i] = four;
        }
        sync_block();
    }

    /// Adds all counters to those in global memory.
    TILEWISE_DEVICE void block_merge_all() const
    {
        gpu::block_for_each_word<Placement::threads>(word, layout.words, [&](unsigned i, unsigned counted) {
            bool const two = i >= layout.words - layout.shared;
            unsigned const low = two ? counted & 0xFFFF : counted, high = two ? counted >> 16 : 0;
            if (low != 0)
                gpu::add(&counts[i], Counter{low});
            if (high != 0)
                gpu::add(&counts[i + layout.shared], Counter{high});
        });
    }
};

/// Counts in a table per block, with additions that the hardware does not merge. If several lanes of a warp each
/// have two samples of one cell, the warp first counts all of its samples of such a cell with one addition.
template <class Placement, access how, class View, class Bins, class Counter>
TILEWISE_KERNEL(Placement::threads, Placement::blocks_per_multiprocessor)
count_in_packed_table(View view, offset count, Bins bins, unsigned cells, Counter* counts, packed_layout layout)
{
    using samples_type = shared_samples<Placement, how, View>;
    constexpr int vector_size = samples_type::vector_size;
    TILEWISE_SHARED_ARRAY(table, layout.table_words(), unsigned);
    packed_counters<Placement, samples_type, Counter> const counters = {table, layout, counts};
    gpu::block_clear<Placement::threads>(table, layout.table_words());
    sync_block();

    samples_type const samples(view, count);
    samples.for_each_of_rest([&](auto const& sample) { counters.add_to(gpu::locate(bins, sample, cells), 1); });
    int batches = 1;
    samples.for_each_batch([&](auto& loaded) {
        if (batches == counters.batches_between_flushes) {
            counters.block_flush();
            batches = 0;
        }
        ++batches;
        auto const cell = [&](int i, int k) { return gpu::locate(bins, view.element(loaded[i], k), cells); };
        auto const twice = [&](int i) { return vector_size == 1 || cell(i, 0).cell == cell(i, vector_size > 1).cell; };
        if (gpu::count_bits(gpu::warp_ballot(twice(0))) < Placement::repeating_lanes) {
            TILEWISE_UNROLL
            for (int i = 0; i < samples_type::loads; ++i) { // nvcc takes very long to compile one loop over all samples
                TILEWISE_UNROLL
                for (int k = 0; k < vector_size; ++k)
                    counters.add_to(cell(i, k), 1);
            }
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < samples_type::loads; ++i) {
                unsigned const candidates = gpu::warp_ballot(cell(i, 0).inside && twice(i));
                unsigned const common = gpu::shuffle(cell(i, 0).cell, lowest_lane(candidates));
                auto const is_common = [&](binning::located found) { return found.inside && found.cell == common; };
                unsigned own = 0;
                TILEWISE_UNROLL
                for (int k = 0; k < vector_size; ++k)
                    own += is_common(cell(i, k)) ? 1 : 0;
                unsigned const times = warp_total(own);
                counters.add_to({common, times > 0 && lane_index() == 0}, times);
                if (times == warp_size * vector_size)
                    continue;
                TILEWISE_UNROLL
                for (int k = 0; k < vector_size; ++k) {
                    auto const found = cell(i, k);
                    counters.add_to({found.cell, found.inside && !is_common(found)}, 1);
                }
            }
        }
    });
    sync_block();
    wait_for_primary();
    counters.block_merge_all();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
