// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "element_type.hpp"

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace example {

enum class file_format { csv, npy, raw };

/// A file that the command line names.
struct named_file {
    std::string name;                  ///< `-` is standard input
    std::optional<file_format> format; ///< none where neither an option nor the file's ending says it
};

/// What the command line asks for.
struct options {
    std::vector<named_file> files; ///< one or more, of which the numbers are one sequence
    named_element_type type{};     ///< of the numbers in raw files
    std::optional<std::string> column;
    std::string policy;             ///< empty where it does not say
    bool running = false;           ///< running totals in place of a description
    bool histogram = false;         ///< a histogram in place of a description
    std::optional<int> bins;        ///< about how many
    std::optional<std::string> svg; ///< the file to draw the histogram to
    int repeat = 1;
    std::optional<int> ranks; ///< that are threads
    bool help = false;        ///< then nothing else is set
    bool version = false;     ///< likewise
};

/// A command line that cannot be understood.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Reads the arguments that follow the program's name. Throws `usage_error`.
options parse_options(std::span<char const* const> arguments);

} // namespace example
