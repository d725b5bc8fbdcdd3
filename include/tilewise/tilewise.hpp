// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The whole library.

#include <tilewise/count.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/minmax.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>
