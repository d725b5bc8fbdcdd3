// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Caches of scratch memory on the GPU.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <cstddef>
#include <vector>

TILEWISE_CUDA_BEGIN

/// The state of status memory after the launches that have used it.
struct status_state {
    unsigned epoch = 0;             ///< of the last launch
    unsigned long long tickets = 0; ///< taken from the counter
};

/// A cache of memory blocks that no call uses, each with the stream in which it was last used. A call takes only blocks
/// of its own stream, so its kernels run after that use.
class scratch_cache {
public:
    struct block {
        unsigned long long stream;  ///< from cudaStreamGetId: unique, unlike handles
        unsigned long long context; ///< see context_id
        int device;
        void* memory;
        std::size_t bytes;
        status_state state = {};

        TILEWISE_INLINE bool is_of_stream_of(block const& other) const
        {
            return stream == other.stream && context == other.context;
        }
    };

    /// @name The caches, one for each kind of content
    /// They are never destroyed, since CUDA may shut down before static objects are destroyed.
    /// @{
    static scratch_cache& of_scratch();
    static scratch_cache& of_status();
    static scratch_cache& of_counters();
    /// @}

    scratch_cache();

    /// Takes the smallest block of the stream of `wanted` that is large enough, if there is one.
    block take(block const& wanted);
    /// Takes the largest block of the stream of `wanted`, if there is one. For calls that found none large enough: a
    /// new block replaces it.
    block take_outgrown(block const& wanted);

    /// Keeps a block for later calls, if there is room for it. If there is none, drops the blocks of contexts that have
    /// ended. \returns whether the block was kept
    bool keep(block const& returned);

    /// Frees all blocks.
    void release();

    static constexpr std::size_t most_blocks = 256, most_bytes = std::size_t{512} << 20; ///< the bytes per device

private:
    static scratch_cache* make(void (*release_it)());
    template <class IsBetter>
    block take_best(block const& wanted, IsBetter const& is_better);

    std::mutex mutex_;
    std::vector<block> idle_;
};

TILEWISE_CUDA_END

TILEWISE_NAMESPACE_BEGIN
namespace gpu {
using namespace cuda_runtime;
} // namespace gpu
TILEWISE_NAMESPACE_END
