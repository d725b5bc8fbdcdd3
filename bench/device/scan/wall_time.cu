// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// From call to completion: what a program waits for the running sums of n floats, with everything warm.

#include "check.cuh"
#include "parts.cuh"
#include "scans.cuh"

#include <thrust/execution_policy.h>

void bench::scans::compare_wall_time(session& run)
{
    using sum = running_sum<float>;
    int const largest = 24;
    std::size_t const most = std::size_t{1} << largest;
    device_array<float> const elements(most), expected(most), outs(5 * most);
    fill(elements.data(), most, run.queue);
    seq_into<sum>(elements.data(), most, expected.data(), run.queue);
    announced const part("wall time");

    for (int const size : {4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, largest}) {
        auto const count = std::uint64_t{1} << size;
        float const *const first = elements.data(), *const last = first + count;
        auto const out = [&](int i) { return outs.data() + i * most; };
        check(cudaMemsetAsync(outs.data(), 0xff, outs.size() * sizeof(float), run.queue), "cudaMemsetAsync");
        auto const with_tilewise = [&] { sum::by_tilewise(tilewise::device, first, last, out(0)); };
        auto const with_tilewise_on_stream = [&] {
            sum::by_tilewise(tilewise::device.on(run.queue), first, last, out(1));
        };
        auto const with_cub = [&] {
            cub_into<sum>(run.scratch, run.queue, first, count, out(2));
            run.queue.wait();
        };
        auto const with_thrust = [&] { sum::by_thrust(thrust::cuda::par.on(run.queue), first, last, out(3)); };
        auto const with_thrust_and_a_wait = [&] {
            sum::by_thrust(thrust::cuda::par_nosync.on(run.queue), first, last, out(4));
            run.queue.wait();
        };

        run.time_on_host({"wall", "f32", {}, count, 0, false, 2 * count * sizeof(float), {}},
                         {{"tilewise", with_tilewise},
                          {"tilewise_on_stream", with_tilewise_on_stream},
                          {"cub", with_cub},
                          {"thrust", with_thrust},
                          {"thrust_nosync", with_thrust_and_a_wait}});

        for (int i = 0; i < 2; ++i)
            expect_bits("wall time, tilewise", out(i), expected.data(), count, run.queue);
        for (int i = 2; i < 5; ++i)
            expect_value("wall time, baselines", out(i), expected.data(), count, run.queue);
    }
}
