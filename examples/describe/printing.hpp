// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"
#include "moments.hpp"
#include "number_column.hpp"
#include "options.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace example {

/// What stands above all output: the files, the column and its type.
std::string title(options const& chosen, number_column const& column);

void print_counts(moments const& m);
void print(moments const& m);
void print_time(double seconds, double bytes, std::string const& policy, int ranks);

/// A line of the output of `--running`.
std::string line_of_total(std::size_t number, double value, double total);

/// Rank 0 prints the lines of each rank, in the order of the ranks. The others send theirs as text, since making that
/// costs more than sending it; rank 0 has that of one rank at a time.
void print_in_order(any_communicator& ranks, std::size_t lines, std::function<std::string(std::size_t)> const& line);

} // namespace example
