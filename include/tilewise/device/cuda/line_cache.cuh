// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Lines of pinned host memory, to which kernels write results that the host reads after waiting.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <cstddef>
#include <vector>

TILEWISE_CUDA_BEGIN

/// A cache of the lines that no call uses.
class line_cache {
public:
    static constexpr std::size_t line_bytes = 256; ///< the size of the largest accumulator

    struct line {
        unsigned long long context; ///< see context_id
        int device;
        void* memory;
    };

    /// Returns the cache. It is never destroyed, since CUDA may shut down before static objects are destroyed.
    static line_cache& instance();
    /// Takes a line of a context, which has to be the current one.
    line take(unsigned long long context, int device);
    void keep(line const& returned);
    /// Frees the pages of which no call uses a line.
    void release();

private:
    static constexpr std::ptrdiff_t lines = 64; ///< per page

    void add_lines(unsigned long long context, int device);
    void add_page(line const& page);

    std::mutex mutex_;
    std::vector<line> idle_, pages_;
};

TILEWISE_CUDA_END

TILEWISE_NAMESPACE_BEGIN
namespace gpu {
using namespace cuda_runtime;
} // namespace gpu
TILEWISE_NAMESPACE_END
