// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean and the variance of a column, in one pass that does not lose digits to cancellation.
#include "recipe.hpp"

#include <tilewise/reduce.hpp>

#include <cstdio>
#include <vector>

//! [recipe]
struct moments {
    double count, mean, m2; // m2: the sum of the squared distances from the mean
};

moments merged(moments const& a, moments const& b) // Chan, Golub and LeVeque, 1982
{
    double const count = a.count + b.count, distance = b.mean - a.mean, part = b.count / count;
    return {count, a.mean + distance * part, a.m2 + b.m2 + distance * distance * a.count * part};
}

moments moments_of(std::vector<double> const& numbers) // at least one
{
    auto const of_one = [](double x) { return moments{1, x, 0}; };
    return tw::transform_reduce(tw::par, numbers.begin() + 1, numbers.end(), of_one(numbers[0]), merged, of_one);
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const x = column(argc > 1 ? argv[1] : "examples/data/old_faithful.csv", argc > 2 ? argv[2] : "waiting");
    auto const [count, mean, m2] = moments_of(x);
    std::printf("%g numbers, mean %.7g, variance %.7g\n", count, mean, m2 / (count - 1));

    double sum = 0, squares = 0;
    for (double const value : x)
        sum += value;
    for (double const value : x)
        squares += (value - sum / count) * (value - sum / count);
    check(count == static_cast<double>(x.size()) && close(mean, sum / count) && close(m2, squares));
}
