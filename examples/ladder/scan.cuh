// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The ladder of inclusive scans, for any number of elements. See docs/ladder-of-scans.md.

#include "machine.cuh"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace ladder::scan {

/// The input and output of a version.
template <class T>
struct task {
    T const* in;
    offset count;
    T* work; ///< room for as many elements as `in`, and one more per block
    T* out;
    unsigned long long* words; ///< one per block, and one more
    cudaStream_t stream;
};

inline constexpr int threads = 256; ///< per block

//! [serial]
/// One thread: n - 1 additions, and as many steps.
template <class T>
TILEWISE_KERNEL(warp_size, 1)
scan_by_one_thread(T const* in, offset count, T* out)
{
    if (thread_index() != 0)
        return;
    T sum = in[0];
    out[0] = sum;
    for (offset i = 1; i < count; ++i)
        out[i] = sum = sum + in[i];
}

template <class T>
void serial(task<T> const& t)
{
    if (t.count > 0)
        launch_version(t.stream, &scan_by_one_thread<T>, 1, warp_size, t.in, t.count, t.out);
}
//! [serial]

//! [hillis_steele]
/// Step-efficient: adds to every element the one `distance` before it. log2 n steps, n log2 n additions.
template <class T>
TILEWISE_KERNEL(threads, 1)
add_from_before(T const* in, offset count, offset distance, T* out)
{
    offset const i = thread_of_grid(threads);
    if (i < count)
        out[i] = i < distance ? in[i] : in[i - distance] + in[i];
}

/// One launch per step, from one array to the other: in a single array, a thread could read an element that another
/// thread has already overwritten.
template <class T>
void hillis_steele(task<T> const& t)
{
    int steps = 0;
    while (offset{1} << steps < t.count)
        ++steps;
    T const* from = t.in;
    for (int step = 0; step < std::max(steps, 1); ++step) {
        T* const to = (steps - step) % 2 == 1 || steps == 0 ? t.out : t.work; // the last step writes to `out`
        if (t.count > 0)
            launch_version(t.stream, &add_from_before<T>, parts_of(t.count, threads), threads, from, t.count,
                           offset{1} << step, to);
        from = to;
    }
}
//! [hillis_steele]

//! [blelloch]
/// Work-efficient: an up-sweep and a down-sweep of a tree. Each level updates the last elements of subtrees, which are
/// `2 * distance` apart; 2n additions in 2 log2 n steps.
template <class T>
TILEWISE_KERNEL(threads, 1)
sweep_up(T* data, offset count, offset distance)
{
    offset const last = (thread_of_grid(threads) + 1) * 2 * distance - 1;
    if (last < count)
        data[last] = data[last - distance] + data[last];
}

/// The part of the down-sweep that an inclusive scan needs: adds to the middle of each subtree but the first the last
/// element of the previous subtree.
template <class T>
TILEWISE_KERNEL(threads, 1)
sweep_down(T* data, offset count, offset distance)
{
    offset const middle = (thread_of_grid(threads) + 1) * 2 * distance + distance - 1;
    if (middle < count)
        data[middle] = data[middle - distance] + data[middle];
}

template <class T>
void blelloch(task<T> const& t)
{
    if (t.count == 0)
        return;
    TILEWISE_CUDA(cudaMemcpyAsync, t.out, t.in, static_cast<std::size_t>(t.count) * sizeof(T), cudaMemcpyDeviceToDevice,
                  t.stream);
    offset distance = 1;
    for (; 2 * distance <= t.count; distance *= 2)
        launch_version(t.stream, &sweep_up<T>, parts_of(t.count / (2 * distance), threads), threads, t.out, t.count,
                       distance);
    for (; distance >= 1; distance /= 2)
        if (3 * distance <= t.count)
            launch_version(t.stream, &sweep_down<T>, parts_of(t.count / (2 * distance), threads), threads, t.out,
                           t.count, distance);
}
//! [blelloch]

/// @name Scans of a block
/// Each thread of a block has a value, and receives the sum up to its own.
/// @{

//! [hillis_steele_in_block]
struct hillis_steele_in_block {
    template <class T>
    TILEWISE_DEVICE static T scan(T own, T* shared)
    {
        int const i = thread_index();
        for (int distance = 1; distance < threads; distance *= 2) {
            shared[i] = own;
            sync_block();
            if (i >= distance)
                own = shared[i - distance] + own;
            sync_block();
        }
        return own;
    }
};
//! [hillis_steele_in_block]

//! [blelloch_in_block]
struct blelloch_in_block {
    template <class T>
    TILEWISE_DEVICE static T scan(T own, T* shared)
    {
        int const i = thread_index();
        shared[i] = own;
        sync_block();
        int distance = 1;
        for (; 2 * distance <= threads; distance *= 2) {
            int const last = (i + 1) * 2 * distance - 1;
            if (last < threads)
                shared[last] = shared[last - distance] + shared[last];
            sync_block();
        }
        for (; distance >= 1; distance /= 2) {
            int const middle = (i + 1) * 2 * distance + distance - 1;
            if (middle < threads)
                shared[middle] = shared[middle - distance] + shared[middle];
            sync_block();
        }
        return shared[i];
    }
};
//! [blelloch_in_block]

//! [shuffles]
/// The scan of Hillis and Steele among the lanes of a warp, which exchange registers; then the same for the sums of the
/// warps.
struct warp_shuffles {
    template <class T>
    TILEWISE_DEVICE static T scan(T own, T* shared)
    {
        int const warp = warp_index(), lane = lane_index();
        own = scan_of_warp(own);
        if (lane == warp_size - 1)
            shared[warp] = own;
        sync_block();
        if (warp == 0) {
            constexpr int warps = threads / warp_size;
            T const sums = scan_of_warp(lane < warps ? shared[lane] : T{});
            if (lane < warps)
                shared[lane] = sums;
        }
        sync_block();
        return warp == 0 ? own : shared[warp - 1] + own;
    }

private:
    template <class T>
    TILEWISE_DEVICE static T scan_of_warp(T own)
    {
        TILEWISE_UNROLL
        for (int distance = 1; distance < warp_size; distance *= 2) {
            T const other = shuffle_up(own, distance);
            if (lane_index() >= distance)
                own = other + own;
        }
        return own;
    }
};
//! [shuffles]
/// @}

//! [scan_then_add]
/// Each block scans its elements and writes their sum.
template <class Scan, class T>
TILEWISE_KERNEL(threads, 1)
scan_blocks(T const* in, offset count, T* out, T* sums)
{
    TILEWISE_SHARED(shared, T[threads]);
    offset const i = thread_of_grid(threads);
    T const own = Scan::scan(i < count ? in[i] : T{}, shared);
    if (i < count)
        out[i] = own;
    if (thread_index() == threads - 1)
        sums[block_index()] = own;
}

/// Each block but the first adds the sum of the elements before it.
template <class T>
TILEWISE_KERNEL(threads, 1)
add_sum_before(T* data, offset count, T const* scanned_sums)
{
    offset const i = thread_of_grid(threads);
    if (block_index() > 0 && i < count)
        data[i] = scanned_sums[block_index() - 1] + data[i];
}

/// Scans blocks, scans their sums in the same way, and adds these: 4n elements moved.
template <class Scan, class T>
void scan_then_add(T const* in, offset count, T* out, T* sums, cudaStream_t stream)
{
    if (count == 0)
        return;
    offset const blocks = parts_of(count, threads);
    launch_version(stream, &scan_blocks<Scan, T>, blocks, threads, in, count, out, sums);
    if (blocks == 1)
        return;
    scan_then_add<Scan>(sums, blocks, sums, sums + blocks, stream);
    launch_version(stream, &add_sum_before<T>, blocks, threads, out, count, sums);
}

template <class Scan, class T>
void scan_then_add(task<T> const& t)
{
    scan_then_add<Scan>(t.in, t.count, t.out, t.work, t.stream);
}
//! [scan_then_add]

/// @name Tiles
/// From here on, a block processes a tile, and each thread holds several contiguous elements.
/// @{
inline constexpr int elements = 8, tile = threads * elements;

//! [tiles]
/// Exchanges elements through shared memory, so that adjacent lanes access adjacent elements in global memory.
template <class T>
struct tile_of_block {
    T shared[tile];
    T sums[threads];

    TILEWISE_DEVICE void load(T const* in, offset first, offset count, T (&own)[elements])
    {
        TILEWISE_UNROLL
        for (int i = 0; i < elements; ++i) {
            int const at = i * threads + thread_index();
            shared[at] = first + at < count ? in[first + at] : T{};
        }
        sync_block();
        TILEWISE_UNROLL
        for (int i = 0; i < elements; ++i)
            own[i] = shared[thread_index() * elements + i];
    }
    TILEWISE_DEVICE void store(T (&own)[elements], T* out, offset first, offset count)
    {
        TILEWISE_UNROLL
        for (int i = 0; i < elements; ++i)
            shared[thread_index() * elements + i] = own[i];
        sync_block();
        TILEWISE_UNROLL
        for (int i = 0; i < elements; ++i)
            if (int const at = i * threads + thread_index(); first + at < count)
                out[first + at] = shared[at];
    }
    /// Scans the elements of each thread, and then the sums of the threads. Returns the inclusive prefix of this
    /// thread.
    TILEWISE_DEVICE T scan(T (&own)[elements])
    {
        TILEWISE_UNROLL
        for (int i = 1; i < elements; ++i)
            own[i] = own[i - 1] + own[i];
        return warp_shuffles::scan(own[elements - 1], sums);
    }
    /// Adds the exclusive prefixes of the tile, if it is not the first, and of the thread in the tile.
    TILEWISE_DEVICE void add_before(T up_to_thread, bool is_first, T before_tile, T (&own)[elements])
    {
        sync_block(); // other threads may still read
        sums[thread_index()] = up_to_thread;
        sync_block();
        int const thread = thread_index();
        if (thread == 0 && is_first)
            return;
        T before = before_tile;
        if (thread > 0)
            before = is_first ? sums[thread - 1] : before_tile + sums[thread - 1];
        TILEWISE_UNROLL
        for (int i = 0; i < elements; ++i)
            own[i] = before + own[i];
    }
};
//! [tiles]
/// @}

//! [reduce_then_scan]
/// Computes the sums of the tiles, scans these, and then scans the tiles with their exclusive prefixes: 3n elements
/// moved.
template <class T>
TILEWISE_KERNEL(threads, 1)
sum_tiles(T const* in, offset count, T* sums)
{
    TILEWISE_SHARED(tiles, tile_of_block<T>);
    T own[elements];
    tiles.load(in, offset{block_index()} * tile, count, own);
    T const sum = tiles.scan(own);
    if (thread_index() == threads - 1)
        sums[block_index()] = sum;
}

template <class T>
TILEWISE_KERNEL(threads, 1)
scan_tiles(T const* in, offset count, T const* scanned_sums, T* out)
{
    TILEWISE_SHARED(tiles, tile_of_block<T>);
    offset const first = offset{block_index()} * tile;
    T own[elements];
    tiles.load(in, first, count, own);
    T const up_to_thread = tiles.scan(own);
    bool const is_first = block_index() == 0;
    tiles.add_before(up_to_thread, is_first, is_first ? T{} : scanned_sums[block_index() - 1], own);
    tiles.store(own, out, first, count);
}

template <class T>
void reduce_then_scan(task<T> const& t)
{
    if (t.count == 0)
        return;
    offset const blocks = parts_of(t.count, tile);
    launch_version(t.stream, &sum_tiles<T>, blocks, threads, t.in, t.count, t.work);
    scan_then_add<warp_shuffles>(t.work, blocks, t.work, t.work + blocks, t.stream);
    launch_version(t.stream, &scan_tiles<T>, blocks, threads, t.in, t.count, t.work, t.out);
}
//! [reduce_then_scan]

/// @name One pass
/// A tile waits for earlier tiles in the same launch: 2n elements moved. Blocks take tiles by ticket, from a counter,
/// so that the blocks of earlier tiles are already running. A status word holds a value and its kind, written in one
/// access.
/// @{
static_assert(sizeof(unsigned long long) == 8);
enum class tile_status : unsigned { invalid = 0, aggregate = 1, inclusive_prefix = 2 };

template <class T>
TILEWISE_DEVICE unsigned long long word_of(tile_status status, T value)
{
    static_assert(sizeof(T) == 4);
    unsigned bits;
    std::memcpy(&bits, &value, 4);
    return static_cast<unsigned long long>(status) << 32 | bits;
}
template <class T>
TILEWISE_DEVICE T value_of(unsigned long long word)
{
    auto const bits = static_cast<unsigned>(word);
    T value;
    std::memcpy(&value, &bits, 4);
    return value;
}
TILEWISE_DEVICE tile_status status_of(unsigned long long word)
{
    return static_cast<tile_status>(word >> 32);
}
TILEWISE_DEVICE unsigned long long wait_for_word(unsigned long long const* word)
{
    unsigned long long seen = 0;
    for (observe(word, true, seen); status_of(seen) == tile_status::invalid; observe(word, true, seen))
        pause_briefly();
    return seen;
}

//! [chained]
/// Waits for the inclusive prefix of the previous tile, which waits for that of its own previous tile.
struct chained {
    template <class T>
    TILEWISE_DEVICE static T sum_before(unsigned long long* words, offset index, T sum)
    {
        T const before = value_of<T>(wait_for_word(&words[index - 1]));
        publish(&words[index], word_of(tile_status::inclusive_prefix, before + sum));
        return before;
    }
};
//! [chained]

//! [look_back]
/// Publishes the sum of the tile at once, and looks back: adds the sums of earlier tiles, up to one whose inclusive
/// prefix is available.
struct look_back {
    template <class T>
    TILEWISE_DEVICE static T sum_before(unsigned long long* words, offset index, T sum)
    {
        publish(&words[index], word_of(tile_status::aggregate, sum));
        offset at = index - 1;
        unsigned long long word = wait_for_word(&words[at]);
        T before = value_of<T>(word);
        while (status_of(word) != tile_status::inclusive_prefix) {
            word = wait_for_word(&words[--at]);
            before = value_of<T>(word) + before;
        }
        publish(&words[index], word_of(tile_status::inclusive_prefix, before + sum));
        return before;
    }
};
//! [look_back]

//! [one_pass]
template <class Before, class T>
TILEWISE_KERNEL(threads, 1)
scan_in_one_pass(T const* in, offset count, T* out, unsigned long long* words, unsigned long long* next)
{
    TILEWISE_SHARED(tiles, tile_of_block<T>);
    TILEWISE_SHARED(index, offset);
    TILEWISE_SHARED(before, T);
    if (thread_index() == 0)
        index = static_cast<offset>(next_ticket(next));
    sync_block();
    offset const first = index * tile;
    T own[elements];
    tiles.load(in, first, count, own);
    T const up_to_thread = tiles.scan(own);
    if (thread_index() == threads - 1) {
        before = T{};
        if (index == 0)
            publish(&words[0], word_of(tile_status::inclusive_prefix, up_to_thread));
        else
            before = Before::sum_before(words, index, up_to_thread);
    }
    sync_block();
    tiles.add_before(up_to_thread, index == 0, before, own);
    tiles.store(own, out, first, count);
}

template <class Before, class T>
void one_pass(task<T> const& t)
{
    if (t.count == 0)
        return;
    offset const blocks = parts_of(t.count, tile);
    TILEWISE_CUDA(cudaMemsetAsync, t.words, 0, static_cast<std::size_t>(blocks + 1) * sizeof *t.words, t.stream);
    launch_version(t.stream, &scan_in_one_pass<Before, T>, blocks, threads, t.in, t.count, t.out, t.words,
                   t.words + blocks);
}
//! [one_pass]
/// @}

} // namespace ladder::scan
