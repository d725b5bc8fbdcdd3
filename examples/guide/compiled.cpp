// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device algorithms in a file for g++ or clang, through the compiled library.

#include "expect.hpp"

#include <tilewise/tilewise.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

namespace tw = tilewise;

namespace {

//! [calls]
/// The share of the samples that each of ten bins has, and the root mean square of all.
std::vector<double> shares(std::vector<float> const& x)
{
    std::vector<unsigned> counts(10);
    tw::histogram(tw::device, x, 10, 0.0, 1.0, counts.begin());
    std::vector<double> result(counts.begin(), counts.end());
    for (double& share : result)
        share /= static_cast<double>(x.size());
    return result;
}

double mean_square(std::vector<float> const& x)
{
    double const sum = tw::transform_reduce(tw::device, x, 0.0, std::plus<>{}, tw::square<double>{});
    return sum / static_cast<double>(x.size());
}

/// Where each kept element goes: the number of those kept before it.
std::vector<unsigned> positions(std::vector<std::uint8_t> const& kept)
{
    std::vector<unsigned> result(kept.size());
    tw::exclusive_scan(tw::device, kept, result.begin(), 0U);
    return result;
}
//! [calls]

} // namespace

int main()
try {
    std::vector<float> x(1'000'000);
    std::vector<std::uint8_t> kept(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = (static_cast<float>(i % 1000) + 0.5F) / 1000;
        kept[i] = i % 3 == 0;
    }
    expect(tw::reduce(tw::device, x, 0.0) == tw::reduce(tw::seq, x, 0.0)); // the same bits
    expect(mean_square(x) > 0.33 && mean_square(x) < 0.34);
    expect(shares(x) == std::vector<double>(10, 0.1));
    expect(positions(kept).back() == 333'333);
} catch (tw::no_device const& error) {
    std::puts(error.what());
    return 77; // which the tests know as skipped
}
