// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Checks of preconditions, which the hardened mode turns on.

#include <tilewise/config.hpp>

#include <stdexcept>
#include <string>

TILEWISE_NAMESPACE_BEGIN

/// Whether broken preconditions are reported: `TILEWISE_HARDENED` is defined.
#ifdef TILEWISE_HARDENED
inline constexpr bool hardened = true;
#else
inline constexpr bool hardened = false;
#endif

/// Throws `std::invalid_argument` with the algorithm's name and the broken rule.
[[noreturn]] inline void reject_argument(char const* algorithm, char const* what)
{
    throw std::invalid_argument(std::string("tilewise::") + algorithm + ": " + what);
}

TILEWISE_NAMESPACE_END
