// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: this view refers to a container, which kernels cannot access
// options: --expt-relaxed-constexpr
#include <tilewise/reduce.hpp>

#include <ranges>
#include <span>
#include <vector>

struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int sum(std::vector<int>& elements)
{
#ifdef TILEWISE_REJECT_FIXED
    auto const doubled = std::span<int>(elements) | std::views::transform(twice());
#else
    auto const doubled = elements | std::views::transform(twice());
#endif
    return tilewise::reduce(tilewise::device, doubled, 0);
}
