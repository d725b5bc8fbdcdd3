// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! [program]
#include <tilewise/reduce_by_key.hpp>

#include <cassert>
#include <functional>
#include <vector>

namespace tw = tilewise;

int main()
{
    struct summary {
        double sum;
        int count;
    };
    std::vector<int> const days{1, 1, 1, 2, 4, 4};
    std::vector<double> const amounts{10, 20, 30, 5, 1, 2};
    std::vector<int> found(6);
    std::vector<summary> summaries(6);
    auto const of_one = [](double amount) { return summary{amount, 1}; };
    auto const of_both = [](summary a, summary b) { return summary{a.sum + b.sum, a.count + b.count}; };
    auto const ends = tw::transform_reduce_by_key(tw::par, days.begin(), days.end(), amounts.begin(), found.begin(),
                                                  summaries.begin(), std::equal_to<>(), of_both, of_one);
    assert(ends.second - summaries.begin() == 3);
    assert(summaries[0].sum == 60 && summaries[0].count == 3);
}
//! [program]
