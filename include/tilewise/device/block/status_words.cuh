// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How the blocks of a launch pass aggregates on to each other while they run: through status words in global memory,
/// and with tickets, which say which blocks have started.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstring>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The status words through which the blocks of a launch publish aggregates. A word holds 32 bits of an aggregate and a
/// 32-bit epoch. It is valid if its epoch is that of the launch; no earlier launch had the same epoch, so the words
/// need no clearing.
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

/// Polls several aggregates per lane until all of them have been published. Pauses in between if the kernel needs the
/// memory bandwidth for other work.
template <bool pauses, class... Aggregates>
TILEWISE_DEVICE void poll_all(Aggregates&... aggregates)
{
    for (;;) {
        (aggregates.poll(), ...);
        if ((int{aggregates.is_ready()} + ...) == int{sizeof...(Aggregates)})
            break;
        if constexpr (pauses)
            pause_briefly();
        else
            poll_again();
    }
    sync_warp();
}

/// Returns an aggregate in each lane with `wanted`, as soon as all of these have been published.
template <class T, bool pauses>
TILEWISE_DEVICE T polled(status_words const& status, offset index, bool wanted)
{
    polled_aggregate<T> own(status, index, wanted);
    gpu::poll_all<pauses>(own);
    registers<T, 1> aggregate;
    own.get(aggregate);
    return T(aggregate[0]);
}

/// Returns several aggregates in each lane, `step` apart from `first` on, of which those with `wanted(i)` have to be
/// published.
template <class T, bool pauses, int count, class Wanted>
TILEWISE_DEVICE registers<T, count> polled_several(status_words const& status, offset first, offset step,
                                                   Wanted const& wanted)
{
    return [&]<int... i>(std::integer_sequence<int, i...>) {
        polled_aggregate<T> own[count] = {polled_aggregate<T>(status, first + i * step, wanted(i))...};
        gpu::poll_all<pauses>(own[i]...);
        registers<T, count> aggregates;
        registers<T, 1> one;
        ((own[i].get(one), gpu::put(aggregates[i], T(one[0]))), ...);
        return aggregates;
    }(std::make_integer_sequence<int, count>());
}

/// Polls one aggregate in each lane below `count` and combines them as an adjacent-pair tree; every lane has the
/// result.
template <int lanes, bool pauses, class T, class Op>
TILEWISE_DEVICE void poll_tree(Op& op, status_words const& status, offset first, int count, registers<T, 1>& tree)
{
    T const own = gpu::polled<T, pauses>(status, first + lane_index(), lane_index() < count);
    gpu::put(tree[0], gpu::shuffle(gpu::warp_tree_of_valid<1, lanes>(op, own, count), 0));
}

/// A counter from which the blocks of a launch take tickets. It is not cleared between launches.
struct ticket_counter {
    unsigned long long* taken; ///< how many tickets all launches together have taken
    unsigned long long before; ///< how many the launches before this one have taken

    /// Takes a ticket, counted from the first launch. All blocks with smaller ones have started, so it is safe to wait
    /// for them.
    TILEWISE_DEVICE unsigned long long take() const { return next_ticket(taken); }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
