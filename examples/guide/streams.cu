// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"
#include "gpu.cuh"

#include <tilewise/reduce.hpp>

#include <thrust/device_vector.h>

#include <cstddef>
#include <thread>
#include <vector>

namespace tw = tilewise;

int main()
{
    leave_without_a_gpu();
    std::size_t const n = 3'000'000;
    std::vector<float> const x(n, 0.1F);
    std::vector<float> const y(n, 0.7F);
    thrust::device_vector<float> const device_x(x.begin(), x.end());
    thrust::device_vector<double> result(2);
    float const* const first = device_x.data().get();
    double* const results = result.data().get();
    double const sum = tw::reduce(tw::seq, x, 0.0);
    double const largest = tw::reduce(tw::seq, x, 0.0, tw::maximum<>{});

    {
        //! [on]
        stream const where;
        double const value = tw::reduce(tw::device.on(where.get()), first, first + n, 0.0); // waits for its stream
        //! [on]
        expect(value == sum);

        //! [nosync]
        auto const policy = tw::device.on(where.get()).nosync();
        double* out = tw::reduce_into(policy, first, first + n, results, 0.0); // returns at once
        tw::reduce_into(policy, first, first + n, out, 0.0, tw::maximum<>{});  // after the first, in the stream

        double both[2];
        check(cudaMemcpyAsync(both, results, sizeof both, cudaMemcpyDeviceToHost, where.get()));
        where.wait();
        expect(both[0] == sum && both[1] == largest);
        //! [nosync]
    }
    {
        stream const where;
        //! [capture]
        thrust::device_vector<float> input(x.begin(), x.end());
        float const* const begin = input.data().get();

        check(cudaStreamBeginCapture(where.get(), cudaStreamCaptureModeThreadLocal));
        tw::reduce_into(tw::device.on(where.get()).nosync(), begin, begin + n, results, 0.0);
        cudaGraph_t graph = nullptr;
        check(cudaStreamEndCapture(where.get(), &graph));
        cudaGraphExec_t program = nullptr;
        check(cudaGraphInstantiate(&program, graph, 0));

        check(cudaGraphLaunch(program, where.get())); // reduces what is in `input` now
        where.wait();
        expect(result[0] == tw::reduce(tw::seq, x, 0.0));

        input.assign(y.begin(), y.end());
        check(cudaDeviceSynchronize());
        check(cudaGraphLaunch(program, where.get())); // and what is in it now
        where.wait();
        expect(result[0] == tw::reduce(tw::seq, y, 0.0));
        //! [capture]
        check(cudaGraphExecDestroy(program));
        check(cudaGraphDestroy(graph));
    }
    {
        //! [threads]
        stream const shared;
        std::vector<double> sums(8);
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < sums.size(); ++i)
                threads.emplace_back([&, i] {
                    stream const own;
                    auto const policy = tw::device.on(i % 2 == 0 ? own : shared);
                    sums[i] = tw::reduce(policy, first, first + n, 0.0);
                });
        }
        expect(sums == std::vector<double>(8, sum));
        //! [threads]
    }
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    if (devices > 1) {
        //! [other_device]
        check(cudaSetDevice(1));
        thrust::device_vector<float> const on_second(x.begin(), x.end());
        stream const of_second;
        check(cudaSetDevice(0));
        double const value =
            tw::reduce(tw::device.on(of_second.get()), on_second.begin(), on_second.end(), 0.0); // runs on device 1
        //! [other_device]
        expect(value == sum);
    }
}
