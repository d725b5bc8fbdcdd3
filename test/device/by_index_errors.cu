// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce_by_index on the device: what goes wrong, and that nothing is left of it.

#include "by_index_kernels.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using namespace by_index;
using on_device::stream;

/// Elements, and what their cells have to be. The axis has a table, too.
template <class T>
class work_after_an_error {
public:
    static constexpr std::size_t count = 700;
    static constexpr int cells = 9;

    work_after_an_error()
    {
        std::vector<std::int64_t> cell_of;
        for (int const key : keys_)
            cell_of.push_back(axis_.index(key));
        std::uint32_t some = 1;
        for (T& value : values_)
            value = static_cast<T>((some = some * 1664525u + 1013904223u) >> 8) / static_cast<T>(8);
        expected_ = specified<steep_geometry>(cell_of, values_, cells, T(7), std::plus<>());
        device_values_.assign(values_);
    }
    template <class Policy>
    void start(Policy const& policy) const
    {
        run<steep_geometry, small_steps>(policy, device_keys_.data(), count, device_values_.data(),
                                         tw::axis_view(axis_), out_.data(), T(7), std::plus<>());
    }
    /// A call right after an error works, and CUDA remembers nothing.
    void expect_right(cudaStream_t where = nullptr) const
    {
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        on_device::expect_success(cudaStreamSynchronize(where)); // a call that failed may have started kernels
        out_.assign(std::vector<T>(std::size_t{cells}));
        start(tw::device.on(where));
        expect_same(out_.values(cells), expected_, "the call after an error");
    }

private:
    tw::variable_axis<double> axis_{{-0.5, 0.5, 1.5, 2, 3.5, 4.5, 6, 6.5, 7.5, 8.5}};
    std::vector<int> keys_ = keys_of<int>(count, cells, spread::anyhow);
    std::vector<T> values_ = std::vector<T>(count), expected_;
    device_array<int> device_keys_{keys_};
    device_array<T> device_values_{count}, out_{std::size_t{cells}};
};

template <class Check>
void with_both_engines(Check check)
{
    check(work_after_an_error<float>());
    check(work_after_an_error<int>());
}

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

DEVICE_TEST_WITH_STREAMS(by_index_errors, of_a_trace_are_passed_on)
{
    with_both_engines([](auto const& work) {
        stream const where;
        work.expect_right(where);
        auto const throws = [](tw::launch_record const&) { throw std::runtime_error("no more of this"); };
        EXPECT_THROW(work.start(tw::device.on(where).trace(throws)), std::runtime_error);
        work.expect_right(where);
    });
}

DEVICE_TEST(by_index_errors, for_host_memory_that_nobody_waits_for_are_sentences)
{
    std::vector<int> on_the_host(100, 1);
    std::vector<float> floats_on_the_host(100, 1);
    device_array<int> const device_copy(on_the_host);
    device_array<float> const floats(floats_on_the_host);
    int* const first = device_copy.data();
    auto const policy = tw::device.nosync();
    expect_rejected(
        [&] { tw::reduce_by_index(policy, on_the_host.data(), on_the_host.data() + 100, first, 5, first, 0); },
        "elements");
    expect_rejected(
        [&] { tw::reduce_by_index(policy, first, first + 100, floats_on_the_host.data(), 5, floats.data(), 0.f); },
        "elements");
    expect_rejected(
        [&] { tw::reduce_by_index(policy, first, first + 100, floats.data(), 5, floats_on_the_host.data(), 0.f); },
        "the output");
    expect_rejected([&] { tw::reduce_by_index(policy, first, first + 100, first, 5, on_the_host.data()); },
                    "reduce_by_index");
    EXPECT_EQ(on_the_host, std::vector<int>(100, 1));
    EXPECT_EQ(device_copy.values(100), on_the_host);
}

DEVICE_TEST(by_index_errors, for_bad_sizes_are_sentences)
{
    device_array<int> const device_copy(std::vector<int>(3));
    int* const first = device_copy.data();
    expect_rejected([&] { tw::reduce_by_index(tw::device, first, first + 3, first, -1, first); }, "size");
    expect_rejected([&] { tw::reduce_by_index(tw::device, first, first + 3, first, 1LL << 31, first); }, "size");
    expect_rejected([&] { tw::reduce_by_index(tw::device, first + 3, first, first, 3, first); }, "reduce_by_index");
}

#ifndef __CUDACC__

DEVICE_TEST_WITH_STREAMS(by_index_errors, of_every_call_of_the_runtime_are_cuda_errors)
{
    with_both_engines([](auto const& work) {
        stream const where;
        work.expect_right(where); // caches have memory
        auto const before = simt::runtime::live();
        int skipped = 0;
        for (;; ++skipped) {
            simt::runtime::forget_calls();
            simt::runtime::fail("*", skipped, cudaErrorUnknown);
            try {
                work.start(tw::device.on(where));
            } catch (tw::cuda_error const&) {
                EXPECT_FALSE(simt::runtime::failure_is_due());
                work.expect_right(where);
                continue;
            }
            if (simt::runtime::failure_is_due())
                break;
            for (auto const& made : simt::runtime::calls()) // only what gives a mode back may fail unseen
                if (made.result == cudaErrorUnknown) {
                    EXPECT_EQ(made.name, "cudaThreadExchangeStreamCaptureMode");
                }
            static_cast<void>(cudaGetLastError());
            work.expect_right(where);
        }
        simt::runtime::forget_failures();
        EXPECT_GE(skipped, 8);
        EXPECT_EQ(simt::runtime::live(), before);
    });
}

/// Also of those that a call makes whose stream has no memory yet.
DEVICE_TEST_WITH_STREAMS(by_index_errors, of_every_call_for_a_new_stream_are_errors)
{
    with_both_engines([](auto const& work) {
        work.expect_right();
        for (int skipped = 0, failed = 1; failed != 0; ++skipped) {
            tw::release_cached_memory(); // a full cache frees memory, and a call of cudaFreeAsync that fails frees none
            stream const fresh;
            simt::runtime::fail("*", skipped, cudaErrorUnknown);
            failed = 0;
            try {
                work.start(tw::device.on(fresh));
            } catch (tw::cuda_error const&) {
                failed = 1;
            }
            simt::runtime::forget_failures();
            work.expect_right(fresh);
        }
    });
}

DEVICE_TEST_WITH_STREAMS(by_index_errors, of_every_allocation_are_bad_alloc)
{
    with_both_engines([](auto const& work) {
        work.expect_right();
        for (int skipped = 0; skipped < 2; ++skipped) { // that for the elements, and that for the axis' tables
            stream const fresh;
            simt::runtime::fail("allocation", skipped, cudaErrorMemoryAllocation);
            simt::runtime::fail("allocation", skipped, cudaErrorMemoryAllocation); // again, with empty caches
            EXPECT_THROW(work.start(tw::device.on(fresh)), std::bad_alloc);
            simt::runtime::forget_failures();
            work.expect_right(fresh);
        }
    });
}

#endif

} // namespace
