// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The suites of the benchmark, each with a command line of its own and the status for main.

namespace bench {

/// On the processor. The command line is Google Benchmark's.
namespace host {
int reduce(int argc, char** argv);
int scan(int argc, char** argv);
int segmented(int argc, char** argv);
int by_key(int argc, char** argv);
int histogram(int argc, char** argv);
} // namespace host

/// On the GPU. device/options.hpp has the command line.
namespace device {
int reduce(int argc, char** argv);
int scan(int argc, char** argv);
int segmented(int argc, char** argv);
int by_key(int argc, char** argv);
int histogram(int argc, char** argv);
} // namespace device

} // namespace bench
