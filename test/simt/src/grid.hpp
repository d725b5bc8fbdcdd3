// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Kernels, from their first block to their last.

#include "model.hpp"

#include <string>

namespace simt {

unsigned thread_count(block const& of);

void start_grid(grid& starting);
/// Makes blocks resident while there is room.
void admit_clusters(grid& running);
void end_block(block& ended);
void wake_those_who_wait_for(operation const& primary);

/// The variable of a block that belongs to a place in the source; made when it is first asked for.
shared_variable& shared_variable_of(block& home, void const* site, std::size_t bytes, std::size_t alignment);

/// Who waits where, for the report of a deadlock.
std::string threads_at_rest();

} // namespace simt
