// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: nvcc does not accept iterators of this view in kernels, because their type is private
// lines: 30

#include <tilewise/reduce.hpp>
#include <tilewise/segmented.hpp>

#include <functional>
#include <ranges>

struct threefold {
    __host__ __device__ int operator()(int i) const { return 3 * i; }
};

void sum(float const* x, float* out)
{
#ifdef TILEWISE_REJECT_FIXED
    auto const offsets = std::views::iota(0, 100);
    tilewise::transform_reduce(tilewise::device, x, x + 9, x, 0, std::plus<>{}, std::ranges::less{}); // is no iterator
#else
    auto const offsets = std::views::iota(0, 100) | std::views::transform(threefold());
#endif
    auto const first = offsets.begin();
    tilewise::segmented_reduce(tilewise::device, x, first, first + 99, first + 1, out);
}
