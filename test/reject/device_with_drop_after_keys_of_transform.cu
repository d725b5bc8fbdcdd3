// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: under device, std::views::drop must come before std::views::transform
// options: --expt-relaxed-constexpr
#include <tilewise/reduce.hpp>

#include <ranges>
#include <span>
#include <utility>

struct with_its_double {
    __host__ __device__ std::pair<int, int> operator()(int x) const { return {x, 2 * x}; }
};

int sum(std::span<int> elements)
{
    auto const pairs = elements | std::views::transform(with_its_double());
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::reduce(tilewise::device, pairs | std::views::keys, 0);
#else
    return tilewise::reduce(tilewise::device, pairs | std::views::keys | std::views::drop(1), 0);
#endif
}
