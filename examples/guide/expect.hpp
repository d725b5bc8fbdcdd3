// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <cstdlib>

/// Ends the program with status 1 unless a claim holds. The line is that of the call.
inline void expect(bool claim, int line = __builtin_LINE())
{
    if (!claim) {
        std::fprintf(stderr, "line %d: not as the guide says\n", line);
        std::exit(1); // NOLINT(concurrency-mt-unsafe): one thread by now
    }
}
