// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What a call holds goes back when the GPU can no longer touch it, whatever ends the call: an exception, an error of
/// CUDA, the end of a context.
#include "nothing_is_lost.hpp"
#include "workloads.hpp"

#include <tilewise/cached_memory.hpp>
#include <tilewise/minmax.hpp>

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <numeric>

namespace tw = tilewise;

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::nothing_is_lost;
using on_device::stream;
using namespace workloads;

// ---- exceptions

/// Calls `call(sink)` with sinks that throw at the first launch, the second, ..., until none does.
template <class Call>
int throw_at_every_launch(Call call)
{
    for (int skipped = 0;; ++skipped) {
        int launches = 0;
        auto sink = [&](tw::launch_record const&) {
            if (launches++ == skipped)
                throw thrown();
        };
        try {
            call(sink);
        } catch (thrown const&) {
            continue;
        }
        return skipped;
    }
}

DEVICE_TEST_WITH_STREAMS(exceptions, of_a_sink_leave_nothing_to_the_next_call)
{
    workload const work;
    device_workload const device_copy(work);
    bystander const other;
    other.expect_right();
    stream const where;
    int thrown_in_all = 0;
    thrown_in_all += throw_at_every_launch([&](auto& sink) {
        delay const delayed(where);
        try {
            EXPECT_EQ(tw::reduce(tw::device.on(where).trace(sink), device_copy.x.data(),
                                 device_copy.x.data() + work.count, 1.0),
                      expected(0, work)[0]);
        } catch (thrown const&) {
            other.expect_right();
            throw;
        }
    });
    thrown_in_all += throw_at_every_launch([&](auto& sink) { // its reach is a line, too
        std::vector<double> out(work.segments);
        delay const delayed(where);
        try {
            run(2, tw::device.on(where).trace(sink), work, out.data());
        } catch (thrown const&) {
            other.expect_right();
            throw;
        }
    });
    EXPECT_GE(thrown_in_all, 2);
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
        auto const right = expected(algorithm, work);
        thrown_in_all = throw_at_every_launch([&](auto& sink) {
            auto const out = std::make_unique<device_array<double>>(right);
            try {
                run(algorithm, tw::device.on(where).trace(sink), device_copy, out->data());
            } catch (thrown const&) {
                expect_success(cudaStreamQuery(where)); // a call that waits is over, so that its output may go
                throw;
            }
            EXPECT_EQ(out->values(most_results), right) << algorithm;
        });
        EXPECT_GE(thrown_in_all, 1) << algorithm;
    }
    where.wait();
    other.expect_right();
}

/// Elements and results are in host memory. With the small budget segments are staged one at a time.
DEVICE_TEST_WITH_STREAMS(exceptions, of_a_sink_return_what_is_staged)
{
    workload const work;
    bystander const other;
    stream const where;
    for (std::size_t const budget : {std::size_t{0}, std::size_t{1}})
        for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
            if (budget != 0 && algorithm != 2 && algorithm != 3)
                continue;
            auto const right = expected(algorithm, work);
            int const thrown_in_all = throw_at_every_launch([&](auto& sink) {
                nothing_is_lost const checked;
                std::vector<double> out(most_results, 0);
                {
                    delay const delayed(where);
                    try {
                        run(algorithm, tw::device.on(where).budget(budget).trace(sink), work, out.data());
                    } catch (thrown const&) {
                        expect_success(cudaStreamQuery(where));
                        other.expect_right();
                        throw;
                    }
                }
                EXPECT_EQ(out, right) << algorithm;
            });
            EXPECT_GE(thrown_in_all, budget == 0 ? 1 : 10) << algorithm;
        }
    int const thrown_in_all = throw_at_every_launch([&](auto& sink) { // a reduction within another call's staging
        nothing_is_lost const checked;
        auto const found = tw::max_element(tw::device.on(where).trace(sink), work.x.begin(), work.x.end());
        EXPECT_EQ(found - work.x.begin(), 3); // 21 % 11
    });
    EXPECT_GE(thrown_in_all, 1);
}

DEVICE_TEST_WITH_STREAMS(exceptions, of_a_resource_return_what_it_gave)
{
    workload const work;
    device_workload const device_copy(work);
    bystander const other;
    stream const where;
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
        auto const right = expected(algorithm, work);
        for (int skipped = 0;; ++skipped) {
            std::vector<double> out(most_results, 0); // takes scratch for copies, too
            failing_resource memory{skipped};
            bool threw = false;
            try {
                run(algorithm, tw::device.on(where).with(memory), device_copy, out.data());
            } catch (thrown const&) {
                threw = true;
            }
            EXPECT_EQ(memory.live, 0) << algorithm;
            other.expect_right();
            if (threw)
                continue;
            EXPECT_EQ(out, right) << algorithm;
            break;
        }
    }
}

struct resource_that_throws_at_the_end : failing_resource {
    void deallocate(void* memory, std::size_t bytes, cudaStream_t where)
    {
        failing_resource::deallocate(memory, bytes, where);
        throw thrown();
    }
};

DEVICE_TEST_WITH_STREAMS(exceptions, of_a_resource_that_takes_memory_back_end_nothing)
{
    workload const work;
    device_workload const device_copy(work);
    stream const where;
    device_array<double> const out(1);
    resource_that_throws_at_the_end memory{{-1}};
    run(2, tw::device.on(where).with(memory), device_copy, device_array<double>(work.segments).data());
    EXPECT_EQ(memory.live, 0);
}

#ifndef __CUDACC__

// ---- errors of CUDA

/// Lets each call of the runtime that `call` makes fail in its turn, with nothing kept before it. Nothing may be lost.
template <class Call>
int fail_every_call_of_the_runtime(bystander const& other, Call call)
{
    for (int skipped = 0;; ++skipped) {
        tw::release_cached_memory();
        auto const before = simt::runtime::live();
        simt::runtime::fail("*", skipped, cudaErrorUnknown);
        bool threw = false;
        try {
            call();
        } catch (tw::cuda_error const&) {
            threw = true;
        }
        bool const over = simt::runtime::failure_is_due();
        simt::runtime::forget_failures();
        other.expect_right();
        expect_success(cudaDeviceSynchronize());
        tw::release_cached_memory();
        EXPECT_EQ(simt::runtime::live(), before) << "call " << skipped;
        if (over || testing::Test::HasFailure()) {
            EXPECT_FALSE(threw);
            return skipped;
        }
    }
}

/// An old GPU is the current device, on which two passes begin at one tile.
class old_gpu {
public:
    old_gpu()
    {
        simt::runtime::set_devices({{}, {.major = 8}});
        expect_success(cudaSetDevice(1));
    }
    old_gpu(old_gpu const&) = delete;
    old_gpu& operator=(old_gpu const&) = delete;
    ~old_gpu() { static_cast<void>(cudaSetDevice(0)); }
};

DEVICE_TEST_WITH_STREAMS(errors_of_cuda, lose_nothing)
{
    old_gpu const current;
    workload const work;
    device_workload const device_copy(work);
    bystander const other;
    stream const where;
    for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
        SCOPED_TRACE(algorithm);
        if (on_device::leaves_to_other_schedule(static_cast<std::size_t>(algorithm)))
            continue;
        auto const right = expected(algorithm, work);
        EXPECT_GE(fail_every_call_of_the_runtime(other,
                                                 [&] { // with copies of host memory
                                                     std::vector<double> out(most_results, 0);
                                                     delay const delayed(where);
                                                     run(algorithm, tw::device.on(where), work, out.data());
                                                     EXPECT_EQ(out, right);
                                                 }),
                  15);
        device_array<double> const out(right);
        EXPECT_GE(fail_every_call_of_the_runtime(other,
                                                 [&] {
                                                     delay const delayed(where);
                                                     run(algorithm, tw::device.on(where).nosync(), device_copy,
                                                         out.data());
                                                 }),
                  5);
        where.wait();
        EXPECT_EQ(out.values(most_results), right);
    }
    for (int const algorithm : {2, 3}) { // segments are staged one at a time
        auto const right = expected(algorithm, work);
        EXPECT_GE(fail_every_call_of_the_runtime(other,
                                                 [&] {
                                                     std::vector<double> out(most_results, 0);
                                                     delay const delayed(where);
                                                     run(algorithm, tw::device.on(where).budget(1), work, out.data());
                                                     EXPECT_EQ(out, right);
                                                 }),
                  40);
    }
    EXPECT_GE(fail_every_call_of_the_runtime(other,
                                             [&] {
                                                 delay const delayed(where);
                                                 EXPECT_EQ(tw::reduce(tw::device.on(where), device_copy.x.begin(),
                                                                      device_copy.x.begin() + 1000),
                                                           tw::reduce(tw::seq, work.x.data(), work.x.data() + 1000));
                                             }),
              7);
}

DEVICE_TEST_WITH_STREAMS(errors_of_cuda, lose_no_tables)
{
    counted_samples const work(many_bins);
    device_array<float> const device_copy(work.samples);
    device_array<unsigned> const counts(many_bins);
    bystander const other;
    stream const where;
    EXPECT_GE(fail_every_call_of_the_runtime(other,
                                             [&] {
                                                 tw::histogram(tw::device.on(where).nosync(), device_copy,
                                                               edges_of(many_bins), counts.data());
                                             }),
              8);
    for (int skipped = 0;; ++skipped) { // in a capture, which some errors end
        tw::release_cached_memory();
        auto const before = simt::runtime::live();
        expect_success(cudaStreamBeginCapture(where, cudaStreamCaptureModeThreadLocal));
        simt::runtime::fail("*", skipped, cudaErrorUnknown);
        try {
            tw::histogram(tw::device.on(where).nosync(), device_copy, edges_of(50), counts.data());
        } catch (tw::cuda_error const&) {
        }
        bool const over = simt::runtime::failure_is_due();
        simt::runtime::forget_failures();
        cudaGraph_t made = nullptr;
        static_cast<void>(cudaStreamEndCapture(where, &made));
        if (made != nullptr)
            expect_success(cudaGraphDestroy(made));
        static_cast<void>(cudaGetLastError());
        other.expect_right();
        tw::release_cached_memory();
        EXPECT_EQ(simt::runtime::live(), before) << "call " << skipped;
        if (over || testing::Test::HasFailure()) {
            EXPECT_GE(skipped, 8);
            break;
        }
    }
}

/// A call fails after some of its kernels were launched. The memory that is kept for the stream serves the next calls.
DEVICE_TEST_WITH_STREAMS(errors_of_cuda, leave_no_counts)
{
    workload const work;
    device_workload const device_copy(work);
    stream const where;
    auto const policy = tw::device.on(where);
    auto const check = [&](auto const& call, std::vector<double> const& right, int launches) {
        for (int skipped = 0;; ++skipped) {
            device_array<double> const out(std::vector<double>(most_results, 0)),
                again(std::vector<double>(most_results, 0));
            call(out.data());
            simt::runtime::fail("cudaLaunchKernelEx", skipped, cudaErrorUnknown);
            try {
                call(out.data());
            } catch (tw::cuda_error const&) {
            }
            bool const over = simt::runtime::failure_is_due();
            simt::runtime::forget_failures();
            call(again.data());
            EXPECT_EQ(again.values(most_results), right) << "after " << skipped;
            if (over) {
                EXPECT_GE(skipped, launches) << "launches that failed";
                break;
            }
        }
    };
    for (int const algorithm : {2, 3}) // of few segments, which are reduced in one launch
        check([&](double* out) { run(algorithm, policy, device_copy, out); }, expected(algorithm, work),
              algorithm == 2 ? 1 : 3);
    std::vector<int> many(40); // segments of an element, and a long one
    std::iota(many.begin(), many.end(), 0);
    many.push_back(static_cast<int>(work.x.size()));
    int const segments = static_cast<int>(many.size()) - 1;
    device_array<int> const bounds(many);
    std::vector<double> sums(most_results, 0);
    tw::segmented_reduce(tw::seq, work.x.begin(), many.begin(), many.end() - 1, many.begin() + 1, sums.begin());
    check(
        [&](double* out) {
            tw::segmented_reduce(policy, device_copy.x.begin(), bounds.begin(), bounds.begin() + segments,
                                 bounds.begin() + 1, out);
        },
        sums, 2);
}

/// Another thread begins a capture of the stream while the call waits: the wait fails, and the kernel runs later.
DEVICE_TEST_WITH_STREAMS(errors_of_cuda, in_a_wait_that_cannot_be_had_lose_the_line)
{
    bystander const other;
    other.expect_right();
    stream const where;
    device_array<int> const ones(std::vector<int>(1000, 1));
    delay const delayed(where);
    simt::runtime::fail("cudaStreamSynchronize", 0, cudaErrorStreamCaptureUnsupported);
    simt::runtime::fail("cudaStreamSynchronize", 0, cudaErrorStreamCaptureUnsupported);
    EXPECT_THROW(tw::reduce(tw::device.on(where), ones.begin(), ones.end()), tw::cuda_error);
    EXPECT_FALSE(simt::runtime::failure_is_due());
    for (int i = 0; i < 3; ++i)
        other.expect_right();
}

#endif

// ---- the end of a context; the last test, since nothing made before it is there afterwards

DEVICE_TEST_WITH_STREAMS(a_reset, is_survived_by_every_algorithm)
{
    workload const work;
    for (int i = 0; i < amount(3, 3, 2); ++i) {
        {
            device_workload const device_copy(work);
            stream const where;
            for (cudaStream_t const in : {where.get(), cudaStream_t{}}) {
                for (int algorithm = 0; algorithm < algorithms; ++algorithm) {
                    auto const right = expected(algorithm, work);
                    std::vector<double> out(most_results, 0);
                    run(algorithm, tw::device.on(in), device_copy, out.data());
                    EXPECT_EQ(out, right) << algorithm;
                    out.assign(most_results, 0);
                    run(algorithm, tw::device.on(in), work, out.data());
                    EXPECT_EQ(out, right) << algorithm;
                }
                for (std::size_t const count : {std::size_t{1000}, amount<std::size_t>(1 << 17, 1 << 17, 70'000),
                                                amount<std::size_t>(1 << 22, 1 << 18, 100)}) { // every kernel
                    device_array<unsigned char> const ones(std::vector<unsigned char>(count, 1));
                    device_array<int> const sums(count);
                    EXPECT_EQ(tw::reduce(tw::device.on(in), ones.begin(), ones.end(), 0), static_cast<int>(count));
                    tw::inclusive_scan(tw::device.on(in), ones.begin(), ones.end(), sums.begin(), std::plus<>{}, 0);
                    EXPECT_EQ(sums.value(count - 1), static_cast<int>(count));
                }
                for (std::size_t const bins : {many_bins, amount<std::size_t>(300'000, 300'000, 100)}) {
                    counted_samples const counted(bins);
                    device_array<float> const samples(counted.samples);
                    device_array<unsigned> const counts(bins);
                    tw::histogram(tw::device.on(in), samples, edges_of(bins), counts.data());
                    EXPECT_EQ(counts.values(bins), counted.expected);
                }
            }
            if (i == 1)
                tw::release_cached_memory(); // of a device that was reset
        }
        expect_success(cudaDeviceReset());
    }
}

} // namespace
