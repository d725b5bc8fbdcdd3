// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `release_cached_memory`.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <vector>

// In every mode the same, so that one call reaches the caches of all translation units, those of the compiled library
// among them.
namespace tilewise {

/// @cond internals
/// What gives memory back. It outlives every other object, as the caches do.
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
/// Gives back all memory that calls under device keep for later calls: scratch on the GPUs, and pinned memory.
///
/// Header `<tilewise/cached_memory.hpp>`. Waits for the devices that have some of it, so no stream may be captured
/// meanwhile. Calls in other threads keep what they use. Without a GPU, or before the first call, it does nothing.
/// [Streams](../../docs/streams.md) says what is kept.
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
