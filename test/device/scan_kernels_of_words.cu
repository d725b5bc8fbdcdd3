// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

namespace {

using namespace scan_kernels;

DEVICE_TEST(scan_kernels, of_words)
{
    expect_specified_order<std::uint32_t>();
    expect_specified_order<std::uint64_t>();
}

/// At the order's boundaries most blocks of the single pass have one tile, or none: here each fills all of its stages
/// again and again, in a tuning that racecheck understands.
DEVICE_TEST(scan_kernels, fill_their_stages_again)
{
    using T = std::uint32_t;
    using tuning = in_one_pass<steep_geometry>;
    constexpr std::size_t tile = tw::order<T, steep_geometry>::tile, stages = tuning::most_stages;
    int multiprocessors = 0;
    on_device::expect_success(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    // as many blocks as a multiprocessor of 2048 threads may hold
    std::size_t const most_blocks = static_cast<std::size_t>(multiprocessors) * 8;
    std::size_t const count = most_blocks * stages * on_device::amount<std::size_t>(3, 3, 2) * tile + 7;

    auto const x = shape::some_values<T>(count);
    shape::telltale<T> const op;
    device_array<T> const there(x);
    guarded<T> const out(count, 0);
    int blocks = 0;
    auto const sink = [&](tw::launch_record const& launch) {
        EXPECT_STREQ(launch.kernel, "scan_in_one_pass");
        blocks = launch.blocks;
    };
    scan<steep_geometry, tuning, inclusive, T>(tw::device.trace(sink), there.data(), count, out.data(), {}, op);
    EXPECT_GE(count / tile, 2 * stages * static_cast<std::size_t>(blocks)) << "stages were not filled again";
    scanned<T> const expected(steep_geometry(), x, x.back(), op);
    expect_same(out.take(), expected.without_init, "the inclusive scan");
}

} // namespace
