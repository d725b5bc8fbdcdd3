// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The second translation unit.

#include "expect.hpp"

void translation_units::expect_scans_by_long_keys_of_seq()
{
    expect_scans_by_key_of_seq<std::int64_t>();
}
