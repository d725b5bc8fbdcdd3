// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The execution of a kernel, from its first block to its last.

#include "model.hpp"

#include <string>

namespace simt {

unsigned thread_count(block const& of);

void start_grid(grid& starting);
/// Makes blocks resident while there is room.
void admit_clusters(grid& running);
void end_block(block& ended);
void wake_those_who_wait_for(operation const& primary);

/// Returns the shared variable of a block for a place in the source, and creates it on first use.
shared_variable& shared_variable_of(block& owner, void const* site, std::size_t bytes, std::size_t alignment,
                                    bool is_dynamic = false);

/// Returns which threads wait where, for the report of a deadlock.
std::string threads_at_rest();

} // namespace simt
