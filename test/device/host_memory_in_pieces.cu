// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// More ordinary host memory than the device policy's budget: calls work in pieces, with the bits that they have whole.

#include "backend.hpp"
#include "computed.hpp"
#include "same_bits.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/device/cuda/staging.cuh>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

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
        if (cudaMallocAsync(&memory, bytes, queue) != cudaSuccess) {
            static_cast<void>(cudaGetLastError());
            throw std::bad_alloc();
        }
        held += bytes;
        most = std::max(most, held);
        return memory;
    }
    void deallocate(void* memory, std::size_t bytes, cudaStream_t queue)
    {
        held -= bytes;
        EXPECT_EQ(cudaFreeAsync(memory, queue), cudaSuccess);
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
    std::vector<std::size_t> counts{
        1, tile, group - 1, group, group + 1, 2 * group, 5 * group + tile + 3, 6 * group - tile + 1};
    if (Geometry::tiles_per_group <= 4)
        counts.push_back(13 * group + 2 * tile + 3); // four levels above the tile
    for (std::size_t const count : counts)
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
        tw::gpu::device_call const call("pieces", count, tw::device.budget(budget));
        return tw::gpu::staging(call).elements_at_once(count, bytes_each, 100, fixed);
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
        tw::gpu::device_call const call("pieces", 1, tw::device);
        return tw::gpu::staging(call).elements_at_once(static_cast<tw::offset>(count), 1, 1);
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
    auto const kernel_op = tw::gpu::operator_for(tw::known::portable_operator_or_self<T>(op));
    in_pieces<T, tiny_geometry>(sizeof(E), [&](auto const& policy, std::size_t count) {
        std::vector<E> const x = some_elements<E>(count + off);
        E const* const first = x.data() + off;
        auto const n = static_cast<tw::offset>(count);
        T const expected =
            tw::host::reduce<tiny_geometry>(tw::seq, first, n, T(init), tw::known::operator_or_self<T>(op));
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

struct plus_7 {
    TILEWISE_PORTABLE long operator()(tw::offset i) const { return static_cast<long>(i) + 7; }
};
using numbers = values::computed<plus_7>;

/// Of pairs; which is which matters.
struct difference {
    template <class A, class B>
    TILEWISE_PORTABLE float operator()(A a, B b) const
    {
        return static_cast<float>(a) - static_cast<float>(b) / 4;
    }
};

DEVICE_TEST(host_memory_in_pieces, are_reduced_with_what_is_elsewhere)
{
    auto const plus = tw::gpu::operator_for(tw::known::portable_operator_or_self<float>(std::plus<>()));
    std::size_t const most = 7 * static_cast<std::size_t>(tw::order<float, tiny_geometry>::group);
    std::vector<float> const x = some_elements<float>(most), y(x.rbegin(), x.rend());
    device_array<float> const device_copy(y, sizeof(float));
    in_pieces<float, tiny_geometry>(2 * sizeof(float), [&](auto const& policy, std::size_t count) {
        auto const n = static_cast<tw::offset>(count);
        auto const expect_reduced = [&](auto const& first, auto const& second, auto const& second_here) {
            float const expected = tw::host::reduce<tiny_geometry>(
                tw::seq, tw::transformed_pairs(difference(), first, second_here), n, 0.5f, std::plus<>());
            EXPECT_TRUE(same_bits(tw::gpu::reduce<tiny_geometry, backend::tuning>(
                                      policy, tw::transformed_pairs(difference(), first, second), n, 0.5f, plus),
                                  expected));
        };
        expect_reduced(x.data(), y.data(), y.data());
        expect_reduced(x.data(), device_copy.data(), y.data()); // aligned for an element and nothing wider
        expect_reduced(x.data(), numbers(), numbers());
    });
}

// ---- scans

/// So small that a few thousand elements cross four levels above the tile.
struct steep_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};

struct scan_tuning : tw::gpu::scan_tuning {
    static constexpr int cluster_blocks = 4;
    static constexpr bool every_lane_arrives = !on_device::interpreted; // racecheck does not see it otherwise
};

template <tw::scan_form form, class T, class E, class Op>
void expect_scanned(std::optional<T> const& init, Op op, std::size_t off = 0)
{
    auto const kernel_op = tw::gpu::operator_for(tw::known::portable_operator_or_self<T>(op));
    in_pieces<T, steep_geometry>(sizeof(E) + sizeof(T), [&](auto const& policy, std::size_t count) {
        auto const n = static_cast<tw::offset>(count);
        std::vector<E> const x = some_elements<E>(count + off);
        E const* const first = x.data() + off;
        std::vector<T> expected = some_elements<T>(count + 2), out = expected;
        tw::host::scan<steep_geometry, form>(tw::seq, first, n, expected.begin() + 1, init,
                                             tw::known::operator_or_self<T>(op));
        device_array<E> const device_copy(std::vector<E>(first, first + count));
        device_array<T> const device_out(count, alignof(T));
        auto const scan = [&](auto const* from, T* to) {
            tw::gpu::scan<steep_geometry, form, T, scan_tuning>(policy, from, n, to, init, kernel_op);
        };
        auto const fresh = out;
        scan(first, out.data() + 1); // from the host to the host
        expect_same(out, expected);
        scan(first, device_out.data());
        expect_same(device_out.values(count), std::vector<T>(expected.begin() + 1, expected.end() - 1));
        out = fresh;
        scan(device_copy.data(), out.data() + 1);
        expect_same(out, expected);
        if constexpr (std::is_same_v<E, T>) { // in place
            std::copy(first, first + count, out.begin() + 1);
            scan(out.data() + 1, out.data() + 1);
            expect_same(out, expected);
        }
    });
}

DEVICE_TEST(host_memory_in_pieces, are_scanned)
{
    constexpr auto inclusive = tw::scan_form::inclusive, exclusive = tw::scan_form::exclusive;
    using words = values::words<std::uint64_t, 3>;
    expect_scanned<inclusive, float, float>({}, std::plus<>());
    expect_scanned<exclusive, float, float>(0.5f, std::plus<>());
    expect_scanned<inclusive, int, std::uint8_t>(7, std::plus<>(), 3);
    expect_scanned<inclusive, words, words>({}, values::compose(), 1);
    expect_scanned<exclusive, words, words>(words(77), values::compose());
}

// ---- histograms, and sums by index

/// Budgets for elements of so many bytes: for a piece, and for three.
std::array<std::size_t, 2> budgets(std::size_t bytes_each)
{
    auto const piece = static_cast<std::size_t>(tw::gpu::staging_tuning::least_elements) * bytes_each;
    return {1, 3 * piece + 500};
}

DEVICE_TEST(host_memory_in_pieces, are_counted)
{
    std::vector<float> const x = some_elements<float>(20'001);
    std::vector<std::uint8_t> const bytes = some_elements<std::uint8_t>(20'001);
    for (int const bins : {100, 10'000})
        for (std::size_t const budget : budgets(sizeof(float))) {
            tw::regular_axis const axis(bins, -1e9f, 1e9f);
            tw::integer_axis const of_bytes(0, 255);
            counted_memory memory;
            auto const policy = tw::device.with(memory).budget(budget);
            std::vector<std::uint32_t> expected(static_cast<std::size_t>(bins)), counts(expected.size(), 77);
            tw::histogram(x, axis, expected.begin());
            tw::histogram(policy, x, axis, counts.begin());
            EXPECT_EQ(counts, expected);
            tw::histogram_add(x.begin() + 1, x.end(), axis, expected.begin());
            tw::histogram_add(policy, x.begin() + 1, x.end(), axis, counts.begin());
            EXPECT_EQ(counts, expected);
            std::vector<std::uint32_t> expected_of_bytes(256), counts_of_bytes(256);
            tw::histogram(bytes, of_bytes, expected_of_bytes.begin());
            tw::histogram(policy, bytes, of_bytes, counts_of_bytes.begin());
            EXPECT_EQ(counts_of_bytes, expected_of_bytes);
            EXPECT_EQ(memory.held, 0u);
            if (bins == 100) {
                EXPECT_LE(memory.most, std::max(budget, 4096 * sizeof(float) + 256 * sizeof(std::uint32_t) + 100));
            }
        }
}

DEVICE_TEST(host_memory_in_pieces, are_added_up_by_index)
{
    std::vector<int> const values = some_elements<int>(20'001);
    std::vector<float> const floats = some_elements<float>(values.size());
    std::vector<int> keys(values.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = static_cast<int>(i * i % 37);
    for (std::size_t const budget : budgets(2 * sizeof(int))) {
        counted_memory memory;
        auto const policy = tw::device.with(memory).budget(budget);
        std::vector<int> expected(37), sums(37, 77);
        tw::reduce_by_index(keys, values, 37, expected.begin(), 5);
        tw::reduce_by_index(policy, keys, values, 37, sums.begin(), 5);
        EXPECT_EQ(sums, expected);
        EXPECT_LE(memory.most, std::max(budget, 4096 * 2 * sizeof(int)) + 2 * 37 * sizeof(int) + 100);
        std::vector<float> expected_floats(37), sums_of_floats(37); // are sorted as a whole
        tw::reduce_by_index(keys, floats, 37, expected_floats.begin(), 0.5f);
        tw::reduce_by_index(policy, keys, floats, 37, sums_of_floats.begin(), 0.5f);
        expect_same(sums_of_floats, expected_floats);
        EXPECT_EQ(memory.held, 0u);
    }
}

// ---- the best of them

DEVICE_TEST(host_memory_in_pieces, are_searched)
{
    std::vector<int> x(13'000);
    for (std::size_t const spread : {1u, 3u, 100'000u}) // with many equals, some and none
        for (std::size_t const budget : budgets(sizeof(int))) {
            counted_memory memory;
            auto const policy = tw::device.with(memory).budget(budget);
            for (std::size_t i = 0; i < x.size(); ++i)
                x[i] = static_cast<int>(i * 48271 % 65537 % spread);
            EXPECT_EQ(tw::min_element(policy, x), tw::min_element(x));
            EXPECT_EQ(tw::max_element(policy, x), tw::max_element(x));
            EXPECT_EQ(tw::minmax_element(policy, x), tw::minmax_element(x));
            EXPECT_EQ(tw::min_element(policy, x.begin() + 1, x.end()), tw::min_element(x.begin() + 1, x.end()));
            std::sort(x.begin(), x.end(), std::greater<>());
            EXPECT_EQ(tw::minmax_element(policy, x), tw::minmax_element(x));
            EXPECT_EQ(memory.held, 0u);
            EXPECT_LE(memory.most, std::max(budget, (4096 + 2) * sizeof(int)) + 1'000);
        }
}

// ---- segments

DEVICE_TEST(host_memory_in_pieces, are_segments)
{
    std::vector<float> const x = some_elements<float>(30'000);
    std::vector<int> begins, ends;
    for (int i = 0, size = 0; i + size <= 30'000; i += size, size = (size * 3 + 11) % 701) {
        begins.push_back(i);
        ends.push_back(i + size);
    }
    begins.insert(begins.end(), {100, 0, 500}); // none, all of them, and one
    ends.insert(ends.end(), {100, 30'000, 501});
    std::vector<float> expected(begins.size()), sums(begins.size(), 77);
    tw::segmented_reduce(x.begin(), begins.begin(), begins.end(), ends.begin(), expected.begin(), 0.5f);
    device_array<int> const device_begins(begins), device_ends(ends);
    for (std::size_t const budget : {std::size_t{1}, 8'000 * sizeof(float), x.size() * sizeof(float) * 2}) {
        tw::segmented_reduce(tw::device.budget(budget), x.begin(), begins.begin(), begins.end(), ends.begin(),
                             sums.begin(), 0.5f);
        expect_same(sums, expected);
        device_array<float> const device_sums(std::vector<float>(begins.size(), 77));
        tw::segmented_reduce(tw::device.budget(budget), x.begin(), device_begins.begin(), device_begins.end(),
                             device_ends.begin(), device_sums.begin(), 0.5f);
        expect_same(device_sums.values(expected.size()), expected);
    }
}

DEVICE_TEST(host_memory_in_pieces, are_segments_that_are_scanned)
{
    std::vector<float> const x = some_elements<float>(20'000);
    std::vector<int> begins, ends;
    for (int i = 0; i < 20'000; i += 501) {
        begins.push_back(i == 0 ? 3 : i); // with elements in between, and before the first
        ends.push_back(std::min(i + 501 - i % 7, 20'000));
    }
    std::swap(begins[3], begins[20]); // in any order
    std::swap(ends[3], ends[20]);
    std::vector<float> expected(x.size(), 77);
    tw::segmented_inclusive_scan(x.begin(), begins.begin(), begins.end(), ends.begin(), expected.begin());
    device_array<float> const device_copy(x);
    for (std::size_t const budget : {std::size_t{1}, 6'000 * sizeof(float), x.size() * sizeof(float) * 3}) {
        auto const scan = [&](auto from, auto to) {
            counted_memory memory;
            tw::segmented_inclusive_scan(tw::device.with(memory).budget(budget), from, begins.begin(), begins.end(),
                                         ends.begin(), to);
            EXPECT_EQ(memory.held, 0u);
            EXPECT_LE(memory.most, std::max(budget, 2 * 501 * sizeof(float)) + 1'000);
        };
        std::vector<float> out(x.size(), 77);
        scan(x.data(), out.data());
        expect_same(out, expected);
        std::fill(out.begin(), out.end(), 77.0f);
        scan(device_copy.data(), out.data());
        expect_same(out, expected);
        device_array<float> const device_out(std::vector<float>(x.size(), 77));
        scan(x.data(), device_out.data());
        expect_same(device_out.values(x.size()), expected);
    }
}

// ---- threads

DEVICE_TEST_WITH_STREAMS(host_memory_in_pieces, serve_several_threads)
{
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i)
        threads.emplace_back([i] {
            stream const queue;
            std::vector<float> const x = some_elements<float>(10'000 + 1'000 * i);
            std::vector<float> expected(x.size()), out(x.size());
            tw::inclusive_scan(x, expected.begin());
            for (std::size_t const budget : {0u, 1u}) {
                auto const policy = tw::device.on(queue).budget(budget);
                tw::gpu::scan<tw::standard_geometry, tw::scan_form::inclusive, float>(
                    policy, x.data(), static_cast<tw::offset>(x.size()), out.data(), std::optional<float>(),
                    tw::gpu::operator_for(tw::known::portable_operator_or_self<float>(std::plus<>())));
                expect_same(out, expected);
                EXPECT_TRUE(same_bits(tw::reduce(policy, x, 0.5f), tw::reduce(x, 0.5f)));
                EXPECT_EQ(tw::max_element(policy, x), tw::max_element(x));
                std::vector<unsigned> counts(10), expected_counts(10);
                tw::histogram(x, tw::regular_axis(10, -1e9f, 1e9f), expected_counts.begin());
                tw::histogram(policy, x, tw::regular_axis(10, -1e9f, 1e9f), counts.begin());
                EXPECT_EQ(counts, expected_counts);
            }
        });
    for (auto& thread : threads)
        thread.join();
}

// ---- what fails

#ifndef __CUDACC__

/// Makes each call of the runtime of a kind fail in its turn, until `call` makes none of them. Nothing may be left
/// allocated, and then it works. \returns how many failed
template <class Error, class Call>
int fail_one_after_the_other(char const* kind, cudaError_t error, Call const& call)
{
    for (int skipped = 0;; ++skipped) {
        on_device::expect_success(cudaDeviceSynchronize()); // memory is given back in stream order
        auto const before = simt::runtime::live();
        simt::runtime::fail(kind, skipped, error);
        try {
            call();
        } catch (Error const&) {
            EXPECT_FALSE(simt::runtime::failure_is_due());
            EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
            on_device::expect_success(cudaDeviceSynchronize());
            EXPECT_EQ(simt::runtime::live(), before) << kind << " after " << skipped;
            continue;
        }
        bool const failed = !simt::runtime::failure_is_due(); // unseen: what gives back a thread's mode
        simt::runtime::forget_failures();
        if (!failed)
            return skipped;
    }
}

DEVICE_TEST_WITH_STREAMS(host_memory_in_pieces, leave_nothing_behind_when_a_call_of_the_runtime_fails)
{
    std::vector<float> const x = some_elements<float>(5'000);
    std::vector<float> expected(x.size()), out(x.size());
    tw::host::scan<steep_geometry, tw::scan_form::inclusive>(tw::seq, x.data(), static_cast<tw::offset>(x.size()),
                                                             expected.begin(), std::optional<float>(), std::plus<>());
    counted_memory memory;
    auto const policy = tw::device.with(memory).budget(1);
    auto const scan = [&] {
        tw::gpu::scan<steep_geometry, tw::scan_form::inclusive, float, scan_tuning>(
            policy, x.data(), static_cast<tw::offset>(x.size()), out.data(), std::optional<float>(),
            tw::gpu::operator_for(tw::known::portable_operator_or_self<float>(std::plus<>())));
    };
    scan(); // with what is kept for later calls
    EXPECT_GE(fail_one_after_the_other<std::bad_alloc>("cudaMallocAsync", cudaErrorMemoryAllocation, scan), 5);
    EXPECT_EQ(memory.held, 0u);
    for (char const* kind : {"cudaMemcpyAsync", "cudaEventRecord", "cudaEventSynchronize", "cudaLaunchKernelEx"})
        EXPECT_GE(fail_one_after_the_other<tw::cuda_error>(kind, cudaErrorUnknown, scan), 5) << kind;
    EXPECT_EQ(memory.held, 0u);
    scan();
    expect_same(out, expected);
}

DEVICE_TEST(host_memory_in_pieces, need_pinned_memory)
{
    auto const before = simt::runtime::live();
    for (int skipped = 0; skipped < 2; ++skipped) {
        simt::runtime::fail("allocation", skipped, cudaErrorMemoryAllocation);
        EXPECT_THROW((tw::gpu::pinned_ring(100), tw::gpu::pinned_ring(100)), std::bad_alloc);
        EXPECT_FALSE(simt::runtime::failure_is_due());
        EXPECT_EQ(simt::runtime::live(), before);
    }
    for (int skipped = 0; skipped < 4; ++skipped) {
        simt::runtime::fail("cudaEventCreate", skipped, cudaErrorUnknown);
        EXPECT_THROW(tw::gpu::pinned_ring(100), tw::cuda_error);
        EXPECT_EQ(simt::runtime::live(), before);
    }
    std::vector<float> const x = some_elements<float>(1'000);
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, x, 0.5f), tw::reduce(x, 0.5f)));
}

#endif

} // namespace
