// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"
#include "gpu.cuh"

//! [thrust_policies_include]
#include <tilewise/thrust_execution.hpp>
//! [thrust_policies_include]
#include <tilewise/tilewise.hpp>

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <new>
#include <span>
#include <vector>

namespace tw = tilewise;

//! [operator]
struct affine { // x -> scale * x + shift
    int scale, shift;
};
struct then { // first a, then b: not commutative
    __host__ __device__ affine operator()(affine const& a, affine const& b) const
    {
        return {a.scale * b.scale, b.scale * a.shift + b.shift};
    }
};
//! [operator]

//! [resource]
struct stream_ordered_pool {
    void* allocate(std::size_t bytes, cudaStream_t stream)
    {
        void* memory = nullptr;
        if (cudaMallocAsync(&memory, bytes, stream) != cudaSuccess)
            throw std::bad_alloc();
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t stream) { cudaFreeAsync(memory, stream); }
};
//! [resource]

int main()
{
    leave_without_a_gpu();
    std::vector<float> const x(10'000'000, 0.1F);
    double const sum = tw::reduce(tw::seq, x, 0.0);

    //! [device]
    thrust::device_vector<float> const device_copy(x.begin(), x.end());
    double const on_gpu = tw::reduce(tw::device, device_copy.begin(), device_copy.end(), 0.0); // the same bits
    //! [device]
    expect(on_gpu == sum);

    //! [wrapped]
    float const* const memory = device_copy.data().get();
    auto const halves = thrust::make_transform_iterator(
        device_copy.begin(), [] __host__ __device__(float value) { return value / 2; }); // --extended-lambda
    expect(tw::reduce(tw::device, memory, memory + device_copy.size(), 0.0) == sum);
    expect(tw::reduce(tw::device, std::span(memory, device_copy.size()), 0.0) == sum);
    expect(tw::reduce(tw::device, halves, halves + device_copy.size(), 0.0) == sum / 2);
    //! [wrapped]

    //! [operator_call]
    std::vector<affine> const maps(100'000, affine{3, 1});
    thrust::device_vector<affine> const device_maps(maps.begin(), maps.end());
    affine const all = tw::reduce(tw::device, device_maps.begin(), device_maps.end(), affine{1, 0}, then{});
    //! [operator_call]
    affine const expected = tw::reduce(tw::seq, maps, affine{1, 0}, then{});
    expect(all.scale == expected.scale && all.shift == expected.shift);

    //! [lambda]
    auto const square = [] __host__ __device__(float value) { return value * value; }; // --extended-lambda
    float const squares =
        tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), 0.0F, std::plus<>{}, square);
    expect(squares == tw::transform_reduce(tw::par, x, 0.0F, std::plus<>{}, square));
    //! [lambda]

    //! [computed]
    thrust::counting_iterator<long> const one(1);
    expect(tw::reduce(tw::device, one, one + 100'000, 0L) == 5'000'050'000);
    //! [computed]

    //! [resource_call]
    stream_ordered_pool pool; // outlives the calls
    double const with_pool = tw::reduce(tw::device.with(pool), device_copy.begin(), device_copy.end(), 0.0);
    //! [resource_call]
    expect(with_pool == sum);

    //! [trace]
    auto print = [](tw::launch_record const& launch) {
        std::printf("%s of %td elements: %s, %d blocks of %d threads, %d per multiprocessor, %.1f us\n",
                    launch.algorithm, launch.items, launch.kernel, launch.blocks, launch.threads,
                    launch.resident_blocks, launch.microseconds);
    };
    tw::reduce(tw::device.trace(print, tw::trace_mode::timed), device_copy.begin(), device_copy.end(), 0.0);
    //! [trace]

    //! [thrust_policies]
    expect(tw::reduce(thrust::device, device_copy.begin(), device_copy.end(), 0.0) == sum);
    expect(tw::reduce(thrust::host, x.begin(), x.end(), 0.0) == sum);
    //! [thrust_policies]

    //! [host_memory]
    double const copied = tw::reduce(tw::device, x, 0.0); // the elements are copied for the call
    std::vector<double> running(x.size());
    tw::inclusive_scan(tw::device, x, running.begin(), std::plus<>{}, 0.0); // and the results back
    //! [host_memory]
    expect(copied == sum);

    //! [progress]
    auto report = [](tw::progress_record const& record) {
        std::printf("%s: %td of %td elements\n", record.algorithm, record.done, record.total);
    };
    double const in_pieces = tw::reduce(tw::device.budget(8 << 20).progress(report), x, 0.0); // five pieces
    //! [progress]
    expect(in_pieces == sum);
    expect(running.back() == sum);
    expect(tw::reduce(tw::device, device_copy.begin(), device_copy.end(), 0.0) == sum);
}
