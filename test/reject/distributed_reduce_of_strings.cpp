// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: ranks exchange values of the accumulator's type, which is the type of init, so it must be trivially
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/reduce.hpp>

#include <string>
#include <vector>

int main()
{
    tilewise::self_communicator alone;
#ifdef TILEWISE_REJECT_FIXED
    std::vector<int> const x{1, 2};
#else
    std::vector<std::string> const x{"a", "b"};
#endif
    tilewise::reduce(tilewise::distributed(alone), x);
}
