// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A program of two translation units that launch the same kernels. Each has addresses of its own of these (nvcc 13),
/// and what CUDA allows a kernel it allows an address; but of an inline function the program has that of any unit.

#include "translation_units/expect.hpp"

namespace units = translation_units;

/// Runs the functions of two units, either first, in a context of which nothing is known yet.
static void in_both_orders(void (*one)(), void (*other)())
{
    on_device::expect_success(cudaDeviceReset());
    one();
    other();
    on_device::expect_success(cudaDeviceReset());
    other();
    one();
}

DEVICE_TEST(translation_units, scan_with_one_kernel)
{
    in_both_orders(units::expect_scans_by_key_of_seq<std::int32_t>, units::expect_scans_by_long_keys_of_seq);
}

DEVICE_TEST(translation_units, count_with_one_kernel)
{
    in_both_orders(units::expect_large_histogram_of_seq<float>, units::expect_large_histogram_of_doubles_of_seq);
}
