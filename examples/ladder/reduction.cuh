// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The ladder of reductions: each kernel solves one problem of the previous one. All of them sum any number of
/// elements; in textbooks, most of them require a power of two, or complete blocks. Here, a thread without an element
/// adds zero. See docs/ladder-of-reductions.md.

#include "machine.cuh"

#include <cstddef>
#include <type_traits>

namespace ladder::reduction {

/// The input and output of a version.
template <class T>
struct task {
    T const* in;
    offset count;
    T* work; ///< intermediate results between launches, with room for as many elements as `in`
    T* out;  ///< the sum
    int multiprocessors;
    cudaStream_t stream;
};

inline constexpr int threads = 256; ///< per block, unless a version has its own number

//! [global_tree]
/// Initializes the result, if there are no elements, or if threads add to it.
template <class T>
TILEWISE_KERNEL(warp_size, 1)
write_zero(T* out)
{
    if (thread_index() == 0)
        *out = T{};
}

/// One level of a tree in global memory: adds the second half to the first.
template <class T>
TILEWISE_KERNEL(threads, 1)
add_halves(T const* in, offset count, offset half, T* out)
{
    offset const i = thread_of_grid(threads);
    if (i < half)
        out[i] = i + half < count ? in[i] + in[i + half] : in[i];
}

/// One launch per level: log2 n launches, 3n elements moved.
template <class T>
void global_tree(task<T> const& t)
{
    if (t.count == 0)
        return launch_version(t.stream, &write_zero<T>, 1, warp_size, t.out);
    T const* in = t.in;
    offset count = t.count;
    do {
        offset const half = parts_of(count, 2);
        launch_version(t.stream, &add_halves<T>, parts_of(half, threads), threads, in, count, half,
                       half == 1 ? t.out : t.work);
        in = t.work;
        count = half;
    } while (count > 1);
}
//! [global_tree]

//! [atomics]
/// Every thread adds its element to the same address; these additions are serialized.
template <class T>
TILEWISE_KERNEL(threads, 1)
add_every_element(T const* in, offset count, T* out)
{
    offset const i = thread_of_grid(threads);
    if (i < count)
        add_atomically(out, in[i]);
}

/// Every thread sums the elements at strides of the grid, and then adds its sum.
template <class T>
TILEWISE_KERNEL(threads, 1)
add_every_thread(T const* in, offset count, T* out)
{
    T sum{};
    for (offset i = thread_of_grid(threads); i < count; i += threads_of_grid(threads))
        sum += in[i];
    add_atomically(out, sum);
}
//! [atomics]

template <class T>
void one_atomic_per_element(task<T> const& t)
{
    launch_version(t.stream, &write_zero<T>, 1, warp_size, t.out);
    if (t.count > 0)
        launch_version(t.stream, &add_every_element<T>, parts_of(t.count, threads), threads, t.in, t.count, t.out);
}

template <class T>
void one_atomic_per_thread(task<T> const& t)
{
    launch_version(t.stream, &write_zero<T>, 1, warp_size, t.out);
    launch_version(t.stream, &add_every_thread<T>, t.multiprocessors * 8, threads, t.in, t.count, t.out);
}

/// @name Sums of a block
/// Each thread of a block has a value; thread 0 receives the sum.
/// @{

//! [interleaved_modulo]
/// Adjacent elements first. In every warp, some threads are active and some idle, in all steps: all of them execute the
/// modulo and the branch.
struct interleaved_modulo {
    template <int size, class T>
    TILEWISE_DEVICE static T sum(T own, T* shared)
    {
        int const i = thread_index();
        shared[i] = own;
        sync_block();
        for (int distance = 1; distance < size; distance *= 2) {
            if (i % (2 * distance) == 0)
                shared[i] += shared[i + distance];
            sync_block();
        }
        return shared[thread_index()];
    }
};
//! [interleaved_modulo]

//! [interleaved_strided]
/// Adjacent elements first, by the first threads: whole warps become idle. But the lanes of a warp have bank conflicts
/// in shared memory: at a distance of 16, all of them access the same bank.
struct interleaved_strided {
    template <int size, class T>
    TILEWISE_DEVICE static T sum(T own, T* shared)
    {
        shared[thread_index()] = own;
        sync_block();
        for (int distance = 1; distance < size; distance *= 2) {
            int const i = 2 * distance * thread_index();
            if (i < size)
                shared[i] += shared[i + distance];
            sync_block();
        }
        return shared[thread_index()];
    }
};
//! [interleaved_strided]

//! [sequential]
/// Halves instead of adjacent elements: adjacent lanes access adjacent banks.
struct sequential {
    template <int size, class T>
    TILEWISE_DEVICE static T sum(T own, T* shared)
    {
        int const i = thread_index();
        shared[i] = own;
        sync_block();
        for (int distance = size / 2; distance > 0; distance /= 2) {
            if (i < distance)
                shared[i] += shared[i + distance];
            sync_block();
        }
        return shared[thread_index()];
    }
};
//! [sequential]

//! [last_warp]
/// One warp does the last six steps, so they need no barrier of the block. Textbooks rely on the lanes running in
/// lockstep, and use `volatile` so that every value is stored. Since Volta, lanes need not run in lockstep: without
/// sync_warp between a load and the next store, a lane may read a value that another lane has overwritten. (`volatile`
/// keeps values out of registers. With sync_warp, which orders memory among the lanes, it is not necessary.)
template <class T>
TILEWISE_DEVICE void add_last_warp(T volatile* shared)
{
    int const i = thread_index();
    TILEWISE_UNROLL
    for (int distance = warp_size; distance > 0; distance /= 2) {
        T const other = shared[i + distance];
        sync_warp();
        shared[i] = shared[i] + other;
        sync_warp();
    }
}

struct last_warp_unrolled {
    template <int size, class T>
    TILEWISE_DEVICE static T sum(T own, T* shared)
    {
        static_assert(size >= 2 * warp_size);
        int const i = thread_index();
        shared[i] = own;
        sync_block();
        for (int distance = size / 2; distance > warp_size; distance /= 2) {
            if (i < distance)
                shared[i] += shared[i + distance];
            sync_block();
        }
        if (i < warp_size)
            add_last_warp(shared);
        return shared[thread_index()];
    }
};
//! [last_warp]

//! [unrolled]
/// Unrolls all steps, since the block size is a compile-time constant: no loop, no comparison with a distance.
struct completely_unrolled {
    template <int size, class T>
    TILEWISE_DEVICE static T sum(T own, T* shared)
    {
        static_assert(size >= 2 * warp_size && size <= 1024);
        int const i = thread_index();
        shared[i] = own;
        sync_block();
        step<size, 512>(i, shared);
        step<size, 256>(i, shared);
        step<size, 128>(i, shared);
        step<size, 64>(i, shared);
        if (i < warp_size)
            add_last_warp(shared);
        return shared[thread_index()];
    }

private:
    template <int size, int distance, class T>
    TILEWISE_DEVICE static void step(int i, T* shared)
    {
        if constexpr (size >= 2 * distance) {
            if (i < distance)
                shared[i] += shared[i + distance];
            sync_block();
        }
    }
};
//! [unrolled]

//! [shuffles]
/// The lanes of a warp exchange registers: no shared memory, no barrier. One value per warp remains for the block.
template <class T>
TILEWISE_DEVICE T sum_of_warp(T own)
{
    TILEWISE_UNROLL
    for (int distance = warp_size / 2; distance > 0; distance /= 2)
        own += shuffle_down(own, distance);
    return own;
}

struct warp_shuffles {
    template <int size, class T>
    TILEWISE_DEVICE static T sum(T own, T* shared)
    {
        int const warp = warp_index(), lane = lane_index();
        own = sum_of_warp(own);
        if (lane == 0)
            shared[warp] = own;
        sync_block();
        if (warp == 0)
            own = sum_of_warp(lane < size / warp_size ? shared[lane] : T{});
        return own;
    }
};
//! [shuffles]
/// @}

//! [blocks]
/// Each block sums `size * elements` elements, those of a thread at a stride of the block size, and writes its sum.
template <class Sum, int size, int elements, class T>
TILEWISE_KERNEL(size, 1)
sum_blocks(T const* in, offset count, T* out)
{
    TILEWISE_SHARED(shared, T[size]);
    offset const first = offset{block_index()} * size * elements + thread_index();
    T own{};
    TILEWISE_UNROLL
    for (int i = 0; i < elements; ++i)
        if (first + i * size < count)
            own += in[first + i * size];
    T const sum = Sum::template sum<size>(own, shared);
    if (thread_index() == 0)
        out[block_index()] = sum;
}

/// Sums the sums of the blocks in the same way until one is left, with one launch per level.
template <class Sum, int elements, class T>
void sum_by_levels(task<T> const& t)
{
    T const* in = t.in;
    T* work = t.work;
    for (offset count = t.count;;) {
        offset const blocks = count > 0 ? parts_of(count, threads * elements) : 1;
        launch_version(t.stream, &sum_blocks<Sum, threads, elements, T>, blocks, threads, in, count,
                       blocks == 1 ? t.out : work);
        if (blocks == 1)
            return;
        in = work;
        work += blocks;
        count = blocks;
    }
}
//! [blocks]

//! [one_atomic_per_block]
/// Each block adds its sum to the result: one launch. For floats, the result depends on the order in which blocks
/// arrive.
template <int elements, class T>
TILEWISE_KERNEL(threads, 1)
add_every_block(T const* in, offset count, T* out)
{
    TILEWISE_SHARED(shared, T[threads / warp_size]);
    T own{};
    TILEWISE_UNROLL
    for (int i = 0; i < elements; ++i) {
        offset const at = offset{block_index()} * threads * elements + i * threads + thread_index();
        own += at < count ? in[at] : T{};
    }
    T const sum = warp_shuffles::sum<threads>(own, shared);
    if (thread_index() == 0)
        add_atomically(out, sum);
}

template <class T>
void one_atomic_per_block(task<T> const& t)
{
    constexpr int elements = 8;
    launch_version(t.stream, &write_zero<T>, 1, warp_size, t.out);
    if (t.count > 0)
        launch_version(t.stream, &add_every_block<elements, T>, parts_of(t.count, threads * elements), threads, t.in,
                       t.count, t.out);
}
//! [one_atomic_per_block]

//! [grid_stride]
/// A fixed number of blocks, whose threads read the input at strides of the grid.
template <class T>
TILEWISE_KERNEL(threads, 1)
sum_at_strides(T const* in, offset count, T* out)
{
    TILEWISE_SHARED(shared, T[threads / warp_size]);
    T own{};
    for (offset i = thread_of_grid(threads); i < count; i += threads_of_grid(threads))
        own += in[i];
    T const sum = warp_shuffles::sum<threads>(own, shared);
    if (thread_index() == 0)
        out[block_index()] = sum;
}

/// Two launches for any size; the second has one block.
template <class T>
void two_passes(task<T> const& t)
{
    offset const blocks = t.multiprocessors * 8;
    if (t.count <= blocks) // a first pass is not necessary
        return launch_version(t.stream, &sum_at_strides<T>, 1, threads, t.in, t.count, t.out);
    launch_version(t.stream, &sum_at_strides<T>, blocks, threads, t.in, t.count, t.work);
    launch_version(t.stream, &sum_at_strides<T>, 1, threads, t.work, blocks, t.out);
}
//! [grid_stride]

//! [vectors]
/// A 16-byte vector of elements.
template <class T>
struct alignas(16) vector {
    static constexpr int size = 16 / sizeof(T);
    T element[size];
    TILEWISE_DEVICE T sum() const
    {
        T total = element[0];
        TILEWISE_UNROLL
        for (int i = 1; i < size; ++i)
            total += element[i];
        return total;
    }
};

/// The sum of the vectors at `first`, `first + stride`, ..., with eight loads in flight.
template <class T>
TILEWISE_DEVICE T sum_of_vectors(vector<T> const* in, offset first, offset last, int stride)
{
    constexpr int at_once = 8;
    T own{};
    for (; first + offset{at_once - 1} * stride < last; first += offset{at_once} * stride) {
        vector<T> loaded[at_once];
        TILEWISE_UNROLL
        for (int i = 0; i < at_once; ++i)
            loaded[i] = in[first + offset{i} * stride];
        TILEWISE_UNROLL
        for (int i = 0; i < at_once; ++i)
            own += loaded[i].sum();
    }
    for (; first < last; first += stride)
        own += in[first].sum();
    return own;
}

/// Like sum_at_strides, with vectors. If the input does not begin or end at a multiple of 16 bytes, the first block
/// adds the elements before and after the complete vectors.
template <class T>
TILEWISE_KERNEL(threads, 1)
sum_vectors_at_strides(T const* in, offset before, offset vectors, offset after, T* out)
{
    TILEWISE_SHARED(shared, T[threads / warp_size]);
    auto const* const whole = reinterpret_cast<vector<T> const*>(in + before);
    T own = sum_of_vectors(whole, thread_of_grid(threads), vectors, static_cast<int>(threads_of_grid(threads)));
    if (block_index() == 0) {
        if (thread_index() < before)
            own += in[thread_index()];
        if (thread_index() < after)
            own += in[before + vectors * vector<T>::size + thread_index()];
    }
    T const sum = warp_shuffles::sum<threads>(own, shared);
    if (thread_index() == 0)
        out[block_index()] = sum;
}
//! [vectors]

//! [even_share]
/// Each block has a contiguous share of the vectors. All shares have the same size, give or take one vector.
template <class T>
TILEWISE_KERNEL(threads, 1)
sum_even_shares(T const* in, offset before, offset vectors, offset after, T* out)
{
    TILEWISE_SHARED(shared, T[threads / warp_size]);
    auto const* const whole = reinterpret_cast<vector<T> const*>(in + before);
    offset const share = vectors / block_count(), larger = vectors % block_count(), block = block_index();
    offset const first = block * share + (block < larger ? block : larger);
    offset const last = first + share + (block < larger ? 1 : 0);
    T own = sum_of_vectors(whole, first + thread_index(), last, threads);
    if (block == 0) {
        if (thread_index() < before)
            own += in[thread_index()];
        if (thread_index() < after)
            own += in[before + vectors * vector<T>::size + thread_index()];
    }
    T const sum = warp_shuffles::sum<threads>(own, shared);
    if (thread_index() == 0)
        out[block] = sum;
}
//! [even_share]

/// Two passes, the first with vector loads.
template <auto* kernel, class T>
void two_passes_of_vectors(task<T> const& t)
{
    constexpr offset size = vector<T>::size;
    offset const blocks = t.multiprocessors * 8;
    if (t.count <= blocks)
        return two_passes(t);
    auto const misalignment = static_cast<offset>(reinterpret_cast<std::size_t>(t.in) % 16 / sizeof(T));
    offset const before = misalignment == 0 ? 0 : size - misalignment, vectors = (t.count - before) / size;
    launch_version(t.stream, kernel, blocks, threads, t.in, before, vectors, t.count - before - vectors * size, t.work);
    launch_version(t.stream, &sum_at_strides<T>, 1, threads, t.work, blocks, t.out);
}

} // namespace ladder::reduction
