// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The elements and results of ranks that each use the GPU, in memory of different kinds.

#include "../distributed/ranks.hpp"
#include "../on_device.hpp"
#include "same_bits.hpp"

#include <tilewise/cached_memory.hpp>
#include <tilewise/distributed/threads.hpp>

#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace ranks {

/// Ranks leave as much in caches as they have used at once, which is up to chance: what is left then is a leak.
struct emptied_caches {
    ~emptied_caches() { tilewise::release_cached_memory(); }
};

/// Where a rank keeps elements or results.
enum class memory { device, pinned, pageable };

/// Elements in memory of a kind.
template <class T>
class elements {
public:
    elements(std::vector<T> const& values, memory where) : here_(values)
    {
        if (where != memory::pageable)
            device_copy_.emplace(values, 0,
                                 where == memory::device ? on_device::device_array<T>::kind::device
                                                         : on_device::device_array<T>::kind::pinned);
    }
    T* data() { return device_copy_ ? device_copy_->data() : here_.data(); }
    T* end() { return data() + here_.size(); }
    std::span<T> values_in_place() { return {data(), here_.size()}; }
    std::vector<T> values() const { return device_copy_ ? device_copy_->values(here_.size()) : here_; }

private:
    std::vector<T> here_;
    std::optional<on_device::device_array<T>> device_copy_;
};

/// Another place on each rank.
inline memory memory_on(tilewise::thread_communicator const& communicator, int more = 0)
{
    return static_cast<memory>((static_cast<std::size_t>(communicator.rank() + more) + on_device::variation()) % 3);
}

template <class T>
std::vector<T> part_of(std::vector<T> const& all, std::size_t begin, std::size_t end)
{
    return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

template <class T>
void expect_same(std::vector<T> const& found, std::vector<T> const& expected)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_TRUE(on_device::same_bits(found[i], expected[i])) << i;
}

/// Random cuts for few ranks: the interpreter has pinned memory for 7 copies at once, of which a call may make several.
inline std::vector<std::size_t> few_cuts_of(std::size_t count, std::mt19937& random, std::size_t most = 5)
{
    auto cuts = cuts_of(count, 1024, random);
    while (cuts.size() > most + 1)
        cuts = cuts_of(count, 1024, random);
    return cuts;
}

} // namespace ranks
