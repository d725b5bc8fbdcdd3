// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How segments are shared out: a warp takes consecutive ones; those that are too long for it are listed, in the order
/// in which they are found.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns how many of `count` segments a warp takes: a power of two, so that at least so many warps get work.
TILEWISE_PORTABLE inline int segments_per_warp(offset count, offset warps_wanted)
{
    int each = 1;
    while (each < warp_size && count / warps_wanted >= 2 * each)
        each *= 2;
    return each;
}

/// Returns how many of the `given` segments from `first` on exist.
template <class Segments>
TILEWISE_DEVICE offset existing_segments(Segments const& all, offset first, offset given)
{
    if constexpr (Segments::counts_on_device) {
        offset const existing = all.existing(first, given);
        return existing > 0 ? existing : 0;
    } else {
        return given;
    }
}

/// How many segments around those of a warp are asked where they begin: as many as cover a 16-byte vector, unless they
/// are empty.
inline constexpr offset asked_around = vector_bytes;

/// What a warp of a kernel over short segments takes: up to 32 segments at a time, of which each lane has one. The next
/// ones are read while it combines these. `reads_around`: whether it asks where those around them begin.
template <class Tuning, class Segments, bool reads_around>
class warp_segments {
public:
    TILEWISE_DEVICE warp_segments(Segments const& all, offset first, offset given)
        : count(gpu::existing_segments(all, first, given)), all_(all), first_(first),
          per_warp_(gpu::segments_per_warp(this->count, Tuning::warps_wanted)),
          step_(static_cast<unsigned>(block_count() * warps * per_warp_)),
          next_begin_(static_cast<unsigned>((block_index() * warps + warp_index()) * per_warp_))
    {
        read();
    }
    /// Whether there are segments; then `own` is this lane's, the one of lane 0 has the index `begin` in the launch,
    /// and `valid` lanes have one.
    TILEWISE_DEVICE bool take()
    {
        begin = next_begin_;
        own = next_;
        around = next_around_;
        valid = static_cast<int>(gpu::at_most(count - begin, per_warp_));
        next_begin_ += step_;
        if (valid > 0)
            read();
        return valid > 0;
    }
    offset begin;
    segment_span own;
    offset around; ///< if segments are adjacent: in lane 0, where one before them begins, in others, one behind them
    int valid;
    offset count; ///< of all segments

private:
    static constexpr int warps = Tuning::threads / warp_size;

    TILEWISE_DEVICE void read()
    {
        int const lane = lane_index();
        offset const from = next_begin_;
        unsigned const index = next_begin_ + static_cast<unsigned>(lane);
        bool const exists = lane < per_warp_ && index < static_cast<unsigned>(count);
        next_ = {0, 0};
        next_around_ = 0;
        if (exists) {
            next_ = all_.at(first_ + index);
            if (reads_around)
                next_around_ = all_.start(first_ + (lane == 0 ? (from > asked_around ? from - asked_around : 0)
                                                              : gpu::at_most(from + per_warp_ + asked_around, count)));
        }
    }
    Segments all_;
    offset first_;
    int per_warp_;
    unsigned step_, next_begin_; ///< a launch has less than 2^32 segments
    segment_span next_;
    offset next_around_;
};

/// A list of segments of a launch: their indices, and how many of them have been found and taken. One list grows
/// upwards from `begin`, another one downwards.
struct listed_segments {
    unsigned long long *found, *taken;
    unsigned* begin;
    int step;

    TILEWISE_DEVICE unsigned& operator[](unsigned long long i) const { return begin[static_cast<offset>(i) * step]; }
};

/// What the warps of a block add to such a list, in shared memory, until it takes one atomic operation for many.
template <int warps>
struct block_list {
    unsigned number[warps][2 * warp_size];
    unsigned begins[warps];
    unsigned long long begin;

    /// Adds a segment for each lane that `has_one` to the `count` that the warp has here.
    TILEWISE_DEVICE void add(listed_segments const& list, int& count, bool has_one, unsigned own)
    {
        unsigned const lanes = warp_ballot(has_one);
        if (lanes == 0)
            return;
        unsigned* const here = number[warp_index()];
        if (has_one)
            here[count + count_bits(lanes & ((1u << lane_index()) - 1))] = own;
        sync_warp();
        count += count_bits(lanes);
        if (count < warp_size)
            return;
        unsigned long long before = 0;
        if (lane_index() == 0)
            before = fetch_add(list.found, static_cast<unsigned long long>(warp_size));
        list[shuffle(before, 0) + lane_index()] = here[lane_index()];
        sync_warp();
        count -= warp_size;
        if (lane_index() < count)
            here[lane_index()] = here[warp_size + lane_index()];
        sync_warp();
    }
    /// Appends what the warps of the block have here. All threads take part.
    TILEWISE_DEVICE void append(listed_segments const& list, int count)
    {
        int const warp = warp_index();
        if (lane_index() == 0)
            begins[warp] = static_cast<unsigned>(count);
        sync_block();
        if (thread_index() == 0) {
            unsigned all = 0;
            for (int i = 0; i < warps; ++i) {
                unsigned const own = begins[i];
                begins[i] = all;
                all += own;
            }
            begin = all > 0 ? fetch_add(list.found, static_cast<unsigned long long>(all)) : 0;
        }
        sync_block();
        if (lane_index() < count)
            list[begin + begins[warp] + lane_index()] = number[warp][lane_index()];
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
