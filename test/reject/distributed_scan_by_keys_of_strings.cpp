// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: ranks exchange their first and last keys, so keys must be trivially copyable
// lines: 25
#include <tilewise/distributed.hpp>
#include <tilewise/scan_by_key.hpp>

#include <string>
#include <vector>

int main()
{
    tilewise::self_communicator alone;
#ifdef TILEWISE_REJECT_FIXED
    std::vector<char> const keys{'a', 'a', 'b'};
#else
    std::vector<std::string> const keys{"a", "a", "b"};
#endif
    std::vector<int> const values{1, 2, 3};
    std::vector<int> sums(3);
    tilewise::inclusive_scan_by_key(tilewise::distributed(alone), keys, values, sums);
}
