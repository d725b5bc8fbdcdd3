// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: kernels cannot call function pointers, std::function, or the results of std::bind, std::not_fn,
// lines: 15
#include <tilewise/count.hpp>

#include <functional>

std::ptrdiff_t count(int const* first, int const* last)
{
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::count_if(tilewise::device, first, last, std::logical_not<>{});
#else
    return tilewise::count_if(tilewise::device, first, last, std::not_fn(std::identity{}));
#endif
}
