// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: under device, std::views::drop must come before std::views::transform
// options: --expt-relaxed-constexpr
#include <tilewise/reduce.hpp>

#include <ranges>
#include <span>

struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int sum(std::span<int> elements)
{
#ifdef TILEWISE_REJECT_FIXED
    auto const rest = elements | std::views::reverse | std::views::drop(1) | std::views::transform(twice());
#else
    auto const rest = elements | std::views::reverse | std::views::transform(twice()) | std::views::drop(1);
#endif
    return tilewise::reduce(tilewise::device, rest, 0);
}
