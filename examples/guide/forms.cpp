// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of reduce and transform_reduce, beside the standard's where there is one.

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <functional>
#include <numeric>
#include <vector>

namespace tw = tilewise;

namespace {

std::vector<int> const x{1, 2, 3, 4};
std::vector<int> const y{10, 20, 30, 40};

int square(int value)
{
    return value * value;
}

void reduce_forms()
{
    auto const first = x.begin(), last = x.end();
    auto const op = std::multiplies<>{};

    //! [reduce]
    expect(std::reduce(first, last) == 10);
    expect(tw::reduce(tw::par, first, last) == 10);
    expect(tw::reduce(tw::par, x) == 10);

    expect(std::reduce(first, last, 5) == 15);
    expect(tw::reduce(tw::par, first, last, 5) == 15);
    expect(tw::reduce(tw::par, x, 5) == 15);

    expect(std::reduce(first, last, 5, op) == 120);
    expect(tw::reduce(tw::par, first, last, 5, op) == 120);
    expect(tw::reduce(tw::par, x, 5, op) == 120);
    //! [reduce]
}

void transform_reduce_forms()
{
    auto const first = x.begin(), last = x.end(), first2 = y.begin();
    auto const op = std::plus<>{};
    auto const pair_op = std::minus<>{};

    //! [transform_reduce]
    expect(std::transform_reduce(first, last, 0, op, square) == 30);
    expect(tw::transform_reduce(tw::par, first, last, 0, op, square) == 30);
    expect(tw::transform_reduce(tw::par, x, 0, op, square) == 30);

    expect(std::transform_reduce(first, last, first2, 0) == 300); // products, added up
    expect(tw::transform_reduce(tw::par, first, last, first2, 0) == 300);
    expect(tw::transform_reduce(tw::par, x, y, 0) == 300);

    expect(std::transform_reduce(first, last, first2, 0, op, pair_op) == -90);
    expect(tw::transform_reduce(tw::par, first, last, first2, 0, op, pair_op) == -90);
    expect(tw::transform_reduce(tw::par, x, y, 0, op, pair_op) == -90);
    //! [transform_reduce]

    //! [member]
    struct point {
        double x, y;
    };
    std::vector<point> const points{{1, 2}, {3, 4}};
    expect(tw::transform_reduce(tw::par, points, 0.0, std::plus<>{}, &point::y) == 6);
    //! [member]
}

void into_forms()
{
    auto const first = x.begin(), last = x.end(), first2 = y.begin();
    auto const op = std::plus<>{};
    auto const pair_op = std::minus<>{};

    //! [into]
    std::vector<int> results(4);
    auto out = results.begin();
    out = tw::reduce_into(tw::par, first, last, out);
    out = tw::reduce_into(tw::par, x, out, 5, op);
    out = tw::transform_reduce_into(tw::par, x, out, 0, op, square);
    out = tw::transform_reduce_into(tw::par, first, last, first2, out, 0);
    expect(results == std::vector{10, 15, 30, 300} && out == results.end());
    //! [into]

    // The other forms.
    int result = 0;
    tw::reduce_into(tw::par, first, last, &result, 5);
    expect(result == 15);
    tw::reduce_into(tw::par, first, last, &result, 5, op);
    expect(result == 15);
    tw::reduce_into(tw::par, x, &result);
    expect(result == 10);
    tw::reduce_into(tw::par, x, &result, 5);
    expect(result == 15);
    tw::transform_reduce_into(tw::par, first, last, &result, 0, op, square);
    expect(result == 30);
    tw::transform_reduce_into(tw::par, first, last, first2, &result, 0, op, pair_op);
    expect(result == -90);
    tw::transform_reduce_into(tw::par, x, y, &result, 0);
    expect(result == 300);
    tw::transform_reduce_into(tw::par, x, y, &result, 0, op, pair_op);
    expect(result == -90);
}

void without_a_policy()
{
    //! [without_a_policy]
    expect(tw::reduce(x) == tw::reduce(tw::seq, x));
    //! [without_a_policy]
    int result = 0;
    tw::reduce_into(x, &result);
    expect(result == 10);
    tw::transform_reduce_into(x, &result, 0, std::plus<>{}, square);
    expect(result == 30);
    expect(tw::transform_reduce(x, y, 0) == 300);
}

} // namespace

int main()
{
    reduce_forms();
    transform_reduce_forms();
    into_forms();
    without_a_policy();
}
