// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The clocks of `<chrono>` and the operators of `<functional>`, without the calendars and hash tables that come with
/// them where the standard library keeps these in headers of their own: they took a sixth of what it takes to compile
/// tilewise.hpp.

#if __has_include(<bits/chrono.h>) && __has_include(<bits/stl_function.h>)
#include <bits/chrono.h>
#include <bits/stl_function.h>
#else
#include <chrono>
#include <functional>
#endif
