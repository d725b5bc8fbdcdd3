// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `release_cached_memory`.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <vector>

// Outside the inline namespace of the mode (see core/config.hpp), so that one call reaches the caches of all
// translation units, including those of the compiled library.
namespace tilewise {

/// @cond internals
/// The functions that release cached memory. The list is never destroyed, and neither are the caches.
struct [[gnu::visibility("default")]] cache_list {
    std::mutex mutex;
    std::vector<void (*)()> releases;

    static cache_list& instance()
    {
        static auto* const list = new cache_list;
        return *list;
    }
    void add(void (*release)())
    {
        std::lock_guard const lock(mutex);
        releases.push_back(release);
    }
};
/// @endcond

/// @ingroup policies
/// Frees all memory that calls under device cache for later calls: scratch memory on the GPUs, and pinned memory.
///
/// Header `<tilewise/cached_memory.hpp>`. Waits for the devices that hold cached memory, so no stream may be under
/// capture meanwhile. Memory in use by calls in other threads is kept. Without a GPU, or before the first call, it does
/// nothing. [Streams](../../docs/streams.md) lists what is cached.
[[gnu::visibility("default")]] inline void release_cached_memory()
{
    std::vector<void (*)()> releases;
    {
        cache_list& list = cache_list::instance();
        std::lock_guard const lock(list.mutex);
        releases = list.releases;
    }
    for (auto const release : releases)
        release();
}

} // namespace tilewise
