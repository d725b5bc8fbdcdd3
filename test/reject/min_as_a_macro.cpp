// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: define NOMINMAX before <windows.h>
// lines: 20
#ifndef TILEWISE_REJECT_FIXED
#define min(a, b) ((a) < (b) ? (a) : (b))
#endif
#include <tilewise/core/config.hpp>

int main() {}
