// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: device needs random access iterators
// options: --expt-relaxed-constexpr
#include <tilewise/reduce.hpp>

#include <ranges>
#include <span>

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

int sum(std::span<int> elements)
{
#ifdef TILEWISE_REJECT_FIXED
    auto selected = elements | std::views::drop(1) | std::views::reverse;
#else
    auto selected = elements | std::views::filter(is_odd());
#endif
    return tilewise::reduce(tilewise::device, selected, 0);
}
