// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: an input that follows a pair of iterators must be an iterator, too
// lines: 25

#include <tilewise/tilewise.hpp>

#include <vector>

int main()
{
    std::vector<float> const x{0.5f, 0.25f};
#ifdef TILEWISE_REJECT_FIXED
    static_cast<void>(tilewise::transform_reduce(x.begin(), x.end(), x.begin(), 0.0f));
#else
    static_cast<void>(tilewise::transform_reduce(x.begin(), x.end(), x, 0.0f));
#endif
}
