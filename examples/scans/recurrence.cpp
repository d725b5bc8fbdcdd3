// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear recurrence, x[i] = a[i] x[i-1] + b[i], looks as if each step had to wait for the one before. But the steps
// are affine maps, and composing those is associative. So a scan composes them, and all that is left is to apply the
// results to the first x. Here it is an exponential moving average of the CO2 over Mauna Loa, which hides the seasons;
// and a generator of random numbers, whose integers leave no room for rounding.
//
// G. E. Blelloch, "Prefix sums and their applications", 1990, section 1.4.

#include "../describe/csv.hpp"
#include "../describe/input_file.hpp"
#include "everywhere.hpp"

#include <tilewise/scan.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <variant>
#include <vector>

namespace {

using namespace example;

/// x -> scale * x + shift
template <class Number>
struct affine {
    Number scale, shift;
    constexpr Number operator()(Number x) const { return scale * x + shift; }
};

/// First a, then b: not commutative.
struct then {
    template <class Number>
    constexpr affine<Number> operator()(affine<Number> const& a, affine<Number> const& b) const
    {
        return {b.scale * a.scale, b.scale * a.shift + b.shift};
    }
};

template <class Policy, class Number>
shared_vector<Number> solved(Policy const& policy, shared_vector<affine<Number>> const& steps, Number x)
{
    shared_vector<affine<Number>> from_start(steps.size());
    tilewise::inclusive_scan(policy, steps, from_start.begin(), then{});
    shared_vector<Number> result;
    for (auto const& step : from_start) {
        result.push_back(step(x));
    }
    return result;
}

template <class Number>
shared_vector<Number> solved_by_a_loop(shared_vector<affine<Number>> const& steps, Number x)
{
    shared_vector<Number> result;
    for (auto const& step : steps) {
        result.push_back(x = step(x));
    }
    return result;
}

} // namespace

int main(int argc, char** argv)
try {
    input_file const file(argc > 1 ? argv[1] : "examples/data/mauna_loa_co2.csv");
    auto const months = std::get<std::vector<double>>(read_csv(file.text(), "ppm").values);
    double const weight = 1.0 / 12;
    shared_vector<affine<double>> averaging;
    for (double const ppm : months) {
        averaging.push_back({1 - weight, weight * ppm});
    }
    auto const averages = solved_by_a_loop(averaging, months.front());
    for (std::size_t i = 11; i < months.size(); i += 36) {
        std::printf("%zu %*c %.1f ppm\n", 1959 + i / 12, static_cast<int>(averages[i] - 310), '*', averages[i]);
    }

    shared_vector<affine<std::uint32_t>> const random(1'000'000, {1'664'525, 1'013'904'223}); // as in Numerical Recipes
    auto const numbers = solved_by_a_loop(random, 1U);
    return check_everywhere([&](auto const& policy) {
        auto const scanned = solved(policy, averaging, months.front());
        bool right = scanned.size() == averages.size() && solved(policy, random, 1U) == numbers;
        for (std::size_t i = 0; right && i < averages.size(); ++i) { // which round in another order
            right = std::abs(scanned[i] - averages[i]) <= 1e-12 * averages[i];
        }
        return right;
    });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
