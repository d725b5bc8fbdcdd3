// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Every call of the CUDA runtime fails in its turn: in the interpreter.

#include <gtest/gtest.h>
#include <simt/runtime.hpp>

namespace on_device {

/// Makes each call of the runtime of a kind fail in its turn, until `call` makes none of them. `expect_right()` after
/// each says that the stream goes on as if nothing had been. \returns how many failed
template <class Error, class Call, class ExpectRight>
int fail_one_after_the_other(char const* kind, cudaError_t error, Call const& call, ExpectRight const& expect_right)
{
    for (int skipped = 0;; ++skipped) {
        simt::runtime::forget_calls();
        simt::runtime::fail(kind, skipped, error);
        try {
            call();
        } catch (Error const&) {
            EXPECT_FALSE(simt::runtime::failure_is_due());
            expect_right();
            continue;
        }
        if (!simt::runtime::failure_is_due()) { // only what gives a thread's mode back may fail unseen
            for (auto const& made : simt::runtime::calls())
                if (made.result == error) {
                    EXPECT_EQ(made.name, "cudaThreadExchangeStreamCaptureMode");
                }
            static_cast<void>(cudaGetLastError());
            expect_right();
            continue;
        }
        simt::runtime::forget_failures();
        return skipped;
    }
}

} // namespace on_device
