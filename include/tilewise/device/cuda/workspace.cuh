// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Memory that a call borrows: scratch on the GPU, and lines of pinned host memory that a kernel writes a result to.
///
/// Both are leased for one call and kept for later ones, so that in the steady state nothing is allocated. What is kept
/// belongs to a context, and nobody asks for it once the device was reset; `release_cached_memory` gives it back. Large
/// scratch is not kept, but goes back to the stream's memory pool, of which the program decides how much stays.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Gives things that a cache has kept back, with `release`, once their devices are idle: those of contexts that are
/// there. \returns those that could not be, because a device cannot be waited for
template <class Thing, class Release>
std::vector<Thing> release_when_idle(std::vector<Thing> things, Release const& release)
{
    int previous = 0;
    if (things.empty() || cudaGetDevice(&previous) != cudaSuccess)
        return things;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; // others may be capturing
    bool const relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
    std::vector<Thing> left;
    left.reserve(things.size());
    std::sort(things.begin(), things.end(), [](auto const& a, auto const& b) { return a.device < b.device; });
    int device = -1;
    bool idle = false;
    unsigned long long context = 0;
    for (Thing const& thing : things) {
        if (thing.device != device) {
            device = thing.device;
            idle = cudaSetDevice(device) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
            context = context_id(device);
        }
        if (!idle)
            left.push_back(thing);
        else if (thing.context == context)
            release(thing);
    }
    static_cast<void>(cudaSetDevice(previous));
    if (relaxed)
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    if (!relaxed || !left.empty())
        static_cast<void>(cudaGetLastError());
    return left;
}

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
        unsigned long long stream;  ///< cudaStreamGetId: never given to another stream, as a handle may be
        unsigned long long context; ///< see context_id
        int device;
        void* memory;
        std::size_t bytes;
        ledger past = {};

        bool is_of_stream_of(block const& other) const { return stream == other.stream && context == other.context; }
    };

    /// @name The caches, one for every kind of content
    /// They outlive every other object: CUDA may be gone before them.
    /// @{
    static scratch_cache& of_scratch()
    {
        static auto* const cache = make([] { of_scratch().release(); });
        return *cache;
    }
    static scratch_cache& of_boards()
    {
        static auto* const cache = make([] { of_boards().release(); });
        return *cache;
    }
    /// @}

    scratch_cache() { idle_.reserve(most_blocks); } // so that giving one back cannot fail

    /// Takes the smallest block of the stream of `wanted` that is large enough, if there is one.
    block take(block const& wanted)
    {
        return take_best(wanted, [&](block const& each, block const* best) {
            return each.bytes >= wanted.bytes && (best == nullptr || each.bytes < best->bytes);
        });
    }
    /// Takes the largest block of the stream, which has none that is large enough: a larger one takes its place.
    block take_outgrown(block const& wanted)
    {
        return take_best(wanted,
                         [](block const& each, block const* best) { return !best || each.bytes > best->bytes; });
    }

    /// Keeps a block for the next call, if there is room for it. Blocks of a device that was reset since make room.
    bool keep(block const& returned)
    {
        std::lock_guard const lock(mutex_);
        auto const has_room = [&] {
            std::size_t bytes = returned.bytes;
            for (block const& each : idle_)
                bytes += each.device == returned.device ? each.bytes : 0;
            return idle_.size() < most_blocks && bytes <= most_bytes;
        };
        if (!has_room()) {
            std::erase_if(idle_, [&](block const& each) {
                return each.device == returned.device && each.context < returned.context;
            });
            if (!has_room())
                return false;
        }
        idle_.push_back(returned);
        return true;
    }

    /// Gives all blocks back.
    void release()
    {
        std::vector<block> blocks;
        blocks.reserve(most_blocks);
        {
            std::lock_guard const lock(mutex_);
            blocks.swap(idle_);
        }
        for (block const& each :
             release_when_idle(std::move(blocks), [](block const& idle) { static_cast<void>(cudaFree(idle.memory)); }))
            static_cast<void>(keep(each));
    }

    static constexpr std::size_t most_blocks = 256, most_bytes = std::size_t{512} << 20; ///< the bytes of a device

private:
    static scratch_cache* make(void (*release_it)())
    {
        auto made = std::make_unique<scratch_cache>();
        cache_list::instance().add(release_it);
        return made.release();
    }
    template <class IsBetter>
    block take_best(block const& wanted, IsBetter const& is_better)
    {
        std::lock_guard const lock(mutex_);
        block* best = nullptr;
        for (block& each : idle_)
            if (each.is_of_stream_of(wanted) && is_better(each, best))
                best = &each;
        if (best == nullptr)
            return {};
        block const found = *best;
        *best = idle_.back();
        idle_.pop_back();
        return found;
    }

    std::mutex mutex_;
    std::vector<block> idle_;
};

/// The graph that a stream is captured into, and the node that its next one comes after; null if there is none.
struct capture_info {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t last = nullptr;

    explicit capture_info(cudaStream_t stream)
    {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraphNode_t const* nodes = nullptr;
        std::size_t count = 0;
#if CUDART_VERSION >= 13000
        TILEWISE_CUDA(cudaStreamGetCaptureInfo, stream, &status, nullptr, &graph, &nodes, nullptr, &count);
#else
        TILEWISE_CUDA(cudaStreamGetCaptureInfo, stream, &status, nullptr, &graph, &nodes, &count);
#endif
        if (count > 0)
            last = nodes[count - 1];
    }
};

/// Memory on the GPU for the kernels of one call: from the policy's resource; while the stream is being captured, from
/// the graph; otherwise from a cache. Two calls never hold the same block.
///
/// It is given back in stream order, also when an exception ends the call. A graph has what its nodes allocate; what a
/// resource takes from elsewhere while the graph is made is never given back, since the graph goes on using it.
class leased_memory {
public:
    template <class Policy>
    leased_memory(scratch_cache& cache, Policy const& policy, current_device const& device, bool captured,
                  std::size_t bytes, std::size_t most_kept_bytes = std::size_t{128} << 20)
        : cache_(cache), stream_(policy.stream()), resource_(policy.resource()), captured_(captured),
          most_kept_bytes_(most_kept_bytes), block_{0, device.context(), device.index(), nullptr, bytes}
    {
        if (resource_) {
            cudaGraphNode_t const before = captured_ ? capture_info(stream_).last : nullptr;
            block_.memory = resource_.allocate(bytes, stream_);
            try {
                bool const is_of_graph = captured_ && capture_info(stream_).last != before; // CUDA maps it at a launch
                stays_with_graph_ = captured_ && !is_of_graph;
                if (auto const kind = is_of_graph ? memory_kind::readable : gpu::kind_of(block_.memory, block_.device);
                    kind == memory_kind::pageable || kind == memory_kind::no_access)
                    throw std::invalid_argument("tilewise: the policy's resource allocates memory that the stream's "
                                                "device has no access to");
            } catch (...) {
                give_to_resource();
                throw;
            }
        } else if (captured_) {
            TILEWISE_CUDA(cudaMallocAsync, &block_.memory, bytes, stream_);
        } else {
            TILEWISE_CUDA(cudaStreamGetId, stream_, &block_.stream);
            auto const found = cache_.take(block_);
            if (found.memory != nullptr)
                block_ = found;
            else
                allocate(Policy::waits);
        }
    }
    leased_memory(leased_memory const&) = delete;
    leased_memory& operator=(leased_memory const&) = delete;
    ~leased_memory()
    {
        if (resource_) {
            if (!stays_with_graph_)
                give_to_resource();
        } else if (captured_ || block_.bytes > most_kept_bytes_ || !cache_.keep(block_)) {
            // Not another block in place of this one: its stream may be at work, or gone, so the device had to be
            // waited for.
            free_in_stream(block_);
        }
    }
    void* begin() const { return block_.memory; }
    std::size_t bytes() const { return block_.bytes; }
    cudaStream_t stream() const { return stream_; }
    /// What is known of the memory's content; nothing, if it is new.
    ledger& past() { return block_.past; }

private:
    static constexpr std::size_t least_bytes = 64 * 1024;

    /// Takes new memory. Where there is none the caches are emptied: by a call that may wait all of them, by others
    /// those of the stream.
    void allocate(bool may_wait)
    {
        block_.bytes = (block_.bytes / least_bytes + 1) * least_bytes;
        if (auto const outgrown = cache_.take_outgrown(block_); outgrown.memory != nullptr)
            free_in_stream(outgrown);
        cudaError_t error = cudaMallocAsync(&block_.memory, block_.bytes, stream_);
        if (error == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            bool emptied = may_wait;
            for (scratch_cache* const cache : {&scratch_cache::of_scratch(), &scratch_cache::of_boards()})
                for (auto idle = cache->take_outgrown(block_); idle.memory != nullptr;
                     idle = cache->take_outgrown(block_)) {
                    free_in_stream(idle);
                    emptied = true;
                }
            if (may_wait)
                release_cached_memory();
            if (emptied)
                error = cudaMallocAsync(&block_.memory, block_.bytes, stream_);
        }
        check(error, "cudaMallocAsync");
    }
    void give_to_resource() const noexcept
    {
        try {
            resource_.deallocate(block_.memory, block_.bytes, stream_);
        } catch (...) { // The work is in the stream, or another exception on its way: nobody could do anything.
        }
    }
    void free_in_stream(scratch_cache::block const& idle) const
    {
        if (cudaFreeAsync(idle.memory, stream_) != cudaSuccess)
            static_cast<void>(cudaGetLastError());
    }

    scratch_cache& cache_;
    cudaStream_t stream_;
    resource_ref resource_;
    bool captured_, stays_with_graph_ = false;
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

    struct line {
        unsigned long long context; ///< see context_id
        int device;
        void* memory;
    };

    static line_cache& instance()
    {
        static auto* const cache = [] {
            auto made = std::make_unique<line_cache>();
            cache_list::instance().add([] { instance().release(); });
            return made.release();
        }();
        return *cache;
    }
    /// Takes a line of a context, which is the current one.
    line take(unsigned long long context, int device)
    {
        std::lock_guard const lock(mutex_);
        auto const of_context = [&](line const& each) { return each.context == context; };
        auto found = std::find_if(idle_.rbegin(), idle_.rend(), of_context);
        if (found == idle_.rend()) {
            add_lines(context, device);
            found = idle_.rbegin();
        }
        line const taken = *found;
        *found = idle_.back();
        idle_.pop_back();
        return taken;
    }
    void keep(line const& returned)
    {
        std::lock_guard const lock(mutex_);
        idle_.push_back(returned); // there was room for it before it was taken
    }

    /// Gives back the memory of which no call has a line.
    void release()
    {
        std::lock_guard const lock(mutex_);
        std::vector<line> whole; // of which all lines are here
        std::erase_if(pages_, [&](line const& page) {
            auto const is_of_page = [&](line const& each) {
                return each.context == page.context &&
                       static_cast<std::size_t>(static_cast<unsigned char*>(each.memory) -
                                                static_cast<unsigned char*>(page.memory)) < lines * line_bytes;
            };
            if (std::count_if(idle_.begin(), idle_.end(), is_of_page) != lines)
                return false;
            std::erase_if(idle_, is_of_page);
            whole.push_back(page);
            return true;
        });
        for (line const& page : release_when_idle(
                 std::move(whole), [](line const& idle) { static_cast<void>(cudaFreeHost(idle.memory)); }))
            add_page(page);
    }

private:
    static constexpr std::ptrdiff_t lines = 64; ///< of a page

    void add_lines(unsigned long long context, int device)
    {
        // Those of the device before it was reset
        auto const is_gone = [&](line const& each) { return each.device == device && each.context < context; };
        std::erase_if(idle_, is_gone);
        std::erase_if(pages_, is_gone);
        pages_.reserve(pages_.size() + 1);
        idle_.reserve((pages_.size() + 1) * lines);
        relaxed_capture const allowed;
        void* memory = nullptr;
        TILEWISE_CUDA(cudaHostAlloc, &memory, lines * line_bytes, cudaHostAllocMapped | cudaHostAllocPortable);
        add_page({context, device, memory});
    }
    void add_page(line const& page)
    {
        pages_.push_back(page);
        for (std::ptrdiff_t i = 0; i < lines; ++i)
            idle_.push_back({page.context, page.device,
                             static_cast<unsigned char*>(page.memory) + static_cast<std::size_t>(i) * line_bytes});
    }
    std::mutex mutex_;
    std::vector<line> idle_, pages_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
