// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Incorrect programs, mostly with correct kernels. Each returns whether its result is right, which it may be anyway.

#include "device_memory.hpp"

#include <simt/runtime.hpp>
#include <tilewise/device/cuda/arch.cuh>

#include <cstring>
#include <vector>

namespace programs {

using simt::device_array;
using simt::expect_success;
using tilewise::gpu::start;

template <int threads>
TILEWISE_KERNEL(threads, 1)
read_through(int const* from, int* to)
{
    to[tilewise::gpu::thread_index()] = *from;
}
template <int threads>
TILEWISE_KERNEL(threads, 1)
write_index(int* to)
{
    to[tilewise::gpu::thread_index()] = tilewise::gpu::thread_index();
}

template <int threads>
TILEWISE_KERNEL(threads, 1)
reverse_in_dynamic_memory(int* values)
{
    using namespace tilewise::gpu;
    TILEWISE_LARGE_SHARED(copy, int[threads]);
    copy[thread_index()] = values[thread_index()];
    sync_block();
    values[thread_index()] = copy[threads - 1 - thread_index()];
}

template <int threads>
TILEWISE_KERNEL(threads, 1)
write_both_memories(int* values)
{
    using namespace tilewise::gpu;
    TILEWISE_SHARED(few, int[threads]);
    TILEWISE_LARGE_SHARED(many, int[12 * 1024]);
    few[thread_index()] = many[thread_index()] = values[thread_index()];
    values[thread_index()] = few[thread_index()] + many[thread_index()];
}

/// 48 KiB of dynamic shared memory, which any kernel may have, and some that are static.
inline bool more_shared_memory_than_allowed()
{
    device_array<int> const values(std::vector<int>(32, 7));
    tilewise::gpu::launch_shape shape = {1, 32};
    shape.shared_bytes = 48 * 1024;
    expect_success(start(write_both_memories<32>, shape, nullptr, values.data()));
    return values.values() == std::vector<int>(32, 14);
}

inline bool less_shared_memory_than_used()
{
    device_array<int> const values(std::vector<int>(32, 7));
    tilewise::gpu::launch_shape shape = {1, 32};
    shape.shared_bytes = 31 * sizeof(int);
    expect_success(start(reverse_in_dynamic_memory<32>, shape, nullptr, values.data()));
    return values.values() == std::vector<int>(32, 7);
}

inline bool host_pointer_in_a_kernel()
{
    int on_the_host = 7;
    device_array<int> const output(32);
    expect_success(start(read_through<32>, {1, 32}, nullptr, &on_the_host, output.data()));
    return output.values() == std::vector<int>(32, 7);
}

inline int variable = 7;
inline bool host_variable_in_a_kernel()
{
    device_array<int> const output(32);
    expect_success(start(read_through<32>, {1, 32}, nullptr, &variable, output.data()));
    return output.values() == std::vector<int>(32, 7);
}

inline bool device_memory_on_the_host()
{
    device_array<int> const input(std::vector<int>(8, 1));
    return input.data()[3] == 1;
}

inline bool result_read_before_waiting()
{
    int* line = nullptr;
    expect_success(cudaHostAlloc(&line, 32 * sizeof(int), cudaHostAllocMapped));
    line[31] = -1;
    expect_success(start(write_index<32>, {1, 32}, nullptr, line));
    bool const right = line[31] == 31;
    expect_success(cudaDeviceSynchronize());
    return right;
}

inline bool argument_changed_before_waiting()
{
    int* line = nullptr;
    expect_success(cudaHostAlloc(&line, sizeof(int), cudaHostAllocMapped));
    device_array<int> const output(32);
    *line = 7;
    expect_success(start(read_through<32>, {1, 32}, nullptr, line, output.data()));
    *line = 8;
    return output.values() == std::vector<int>(32, 7);
}

inline bool streams_without_an_event()
{
    simt::owned_stream const first(cudaStreamNonBlocking), second(cudaStreamNonBlocking);
    device_array<int> const between(std::vector<int>(32, -1)), output(32);
    expect_success(start(write_index<32>, {1, 32}, first, between.data()));
    expect_success(start(read_through<32>, {1, 32}, second, between.data() + 5, output.data()));
    expect_success(cudaDeviceSynchronize());
    return output.values() == std::vector<int>(32, 5);
}

inline bool freed_too_early()
{
    simt::owned_stream const first(cudaStreamNonBlocking), second(cudaStreamNonBlocking);
    int* memory = nullptr;
    expect_success(cudaMallocAsync(&memory, 32 * sizeof(int), first));
    expect_success(cudaStreamSynchronize(first));
    expect_success(start(write_index<32>, {1, 32}, second, memory));
    expect_success(cudaFreeAsync(memory, first));
    expect_success(cudaDeviceSynchronize());
    return true;
}

inline bool used_after_it_was_freed()
{
    int* memory = nullptr;
    expect_success(cudaMalloc(&memory, 32 * sizeof(int)));
    expect_success(cudaFree(memory));
    expect_success(start(write_index<32>, {1, 32}, nullptr, memory));
    expect_success(cudaDeviceSynchronize());
    return true;
}

inline bool output_is_short()
{
    device_array<int> const output(31);
    expect_success(start(write_index<32>, {1, 32}, nullptr, output.data()));
    expect_success(cudaDeviceSynchronize());
    return true;
}

template <int threads>
TILEWISE_KERNEL(threads, 1)
write_elsewhere(int* to)
{
    int mine = 0;
    TILEWISE_SHARED(others, int*);
    if (tilewise::gpu::thread_index() == 0)
        others = &mine;
    tilewise::gpu::sync_block();
    if (tilewise::gpu::thread_index() == 1)
        *others = 1;
    tilewise::gpu::sync_block();
    to[tilewise::gpu::thread_index()] = mine;
}
inline bool another_threads_variable()
{
    device_array<int> const output(32);
    expect_success(start(write_elsewhere<32>, {1, 32}, nullptr, output.data()));
    return output.values() == std::vector<int>(32);
}

template <int threads>
TILEWISE_KERNEL(threads, 1)
copy_unaligned(unsigned const* from, unsigned* to)
{
    using namespace tilewise::gpu;
    TILEWISE_SHARED(stage, unsigned[32]);
    TILEWISE_SHARED(full, mbarrier);
    if (thread_index() == 0) {
        full.init(1);
        full.arrive_expect(64);
        bulk_copy(stage, from + 1, 64, full);
    }
    sync_block();
    full.wait(0);
    to[thread_index()] = stage[thread_index() / 2];
}
inline bool bulk_copy_from_an_odd_address()
{
    device_array<unsigned> const input(std::vector<unsigned>(32)), output(32);
    expect_success(start(copy_unaligned<32>, {1, 32}, nullptr, input.data(), output.data()));
    return output.values() == std::vector<unsigned>(32);
}

template <int threads>
TILEWISE_KERNEL(threads, 1)
load_misaligned(unsigned const* from, unsigned* to)
{
    using namespace tilewise::gpu;
    to[thread_index()] = load_once(reinterpret_cast<vector16 const*>(from + 2 * thread_index())).word[0];
}
inline bool misaligned_load()
{
    device_array<unsigned> const input(std::vector<unsigned>(128)), output(32);
    expect_success(start(load_misaligned<32>, {1, 32}, nullptr, input.data(), output.data()));
    return output.values() == std::vector<unsigned>(32);
}

template <int threads>
TILEWISE_KERNEL(threads, 1)
leave_copy_in_flight(unsigned const* from)
{
    using namespace tilewise::gpu;
    TILEWISE_SHARED(stage, unsigned[32]);
    TILEWISE_SHARED(full, mbarrier);
    if (thread_index() == 0) {
        full.init(1);
        bulk_copy(stage, from, 128, full);
    }
}
inline bool bulk_copy_outlives_its_block()
{
    device_array<unsigned> const input(std::vector<unsigned>(32));
    expect_success(start(leave_copy_in_flight<32>, {1, 32}, nullptr, input.data()));
    expect_success(cudaDeviceSynchronize());
    return true;
}

/// Waits for another thread without learning what it did before.
TILEWISE_DEVICE void wait_for(unsigned long long const* flag)
{
    unsigned long long seen = 0;
    for (tilewise::gpu::observe(flag, true, seen); seen == 0; tilewise::gpu::observe(flag, true, seen))
        tilewise::gpu::poll_again();
}

/// Reads two bytes of one thread's at once, of which the second was written after the barrier.
template <int threads>
TILEWISE_KERNEL(threads, 1)
read_both_of_two_epochs(unsigned char* bytes, unsigned long long* flag, unsigned short* to)
{
    using namespace tilewise::gpu;
    if (thread_index() == 0)
        bytes[0] = 1;
    sync_block();
    if (thread_index() == 0) {
        bytes[1] = 1;
        publish(flag, 1);
    } else if (thread_index() == warp_size) {
        wait_for(flag);
        std::memcpy(to, bytes, 2);
    }
}

/// Reads two bytes of two threads' at once, of which only the first is of the reader's warp.
template <int threads>
TILEWISE_KERNEL(threads, 1)
read_both_of_two_warps(unsigned char* bytes, unsigned long long* flag, unsigned short* to)
{
    using namespace tilewise::gpu;
    if (lane_index() == 0)
        bytes[thread_index() / warp_size] = 1;
    sync_warp();
    if (thread_index() == warp_size) {
        publish(flag, 1);
    } else if (thread_index() == 1) {
        wait_for(flag);
        std::memcpy(to, bytes, 2);
    }
}

/// Reads two bytes as an object, of which the second is padding, while another thread writes that one.
template <int threads>
TILEWISE_KERNEL(threads, 1)
write_what_was_read_as_padding(unsigned char* bytes, unsigned long long* flag, unsigned short* to)
{
    using namespace tilewise::gpu;
    if (thread_index() == 0) {
        bytes[0] = 1;
        std::memcpy(to, bytes, 2);
        publish(flag, 1);
    } else if (thread_index() == 1) {
        wait_for(flag);
        bytes[1] = 1;
    }
}

template <auto kernel>
bool two_bytes()
{
    device_array<unsigned char> const bytes(2);
    device_array<unsigned long long> const flag(std::vector<unsigned long long>{0});
    device_array<unsigned short> const output(1);
    expect_success(start(kernel, {1, 64}, nullptr, bytes.data(), flag.data(), output.data()));
    expect_success(cudaDeviceSynchronize());
    return true;
}

inline bool leak()
{
    int* memory = nullptr;
    expect_success(cudaMalloc(&memory, 100));
    return simt::runtime::live().device_blocks == 0;
}

} // namespace programs
