// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Defines the functions of line_cache.cuh and scratch_cache.cuh.

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/cuda/idle_devices.cuh>
#include <tilewise/device/cuda/line_cache.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/scratch_cache.cuh>

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>
#include <vector>

TILEWISE_CUDA_BEGIN

TILEWISE_CUDA_INLINE line_cache& line_cache::instance()
{
    static auto* const cache = [] {
        cache_list::instance().add([] { instance().release(); });
        return new line_cache;
    }();
    return *cache;
}

TILEWISE_CUDA_INLINE line_cache::line line_cache::take(unsigned long long context, int device)
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

TILEWISE_CUDA_INLINE void line_cache::keep(line const& returned)
{
    std::lock_guard const lock(mutex_);
    idle_.push_back(returned); // within the capacity that add_lines reserved
}

[[gnu::cold]] TILEWISE_CUDA_INLINE void line_cache::release()
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
    for (line const& page : gpu::release_when_idle(
             std::move(whole), [](line const& idle) { static_cast<void>(cudaFreeHost(idle.memory)); }))
        add_page(page);
}

[[gnu::cold]] TILEWISE_CUDA_INLINE void line_cache::add_lines(unsigned long long context, int device)
{
    // its context has ended
    auto const is_gone = [&](line const& each) { return each.device == device && each.context < context; };
    std::erase_if(idle_, is_gone);
    std::erase_if(pages_, is_gone);
    pages_.reserve(pages_.size() + 1);
    idle_.reserve((pages_.size() + 1) * lines);
    gpu::relaxed_capture const allowed;
    void* memory = nullptr;
    TILEWISE_CUDA(cudaHostAlloc, &memory, lines * line_bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    add_page({context, device, memory});
}

TILEWISE_CUDA_INLINE void line_cache::add_page(line const& page)
{
    pages_.push_back(page);
    for (std::ptrdiff_t i = 0; i < lines; ++i)
        idle_.push_back({page.context, page.device,
                         static_cast<unsigned char*>(page.memory) + static_cast<std::size_t>(i) * line_bytes});
}

TILEWISE_CUDA_INLINE scratch_cache::scratch_cache()
{
    idle_.reserve(most_blocks); // so that returning one cannot fail
}

template <class IsBetter>
scratch_cache::block scratch_cache::take_best(block const& wanted, IsBetter const& is_better)
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

[[gnu::cold]] TILEWISE_CUDA_INLINE scratch_cache* scratch_cache::make(void (*release_it)())
{
    cache_list::instance().add(release_it);
    return new scratch_cache;
}

TILEWISE_CUDA_INLINE scratch_cache& scratch_cache::of_scratch()
{
    static auto* const cache = make([] { of_scratch().release(); });
    return *cache;
}

TILEWISE_CUDA_INLINE scratch_cache& scratch_cache::of_status()
{
    static auto* const cache = make([] { of_status().release(); });
    return *cache;
}

TILEWISE_CUDA_INLINE scratch_cache& scratch_cache::of_counters()
{
    static auto* const cache = make([] { of_counters().release(); });
    return *cache;
}

TILEWISE_CUDA_INLINE scratch_cache::block scratch_cache::take(block const& wanted)
{
    return take_best(wanted, [&](block const& each, block const* best) {
        return each.bytes >= wanted.bytes && (best == nullptr || each.bytes < best->bytes);
    });
}

TILEWISE_CUDA_INLINE scratch_cache::block scratch_cache::take_outgrown(block const& wanted)
{
    return take_best(wanted, [](block const& each, block const* best) { return !best || each.bytes > best->bytes; });
}

TILEWISE_CUDA_INLINE bool scratch_cache::keep(block const& returned)
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

[[gnu::cold]] TILEWISE_CUDA_INLINE void scratch_cache::release()
{
    std::vector<block> blocks;
    blocks.reserve(most_blocks);
    {
        std::lock_guard const lock(mutex_);
        blocks.swap(idle_);
    }
    for (block const& each :
         gpu::release_when_idle(std::move(blocks), [](block const& idle) { static_cast<void>(cudaFree(idle.memory)); }))
        static_cast<void>(keep(each));
}

TILEWISE_CUDA_END
