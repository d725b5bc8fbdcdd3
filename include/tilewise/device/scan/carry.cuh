// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What comes before a tile: from the totals of the tiles before it, and of groups of them, which blocks tell each
/// other through global memory. Every block folds those itself, in the order's shape: no block waits for what another
/// one found to come before its tiles.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Status words, through which the blocks of a launch publish the aggregates of tiles or groups: 32 bits of an
/// aggregate and the epoch, of 32 bits. A word is valid if it has the launch's epoch, which no earlier launch had, so
/// that words need no clearing.
struct status_words {
    unsigned long long* words;
    unsigned epoch;

    template <class T>
    static constexpr int words_of = (static_cast<int>(sizeof(T)) + 3) / 4;

    template <class T>
    TILEWISE_DEVICE void publish(offset place, T const& total) const
    {
        constexpr int count = words_of<T>;
        unsigned parts[count] = {};
        std::memcpy(parts, &total, sizeof(T));
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            gpu::publish(words + place * count + i, static_cast<unsigned long long>(epoch) << 32 | parts[i]);
    }
};

/// A total that a lane waits for, if it is `wanted`. Nobody asks twice for what is there already: the words of the
/// tiles in flight are few, and all blocks ask for them.
template <class T>
class polled_aggregate {
    static constexpr int parts = status_words::words_of<T>;

public:
    TILEWISE_DEVICE polled_aggregate(status_words const& status, offset place, bool wanted)
        : words_(status.words + place * parts), epoch_(status.epoch), wanted_(wanted)
    {}
    /// Asks, and does not wait for the answer.
    TILEWISE_DEVICE void poll()
    {
        TILEWISE_UNROLL
        for (int i = 0; i < parts; ++i)
            gpu::observe(words_ + i, wanted_, seen_[i]);
    }
    /// Whether it is there, or not wanted.
    TILEWISE_DEVICE bool is_ready()
    {
        bool complete = true;
        TILEWISE_UNROLL
        for (int i = 0; i < parts; ++i)
            complete = complete && seen_[i] >> 32 == epoch_;
        wanted_ = wanted_ && !complete;
        return !wanted_;
    }
    TILEWISE_DEVICE void get(registers<T, 1>& total) const
    {
        unsigned words[parts];
        TILEWISE_UNROLL
        for (int i = 0; i < parts; ++i)
            words[i] = static_cast<unsigned>(seen_[i]);
        std::memcpy(static_cast<void*>(&total[0]), words, sizeof(T));
    }

private:
    unsigned long long const* words_;
    unsigned long long seen_[parts] = {};
    unsigned epoch_;
    bool wanted_;
};

/// Waits for some totals per lane.
template <class... Totals>
TILEWISE_DEVICE void poll_all(Totals&... totals)
{
    for (;;) {
        (totals.poll(), ...);
        if ((int{totals.is_ready()} + ...) == int{sizeof...(Totals)})
            break;
        pause_briefly();
    }
    sync_warp();
}

/// Waits for one total per lane, of the lanes below `count`, and gives their adjacent-pair tree; every lane has it.
template <int lanes, class T, class Op>
TILEWISE_DEVICE void poll_tree(Op& op, status_words const& status, offset first, int count, registers<T, 1>& tree)
{
    polled_aggregate<T> own(status, first + lane_index(), lane_index() < count);
    gpu::poll_all(own);
    own.get(tree);
    gpu::put(tree[0], gpu::shuffle(gpu::warp_tree_of_valid<1, lanes>(op, T(tree[0]), count), 0));
}

/// What the blocks of a launch share: a counter of tiles, and status words for the totals of tiles and of groups.
struct scan_status {
    unsigned long long* ticket;        ///< how many tiles all launches together have ticket
    unsigned long long tickets_before; ///< by the launches before this one
    status_words tiles, groups;

    /// The number of a tile that nobody else has. Whoever has a tile with a smaller number is running already, so it
    /// may be waited for.
    TILEWISE_DEVICE offset take_tile() const { return static_cast<offset>(next_ticket(ticket) - tickets_before); }
};

/// The order's trees over the chunks of a tile, of which `whole` are whole, given their totals in the lanes: before
/// each chunk (`before`, in the lane of the chunk), and the total of the tile (in every lane, if all are whole).
template <class Scan>
TILEWISE_DEVICE auto join_chunks(typename Scan::op& op, typename Scan::value const& chunk_total, int whole,
                                 registers<typename Scan::value, 1>& before) -> typename Scan::value
{
    using T = typename Scan::value;
    T const trees = gpu::warp_right_aligned_trees<Scan::chunks>(op, T(chunk_total), whole);
    gpu::put(before[0], gpu::shuffle_up(trees, 1));
    return gpu::shuffle(trees, Scan::chunks - 1);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
