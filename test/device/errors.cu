// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using on_device::device_array;
using on_device::expect_success;
using on_device::stream;
using matrix = values::matrix;

/// Takes one block, and many that pass results on; with memory of one's own, two passes.
constexpr std::size_t counts[] = {5, 17 * 2048 + 5};

class work_after_an_error {
public:
    /// A call right after an error works, and CUDA remembers nothing.
    void expect_right() const
    {
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        for (std::size_t const count : counts)
            EXPECT_EQ(
                tw::reduce(tw::device, device_copy_.begin(), device_copy_.begin() + count, init, std::multiplies<>{}),
                tw::reduce(tw::seq, elements_.data(), elements_.data() + count, init, std::multiplies<>{}));
    }
    matrix reduce(std::size_t count) const
    {
        return tw::reduce(tw::device, device_copy_.begin(), device_copy_.begin() + count, init, std::multiplies<>{});
    }
    void reduce_into(std::size_t count, stream const& where, matrix* out) const
    {
        tw::reduce_into(tw::device.on(where).nosync(), device_copy_.begin(), device_copy_.begin() + count, out, init,
                        std::multiplies<>{});
    }

#ifndef __CUDACC__
    matrix reduce_in_two_passes() const
    {
        struct {
            void* allocate(std::size_t bytes, cudaStream_t where) const
            {
                void* memory = nullptr;
                if (cudaMallocAsync(&memory, bytes, where) != cudaSuccess)
                    throw std::bad_alloc();
                return memory;
            }
            void deallocate(void* memory, std::size_t, cudaStream_t where) const { cudaFreeAsync(memory, where); }
        } pool;
        return tw::reduce(tw::device.with(pool), device_copy_.begin(), device_copy_.begin() + counts[1], init,
                          std::multiplies<>{});
    }
#endif

private:
    static constexpr matrix init{1, 2, 3, 5};
    std::vector<matrix> elements_ = on_device::some_elements<matrix>(counts[1]);
    device_array<matrix> device_copy_{elements_};
};

/// Expects an exception of type Error whose text has all `parts`.
template <class Error, class Call>
void expect_error(Call call, std::vector<std::string> const& parts)
{
    try {
        call();
        ADD_FAILURE() << "nothing was thrown";
    } catch (Error const& error) {
        for (auto const& part : parts)
            EXPECT_THAT(error.what(), testing::HasSubstr(part));
    }
}

DEVICE_TEST_WITH_STREAMS(errors, for_host_memory_that_nobody_waits_for_are_sentences)
{
    work_after_an_error const work;
    std::vector<int> const vector(1000, 1);
    int const array[]{1, 2, 3};
    auto const heap = std::make_unique<int>(1);
    device_array<int> const device_copy(vector);
    stream const where;
    auto const policy = tw::device.on(where).nosync();
    auto const expect_rejected = [&](auto call) {
        expect_error<std::invalid_argument>(call, {"host memory", "cudaMallocHost"});
        work.expect_right();
    };
    expect_rejected([&] { tw::reduce_into(policy, vector, device_copy.data()); });
    expect_rejected([&] { tw::reduce_into(policy, vector.begin(), vector.end(), device_copy.data(), 5L); });
    expect_rejected([&] { tw::reduce_into(policy, array, device_copy.data()); });
    expect_rejected([&] { tw::reduce_into(policy, heap.get(), heap.get() + 1, device_copy.data()); });
    expect_rejected(
        [&] { tw::transform_reduce_into(policy, vector, device_copy.data(), 0, std::plus<>{}, std::identity{}); });
    expect_rejected([&] {
        tw::transform_reduce_into(policy, device_copy.begin(), device_copy.end(), vector.begin(), device_copy.data(),
                                  0);
    });
    expect_rejected([&] {
        tw::transform_reduce_into(policy, vector.begin(), vector.end(), device_copy.begin(), device_copy.data(), 0);
    });
    where.wait();
    EXPECT_EQ(device_copy.value(), 1);
}

DEVICE_TEST(errors, for_null_pointers_are_sentences)
{
    work_after_an_error const work;
    device_array<int> const device_copy(std::vector<int>(3));
    int const *const null = nullptr, *const end = reinterpret_cast<int const*>(12);
    expect_error<std::invalid_argument>([&] { tw::reduce(tw::device, null, end); }, {"null"});
    expect_error<std::invalid_argument>(
        [&] { tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), null, 0); }, {"null"});
    work.expect_right();
}

DEVICE_TEST(errors, for_ranges_that_end_before_they_begin_are_sentences)
{
    work_after_an_error const work;
    device_array<int> const device_copy(std::vector<int>(3));
    expect_error<std::invalid_argument>([&] { tw::reduce(tw::device, device_copy.end(), device_copy.begin()); },
                                        {"reduce"});
    work.expect_right();
}

#ifdef __CUDACC__

/// Takes all memory of the device but what is too small a piece.
class hoard {
public:
    hoard()
    {
        for (std::size_t piece = std::size_t{1} << 38; piece >= 4096; piece /= 2) {
            void* memory = nullptr;
            while (cudaMalloc(&memory, piece) == cudaSuccess)
                pieces_.push_back(memory);
            cudaGetLastError();
        }
    }
    hoard(hoard const&) = delete;
    hoard& operator=(hoard const&) = delete;
    ~hoard()
    {
        for (void* const memory : pieces_)
            static_cast<void>(cudaFree(memory));
    }

private:
    std::vector<void*> pieces_;
};

DEVICE_TEST_WITH_STREAMS(errors, leave_the_library_usable_where_there_is_no_memory)
{
    if (on_device::is_small())
        GTEST_SKIP() << "a tool needs memory of its own";
    work_after_an_error const work;
    work.expect_right(); // scratch for this stream is there from now on
    stream const fresh;
    device_array<matrix> const result(1);
    {
        hoard const everything;
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        // Scratch for a stream that had none; there may be some left in the pool.
        try {
            work.reduce_into(counts[1], fresh, result.data());
        } catch (std::bad_alloc const&) {
        }
        work.expect_right();
    }
    work.reduce_into(counts[1], fresh, result.data());
    fresh.wait();
    EXPECT_EQ(result.value(), work.reduce(counts[1]));
}

/// An operator that reads where there is nothing.
struct fault {
    TILEWISE_PORTABLE int operator()(int a, int b) const { return *reinterpret_cast<int volatile*>(8) + a + b; }
};

/// What a program does that a fault in a kernel ends: runs in a process of its own.
[[noreturn]] void meet_an_earlier_error()
{
    try {
        device_array<int> const device_copy(std::vector<int>{1, 2, 3});
        device_array<int> const result(1);
        tw::reduce_into(tw::device.nosync(), device_copy.begin(), device_copy.end(), result.data(), 0, fault{});
        static_cast<void>(cudaDeviceSynchronize());
        tw::reduce(tw::device, device_copy.begin(), device_copy.end());
        std::fputs("no error\n", stderr);
        std::_Exit(1);
    } catch (tw::cuda_error const& error) {
        std::fputs(error.what(), stderr);
        std::_Exit(error.code() == std::error_code(cudaErrorIllegalAddress, tw::cuda_category()) ? 0 : 2);
    } catch (std::exception const& error) {
        std::fputs(error.what(), stderr);
        std::_Exit(3);
    }
}

[[noreturn]] void fault_in_a_waiting_call()
{
    try {
        device_array<int> const device_copy(std::vector<int>{1, 2, 3});
        tw::reduce(tw::device, device_copy.begin(), device_copy.end(), 0, fault{});
        std::_Exit(1);
    } catch (tw::cuda_error const& error) {
        std::fputs(error.what(), stderr);
        std::_Exit(0);
    }
}

[[noreturn]] void run_without_a_device()
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    std::vector<int> const x{1, 2, 3};
    int result = 0;
    try {
        tw::reduce(tw::device, x.data(), x.data() + 3);
        std::_Exit(1);
    } catch (tw::no_device const&) {
    }
    try {
        tw::reduce_into(tw::device.nosync(), x.data(), x.data() + 3, &result);
        std::_Exit(2);
    } catch (tw::no_device const& error) {
        std::fputs(error.what(), stderr);
    }
    std::_Exit(tw::reduce(tw::par, x) == 6 ? 0 : 3);
}

/// Each in a fresh process, whose CUDA nobody has used.
class ErrorsInAProcessOfTheirOwn : public testing::Test {
protected:
    void SetUp() override
    {
        if (on_device::is_small())
            GTEST_SKIP() << "the faults are wanted";
        GTEST_FLAG_SET(death_test_style, "threadsafe");
    }
};

TEST_F(ErrorsInAProcessOfTheirOwn, NameAnEarlierKernelThatFailed)
{
    EXPECT_EXIT(meet_an_earlier_error(), testing::ExitedWithCode(0),
                "an earlier kernel failed.*cudaErrorIllegalAddress");
}

TEST_F(ErrorsInAProcessOfTheirOwn, NameTheKernelThatFailed)
{
    EXPECT_EXIT(fault_in_a_waiting_call(), testing::ExitedWithCode(0), "cudaErrorIllegalAddress");
}

TEST_F(ErrorsInAProcessOfTheirOwn, SayThatThereIsNoDevice)
{
    EXPECT_EXIT(run_without_a_device(), testing::ExitedWithCode(0), "needs an NVIDIA GPU");
}

#else

/// Makes each call of the runtime of a kind fail in its turn, until a call of the library makes none of them.
/// Nothing may be left allocated. \returns how many failed
template <class Error, class Call>
int fail_one_after_the_other(char const* kind, cudaError_t error, work_after_an_error const& work, Call call)
{
    for (int skipped = 0;; ++skipped) {
        auto const before = simt::runtime::live();
        simt::runtime::fail(kind, skipped, error);
        try {
            call();
        } catch (Error const&) {
            EXPECT_FALSE(simt::runtime::failure_is_due());
            EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
            EXPECT_EQ(simt::runtime::live(), before);
            work.expect_right();
            continue;
        }
        EXPECT_TRUE(simt::runtime::failure_is_due()) << "a failure was overlooked";
        simt::runtime::forget_failures();
        return skipped;
    }
}

/// Caches outlive schedules, so that only a new stream makes a call allocate.
DEVICE_TEST_WITH_STREAMS(errors, of_every_allocation_are_bad_alloc)
{
    work_after_an_error const work;
    work.expect_right();
    device_array<matrix> const result(1);
    int failed = 0;
    for (std::size_t const count : counts) {
        stream const fresh;
        failed += fail_one_after_the_other<std::bad_alloc>("allocation", cudaErrorMemoryAllocation, work, [&] {
            work.reduce_into(count, fresh, result.data());
            fresh.wait();
        });
    }
    EXPECT_GE(failed, 1);
}

DEVICE_TEST_WITH_STREAMS(errors, of_every_allocation_in_a_capture_are_bad_alloc)
{
    work_after_an_error const work;
    device_array<matrix> const result(1);
    stream const where;
    expect_success(cudaStreamBeginCapture(where, cudaStreamCaptureModeThreadLocal));
    simt::runtime::fail("allocation", 0, cudaErrorMemoryAllocation);
    EXPECT_THROW(work.reduce_into(counts[1], where, result.data()), std::bad_alloc);
    EXPECT_FALSE(simt::runtime::failure_is_due());
    cudaGraph_t graph = nullptr;
    static_cast<void>(cudaStreamEndCapture(where, &graph));
    if (graph != nullptr)
        expect_success(cudaGraphDestroy(graph));
    static_cast<void>(cudaGetLastError());
    work.expect_right();
}

DEVICE_TEST_WITH_STREAMS(errors, of_every_launch_are_cuda_errors)
{
    work_after_an_error const work;
    device_array<matrix> const result(1);
    stream const where;
    work.reduce(counts[1]); // scratch is there
    work.reduce_into(counts[1], where, result.data());
    where.wait();
    for (std::size_t const count : counts) {
        int const failed = fail_one_after_the_other<tw::cuda_error>("cudaLaunchKernelEx", cudaErrorLaunchOutOfResources,
                                                                    work, [&] { work.reduce(count); });
        EXPECT_EQ(failed, 1);
        EXPECT_EQ(fail_one_after_the_other<tw::cuda_error>("cudaLaunchKernelEx", cudaErrorLaunchOutOfResources, work,
                                                           [&] {
                                                               work.reduce_into(count, where, result.data());
                                                               where.wait();
                                                           }),
                  failed);
    }
    EXPECT_EQ(fail_one_after_the_other<tw::cuda_error>("cudaLaunchKernelEx", cudaErrorLaunchOutOfResources, work,
                                                       [&] { work.reduce_in_two_passes(); }),
              2);
}

/// Every call of the runtime that a call of the library makes.
DEVICE_TEST(errors, of_every_call_of_the_runtime_are_cuda_errors)
{
    work_after_an_error const work;
    for (std::size_t const count : counts) {
        work.reduce(count); // caches know the kernels
        EXPECT_GE(fail_one_after_the_other<tw::cuda_error>("*", cudaErrorUnknown, work, [&] { work.reduce(count); }),
                  4);
    }
}

DEVICE_TEST(errors, of_a_launch_name_the_kernel_and_the_error)
{
    work_after_an_error const work;
    simt::runtime::fail("cudaLaunchKernelEx", 1, cudaErrorLaunchOutOfResources);
    try {
        work.reduce_in_two_passes();
        ADD_FAILURE() << "nothing was thrown";
    } catch (tw::cuda_error const& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("fold_subtrees"));
        EXPECT_THAT(error.what(), testing::HasSubstr("cudaErrorLaunchOutOfResources"));
        EXPECT_EQ(error.code().value(), cudaErrorLaunchOutOfResources);
        EXPECT_EQ(error.code().category(), tw::cuda_category());
    }
    work.expect_right();
}

DEVICE_TEST_WITH_STREAMS(errors, name_an_earlier_kernel_that_failed)
{
    work_after_an_error const work;
    stream const where;
    device_array<matrix> const result(1);
    simt::runtime::fail("cudaDeviceSynchronize", 0, cudaErrorIllegalAddress, simt::runtime::failure::sticky);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    expect_error<tw::cuda_error>([&] { work.reduce(5); }, {"an earlier kernel failed", "cudaErrorIllegalAddress"});
    expect_error<tw::cuda_error>([&] { work.reduce_into(5, where, result.data()); },
                                 {"an earlier kernel failed", "cudaErrorIllegalAddress"});
    simt::runtime::forget_failures(); // which no real program can
    work.expect_right();
}

DEVICE_TEST(errors, say_that_there_is_no_device)
{
    std::vector<int> const x{1, 2, 3};
    int result = 0;
    simt::runtime::set_device_count(0);
    expect_error<tw::no_device>([&] { tw::reduce(tw::device, x.data(), x.data() + 3); }, {"needs an NVIDIA GPU"});
    expect_error<tw::no_device>([&] { tw::reduce_into(tw::device.nosync(), x.data(), x.data() + 3, &result); },
                                {"needs an NVIDIA GPU"});
    EXPECT_EQ(tw::reduce(tw::seq, x), 6);
    simt::runtime::set_device_count(1);
    static_cast<void>(cudaGetLastError());
    work_after_an_error().expect_right();
}

DEVICE_TEST_WITH_STREAMS(errors, of_a_full_device_are_bad_alloc)
{
    work_after_an_error const work;
    stream const fresh;
    device_array<matrix> const result(1);
    simt::runtime::set_devices({{.memory_bytes = simt::runtime::live().device_bytes}});
    EXPECT_THROW(work.reduce_into(counts[1], fresh, result.data()), std::bad_alloc);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    simt::runtime::set_devices({{}});
    work.reduce_into(counts[1], fresh, result.data());
    fresh.wait();
    EXPECT_EQ(result.value(), work.reduce(counts[1]));
}

#endif

} // namespace
