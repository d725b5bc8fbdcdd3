// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram_kernels.hpp"

#include <gmock/gmock.h>

#include <new>
#include <stdexcept>
#include <vector>

#ifndef __CUDACC__
#include "every_failure.hpp"

#include <simt/runtime.hpp>
#endif

namespace {

using namespace histogram_kernels;
using on_device::stream;

/// Samples for an axis with tables, and what their histogram has to be.
class work_after_an_error {
public:
    template <class Tuning, class Policy>
    void start(Policy const& policy) const
    {
        count<Tuning>(policy, device_copy_.data(), samples_.size(), axis_, counts_.data());
    }
    /// A call right after an error works, and CUDA remembers nothing.
    template <class Tuning>
    void expect_right(cudaStream_t where = nullptr) const
    {
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        on_device::expect_success(cudaStreamSynchronize(where)); // kernels may have been started before the error
        counts_.reset();
        start<Tuning>(tw::device.on(where));
        counts_.expect(expected_);
    }

private:
    tw::variable_axis<float> axis_{0, 0.5f, 1, 3, 10};
    std::vector<float> samples_ = some_samples<float>(3000, 0, 10);
    device_array<float> device_copy_{samples_};
    std::vector<std::uint64_t> expected_ = counted(axis_, samples_);
    guarded<unsigned> counts_{expected_.size()};
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
DEVICE_TEST_WITH_STREAMS(histogram_errors, of_a_trace_are_passed_on)
{
    work_after_an_error const work;
    stream const where;
    by_every_kernel([&](auto tuning) {
        using tuning_type = decltype(tuning);
        work.expect_right<tuning_type>(where);
        auto const throws = [](tw::launch_record const&) { throw std::runtime_error("no more of this"); };
        EXPECT_THROW(work.start<tuning_type>(tw::device.on(where).trace(throws)), std::runtime_error);
        work.expect_right<tuning_type>(where);
    });
}

} // namespace

namespace of_users {

struct too_many_cells {
    tw::offset size() const { return extent(); }
    tw::offset extent() const { return tw::offset{1} << 31; }
    TILEWISE_PORTABLE int index(int) const { return 0; }
};

} // namespace of_users

namespace {

DEVICE_TEST(histogram_errors, for_host_memory_that_nobody_waits_for_are_sentences)
{
    std::vector<int> on_the_host(3000, 1);
    device_array<int> const device_copy(on_the_host);
    tw::integer_axis const axis(0, 10);
    for (std::size_t const size : {1, 3000}) {
        expect_rejected(
            [&] { count<in_small_table>(tw::device.nosync(), on_the_host.data(), size, axis, device_copy.data()); },
            "elements");
        expect_rejected(
            [&] { count<in_small_table>(tw::device.nosync(), device_copy.data(), size, axis, on_the_host.data()); },
            "the output");
        expect_rejected(
            [&] {
                count<in_small_table>(tw::device.nosync(), device_copy.data(), size, axis, on_the_host.data(), true);
            },
            "histogram_add");
    }
    expect_rejected(
        [&] { count<in_small_table>(tw::device.nosync(), device_copy.data(), 0, axis, on_the_host.data()); },
        "the output");
    expect_rejected(
        [&] {
            count<in_small_table>(tw::device, device_copy.data(), 9, of_users::too_many_cells(), device_copy.data());
        },
        "2147483648");
    EXPECT_EQ(device_copy.values(3000), on_the_host);
}

DEVICE_TEST(histogram_errors, are_none_for_empty_ranges)
{
    int const* const null = nullptr;
    tw::integer_axis const axis(0, 3);
    guarded<int> const counts(3);
    count<in_small_table>(tw::device, null, 0, axis, counts.data(), true);
    counts.expect({0, 0, 0}, counts.old);
    count<in_small_table>(tw::device, null, 0, axis, static_cast<int*>(nullptr), true);
    count<in_small_table>(tw::device, null, 0, axis, counts.data());
    counts.expect({0, 0, 0});
}

static_assert(tw::gpu::counts_in_memory<unsigned*> && tw::gpu::counts_in_memory<std::vector<long>::iterator>);
static_assert(!tw::gpu::counts_in_memory<short*> && !tw::gpu::counts_in_memory<double*> &&
              !tw::gpu::counts_in_memory<int const*> &&
              !tw::gpu::counts_in_memory<std::back_insert_iterator<std::vector<int>>>);

#ifndef __CUDACC__

DEVICE_TEST_WITH_STREAMS(histogram_errors, of_every_call_of_the_runtime_are_cuda_errors)
{
    work_after_an_error const work;
    by_every_kernel([&](auto tuning) {
        using tuning_type = decltype(tuning);
        stream const where;
        work.expect_right<tuning_type>(where); // caches know the kernels, and have memory
        auto const before = simt::runtime::live();
        auto const expect_right = [&] { work.expect_right<tuning_type>(where); };
        auto const fail_each = [&](auto const& call) {
            return on_device::fail_one_after_the_other<tw::cuda_error>("*", cudaErrorUnknown, call, expect_right);
        };
        EXPECT_GE(fail_each([&] { work.start<tuning_type>(tw::device.on(where)); }), 6);
        auto const ignored = [](tw::launch_record const&) {};
        auto const timed = tw::device.on(where).trace(ignored, tw::trace_mode::timed);
        EXPECT_GE(fail_each([&] { work.start<tuning_type>(timed); }), 8);
        EXPECT_EQ(simt::runtime::live(), before);
    });
}

/// Also of those that a call makes whose stream has no memory yet, and whose kernels nobody has used.
template <int>
struct never_used : in_small_table {
    struct small_table : in_small_table::small_table {};
};
DEVICE_TEST_WITH_STREAMS(histogram_errors, of_every_first_call_are_errors)
{
    work_after_an_error const work;
    int failures = 0;
    for (int skipped = 0, failed = 1; failed != 0; ++skipped) {
        stream const fresh;
        simt::runtime::fail("*", skipped, cudaErrorUnknown);
        failed = 0;
        try {
            work.start<never_used<0>>(tw::device.on(fresh));
        } catch (tw::cuda_error const&) {
            failed = 1;
            ++failures;
        }
        simt::runtime::forget_failures();
        work.expect_right<in_small_table>(fresh);
    }
    work.expect_right<never_used<0>>();
    EXPECT_GE(failures, 10);
}

DEVICE_TEST_WITH_STREAMS(histogram_errors, of_every_allocation_are_bad_alloc)
{
    work_after_an_error const work;
    by_every_kernel([&](auto tuning) {
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

#endif

} // namespace
