// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Whose code runs: a kernel's or the interpreter's.

#include <atomic>

namespace simt {

/// True while a thread of a kernel executes the kernel's own code. The checker of the race build looks at nothing else:
/// the linker may give the interpreter the instrumented copy of an inline function of the standard library, so a flag
/// has to decide, not how a function was compiled.
inline std::atomic<bool> in_user_code = false;

/// True in the thread of the operating system that runs the threads of kernels at the moment.
inline constinit thread_local bool runs_kernels = false;

/// Stands at the beginning of every function of the interpreter that kernels call.
class interpreter_code {
public:
    interpreter_code() { in_user_code.store(false, std::memory_order_relaxed); }
    interpreter_code(interpreter_code const&) = delete;
    interpreter_code& operator=(interpreter_code const&) = delete;
    ~interpreter_code() { in_user_code.store(previous_, std::memory_order_relaxed); }

private:
    bool const previous_ = in_user_code.load(std::memory_order_relaxed);
};

} // namespace simt
