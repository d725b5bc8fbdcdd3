// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"
#include "input_file.hpp"
#include "number_column.hpp"
#include "options.hpp"

#include <deque>
#include <string>

namespace example {

/// The files that the command line names, open.
using input_files = std::deque<input_file>;

/// The file's name as messages have it.
std::string shown_name(std::string const& file);

/// The name of the one file, or of the first and how many more there are.
std::string shown_names(options const& chosen);

/// Opens the files. Throws `usage_error` where output would go to one of them.
input_files open_files(options const& chosen);

/// This rank's part of the column whose numbers are those of all files, one after another. All files have the same type
/// and, unless the command line says which column, the same label.
number_column read_column(any_communicator& ranks, options const& chosen, input_files const& files);

} // namespace example
