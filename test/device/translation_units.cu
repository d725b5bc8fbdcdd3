// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A program of two translation units that launch the same kernels. With nvcc 13, a kernel that is a template has an
/// address in each unit, and its attributes belong to the address; an inline function exists once in the program.

#include "translation_units/expect.hpp"

/// Either unit calls first, in a context in which no attribute is set yet.
DEVICE_TEST(translation_units, launch_the_same_kernels)
{
    auto const own = translation_units::expect_scans_by_key_of_seq<std::int32_t>;
    auto const other = translation_units::expect_scans_by_long_keys_of_seq;
    on_device::expect_success(cudaDeviceReset());
    own();
    other();
    on_device::expect_success(cudaDeviceReset());
    other();
    own();
}
