// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// What stands before the numbers in a NumPy array file.
struct npy_header {
    std::string type; ///< such as `<f8`; the unparsed list of fields, beginning with `[`, of a structured type
    bool fortran_order = false;
    std::vector<std::size_t> shape;
    std::size_t size = 0; ///< in bytes, of everything before the numbers
};

/// Reads the header of an .npy file of format 1.0, 2.0 or 3.0. Throws `bad_input` when it is none, or ends early.
npy_header read_npy_header(std::string_view file);

} // namespace example
