// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Schedules, and what becomes of what goes wrong in them.
#include "device_memory.hpp"
#include "kernels/small.hpp"

#include <simt/runtime.hpp>
#include <simt/test.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

using kernels::add;
using simt::device_array;
using simt::expect_success;
using simt::for_each_schedule;
using tilewise::gpu::start;

TEST(Schedules, AreReplayed)
{
    auto const switches_of = [](std::uint64_t seed) {
        auto const before = simt::runtime::statistics_so_far().switches;
        auto const report = simt::run_schedule(seed, [] {
            device_array<int> const memory(std::vector<int>(500));
            expect_success(start(add<32>, {16, 32}, nullptr, memory.data(), 500, 1));
            expect_success(cudaDeviceSynchronize());
        });
        EXPECT_FALSE(report);
        return simt::runtime::statistics_so_far().switches - before;
    };
    for (std::uint64_t seed = 1; seed < 10; ++seed)
        EXPECT_EQ(switches_of(seed), switches_of(seed));
}

TILEWISE_KERNEL(64, 1) wait_for_nobody()
{
    if (tilewise::gpu::thread_index() == 3)
        static_cast<void>(tilewise::gpu::shuffle(0, 0));
    tilewise::gpu::sync_block();
}

void end_in_a_deadlock()
{
    expect_success(start(wait_for_nobody, {1, 64}, nullptr));
    static_cast<void>(cudaDeviceSynchronize());
}

TEST(Schedules, TurnReportsIntoFailuresOfTheTest)
{
    EXPECT_NONFATAL_FAILURE(for_each_schedule(end_in_a_deadlock), "TILEWISE_SIMT_SEED=1");
    EXPECT_NONFATAL_FAILURE(for_each_schedule(end_in_a_deadlock), "deadlock: no thread can run");
    EXPECT_NONFATAL_FAILURE(for_each_schedule(end_in_a_deadlock), "block 0 thread 3");
}

TEST(Schedules, TurnExceptionsAndErrorsIntoFailuresOfTheTest)
{
    EXPECT_NONFATAL_FAILURE(for_each_schedule([] { throw std::runtime_error("thrown"); }), "the test throws: thrown");
    EXPECT_NONFATAL_FAILURE(for_each_schedule([] { static_cast<void>(cudaSetDevice(5)); }), "cudaErrorInvalidDevice");
}

TEST(Schedules, TurnLeaksIntoFailuresOfTheTest)
{
    std::vector<int*> made;
    auto const leak = [&](std::size_t most) {
        if (made.size() < most) {
            made.push_back(nullptr);
            expect_success(cudaMalloc(&made.back(), 100));
        }
    };
    for_each_schedule([&] { leak(1); }); // a cache
    EXPECT_NONFATAL_FAILURE(for_each_schedule([&] { leak(2); }, {0, simt::leaks::none}), "leak: before 1 blocks");
    if (simt::schedule_count() > 1) {
        EXPECT_NONFATAL_FAILURE(for_each_schedule([&] { leak(9999); }), "leak: ");
    }
    for_each_schedule([&] { leak(made.size() + 1); }, {0, simt::leaks::ignored});
    for (int* each : made)
        expect_success(cudaFree(each));
}

/// Bytes of which nothing is known but their number.
template <std::size_t count>
struct bytes {
    unsigned char byte[count];
};
template <std::size_t count>
TILEWISE_KERNEL(32, 1)
shuffle_bytes(bytes<count> const* from, bytes<count>* to, int const* lanes)
{
    int const lane = tilewise::gpu::lane_index();
    to[lane] = tilewise::gpu::shuffle(from[lane], lanes[lane]);
}

template <std::size_t count>
void expect_shuffled(std::vector<unsigned char> const& values, std::vector<int> const& lanes)
{
    std::vector<bytes<count>> input(32);
    std::memcpy(input.data(), values.data(), 32 * count);
    device_array<bytes<count>> const from(input), to(32);
    device_array<int> const chosen(lanes);
    expect_success(start(shuffle_bytes<count>, {1, 32}, nullptr, from.data(), to.data(), chosen.data()));
    auto const found = to.values();
    for (std::size_t i = 0; i < 32; ++i)
        RC_ASSERT(std::memcmp(&found[i], &input[static_cast<std::size_t>(lanes[i])], count) == 0);
}

RC_GTEST_PROP(Shuffles, MoveValuesOfAnySize, ())
{
    auto const values = *rc::gen::container<std::vector<unsigned char>>(32 * 256, rc::gen::arbitrary<unsigned char>());
    auto const lanes = *rc::gen::container<std::vector<int>>(32, rc::gen::inRange(0, 32));
    auto const seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    auto const report = simt::run_schedule(seed, [&] {
        expect_shuffled<1>(values, lanes);
        expect_shuffled<3>(values, lanes);
        expect_shuffled<12>(values, lanes);
        expect_shuffled<256>(values, lanes);
    });
    if (report)
        RC_FAIL(report->kind + ": " + report->text);
}

} // namespace
