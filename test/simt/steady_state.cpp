// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What a call asks of the CUDA runtime once its kind of call has been made before: to launch, and to wait once.
#include "device/same_bits.hpp"

#include <simt/runtime.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace {

using on_device::device_array;
using on_device::stream;
using values::matrix;

/// An input for every kernel.
class steady_state {
public:
    static constexpr std::size_t most = 17 * 2048 + 5;

    /// Calls `call(count)` once, then again with an eye on what it does.
    template <class Call>
    void expect(int waits, Call call) const
    {
        for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{5000}, most}) {
            call(count);
            for (int repeat = 0; repeat < 2; ++repeat) {
                simt::runtime::forget_calls();
                call(count);
                int waited = 0, launches = 0;
                for (auto const& made : simt::runtime::calls()) {
                    EXPECT_EQ(made.result, cudaSuccess) << made.name;
                    EXPECT_THAT(made.name, testing::Not(testing::AnyOf(
                                               testing::StartsWith("cudaMalloc"), testing::StartsWith("cudaFree"),
                                               testing::StartsWith("cudaHostAlloc"), testing::StartsWith("cudaMemcpy"),
                                               testing::StartsWith("cudaMemset"), testing::StartsWith("cudaFunc"),
                                               testing::StartsWith("cudaOccupancy"), "cudaDeviceSynchronize")))
                        << "n = " << count;
                    waited += made.name == "cudaStreamSynchronize" ? 1 : 0;
                    launches += made.name == "cudaLaunchKernelEx" ? 1 : 0;
                }
                bool const returns_at_once = waits > 0 && count == 0 && launches == 0;
                EXPECT_EQ(waited, returns_at_once ? 0 : waits) << "n = " << count;
                EXPECT_EQ(launches, returns_at_once ? 0 : 1) << "n = " << count;
            }
        }
    }
    matrix const* begin() const { return device_copy_.begin(); }
    matrix const* end(std::size_t count) const { return begin() + count; }

private:
    device_array<matrix> device_copy_{on_device::some_elements<matrix>(most)};
};

constexpr matrix init{1, 2, 3, 5};

DEVICE_TEST_WITH_STREAMS(steady_state, of_returned_values)
{
    steady_state const state;
    stream const where;
    for (auto const& policy : {tw::device, tw::device.on(where)})
        state.expect(1, [&](std::size_t count) {
            static_cast<void>(tw::reduce(policy, state.begin(), state.end(count), init, std::multiplies<>{}));
        });
}

DEVICE_TEST_WITH_STREAMS(steady_state, of_calls_that_do_not_wait)
{
    steady_state const state;
    stream const where;
    device_array<matrix> const result(1), pinned(1, 0, device_array<matrix>::kind::pinned);
    for (auto const& policy : {tw::device.nosync(), tw::device.on(where).nosync()})
        for (matrix* const out : {result.data(), pinned.data()}) {
            state.expect(0, [&](std::size_t count) {
                tw::reduce_into(policy, state.begin(), state.end(count), out, init, std::multiplies<>{});
            });
            on_device::expect_success(cudaDeviceSynchronize()); // the next stream has the same result
        }
}

DEVICE_TEST(steady_state, of_results_on_the_host)
{
    steady_state const state;
    matrix result{};
    state.expect(1, [&](std::size_t count) {
        tw::reduce_into(tw::device, state.begin(), state.end(count), &result, init, std::multiplies<>{});
    });
}

} // namespace
