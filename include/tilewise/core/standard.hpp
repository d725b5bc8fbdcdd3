// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Includes clocks, function objects, references, mutexes, iterators, ranges and memory of the standard library. Where
/// the standard library has separate internal headers for these, the calendars, hash tables, streams and adaptors of
/// the public headers are left out: they take as long to compile as the rest of the standard library that tilewise.hpp
/// needs.

#include <tilewise/core/config.hpp>

#include <string> // includes what the headers below rely on

// The dependencies of these headers change from version to version, so only the versions with which all headers were
// compiled are listed.
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 12 && _GLIBCXX_RELEASE <= 16
#include <bits/error_constants.h> // std::errc, which <bits/unique_lock.h> of version 13 uses without including it

#include <bits/chrono.h>
#include <bits/ranges_util.h>
#include <bits/refwrap.h>
#include <bits/std_mutex.h>
#if defined(TILEWISE_DEVICE_ENGINE) || defined(TILEWISE_CUDA_IS_LINKED)
#include <bits/stl_algo.h>
#endif
#include <bits/stl_function.h>
#include <bits/stl_uninitialized.h>
#include <bits/unique_lock.h>
#else
#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <ranges>
#endif
