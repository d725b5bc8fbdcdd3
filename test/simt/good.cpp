// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Correct kernels, of which the interpreter must report nothing, under any schedule.
#include "cases.hpp"

#include <simt/test.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

using kernels::affine;
using kernels::bug;
using kernels::compose;
using kernels::order;

template <class Case>
void expect_right_under_all_schedules(Case run)
{
    simt::for_each_schedule([&] { EXPECT_TRUE(run()); }, {60, simt::leaks::none});
}

TEST(Good, ReductionsAreRight)
{
    expect_right_under_all_schedules([] { return cases::reduce<bug::none, unsigned>(std::plus<>{}); });
}

TEST(Good, ReductionsKeepTheOrder)
{
    expect_right_under_all_schedules([] { return cases::reduce<bug::none, affine>(compose{}); });
}

TEST(Good, ScansWithAcquireAndRelease)
{
    expect_right_under_all_schedules([] { return cases::scan<bug::none, order::acquire_release, affine>(compose{}); });
}

TEST(Good, ScansWithFences)
{
    expect_right_under_all_schedules([] { return cases::scan<bug::none, order::fences, unsigned>(std::plus<>{}); });
}

TEST(Good, Histograms)
{
    expect_right_under_all_schedules(cases::histogram<bug::none>);
}

TEST(Good, ExchangesInAWarp)
{
    expect_right_under_all_schedules(cases::reverse<bug::none>);
}

TEST(Good, DependentLaunchesThatNeedNothing)
{
    expect_right_under_all_schedules(cases::add_to_others<bug::none>);
}

TEST(Good, ClustersGather)
{
    expect_right_under_all_schedules(cases::gather_in_cluster<bug::none>);
}

TEST(Good, BulkCopies)
{
    expect_right_under_all_schedules(cases::sum_of_copies<bug::none>);
}

/// 200 bytes, with holes, and no default constructor.
struct large {
    explicit large(int seed) : letter(static_cast<char>(seed)), values{seed, seed + 1} {}
    char letter;
    std::array<long, 23> values;
    short last = 7;
    bool operator==(large const&) const = default;
};

TILEWISE_KERNEL(64, 1)
exchange_large(large const* input, large* output)
{
    using namespace tilewise::gpu;
    TILEWISE_SHARED(shared, large[2]);
    int const warp = warp_index();
    large const value = input[thread_index()];
    large const rotated = shuffle(value, (lane_index() + 1) % warp_size);
    large const shifted = shuffle_down(shuffle_up(rotated, 1), 1);
    large const chosen = select(lane_index() == warp_size - 1, rotated, shifted);
    large const same = shuffle_xor(chosen, 0);
    if (lane_index() == 0)
        shared[warp] = same;
    sync_block();
    output[thread_index()] = lane_index() == 5 ? shared[1 - warp] : chosen;
}

TEST(Good, LargeTypesWithoutDefaultConstructor)
{
    constexpr std::size_t threads = 64, lanes = 32;
    expect_right_under_all_schedules([] {
        std::vector<large> values;
        for (std::size_t i = 0; i < threads; ++i)
            values.emplace_back(static_cast<int>(i));
        simt::device_array<large> const input(values);
        simt::device_array<large> output(values);
        simt::expect_success(tilewise::gpu::start(exchange_large, {1, threads}, nullptr, input.data(), output.data()));
        cudaDeviceSynchronize();
        std::vector<large> found(values);
        simt::expect_success(cudaMemcpy(found.data(), output.data(), threads * sizeof(large), cudaMemcpyDeviceToHost));
        bool right = true;
        for (std::size_t i = 0; i < threads; ++i) {
            std::size_t const warp = i / lanes, lane = i % lanes;
            std::size_t const from = lane == 5 ? (1 - warp) * lanes + 1 : warp * lanes + (lane + 1) % lanes;
            right = right && found[i] == values[from];
        }
        return right;
    });
}

} // namespace
