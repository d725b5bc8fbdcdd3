// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The fake CUDA runtime as an instrument: what was called, what shall fail, what is still allocated, and what kind of
/// machine it pretends to be.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simt::runtime {

/// A call of a function of the runtime. A launch is a call of cudaLaunchKernelEx.
struct call {
    std::string name;
    cudaError_t result;
    cudaStream_t stream; ///< that the function was given; null where it takes none
};

/// The calls since `forget_calls`, or since the schedule began.
std::vector<call> const& calls();
int count(std::string_view name);
void forget_calls();

/// Whether an error stays: once a kernel has failed, every later call fails.
enum class failure { passing, sticky };

/// Makes the call of `name` fail that comes after `skipped` others; "*" stands for every function, "allocation" for all
/// that allocate. The failing call does nothing.
void fail(std::string_view name, int skipped, cudaError_t error, failure lasts = failure::passing);
/// Whether a planned failure is still to come.
bool failure_is_due();
/// Takes back planned failures, and the errors that came of them.
void forget_failures();

/// What is allocated at the moment.
struct memory_use {
    std::size_t device_blocks, device_bytes, pinned_blocks, pinned_bytes;
    bool operator==(memory_use const&) const = default;
};
memory_use live();

/// The machine. Without anything said it has one device of compute capability 9.0; the number of multiprocessors and of
/// blocks that fit one depend on the schedule.
struct device {
    int major = 9, minor = 0;
    int multiprocessors = 0; ///< 0: the schedule decides
    int resident_blocks = 0; ///< that fit a multiprocessor; 0: the schedule decides
    std::size_t memory_bytes = std::size_t{1} << 40;
    bool reads_host_memory = false; ///< all of it, as with address translation services
    bool reaches_peers = false;     ///< so that peer access can be enabled
    bool has_peer_atomics = true;   ///< on the memory of those
    unsigned peers_enabled = 0;     ///< a bit for each
    unsigned readers_of_pool = 0;   ///< other devices with access to the memory of its default pool, likewise
};
void set_devices(std::vector<device> devices); ///< none: cudaErrorNoDevice
void set_device_count(int count);
/// Memory of a device that is mapped for some devices, a bit for each; cudaFree gives it back.
void* map_memory(std::size_t bytes, int device, unsigned devices_with_access);
/// Refuses larger clusters in a stream, as a green context does.
void limit_clusters(cudaStream_t stream, int most_blocks);
void set_capability(int major, int minor, int device = 0);

/// Whether work that is in a stream starts at the latest possible time: when somebody waits, for whatever.
void hold_work(bool held);
bool work_is_held();

/// Back to that machine and nothing planned. `run_schedule` leaves the machine as it found it.
void reset();

/// What the schedules did since the program began.
struct statistics {
    unsigned long long kernels, blocks, threads, switches;
};
statistics statistics_so_far();

} // namespace simt::runtime
