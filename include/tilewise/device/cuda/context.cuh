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
    /// Returns the number of a context: cached, or what `find` returns, which is below 2^24.
    template <class Find>
    int operator()(unsigned long long context, Find const& find)
    {
        auto& word = words_[context % words_.size()];
        std::uint64_t const tag = (context + 1) << value_bits, known = word.load(std::memory_order_relaxed);
        if (known >> value_bits == tag >> value_bits) [[likely]]
            return static_cast<int>(known & ((std::uint64_t{1} << value_bits) - 1));
        int const found = find();
        word.store(tag | static_cast<std::uint64_t>(found), std::memory_order_relaxed);
        return found;
    }

private:
    static constexpr int value_bits = 24;
    std::array<std::atomic<std::uint64_t>, 64> words_{};
};

} // namespace gpu
TILEWISE_NAMESPACE_END
