// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// CUDA contexts, identified by a number. Everything cached from call to call belongs to a context and ends with it. A
/// device that is reset gets a new context.

#include <tilewise/core/config.hpp>

#include <array>
#include <atomic>
#include <cstdint>

TILEWISE_CUDA_BEGIN

/// Returns the ID of the current context, which no other context of the process ever has. `device` is the current
/// device. Takes about 30 ns.
unsigned long long context_id(int device);

TILEWISE_CUDA_END

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

using namespace cuda_runtime;

/// A cache of one small number per context.
class known_of_context {
public:
    /// Returns the number of a context: cached, or what `find` returns, which is below 2^24. If it returns
    /// `not_found`, this returns 0, and the next call asks again.
    template <class Find>
    int operator()(unsigned long long context, Find const& find)
    {
        int const known = cached(context);
        if (known >= 0)
            return known;
        int const found = find();
        return found == not_found ? 0 : keep(context, found);
    }
    static constexpr int not_found = -1;

private:
    // No templates: every kernel has queries of its own.
    int cached(unsigned long long context) const
    {
        std::uint64_t const word = words_[context % words_.size()].load(std::memory_order_relaxed);
        return word >> value_bits == tag_of(context) ? static_cast<int>(word & ((std::uint64_t{1} << value_bits) - 1))
                                                     : -1;
    }
    int keep(unsigned long long context, int found)
    {
        words_[context % words_.size()].store(tag_of(context) << value_bits | static_cast<std::uint64_t>(found),
                                              std::memory_order_relaxed);
        return found;
    }
    /// The tag of context c is c + 1: zero marks an empty word.
    static std::uint64_t tag_of(unsigned long long context) { return (context + 1) << value_bits >> value_bits; }

    static constexpr int value_bits = 24;
    std::array<std::atomic<std::uint64_t>, 64> words_{};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
