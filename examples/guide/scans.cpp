// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the scans, beside the standard's, and what one can rely on.

#include "expect.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const x{1, 2, 3, 4};

int square(int value)
{
    return value * value;
}

void forms()
{
    auto const first = x.begin(), last = x.end();
    auto const op = std::multiplies<>{};
    std::vector<int> result(4), expected(4);
    auto const out = result.begin(), as_std = expected.begin();
    auto const check = [&] {
        expect(result == expected);
        std::fill(result.begin(), result.end(), -1);
    };

    //! [inclusive]
    tw::inclusive_scan(tw::par, x, result.begin());
    expect(result == std::vector{1, 3, 6, 10});
    //! [inclusive]
    //! [exclusive]
    tw::exclusive_scan(tw::par, x, result.begin(), 100);
    expect(result == std::vector{100, 101, 103, 106});
    //! [exclusive]
    //! [transform_inclusive]
    tw::transform_inclusive_scan(tw::par, x, result.begin(), std::plus<>{}, square);
    expect(result == std::vector{1, 5, 14, 30});
    //! [transform_inclusive]
    //! [transform]
    tw::transform_exclusive_scan(tw::par, x, result.begin(), 0, std::plus<>{}, square);
    expect(result == std::vector{0, 1, 5, 14});
    //! [transform]
    //! [in_place]
    std::vector<int> numbers = x;
    tw::inclusive_scan(tw::par, numbers, numbers.begin());
    expect(numbers == std::vector{1, 3, 6, 10});
    //! [in_place]
    //! [returns]
    std::vector<int> two(8);
    auto const middle = tw::inclusive_scan(tw::par, x, two.begin());
    tw::exclusive_scan(tw::par, x, middle, 0);
    expect(two == std::vector{1, 3, 6, 10, 0, 1, 3, 6});
    //! [returns]

    // The other forms.
    std::inclusive_scan(first, last, as_std, op);
    tw::inclusive_scan(tw::par, first, last, out, op);
    check();
    tw::inclusive_scan(tw::par, x, out, op);
    check();
    std::inclusive_scan(first, last, as_std, op, 5);
    tw::inclusive_scan(tw::par, first, last, out, op, 5);
    check();
    tw::inclusive_scan(tw::par, x, out, op, 5);
    check();
    std::exclusive_scan(first, last, as_std, 5, op);
    tw::exclusive_scan(tw::par, first, last, out, 5, op);
    check();
    tw::exclusive_scan(tw::par, x, out, 5, op);
    check();
    std::transform_inclusive_scan(first, last, as_std, op, square);
    tw::transform_inclusive_scan(tw::par, first, last, out, op, square);
    check();
    tw::transform_inclusive_scan(x, out, op, square);
    check();
    std::transform_inclusive_scan(first, last, as_std, op, square, 5);
    tw::transform_inclusive_scan(tw::par, first, last, out, op, square, 5);
    check();
    std::transform_exclusive_scan(first, last, as_std, 5, op, square);
    tw::transform_exclusive_scan(tw::par, first, last, out, 5, op, square);
    check();
}

void types()
{
    //! [types]
    std::vector<unsigned char> const bytes(3, 200);
    std::vector<int> wide(3);
    tw::inclusive_scan(tw::par, bytes, wide.begin()); // adds up in unsigned char
    expect(wide == std::vector{200, 144, 88});
    tw::inclusive_scan(tw::par, bytes, wide.begin(), std::plus<>{}, 0); // in int, the type of init
    expect(wide == std::vector{200, 400, 600});
    //! [types]

    //! [narrowing]
    std::vector<float> const halves(4, 0.5F);
    std::vector<int> whole(4);
    tw::inclusive_scan(tw::par, halves, whole.begin()); // 0.5, 1.0, 1.5, 2.0, each converted when it is written
    expect(whole == std::vector{0, 1, 1, 2});
    //! [narrowing]
}

void promises()
{
    std::vector<float> numbers(100'003);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = std::sin(static_cast<float>(i));

    //! [promises]
    std::vector<float> all(numbers.size()), same(numbers.size()), prefix(1000);
    tw::inclusive_scan(tw::par, numbers, all.begin());
    tw::inclusive_scan(tw::seq, numbers, same.begin());
    tw::inclusive_scan(tw::par, numbers.begin(), numbers.begin() + 1000, prefix.begin());

    expect(all == same);                                           // the same bits on one thread
    expect(std::equal(prefix.begin(), prefix.end(), all.begin())); // a prefix's scan is the scan's prefix
    expect(all.back() == tw::reduce(tw::par, numbers, -0.0F));     // the sum; -0.0 adds nothing
    //! [promises]
}

} // namespace

int main()
{
    forms();
    types();
    promises();
}
