// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Whether a kernel's code or the interpreter's is running.

#include <atomic>

namespace simt {

/// True while a thread of a kernel executes the kernel's own code. The race build checks no other code. A flag has to
/// decide that, not how a function was compiled: the linker may give the interpreter the instrumented copy of an inline
/// function of the standard library.
inline std::atomic<bool> in_user_code = false;

/// True in the operating system's thread that is running the threads of kernels.
inline constinit thread_local bool runs_kernels = false;

/// Marks the scope of a function of the interpreter that kernels call; every such function begins with one.
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
