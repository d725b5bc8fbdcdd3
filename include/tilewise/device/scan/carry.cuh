// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The exclusive prefix of a tile, from the aggregates of the tiles and groups before it, which blocks publish in
/// global memory. Every block combines them itself, in the order of combination: no block waits for the prefix that
/// another block computes.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The status words through which the blocks of a launch publish the aggregates of tiles or groups. A word holds 32
/// bits of an aggregate and a 32-bit epoch. It is valid if its epoch is that of the launch; no earlier launch had the
/// same epoch, so the words need no clearing.
struct status_words {
    unsigned long long* words;
    unsigned epoch;

    template <class T>
    static constexpr int words_of = (static_cast<int>(sizeof(T)) + 3) / 4;

    /// Returns the words for the aggregates from `index` on.
    template <class T>
    TILEWISE_DEVICE status_words from(offset index) const
    {
        return {words + index * words_of<T>, epoch};
    }

    template <class T>
    TILEWISE_DEVICE void publish(offset index, T const& aggregate) const
    {
        constexpr int count = words_of<T>;
        unsigned parts[count] = {};
        std::memcpy(parts, &aggregate, sizeof(T));
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            gpu::publish(words + index * count + i, static_cast<unsigned long long>(epoch) << 32 | parts[i]);
    }
};

/// An aggregate that a lane polls, if it is `wanted`. A lane stops polling as soon as it has the aggregate, because all
/// blocks poll the same few words, those of the tiles in flight.
template <class T>
class polled_aggregate {
    static constexpr int parts = status_words::words_of<T>;

public:
    TILEWISE_DEVICE polled_aggregate(status_words const& status, offset index, bool wanted)
        : words_(status.words + index * parts), epoch_(status.epoch), wanted_(wanted)
    {}
    /// Issues the loads without waiting for them.
    TILEWISE_DEVICE void poll()
    {
        TILEWISE_UNROLL
        for (int i = 0; i < parts; ++i)
            gpu::observe(words_ + i, wanted_, seen_[i]);
    }
    /// Whether the aggregate has been published, or is not wanted.
    TILEWISE_DEVICE bool is_ready()
    {
        bool complete = true;
        TILEWISE_UNROLL
        for (int i = 0; i < parts; ++i)
            complete = complete && seen_[i] >> 32 == epoch_;
        wanted_ = wanted_ && !complete;
        return !wanted_;
    }
    TILEWISE_DEVICE void get(registers<T, 1>& aggregate) const
    {
        unsigned words[parts];
        TILEWISE_UNROLL
        for (int i = 0; i < parts; ++i)
            words[i] = static_cast<unsigned>(seen_[i]);
        std::memcpy(static_cast<void*>(&aggregate[0]), words, sizeof(T));
    }

private:
    unsigned long long const* words_;
    unsigned long long seen_[parts] = {};
    unsigned epoch_;
    bool wanted_;
};

/// Polls several aggregates per lane until all of them have been published.
template <class... Aggregates>
TILEWISE_DEVICE void poll_all(Aggregates&... aggregates)
{
    for (;;) {
        (aggregates.poll(), ...);
        if ((int{aggregates.is_ready()} + ...) == int{sizeof...(Aggregates)})
            break;
        pause_briefly();
    }
    sync_warp();
}

/// Polls one aggregate in each lane below `count` and combines them as an adjacent-pair tree; every lane has the
/// result.
template <int lanes, class T, class Op>
TILEWISE_DEVICE void poll_tree(Op& op, status_words const& status, offset first, int count, registers<T, 1>& tree)
{
    polled_aggregate<T> own(status, first + lane_index(), lane_index() < count);
    gpu::poll_all(own);
    own.get(tree);
    gpu::put(tree[0], gpu::shuffle(gpu::warp_tree_of_valid<1, lanes>(op, T(tree[0]), count), 0));
}

/// The state that the blocks of a launch share: a ticket counter, and status words for the aggregates of tiles and of
/// groups.
struct scan_status {
    unsigned long long* ticket;        ///< how many tickets all launches together have taken
    unsigned long long tickets_before; ///< how many the launches before this one have taken
    status_words tiles, groups;

    /// Takes a ticket: the number of a tile that no other block has. The blocks of all tiles with smaller numbers are
    /// already running, so it is safe to wait for them.
    TILEWISE_DEVICE offset take_tile() const { return static_cast<offset>(next_ticket(ticket) - tickets_before); }
};

/// Combines the aggregates of the chunks of a tile, one per lane, of which the first `whole` chunks are complete.
/// `before` receives the exclusive prefix of each chunk within the tile, in the lane of the chunk. Returns the
/// aggregate of the tile in every lane, if all chunks are complete.
template <class Scan>
TILEWISE_DEVICE auto join_chunks(typename Scan::op& op, typename Scan::value const& chunk_aggregate, int whole,
                                 registers<typename Scan::value, 1>& before) -> typename Scan::value
{
    using T = typename Scan::value;
    T const trees = gpu::warp_right_aligned_trees<Scan::chunks>(op, T(chunk_aggregate), whole);
    gpu::put(before[0], gpu::shuffle_up(trees, 1));
    return gpu::shuffle(trees, Scan::chunks - 1);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
