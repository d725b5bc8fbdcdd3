// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Memory that a call borrows: scratch on the GPU, and a line of pinned host memory that a kernel writes a result to.
///
/// Both are leased for one call and kept for later ones, so that in the steady state nothing is allocated. What is kept
/// stays until the process ends; so scratch that is large is not kept, but goes back to the stream's memory pool, of
/// which the program decides how much stays.

#include <tilewise/config.hpp>
#include <tilewise/device/runtime.cuh>
#include <tilewise/policy.hpp>

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// What was done with the memory of a board, by all launches together.
struct ledger {
    unsigned tag = 0;             ///< the last launch's
    unsigned long long drawn = 0; ///< from its counter
};

/// Blocks of memory that no call uses, each with the stream it was last used in: whoever takes it in that stream comes
/// after that use.
class scratch_cache {
public:
    struct block {
        unsigned long long stream; ///< cudaStreamGetId: never given to another stream, as a handle may be
        int device;
        void* memory;
        std::size_t bytes;
        ledger past = {};
    };

    /// @name The caches, one for every kind of content
    /// They outlive every other object: CUDA may be gone before them.
    /// @{
    static scratch_cache& of_scratch()
    {
        static auto* const cache = new scratch_cache;
        return *cache;
    }
    static scratch_cache& of_boards()
    {
        static auto* const cache = new scratch_cache;
        return *cache;
    }
    /// @}

    /// Takes a block of the stream, if there is one that is large enough.
    block take(unsigned long long stream, int device, std::size_t bytes)
    {
        std::lock_guard const lock(mutex_);
        for (auto i = idle_.size(); i-- > 0;) {
            block const found = idle_[i];
            if (found.stream == stream && found.device == device && found.bytes >= bytes) {
                idle_[i] = idle_.back();
                idle_.pop_back();
                return found;
            }
        }
        return {};
    }

    /// Keeps a block for the next call, if there is room for it.
    bool keep(block returned)
    {
        std::lock_guard const lock(mutex_);
        if (idle_.size() == most_blocks)
            return false;
        if (idle_.size() == idle_.capacity())
            idle_.reserve(most_blocks);
        idle_.push_back(returned);
        return true;
    }
    static constexpr std::size_t most_blocks = 256;

private:
    std::mutex mutex_;
    std::vector<block> idle_;
};

/// Memory on the GPU for the kernels of one call: from the policy's resource; while the stream is being captured, from
/// the graph; otherwise from a cache. Two calls never hold the same block.
class leased_memory {
public:
    template <class Policy>
    leased_memory(scratch_cache& cache, Policy const& policy, current_device const& device, bool captured,
                  std::size_t bytes, std::size_t most_kept_bytes = std::size_t{128} << 20)
        : cache_(cache), stream_(policy.stream()), resource_(policy.resource()), captured_(captured),
          most_kept_bytes_(most_kept_bytes), block_{0, device.index(), nullptr, bytes}
    {
        if (resource_) {
            block_.memory = resource_.allocate(bytes, stream_);
        } else if (captured_) {
            TILEWISE_CUDA(cudaMallocAsync, &block_.memory, bytes, stream_);
        } else {
            TILEWISE_CUDA(cudaStreamGetId, stream_, &block_.stream);
            auto const found = cache_.take(block_.stream, block_.device, bytes);
            if (found.memory != nullptr) {
                block_ = found;
            } else {
                block_.bytes = (bytes / least_bytes + 1) * least_bytes;
                TILEWISE_CUDA(cudaMallocAsync, &block_.memory, block_.bytes, stream_);
            }
        }
    }
    leased_memory(leased_memory const&) = delete;
    leased_memory& operator=(leased_memory const&) = delete;
    ~leased_memory()
    {
        if (resource_) {
            resource_.deallocate(block_.memory, block_.bytes, stream_);
        } else if (captured_ || block_.bytes > most_kept_bytes_ || !cache_.keep(block_)) {
            // Not another block in place of this one: its stream may be at work, or gone, so the device had to be
            // waited for.
            static_cast<void>(cudaFreeAsync(block_.memory, stream_));
        }
    }
    void* begin() const { return block_.memory; }
    std::size_t bytes() const { return block_.bytes; }
    cudaStream_t stream() const { return stream_; }
    /// What is known of the memory's content; nothing, if it is new.
    ledger& past() { return block_.past; }

private:
    static constexpr std::size_t least_bytes = 64 * 1024;
    scratch_cache& cache_;
    cudaStream_t stream_;
    resource_ref resource_;
    bool captured_;
    std::size_t most_kept_bytes_;
    scratch_cache::block block_;
};

/// Memory for whatever one call's kernels write before they read it.
class scratch : public leased_memory {
public:
    template <class Policy>
    scratch(Policy const& policy, current_device const& device, bool captured, std::size_t bytes)
        : leased_memory(scratch_cache::of_scratch(), policy, device, captured, bytes)
    {}
};

/// Memory where blocks tell each other things in words with a tag, which is new for every launch: so the words need no
/// clearing between launches. A counter comes before them.
class board_memory : leased_memory {
public:
    template <class Policy>
    board_memory(Policy const& policy, current_device const& device, bool captured, std::size_t words)
        : leased_memory(scratch_cache::of_boards(), policy, device, captured, header_bytes + words * 8)
    {
        used_ = std::exchange(past(), {});        // nothing is known of it if the launch fails
        if (used_.tag == 0 || used_.tag == ~0u) { // new memory, or all tags were used
            used_ = {};
            TILEWISE_CUDA(cudaMemsetAsync, leased_memory::begin(), 0, bytes(), stream());
        }
        ++used_.tag;
    }
    unsigned long long* counter() const { return static_cast<unsigned long long*>(leased_memory::begin()); }
    unsigned long long* words() const { return counter() + header_bytes / 8; }
    unsigned tag() const { return used_.tag; }
    unsigned long long drawn() const { return used_.drawn; }
    /// Notes that a kernel was started which draws so many numbers from the counter.
    void will_draw(unsigned long long numbers)
    {
        used_.drawn += numbers;
        past() = used_;
    }

private:
    static constexpr std::size_t header_bytes = 128;
    ledger used_;
};

/// Lines of pinned memory that no call uses.
class line_cache {
public:
    static constexpr std::size_t line_bytes = 256; ///< the largest accumulator

    static line_cache& instance()
    {
        static auto* const cache = new line_cache;
        return *cache;
    }
    void* take()
    {
        std::lock_guard const lock(mutex_);
        if (idle_.empty())
            add_lines();
        void* const line = idle_.back();
        idle_.pop_back();
        return line;
    }
    void keep(void* line)
    {
        std::lock_guard const lock(mutex_);
        idle_.push_back(line); // there was room for it before it was taken
    }

private:
    void add_lines()
    {
        constexpr std::size_t count = 64;
        idle_.reserve(lines_ + count);
        relaxed_capture const allowed;
        void* memory = nullptr;
        TILEWISE_CUDA(cudaHostAlloc, &memory, count * line_bytes, cudaHostAllocMapped | cudaHostAllocPortable);
        for (std::size_t i = 0; i < count; ++i)
            idle_.push_back(static_cast<unsigned char*>(memory) + i * line_bytes);
        lines_ += count;
    }
    std::mutex mutex_;
    std::vector<void*> idle_;
    std::size_t lines_ = 0;
};

/// A line of pinned memory, for one call: a kernel writes a result to it, and the host reads it after waiting. It costs
/// no copy and no launch; waiting for the stream is within 1.5 us of spinning on the line itself.
class result_line {
public:
    result_line() : line_(line_cache::instance().take()) {}
    result_line(result_line const&) = delete;
    result_line& operator=(result_line const&) = delete;
    ~result_line() { line_cache::instance().keep(line_); }
    void* memory() const { return line_; }

private:
    void* line_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
