// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Checks that what is allocated is given back. On a GPU, other programs allocate as well, so nothing is checked.
#include "on_device.hpp"

#include <tilewise/cached_memory.hpp>

#include <gtest/gtest.h>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace on_device {

/// Everything that was allocated while it lives is given back.
class nothing_is_lost {
public:
    nothing_is_lost(nothing_is_lost const&) = delete;
    nothing_is_lost& operator=(nothing_is_lost const&) = delete;
#ifdef __CUDACC__
    nothing_is_lost() {}
    ~nothing_is_lost() {}
#else
    nothing_is_lost() : before_((tilewise::release_cached_memory(), simt::runtime::live())) {}
    ~nothing_is_lost()
    {
        expect_success(cudaDeviceSynchronize());
        tilewise::release_cached_memory();
        EXPECT_EQ(simt::runtime::live(), before_);
    }

private:
    decltype(simt::runtime::live()) before_;
#endif
};

} // namespace on_device
