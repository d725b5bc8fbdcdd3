// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// All algorithms, axes, operators and policies. Opt-in headers, such as distributed.hpp and mdspan.hpp, are not
/// included.

#include <tilewise/axis.hpp>
#include <tilewise/cached_memory.hpp>
#include <tilewise/count.hpp>
#include <tilewise/count_by_key.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/functional.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/minmax.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/scan_by_key.hpp>
#include <tilewise/segmented.hpp>
#include <tilewise/zip.hpp>
