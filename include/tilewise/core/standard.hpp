// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Clocks, operators, mutexes, iterators, ranges and memory, without calendars, hash tables, streams and adaptors that
/// come with them where the standard library keeps these in headers of their own: they take as long to compile as the
/// rest of the standard library that tilewise.hpp needs.

#include <tilewise/core/config.hpp>

#include <string> // includes what the parts below rely on

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>) && __has_include(<bits/error_constants.h>) &&               \
    __has_include(<bits/ranges_util.h>) && __has_include(<bits/std_mutex.h>) &&                                        \
    __has_include(<bits/stl_uninitialized.h>) && __has_include(<bits/unique_lock.h>)
// std::errc, which <bits/unique_lock.h> uses; libstdc++ 13 and later leave including it to <mutex>
#include <bits/error_constants.h>

#include <bits/chrono.h>
#include <bits/ranges_util.h>
#include <bits/std_mutex.h>
#ifdef TILEWISE_DEVICE_ENGINE
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
