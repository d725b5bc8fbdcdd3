// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// More ordinary host memory than the device policy's budget: calls work in pieces, with the bits that they have whole.

#include "backend.hpp"
#include "same_bits.hpp"

#include <tilewise/device/staging.cuh>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::same_bits;
using on_device::some_elements;
using on_device::stream;

/// Counts what is allocated.
struct counted_memory {
    std::size_t held = 0, most = 0;

    void* allocate(std::size_t bytes, cudaStream_t queue)
    {
        void* memory = nullptr;
        on_device::expect_success(cudaMallocAsync(&memory, bytes, queue));
        held += bytes;
        most = std::max(most, held);
        return memory;
    }
    void deallocate(void* memory, std::size_t bytes, cudaStream_t queue)
    {
        held -= bytes;
        on_device::expect_success(cudaFreeAsync(memory, queue));
    }
};

template <class T>
void expect_same(std::vector<T> const& a, std::vector<T> const& b)
{
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), same_bits<T>));
}

/// Calls `check(policy, count)` for numbers of elements around the order's units and for budgets that hold less than a
/// group, a group and some more, and a few; each with memory that is counted. What a call takes beyond its budget is
/// for the results of tiles.
template <class T, class Geometry, class Check>
void in_pieces(std::size_t bytes_each, Check const& check)
{
    using order = tw::order<T, Geometry>;
    auto const group = static_cast<std::size_t>(order::group), tile = static_cast<std::size_t>(order::tile);
    std::size_t index = 0;
    for (std::size_t const count :
         {std::size_t{1}, tile, group - 1, group, group + 1, 2 * group, 5 * group + tile + 3, 6 * group - tile + 1})
        for (std::size_t const budget : {std::size_t{1}, group * bytes_each * 3 / 2, group * bytes_each * 3 + 100}) {
            if (on_device::leaves_to_other_schedule(index++))
                continue;
            SCOPED_TRACE("n = " + std::to_string(count) + ", a budget of " + std::to_string(budget));
            counted_memory memory;
            check(tw::device.with(memory).budget(budget), count);
            EXPECT_EQ(memory.held, 0u);
            EXPECT_LE(memory.most, std::max(budget, group * bytes_each + 100) + (3 * (count / tile) + 4) * sizeof(T));
        }
}

// ---- how much at once

DEVICE_TEST(host_memory_in_pieces, are_whole_units_that_fit_the_budget)
{
    auto const at_once = [](std::size_t budget, tw::offset count, std::size_t bytes_each, std::size_t fixed = 0) {
        return tw::gpu::elements_at_once(tw::device.budget(budget), count, bytes_each, 100, fixed);
    };
    EXPECT_EQ(at_once(4'000, 1'000, 4), 1'000);
    EXPECT_EQ(at_once(3'999, 1'000, 4), 900);
    EXPECT_EQ(at_once(4'000, 1'000, 4, 1), 900);
    EXPECT_EQ(at_once(800, 1'000, 4), 200);
    EXPECT_EQ(at_once(799, 1'000, 4), 100);
    EXPECT_EQ(at_once(1, 1'000, 4), 100);
    EXPECT_EQ(at_once(1, 1'000, 4, 77), 100);
    EXPECT_EQ(at_once(1, 100, 4), 100);
    EXPECT_EQ(at_once(1, 99, 4), 99);
    EXPECT_EQ(at_once(1, 1'000, 0), 1'000); // nothing is copied
    EXPECT_EQ(tw::device.budget(77).nosync().budget(), 77u);
    EXPECT_EQ(tw::device.budget(77).budget(0).budget(), 0u);
}

#ifndef __CUDACC__
DEVICE_TEST(host_memory_in_pieces, leave_some_of_the_memory_that_is_free)
{
    std::size_t const bytes = std::size_t{1} << 30;
    simt::runtime::set_devices({{.memory_bytes = bytes}});
    auto const at_once = [](std::size_t count) {
        return tw::gpu::elements_at_once(tw::device, static_cast<tw::offset>(count), 1, 1);
    };
    EXPECT_EQ(at_once(bytes / 2), static_cast<tw::offset>(bytes / 2));
    EXPECT_LT(at_once(bytes), static_cast<tw::offset>(bytes));
    EXPECT_GT(at_once(bytes), static_cast<tw::offset>(bytes / 2));
    simt::runtime::forget_calls();
    EXPECT_EQ(at_once(1'000), 1'000);
    EXPECT_EQ(simt::runtime::count("cudaMemGetInfo"), 0); // it takes its time
}
#endif

// ---- reductions

using backend::tiny_geometry;

template <class E, class T, class Op>
void expect_reduced(T init, Op op, std::size_t off = 0)
{
    auto const kernel_op = tw::gpu::operator_for(tw::named::portable_twin_or_self<T>(op));
    in_pieces<T, tiny_geometry>(sizeof(E), [&](auto const& policy, std::size_t count) {
        std::vector<E> const x = some_elements<E>(count + off);
        E const* const first = x.data() + off;
        auto const n = static_cast<tw::offset>(count);
        T const expected =
            tw::host::reduce<tiny_geometry>(tw::seq, first, n, T(init), tw::named::twin_or_self<T>(op));
        EXPECT_TRUE(
            same_bits(tw::gpu::reduce<tiny_geometry, backend::tuning>(policy, first, n, init, kernel_op), expected));
    });
}

DEVICE_TEST(host_memory_in_pieces, are_reduced)
{
    expect_reduced<float>(0.5f, std::plus<>());
    expect_reduced<std::uint8_t>(7L, std::plus<>(), 3);
    expect_reduced<values::matrix>(values::matrix{1, 2, 3, 5}, std::multiplies<>());
    using words = values::words<std::uint64_t, 3>;
    static_assert(sizeof(words) == 24);
    expect_reduced<words>(words(77), values::compose(), 1);
}

} // namespace
