// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/count_by_key.hpp>

#include <cassert>
#include <string>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::string const text = "aaabcc";
    std::string letters(6, ' ');
    std::vector<int> counts(6);
    auto const ends = tw::count_by_key(tw::par, text, letters, counts); // a run-length encoding
    letters.erase(ends.first, letters.end());
    counts.erase(ends.second, counts.end());
    assert(letters == "abc");
    assert(counts == (std::vector{3, 1, 2}));
}
//! [program]
