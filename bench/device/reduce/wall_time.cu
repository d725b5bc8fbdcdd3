// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// From call to value: what a program waits for the sum of n floats, with everything warm.

#include "baselines.cuh"
#include "parts.cuh"
#include "reference.cuh"

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

void bench::reductions::compare_wall_time(session& run)
{
    using sum = sum_of<float, float>;
    int const largest = 24;
    device_array<float> const elements(std::size_t{1} << largest);
    fill(elements.data(), elements.size(), run.queue);
    mapped_value<float> const mapped;
    announced const part("wall time");

    for (int const size : {4, 6, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, largest}) {
        auto const count = std::uint64_t{1} << size;
        float const *const first = elements.data(), *const last = first + count;
        float values[4] = {};
        auto const with_tilewise = [&] { values[0] = tilewise::reduce(tilewise::device, first, last, 0.0f); };
        auto const with_tilewise_on_stream = [&] {
            values[1] = tilewise::reduce(tilewise::device.on(run.queue), first, last, 0.0f);
        };
        auto const with_thrust = [&] {
            values[2] = thrust::reduce(thrust::cuda::par.on(run.queue), first, last, 0.0f);
        };
        auto const with_cub = [&] {
            cub_into<sum>(run.scratch, run.queue, first, count, mapped.on_device());
            run.queue.wait();
            values[3] = mapped.get();
        };

        run.time_on_host({"wall", "f32", {}, count, 0, false, count * sizeof(float), {}},
                         {{"tilewise", with_tilewise},
                          {"tilewise_on_stream", with_tilewise_on_stream},
                          {"cub", with_cub},
                          {"thrust", with_thrust}});

        double const expected = reference(first, count, sum::widen{}, sum::wide_op{}, 0.0, run.queue);
        for (float const value : values)
            expect("wall time", value, expected, count, 256);
    }
}
