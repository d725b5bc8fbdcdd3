// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A few types for a small part of the compiled library, which the interpreter runs.

#include "../../src/make.hpp"

#include <cstdint>

namespace few {

using elements = tilewise::compiled::types<float>;
using accumulators = tilewise::compiled::types<double>;
using counters = tilewise::compiled::types<std::uint32_t>;

} // namespace few
