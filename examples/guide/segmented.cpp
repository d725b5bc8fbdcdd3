// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/segmented.hpp>

#include <vector>

namespace tw = tilewise;

int main()
{
    //! [reduce]
    std::vector<double> const values{1, 2, 3, 4, 5, 6};
    std::vector<int> const rows{0, 3, 3, 6}; // three rows, of which the second is empty
    std::vector<double> sums(3);
    tw::segmented_reduce(tw::par, values, rows, sums);
    expect(sums == std::vector<double>{6, 0, 15});
    //! [reduce]

    //! [scan]
    std::vector<double> totals(6);
    tw::segmented_inclusive_scan(tw::par, values, rows, totals);
    expect(totals == std::vector<double>{1, 3, 6, 4, 9, 15}); // each row begins anew

    tw::segmented_exclusive_scan(tw::par, values, rows, totals, 10.0);
    expect(totals == std::vector<double>{10, 11, 13, 10, 14, 19});
    //! [scan]

    //! [window]
    std::vector<int> const begins{0, 1, 2, 3}, ends{3, 4, 5, 6}; // windows of three, which overlap
    std::vector<double> in_window(4);
    tw::segmented_reduce(tw::par, values.begin(), begins.begin(), begins.end(), ends.begin(), in_window);
    expect(in_window == std::vector<double>{6, 9, 12, 15});
    expect(in_window[1] == tw::reduce(values.begin() + 1, values.begin() + 4, 0.0)); // the same bits, always
    //! [window]
}
