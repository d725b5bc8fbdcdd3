// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef __CUDACC__
#include "every_failure.hpp"

#include <simt/runtime.hpp>
#endif

namespace {

using namespace scan_kernels;
using on_device::stream;

/// Elements, and what their scans have to be.
class work_after_an_error {
public:
    static constexpr std::size_t count = 2 * tw::order<std::uint32_t, steep_geometry>::super_group + 5;

    template <class Tuning, class Policy>
    void start(Policy const& policy, std::size_t size = count) const
    {
        scan<steep_geometry, Tuning, inclusive, std::uint32_t>(policy, device_copy_.data(), size, out_.data(), {7},
                                                               std::plus<>());
    }
    /// A call right after an error works, and CUDA remembers nothing.
    template <class Tuning>
    void expect_right(cudaStream_t where = nullptr) const
    {
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        for (std::size_t const size : {count / 3, count}) {
            start<Tuning>(tw::device.on(where), size);
            expect_same(out_.values(size), expected_.with_init, "the scan after an error");
        }
    }

private:
    std::vector<std::uint32_t> elements_ = shape::some_values<std::uint32_t>(count);
    device_array<std::uint32_t> device_copy_{elements_}, out_{count};
    scanned<std::uint32_t> expected_{steep_geometry(), elements_, 7U, std::plus<>()};
};

template <class Call>
void expect_rejected(Call call, char const* part)
{
    try {
        call();
        ADD_FAILURE() << "nothing was thrown";
    } catch (std::invalid_argument const& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(part));
    }
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

/// A trace's sink that throws once kernels have started.
DEVICE_TEST_WITH_STREAMS(scan_errors, of_a_trace_are_passed_on)
{
    work_after_an_error const work;
    stream const where;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = decltype(tuning);
        work.expect_right<tuning_type>(where);
        auto const throws = [](tw::launch_record const&) { throw std::runtime_error("no more of this"); };
        EXPECT_THROW(work.start<tuning_type>(tw::device.on(where).trace(throws)), std::runtime_error);
        work.expect_right<tuning_type>(where);
    });
}

DEVICE_TEST(scan_errors, for_host_memory_that_nobody_waits_for_are_sentences)
{
    std::vector<int> on_the_host(3000, 1);
    device_array<int> const device_copy(on_the_host);
    int const* const first = device_copy.data();
    for (std::size_t const count : {std::size_t{1}, on_the_host.size()}) {
        auto const n = static_cast<std::ptrdiff_t>(count);
        expect_rejected(
            [&] {
                tw::inclusive_scan(tw::device.nosync(), on_the_host.data(), on_the_host.data() + n, device_copy.data());
            },
            "host memory");
        expect_rejected(
            [&] {
                tw::exclusive_scan(tw::device.nosync(), on_the_host.begin(), on_the_host.begin() + n,
                                   device_copy.data(), 0);
            },
            "elements");
        expect_rejected([&] { tw::inclusive_scan(tw::device.nosync(), first, first + n, on_the_host.begin()); },
                        "the output");
        expect_rejected([&] { tw::exclusive_scan(tw::device.nosync(), first, first + n, on_the_host.data(), 0); },
                        "host memory");
    }
    EXPECT_EQ(on_the_host, std::vector<int>(3000, 1));
    EXPECT_EQ(device_copy.values(3000), on_the_host);
}

DEVICE_TEST(scan_errors, for_bad_ranges_are_sentences)
{
    device_array<int> const device_copy(std::vector<int>(3));
    int const *const null = nullptr, *const end = reinterpret_cast<int const*>(12);
    expect_rejected([&] { tw::inclusive_scan(tw::device, null, end, device_copy.data()); }, "null");
    expect_rejected([&] { tw::inclusive_scan(tw::device, device_copy.end(), device_copy.begin(), device_copy.data()); },
                    "scan");
    expect_rejected(
        [&] { tw::inclusive_scan(tw::device, device_copy.begin(), device_copy.end(), static_cast<int*>(nullptr)); },
        "null");
}

DEVICE_TEST(scan_errors, are_none_for_empty_ranges)
{
    device_array<int> const device_copy(std::vector<int>{5});
    int* const p = device_copy.data();
    EXPECT_EQ(tw::inclusive_scan(tw::device, p, p, p), p);
    EXPECT_EQ(tw::exclusive_scan(tw::device, p, p, p, 7), p);
    EXPECT_EQ(tw::exclusive_scan(tw::device.nosync(), p, p, static_cast<int*>(nullptr), 7), nullptr);
    EXPECT_EQ(device_copy.value(), 5);
}

#ifndef __CUDACC__

DEVICE_TEST_WITH_STREAMS(scan_errors, of_every_call_of_the_runtime_are_cuda_errors)
{
    work_after_an_error const work;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = decltype(tuning);
        stream const where;
        work.expect_right<tuning_type>(where); // caches know the kernels, and have memory
        auto const before = simt::runtime::live();
        auto const expect_right = [&] { work.expect_right<tuning_type>(where); };
        auto const fail_each = [&](auto const& call) {
            return on_device::fail_one_after_the_other<tw::cuda_error>("*", cudaErrorUnknown, call, expect_right);
        };
        EXPECT_GE(fail_each([&] { work.start<tuning_type>(tw::device.on(where)); }), 4);
        auto const ignored = [](tw::launch_record const&) {};
        auto const timed = tw::device.on(where).trace(ignored, tw::trace_mode::timed);
        EXPECT_GE(fail_each([&] { work.start<tuning_type>(timed); }), 6);
        EXPECT_EQ(simt::runtime::live(), before);
    });
}

/// Also of those that a call makes whose stream has no memory yet.
DEVICE_TEST_WITH_STREAMS(scan_errors, of_every_call_for_a_new_stream_are_errors)
{
    work_after_an_error const work;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = decltype(tuning);
        work.expect_right<tuning_type>(); // caches know the kernels
        for (int skipped = 0, failed = 1; failed != 0; ++skipped) {
            stream const fresh;
            simt::runtime::fail("*", skipped, cudaErrorUnknown);
            failed = 0;
            try {
                work.start<tuning_type>(tw::device.on(fresh));
            } catch (tw::cuda_error const&) {
                failed = 1;
            }
            simt::runtime::forget_failures();
            work.expect_right<tuning_type>(fresh);
        }
        EXPECT_GE(simt::runtime::count("cudaMallocAsync"), 1);
    });
}

DEVICE_TEST_WITH_STREAMS(scan_errors, of_every_allocation_are_bad_alloc)
{
    work_after_an_error const work;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = decltype(tuning);
        work.expect_right<tuning_type>();
        stream const fresh;
        auto const before = simt::runtime::live();
        simt::runtime::fail("allocation", 0, cudaErrorMemoryAllocation);
        simt::runtime::fail("allocation", 0, cudaErrorMemoryAllocation); // again, with empty caches
        EXPECT_THROW(work.start<tuning_type>(tw::device.on(fresh)), std::bad_alloc);
        EXPECT_LE(simt::runtime::live().device_blocks, before.device_blocks);
        simt::runtime::forget_failures();
        work.expect_right<tuning_type>(fresh);
    });
}

template <class Call>
std::vector<std::string> kernels_of(Call call)
{
    std::vector<std::string> names;
    auto const sink = [&](tw::launch_record const& record) { names.emplace_back(record.kernel); };
    call(tw::device.trace(sink));
    return names;
}

/// The first use of a kernel loads its code, for which memory may be lacking. Another kernel scans until there is room.
DEVICE_TEST_WITH_STREAMS(scan_errors, of_a_query_are_not_remembered)
{
    using T = std::uint32_t;
    using names = std::vector<std::string>;
    on_device::expect_success(cudaDeviceReset()); // the context that follows knows no kernel
    auto const check = [](auto tuning, std::size_t tiles, char const* query, char const* kernel) {
        std::size_t const count = tiles * tw::order<T, steep_geometry>::tile;
        auto const x = shape::some_values<T>(count);
        device_array<T> const device_copy(x), out(count);
        auto const run = [&](auto const& policy) {
            scan<steep_geometry, decltype(tuning), inclusive, T>(policy, device_copy.data(), count, out.data(), {7},
                                                                 std::plus<>());
        };
        scanned<T> const expected{steep_geometry(), x, 7U, std::plus<>()};

        simt::runtime::fail(query, 0, cudaErrorMemoryAllocation);
        EXPECT_NE(kernels_of(run), names{kernel});
        EXPECT_FALSE(simt::runtime::failure_is_due());
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        expect_same(out.values(count), expected.with_init, "the scan without memory for the kernel");
        EXPECT_EQ(kernels_of(run), names{kernel});
        expect_same(out.values(count), expected.with_init, "the next scan");
    };
    check(in_cluster<steep_geometry>(), 4, "cudaOccupancyMaxActiveClusters", "scan_in_cluster");
    check(in_one_pass<steep_geometry>(), 9, "cudaFuncSetAttribute", "scan_in_one_pass");
}

DEVICE_TEST_WITH_STREAMS(scan_errors, are_none_on_gpus_before_sm_90)
{
    work_after_an_error const work;
    simt::runtime::set_devices({{}, {.major = 8}});
    on_device::expect_success(cudaSetDevice(1));
    {
        work_after_an_error const device_copy;
        device_copy.expect_right<in_cluster<steep_geometry>>();
        device_copy.expect_right<in_one_pass<steep_geometry>>();
    }
    on_device::expect_success(cudaSetDevice(0));
}

#endif

} // namespace
