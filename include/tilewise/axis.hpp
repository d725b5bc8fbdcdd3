// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Axes, which map samples to bins. An axis checks its arguments when it is constructed, and the edges that it reports
/// define its bins exactly.

#include <tilewise/axis/bounds.hpp>   // IWYU pragma: export
#include <tilewise/axis/concept.hpp>  // IWYU pragma: export
#include <tilewise/axis/function.hpp> // IWYU pragma: export
#include <tilewise/axis/integer.hpp>  // IWYU pragma: export
#include <tilewise/axis/log.hpp>      // IWYU pragma: export
#include <tilewise/axis/product.hpp>  // IWYU pragma: export
#include <tilewise/axis/regular.hpp>  // IWYU pragma: export
#include <tilewise/axis/variable.hpp> // IWYU pragma: export
