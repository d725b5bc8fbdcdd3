// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How the blocks of a grid share the samples of a histogram, and what they do with their tables.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/view.cuh>
#include <tilewise/device/warp.cuh>
#include <tilewise/order.hpp>

#include <algorithm>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The cell that a sample counts in, or a number that is none of the cells'.
TILEWISE_CALLS_ANY
template <class Bins, class Sample>
TILEWISE_DEVICE unsigned cell_of(Bins const& bins, Sample const& sample)
{
    auto const cell = bins.index(sample);
    if constexpr (std::is_integral_v<decltype(cell)> && sizeof(cell) <= sizeof(unsigned)) {
        return static_cast<unsigned>(cell);
    } else {
        auto const number = static_cast<offset>(cell);
        return number < 0 || number > 0x7FFFFFFF ? ~0U : static_cast<unsigned>(number);
    }
}

/// Whether a sample yet to be loaded is there, which most know when the kernel is compiled.
using always = std::integral_constant<int, 0x7FFFFFFF>;

/// The samples of a range. Blocks take turns with batches: of so many packets for each thread, which are on their way
/// at once. The samples before the first packet and after the last belong to the last block.
template <class Home, access how, class View>
class shared_samples {
public:
    /// The samples that one load of 16 bytes has.
    static constexpr int packet = View::bases == 0 ? 4 : std::max(1, granule_bytes / View::widest);
    /// For each thread. Packets that two granules cover take twice the registers.
    static constexpr int packets = std::max(1, (Home::granules(packet) + (how == access::covering)) /
                                                   (how == access::covering ? 2 : 1) / std::max(1, View::bases));
    static constexpr int packets_per_batch = Home::threads * packets;
    static constexpr int batch = packets_per_batch * packet;

    using packet_type = typename View::template packet<packet>;

    TILEWISE_DEVICE shared_samples(View& view, offset count)
        : view_(view), count_(count), first_(how == access::covering ? 1 : 0),
          last_(count / packet - (how == access::covering ? 1 : 0))
    {}

    /// Calls `visit(loaded, there)` for batches: the thread's packets, of which the first `there` exist. All threads of
    /// the block call it, as often. With `ahead`, a batch is on its way while the one before it is visited.
    template <bool ahead = false, class Visit>
    TILEWISE_DEVICE void for_each_batch(Visit const& visit) const
    {
        offset position = first_ + offset{block_index()} * packets_per_batch;
        offset const stride = offset{block_count()} * packets_per_batch;
        if constexpr (ahead) {
            packet_type next[packets];
            if (is_whole(position))
                fetch(next, position, always());
            while (is_whole(position)) {
                packet_type loaded[packets];
                TILEWISE_UNROLL
                for (int i = 0; i < packets; ++i)
                    loaded[i] = next[i];
                if (is_whole(position + stride))
                    fetch(next, position + stride, always());
                finish(loaded, position, always());
                visit(loaded, always());
                position += stride;
            }
        } else {
            for (; is_whole(position); position += stride) {
                packet_type loaded[packets];
                fetch(loaded, position, always());
                finish(loaded, position, always());
                visit(loaded, always());
            }
        }
        if (position < last_) {
            packet_type loaded[packets];
            auto const left = last_ - position - thread_index();
            int const there = left > 0 ? static_cast<int>((left + Home::threads - 1) / Home::threads) : 0;
            fetch(loaded, position, there);
            finish(loaded, position, there);
            visit(loaded, there);
        }
    }

    /// Calls `visit(sample)` for those beside the packets.
    template <class Visit>
    TILEWISE_DEVICE void for_each_beside(Visit const& visit) const
    {
        static_assert(Home::threads >= 3 * packet, "a thread for each sample");
        if (block_index() != block_count() - 1)
            return;
        offset const before = first_ * packet < count_ ? first_ * packet : count_;
        offset const after = last_ * packet > before ? last_ * packet : before;
        offset const own = thread_index() < before ? thread_index() : after + (thread_index() - before);
        if (own < count_) {
            auto loaded = view_.template fetch<access::elementwise, 1>(own);
            view_.template finish<access::elementwise, 1>(loaded, own);
            visit(view_.element(loaded, 0));
        }
    }

    /// Calls `visit(sample)` for all.
    template <class Visit>
    TILEWISE_DEVICE void for_each(Visit const& visit) const
    {
        for_each_batch([&](auto& loaded, auto there) {
            TILEWISE_UNROLL
            for (int i = 0; i < packets; ++i)
                if (i < there) {
                    TILEWISE_UNROLL
                    for (int k = 0; k < packet; ++k)
                        visit(view_.element(loaded[i], k));
                }
        });
        for_each_beside(visit);
    }

private:
    TILEWISE_DEVICE bool is_whole(offset position) const { return position + packets_per_batch <= last_; }
    TILEWISE_DEVICE static offset position_of(offset batch_position, int i)
    {
        return (batch_position + thread_index() + i * Home::threads) * packet;
    }
    template <class There>
    TILEWISE_DEVICE void fetch(packet_type (&loaded)[packets], offset position, There there) const
    {
        TILEWISE_UNROLL
        for (int i = 0; i < packets; ++i)
            if (i < there)
                loaded[i] = view_.template fetch<how, packet>(position_of(position, i));
    }
    template <class There>
    TILEWISE_DEVICE void finish(packet_type (&loaded)[packets], offset position, There there) const
    {
        TILEWISE_UNROLL
        for (int i = 0; i < packets; ++i)
            if (i < there)
                view_.template finish<how, packet>(loaded[i], position_of(position, i));
    }

    View& view_;
    offset count_, first_, last_; ///< samples; packets
};

/// How many blocks have something to do.
template <class Home, access how, class View>
offset batches_of(offset count)
{
    using samples = shared_samples<Home, how, View>;
    return std::max(offset{1}, (count / samples::packet + samples::packets_per_batch - 1) / samples::packets_per_batch);
}

/// Clears words of shared memory, which begin where the widest store can. Synchronise the block after it.
template <int threads>
TILEWISE_DEVICE void block_clear(unsigned* words, unsigned count)
{
    auto* const granules = reinterpret_cast<granule*>(words);
    for (unsigned i = static_cast<unsigned>(thread_index()); i < count / 4; i += threads)
        granules[i] = {};
    if (thread_index() < static_cast<int>(count % 4))
        words[count / 4 * 4 + static_cast<unsigned>(thread_index())] = 0;
}

/// Where in `cells` this block begins to add: blocks that all began at the first would wait for each other.
TILEWISE_DEVICE unsigned first_to_merge(unsigned cells)
{
    auto const begin = static_cast<unsigned long long>(cells) * static_cast<unsigned>(block_index());
    constexpr unsigned line = warp_size; // words
    return static_cast<unsigned>(begin / static_cast<unsigned>(block_count())) / line * line;
}

/// Calls `visit(i)` for each i below `cells`, neighbours in neighbouring lanes.
template <int threads, class Visit>
TILEWISE_DEVICE void block_for_each_cell(unsigned cells, Visit const& visit)
{
    unsigned const first = first_to_merge(cells);
    for (unsigned i = static_cast<unsigned>(thread_index()); i < cells; i += threads)
        visit(i < cells - first ? i + first : i - (cells - first));
}

/// Adds a block's table to the counters.
template <int threads, class Counter>
TILEWISE_DEVICE void block_merge(unsigned const* table, unsigned cells, Counter* counts)
{
    block_for_each_cell<threads>(cells, [&](unsigned cell) {
        if (table[cell] != 0)
            add(&counts[cell], Counter{table[cell]});
    });
}

} // namespace gpu
TILEWISE_NAMESPACE_END
