// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A fiber: a thread of control with a stack of its own. All fibers run in turn on the operating system's thread that
/// runs the scheduler.

#include <cstddef>
#include <cstdint>

namespace simt {

class fiber {
public:
    fiber() = default;
    fiber(fiber const&) = delete;
    fiber& operator=(fiber const&) = delete;
    ~fiber() { abandon(); }

    /// Runs the fiber, from the scheduler, until it suspends itself. The first call begins with `entry`.
    void resume(void (*entry)());
    /// Returns to the scheduler, from within the fiber.
    void suspend();
    /// Returns to the scheduler and ends the fiber.
    [[noreturn]] void finish();
    /// Releases the stack. Objects on it are not destroyed.
    void abandon();

    bool has_stack() const { return stack_ != nullptr; }
    /// Whether an address is on the stack of the fiber that was resumed last.
    static bool is_on_running_stack(std::uintptr_t address)
    {
        return address - reinterpret_cast<std::uintptr_t>(running_stack_) < stack_bytes;
    }

private:
#ifdef __SANITIZE_ADDRESS__
    static constexpr std::size_t stack_bytes = 256 * 1024;
#else
    static constexpr std::size_t stack_bytes = 64 * 1024;
#endif
    static char* take_stack();
    void leave(bool for_good);

    static inline constinit char* running_stack_ = nullptr;
    void* context_ = nullptr;
    char* stack_ = nullptr;
    void* fake_stack_ = nullptr; // of the address sanitizer
};

} // namespace simt
