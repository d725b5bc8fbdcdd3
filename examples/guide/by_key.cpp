// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/count_by_key.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/scan_by_key.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace tw = tilewise;

int main()
{
    //! [reduce]
    std::vector<int> const days{1, 1, 1, 2, 4, 4};
    std::vector<double> const amounts{10, 20, 30, 5, 1, 2};
    std::vector<int> found(6);
    std::vector<double> sums(6);
    auto const [found_end, sums_end] = tw::reduce_by_key(tw::par, days, amounts, found, sums);
    found.erase(found_end, found.end());
    sums.erase(sums_end, sums.end());
    expect(found == std::vector<int>{1, 2, 4});
    expect(sums == std::vector<double>{60, 5, 3});
    //! [reduce]

    //! [into]
    long number = 0; // also under device.nosync(), where it has to be in memory that the GPU can write to
    tw::reduce_by_key_into(tw::par, days, amounts, tw::discard_iterator(), sums, &number);
    expect(number == 3);
    //! [into]

    //! [transform]
    struct summary {
        double sum, largest;
        int count;
    };
    auto const of_one = [](double amount) { return summary{amount, amount, 1}; };
    auto const both = [](summary const& a, summary const& b) {
        return summary{a.sum + b.sum, std::max(a.largest, b.largest), a.count + b.count};
    };
    std::vector<summary> summaries(3);
    tw::transform_reduce_by_key(tw::par, days, amounts, found, summaries, std::equal_to<>(), both, of_one);
    expect(summaries[0].sum == 60 && summaries[0].largest == 30 && summaries[0].count == 3);
    //! [transform]

    //! [count]
    std::string const text = "aaabcc";
    std::string letters(text.size(), ' ');
    std::vector<int> counts(text.size());
    auto const ends = tw::count_by_key(tw::par, text, letters, counts);
    letters.erase(ends.first, letters.end());
    counts.erase(ends.second, counts.end());
    expect(letters == "abc");
    expect(counts == std::vector<int>{3, 1, 2}); // the run-length encoding of the text
    //! [count]

    //! [scan]
    std::vector<double> totals(6);
    tw::inclusive_scan_by_key(tw::par, days, amounts, totals);
    expect(totals == std::vector<double>{10, 30, 60, 5, 1, 3}); // each day begins anew
    tw::exclusive_scan_by_key(tw::par, days, amounts, totals, 100.0);
    expect(totals == std::vector<double>{100, 110, 130, 100, 100, 101});
    //! [scan]

    //! [transform_scan]
    auto const cents = [](double amount) { return static_cast<long>(100 * amount); };
    std::vector<long> in_cents(6);
    tw::transform_inclusive_scan_by_key(tw::par, days, amounts, in_cents, std::equal_to<>(), std::plus<>(), cents);
    expect(in_cents == std::vector<long>{1000, 3000, 6000, 500, 100, 300});
    tw::transform_exclusive_scan_by_key(tw::par, days, amounts, in_cents, 0L, std::equal_to<>(), std::plus<>(), cents);
    expect(in_cents == std::vector<long>{0, 1000, 3000, 0, 0, 100});
    //! [transform_scan]

    //! [neighbors]
    // Runs of any neighbors: here those that do not decrease.
    std::vector<int> const heights{3, 5, 9, 2, 4, 1};
    std::vector<int> lowest(6), lengths(6);
    long const climbs = tw::count_by_key(heights, lowest, lengths, std::less_equal<>()).first - lowest.begin();
    expect(climbs == 3);
    expect(lengths[0] == 3 && lengths[1] == 2 && lengths[2] == 1);
    //! [neighbors]
}
