// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Controls and inspects the simulated CUDA runtime: the calls that were made, the calls that are to fail, the memory
/// that is still allocated, and the simulated devices.

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simt::runtime {

/// A call of a runtime function. A kernel launch counts as a call of cudaLaunchKernelEx.
struct call {
    std::string name;
    cudaError_t result;
    cudaStream_t stream; ///< the stream argument; null if the function takes none
};

/// Returns the calls since `forget_calls`, or since the schedule began.
std::vector<call> const& calls();
int count(std::string_view name);
void forget_calls();

/// Whether an error is sticky: every later call fails, as it does after a kernel has failed.
enum class failure { passing, sticky };

/// Makes a call of `name` fail, after `skipped` calls that do not. "*" stands for every function, "allocation" for all
/// functions that allocate. The failing call does nothing.
void fail(std::string_view name, int skipped, cudaError_t error, failure lasts = failure::passing);
/// Whether a planned failure has not occurred yet.
bool failure_is_due();
/// Cancels planned failures, and clears the errors that they caused.
void forget_failures();

/// The memory that is allocated.
struct memory_use {
    std::size_t device_blocks, device_bytes, pinned_blocks, pinned_bytes;
    bool operator==(memory_use const&) const = default;
};
memory_use live();

/// A simulated device. By default there is one, of compute capability 9.0, and the schedule determines its number of
/// multiprocessors and the number of blocks that are resident on each.
struct device {
    int major = 9, minor = 0;
    int multiprocessors = 0; ///< 0: the schedule decides
    int resident_blocks = 0; ///< per multiprocessor; 0: the schedule decides
    std::size_t memory_bytes = std::size_t{1} << 40;
    bool reads_host_memory = false; ///< all of it, as with address translation services
    bool reaches_peers = false;     ///< whether peer access can be enabled
    bool has_peer_atomics = true;   ///< on the memory of peers
    unsigned peers_enabled = 0;     ///< a bit for each peer
    unsigned readers_of_pool = 0;   ///< a bit for each other device with access to its default memory pool
};
void set_devices(std::vector<device> devices); ///< none: cudaErrorNoDevice
void set_device_count(int count);
/// Allocates memory of a device that some devices have access to, a bit for each. cudaFree frees it.
void* map_memory(std::size_t bytes, int device, unsigned devices_with_access);
/// Limits clusters in a stream to `most_blocks` blocks, as a green context does.
void limit_clusters(cudaStream_t stream, int most_blocks);
void set_capability(int major, int minor, int device = 0);

/// Sets whether the work of all streams starts as late as possible: when the host waits for anything.
void hold_work(bool held);
bool work_is_held();

/// Restores the default device and cancels planned failures. `run_schedule` leaves the devices as it found them.
void reset();

/// What all schedules together have run since the program began.
struct statistics {
    unsigned long long kernels, blocks, threads, switches;
    unsigned long long late_dependents; ///< dependent launches (PDL) that follow no kernel, so that nothing overlaps
};
statistics statistics_so_far();

} // namespace simt::runtime
