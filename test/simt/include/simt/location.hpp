// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where in the source a kernel calls an operation of the GPU. (clang 14 does not have std::source_location; and this
/// class is passed in registers.)

#include <cstring>

#ifdef __clang__
#define SIMT_COLUMN __builtin_COLUMN()
#else
#define SIMT_COLUMN 0 // g++ does not tell
#endif

namespace simt {

struct location {
    char const* file = "";
    unsigned line = 0, column = 0;

    static constexpr location current(char const* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                      unsigned column = SIMT_COLUMN)
    {
        return {file, line, column};
    }

    bool operator==(location const& other) const
    {
        return line == other.line && column == other.column &&
               (file == other.file || std::strcmp(file, other.file) == 0);
    }
};

} // namespace simt
#undef SIMT_COLUMN
