// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels call the constexpr functions of this view; compile with nvcc --expt-relaxed-constexpr
#include <tilewise/reduce.hpp>

#include <ranges>
#include <span>

int sum(std::span<int> elements)
{
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::reduce(tilewise::device, elements, 0);
#else
    return tilewise::reduce(tilewise::device, elements | std::views::reverse, 0);
#endif
}
