// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise reports errors by exceptions: compile without -fno-exceptions
// lines: 20
// options: -fno-exceptions
#ifndef TILEWISE_REJECT_FIXED // only without the library
#include <tilewise/core/config.hpp>
#endif

int main() {}
