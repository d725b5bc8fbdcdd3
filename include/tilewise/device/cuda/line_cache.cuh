// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Lines of pinned host memory, to which kernels write results that the host reads after waiting.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/runtime.cuh>

#include <cstddef>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A cache of the lines that no call uses.
class line_cache {
public:
    static constexpr std::size_t line_bytes = 256; ///< the size of the largest accumulator

    struct line {
        unsigned long long context; ///< see context_id
        int device;
        void* memory;
    };

    static line_cache& instance()
    {
        static auto* const cache = [] {
            cache_list::instance().add([] { instance().release(); });
            return new line_cache;
        }();
        return *cache;
    }
    /// Takes a line of a context, which has to be the current one.
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
        idle_.push_back(returned); // within the capacity that add_lines reserved
    }

    /// Frees the pages of which no call uses a line.
    [[gnu::cold]] void release()
    {
        std::lock_guard const lock(mutex_);
        std::vector<line> whole; // pages all of whose lines are idle
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
    static constexpr std::ptrdiff_t lines = 64; ///< per page

    [[gnu::cold]] void add_lines(unsigned long long context, int device)
    {
        // its context has ended
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
