// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The operations that the simulated GPU offers a kernel, from which the interpreter's <tilewise/device/cuda/arch.cuh>
/// is built. They are defined in the interpreter, which is compiled without instrumentation, so that no check ever
/// examines itself.

#include <cuda_runtime.h>
#include <simt/location.hpp>

#include <cstddef>
#include <memory>

namespace simt {

/// @name Position of a thread
/// @{
int thread_index();
int block_index();
int block_count();
/// @}

/// Waits for all threads of the block, which have to call it from the same place in the source.
void sync_block(location where);

/// Returns shared memory of the block: the same memory for the same site. There may be 48 KiB in all, and as much
/// dynamic memory as the launch asked for.
void* shared_storage(void const* site, std::size_t bytes, std::size_t alignment, bool is_dynamic = false);

/// @name Collectives of a warp
/// All lanes in `mask` take part, from the same place in the source. Only `sync_warp` orders memory.
/// @{
inline constexpr unsigned all_lanes = ~0u;
enum class source { index, up, down, exclusive_or };

/// Each lane provides the bytes at `mine` and receives those of the lane that `argument` selects, or its own if there
/// is no such lane.
void exchange(source from, void const* mine, void* result, std::size_t bytes, int argument, location where);
unsigned ballot(unsigned mask, bool vote, location where);
unsigned match_any(unsigned mask, unsigned long long value, location where);
void sync_warp(unsigned mask, location where);
/// @}

/// @name Dependent launches (PDL)
/// @{
void release_dependents();
void wait_for_primary(location where);
/// @}

/// @name Clusters
/// @{
int cluster_rank();
void cluster_announce(location where); ///< an arrival that does not order memory accesses
void cluster_arrive(location where);
void cluster_wait(location where);
void store_in_block(int rank, void* shared, void const* value, std::size_t bytes, location where);
/// @}

/// @name Bulk copies (TMA)
/// @{
void mbarrier_init(void* barrier, int arrivals, location where);
void mbarrier_arrive(void* barrier, std::size_t expected_bytes, location where);
void mbarrier_wait(void* barrier, unsigned parity, location where);
void bulk_copy(void* shared, void const* global, std::size_t bytes, void* barrier, location where);
/// @}

/// Stops the thread, which reads so many bytes at an address that is not a multiple of that number: a GPU cannot.
[[noreturn]] void stop_misaligned(void const* address, std::size_t bytes);

/// @name Memory order
/// @{
enum class scope { block, device };
void fence(scope reach);
void pause();       ///< lets another thread run; every loop that waits has to call it
void yield_point(); ///< lets another thread run
/// @}

/// A kernel, its arguments and its launch configuration.
struct launch_request {
    void const* kernel;
    void (*run)(void const* parameters);
    std::shared_ptr<void const> parameters;
    std::size_t parameter_bytes;
    int blocks, threads, cluster;
    bool dependent;
    int shared_bytes; ///< of dynamic shared memory
    cudaStream_t stream;
    int most_shared_bytes = 0; ///< of static and dynamic shared memory; `launch` knows
};
cudaError_t launch(launch_request const& request);

/// Memory for the parameters of a launch, which need no destructor.
std::shared_ptr<void> parameter_memory(std::size_t bytes, std::size_t alignment);

/// Finds how many clusters of that shape can be resident in the part of the device that a stream may use.
cudaError_t resident_clusters(void const* kernel, int cluster, int threads, cudaStream_t stream, int* clusters);

} // namespace simt
