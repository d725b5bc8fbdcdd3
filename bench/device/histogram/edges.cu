// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Bins that have to be searched for.

#include "compare.cuh"
#include "parts.cuh"

#include <cmath>
#include <string>
#include <vector>

namespace bench::histograms {
namespace {

void compare_with_range(session& run, std::string const& name, tilewise::variable_axis<float> const& axis, spread over)
{
    auto const& edges = axis.edges();
    device_array<float> const levels(edges.size());
    check(cudaMemcpyAsync(levels.data(), edges.data(), edges.size() * sizeof(float), cudaMemcpyHostToDevice, run.queue),
          "cudaMemcpyAsync");
    compare<float>(run, name, axis, over, given_levels<float>{static_cast<int>(axis.size()), levels.data()});
}

/// Edges that are denser at the beginning.
tilewise::variable_axis<float> squares_of(int edges)
{
    std::vector<float> values;
    for (int i = 0; i < edges; ++i)
        values.push_back(static_cast<float>(std::pow(double(i) / (edges - 1), 2)));
    return tilewise::variable_axis<float>(values);
}

} // namespace

void compare_edges(session& run)
{
    for (int const edges : {100, 5000})
        compare_with_range(run, "variable_" + std::to_string(edges), squares_of(edges), {0, 1, double(edges - 1)});
    compare_with_range(run, "log_1000", tilewise::log_axis{1000, 1e-3f, 1.0f}, {1e-3, 1, 1000});
}

} // namespace bench::histograms
