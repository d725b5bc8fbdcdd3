// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: ranks exchange the elements that they find, so elements must be trivially copyable
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/minmax.hpp>

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
    return tilewise::min_element(tilewise::distributed(alone), x).rank;
}
