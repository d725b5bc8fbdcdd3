// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: for the policies of std::execution, #include <tilewise/std_execution.hpp>
// lines: 20
#include <tilewise/reduce.hpp>
#ifdef TILEWISE_REJECT_FIXED
#include <tilewise/std_execution.hpp>
#endif

#include <execution>
#include <vector>

int main()
{
    std::vector<int> const numbers{1, 2, 3};
    tilewise::reduce(std::execution::par, numbers.begin(), numbers.end());
}
