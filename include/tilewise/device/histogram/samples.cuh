// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How the samples of a histogram are divided among the blocks of a grid, and how blocks clear and merge their tables.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_for.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns the number of cells, `cells`, as a form of a view computes it: compilers then select by a minimum.
template <class Bins>
TILEWISE_DEVICE unsigned extent_of(Bins const& bins, unsigned cells)
{
    if constexpr (binning::locates<Bins>)
        return static_cast<unsigned>(bins.extent());
    else
        return cells;
}

/// The samples of a range, divided among the blocks of a grid. Blocks take batches round-robin. A batch has `loads`
/// vectors for each thread, which are in flight at once. The samples before the first batch and after the last one,
/// fewer than a batch and three vectors, are divided one by one.
template <class Placement, access how, class View>
class shared_samples {
public:
    /// The number of samples in a 16-byte load.
    static constexpr int vector_size = View::bases == 0 ? 4 : std::max(1, vector_bytes / View::widest);
    /// The loads of each thread in a batch. Realigned loads take two 16-byte vectors, and so twice the registers.
    static constexpr int loads = std::max(1, (Placement::vectors(vector_size) + (how == access::realigned)) /
                                                 (how == access::realigned ? 2 : 1) / std::max(1, View::bases));
    static constexpr int loads_per_batch = Placement::threads * loads;
    static constexpr int batch = loads_per_batch * vector_size;

    using load_type = typename View::template vector<vector_size>;

    /// The largest number of samples outside the batches that a block has.
    static constexpr int most_rest = batch + Placement::threads;

    TILEWISE_DEVICE shared_samples(View& view, offset count)
        : view_(view), count_(count), first_(margin * vector_size), batches_(batches_of(count))
    {}

    /// The number of batches in `count` samples.
    TILEWISE_PORTABLE static constexpr offset batches_of(offset count)
    {
        offset const whole = count / vector_size - 2 * margin;
        return whole > 0 ? whole / loads_per_batch : 0;
    }

    /// Calls `visit(loaded)` with the thread's vectors, for each batch of the block. All threads of the block make the
    /// same number of calls.
    template <class Visit>
    TILEWISE_DEVICE void for_each_batch(Visit const& visit) const
    {
        for (offset number = block_index(); number < batches_; number += block_count()) {
            load_type loaded[loads];
            fetch(loaded, number);
            finish(loaded, number);
            visit(loaded);
        }
    }

    /// Calls `visit(sample)` for the block's share of the samples outside the batches.
    template <class Visit>
    TILEWISE_DEVICE void for_each_of_rest(Visit const& visit) const
    {
        offset const before = first_ < count_ ? first_ : count_, in_batches = batches_ * batch;
        offset const rest = count_ - in_batches, stride = offset{block_count()} * Placement::threads;
        TILEWISE_NO_UNROLL
        for (offset i = offset{block_index()} * Placement::threads + thread_index(); i < rest; i += stride) {
            offset const position = i < before ? i : i + in_batches;
            auto loaded = view_.template fetch<access::elementwise, 1>(position);
            view_.template finish<access::elementwise, 1>(loaded, position);
            visit(view_.element(loaded, 0));
        }
    }

    /// Calls `visit(sample)` for all samples of the block.
    template <class Visit>
    TILEWISE_DEVICE void for_each(Visit const& visit) const
    {
        for_each_batch([&](auto& loaded) {
            TILEWISE_UNROLL
            for (int i = 0; i < loads; ++i) {
                TILEWISE_UNROLL
                for (int k = 0; k < vector_size; ++k)
                    visit(view_.element(loaded[i], k));
            }
        });
        for_each_of_rest(visit);
    }

private:
    /// The number of vectors at either end that cannot be loaded like the others.
    static constexpr int margin = how == access::realigned ? 1 : 0;

    TILEWISE_DEVICE offset position_of(offset number, int i) const
    {
        return first_ + number * batch + (thread_index() + i * Placement::threads) * vector_size;
    }
    TILEWISE_DEVICE void fetch(load_type (&loaded)[loads], offset number) const
    {
        TILEWISE_UNROLL
        for (int i = 0; i < loads; ++i)
            loaded[i] = view_.template fetch<how, vector_size>(position_of(number, i));
    }
    TILEWISE_DEVICE void finish(load_type (&loaded)[loads], offset number) const
    {
        TILEWISE_UNROLL
        for (int i = 0; i < loads; ++i)
            view_.template finish<how, vector_size>(loaded[i], position_of(number, i));
    }

    View& view_;
    offset count_, first_, batches_;
};

/// The number of blocks that have work: a batch, or a sample for each thread.
template <class Samples>
offset useful_blocks(offset count, int threads)
{
    offset const batches = Samples::batches_of(count), rest = count - batches * Samples::batch;
    return std::max({offset{1}, batches, (rest + threads - 1) / threads});
}

/// Clears words of shared memory, which have to be 16-byte aligned. Synchronise the block afterwards.
template <int threads>
TILEWISE_DEVICE void block_clear(unsigned* words, unsigned count)
{
    auto* const vectors = reinterpret_cast<vector16*>(words);
    for (unsigned i = static_cast<unsigned>(thread_index()); i < count / 4; i += threads)
        vectors[i] = {};
    if (thread_index() < static_cast<int>(count % 4))
        words[count / 4 * 4 + static_cast<unsigned>(thread_index())] = 0;
}

/// The order in which this block adds its cells to the counters. Blocks that all began with the first cell would
/// contend for it.
class merge_sequence {
public:
    TILEWISE_DEVICE explicit merge_sequence(unsigned cells)
    {
        auto const begin = static_cast<unsigned long long>(cells) * static_cast<unsigned>(block_index());
        constexpr unsigned line = warp_size; // words
        begin_ = static_cast<unsigned>(begin / static_cast<unsigned>(block_count())) / line * line;
        rest_ = cells - begin_;
    }
    TILEWISE_DEVICE unsigned operator[](unsigned i) const { return i < rest_ ? i + begin_ : i - rest_; }

private:
    unsigned begin_, rest_;
};

/// Calls `visit(i, words[i])` for each i below `count`, neighbouring words in neighbouring lanes. Further calls with
/// any i have a word of 0, which `visit` has to ignore.
template <int threads, class Visit>
TILEWISE_DEVICE void block_for_each_word(unsigned const* words, unsigned count, Visit const& visit)
{
    constexpr unsigned at_once = 4;
    merge_sequence const sequence(count);
    TILEWISE_NO_UNROLL
    for (unsigned first = static_cast<unsigned>(thread_index()); first < count; first += at_once * threads) {
        unsigned position[at_once], word[at_once];
        TILEWISE_UNROLL
        for (unsigned k = 0; k < at_once; ++k) {
            unsigned const i = first + k * threads;
            position[k] = sequence[i];
            word[k] = i < count ? words[position[k]] : 0;
        }
        TILEWISE_UNROLL
        for (unsigned k = 0; k < at_once; ++k)
            visit(position[k], word[k]);
    }
}

/// Adds a block's table to the counters.
template <int threads, class Counter>
TILEWISE_DEVICE void block_merge(unsigned const* table, unsigned cells, Counter* counts)
{
    gpu::block_for_each_word<threads>(table, cells, [&](unsigned cell, unsigned word) {
        if (word != 0)
            gpu::add(&counts[cell], Counter{word});
    });
}

} // namespace gpu
TILEWISE_NAMESPACE_END
