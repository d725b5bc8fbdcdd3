// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../describe/csv.hpp"
#include "../describe/input_file.hpp"

#include <tilewise/policy.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

namespace tw = tilewise;

/// A column of numbers of a CSV file.
inline std::vector<double> column(std::string const& file, std::string const& name)
{
    return std::get<std::vector<double>>(example::read_csv(example::input_file(file).text(), name).values);
}

/// The bytes of a file after the first `skip`, which are a header.
inline std::vector<unsigned char> bytes(std::string const& file, std::size_t skip = 0)
{
    auto const text = std::string(example::input_file(file).text()).substr(skip);
    return {text.begin(), text.end()};
}

/// Whether two sums of the same numbers in different orders are equal up to rounding.
inline bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-12 * std::abs(b);
}

/// Ends the program with status 1 unless the result of a recipe agrees with that of a plain loop.
inline void check(bool agrees, int line = __builtin_LINE())
{
    if (!agrees) {
        std::fprintf(stderr, "line %d: differs from the result of a plain loop\n", line);
        std::exit(1); // NOLINT(concurrency-mt-unsafe): one thread by now
    }
}
