// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of CUB beside those of tilewise.

#include "expect.hpp"
#include "gpu.cuh"

#include <tilewise/tilewise.hpp>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <thrust/device_vector.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tw = tilewise;

/// Calls a function of CUB twice: for the size of its scratch memory, and with it.
template <class Call>
void with_scratch(Call call)
{
    std::size_t bytes = 0;
    check(call(nullptr, bytes));
    thrust::device_vector<unsigned char> scratch(bytes);
    check(call(scratch.data().get(), bytes));
}

struct square {
    __host__ __device__ float operator()(float value) const { return value * value; }
};

int main()
{
    leave_without_a_gpu();
    stream const where;
    int const n = 6;
    std::vector<float> const elements{3, 1, 4, 1, 5, 9};
    thrust::device_vector<float> const x(elements.begin(), elements.end());
    thrust::device_vector<float> results(2), out(n), expected(n);
    float const* const in = x.data().get();
    float* const result = results.data().get();

    {
        //! [reduce]
        std::size_t bytes = 0;
        check(cub::DeviceReduce::Sum(nullptr, bytes, in, result, n, where.get()));
        void* scratch = nullptr;
        check(cudaMallocAsync(&scratch, bytes, where.get()));
        check(cub::DeviceReduce::Sum(scratch, bytes, in, result, n, where.get()));
        check(cudaFreeAsync(scratch, where.get()));

        tw::reduce_into(tw::device.on(where.get()).nosync(), in, in + n, result + 1);
        //! [reduce]
        where.wait();
        expect(results[0] == 23 && results[1] == 23);
    }
    auto const policy = tw::device.on(where.get()).nosync();

    // The other reductions of the table.
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::TransformReduce(scratch, bytes, in, result, n, tw::maximum<>{}, square{}, 0.0F,
                                                  where.get());
    });
    tw::transform_reduce_into(policy, in, in + n, result + 1, 0.0F, tw::maximum<>{}, square{});
    where.wait();
    expect(results[0] == 81 && results[1] == 81);
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Reduce(scratch, bytes, in, result, n, tw::minimum<>{}, 2.0F, where.get());
    });
    tw::reduce_into(policy, in, in + n, result + 1, 2.0F, tw::minimum<>{});
    where.wait();
    expect(results[0] == 1 && results[1] == 1);

    //! [scan]
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, in, expected.begin(), n, where.get());
    });
    tw::exclusive_scan(policy, in, in + n, out.begin(), 0.0F);
    //! [scan]
    where.wait();
    expect(out == expected);
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScanInit(scratch, bytes, in, expected.begin(), tw::maximum<>{}, 4.0F, n,
                                                  where.get());
    });
    tw::inclusive_scan(policy, in, in + n, out.begin(), tw::maximum<>{}, 4.0F);
    where.wait();
    expect(out == expected);

    {
        //! [segments]
        std::vector<int> const bounds{0, 2, 6};
        thrust::device_vector<int> const offsets(bounds.begin(), bounds.end());
        int const* const begins = offsets.data().get();

        with_scratch([&](void* scratch, std::size_t& bytes) {
            return cub::DeviceSegmentedReduce::Sum(scratch, bytes, in, expected.begin(), 2, begins, begins + 1,
                                                   where.get());
        });
        tw::segmented_reduce(policy, in, begins, begins + 2, begins + 1, out.begin()); // 3 + 1, 4 + 1 + 5 + 9
        //! [segments]
        where.wait();
        expect(out[0] == 4 && out[1] == 19 && expected[0] == 4 && expected[1] == 19);
    }

    {
        thrust::device_vector<std::uint32_t> counts(4), counted(4);
        std::uint32_t* const cells = counts.data().get();
        std::uint32_t* const expected_cells = counted.data().get();
        //! [histogram]
        int const bins = 4;
        with_scratch([&](void* scratch, std::size_t& bytes) {
            return cub::DeviceHistogram::HistogramEven(scratch, bytes, in, expected_cells, bins + 1, 0.0F, 8.0F, n,
                                                       where.get());
        });
        tw::histogram(policy, in, in + n, bins, 0.0F, 8.0F, cells); // 2 1 2 0: the 9 is outside
        //! [histogram]
        where.wait();
        expect(counts == counted);

        //! [edges]
        std::vector<float> const edges{0, 2, 4, 10}; // on the host: the library copies them
        thrust::device_vector<float> const levels(edges.begin(), edges.end());
        with_scratch([&](void* scratch, std::size_t& bytes) {
            return cub::DeviceHistogram::HistogramRange(scratch, bytes, in, expected_cells,
                                                        static_cast<int>(edges.size()), levels.data().get(), n,
                                                        where.get());
        });
        tw::histogram(tw::device.on(where.get()), in, in + n, edges.begin(), edges.end(), cells);
        //! [edges]
        where.wait();
        expect(counts == counted);
    }

    {
        //! [by_index]
        std::vector<int> const numbers{1, 0, 1, 2, 0, 1};
        thrust::device_vector<int> const keys(numbers.begin(), numbers.end());
        tw::reduce_by_index(policy, keys.begin(), keys.end(), in, 3, out.begin(), 0.0F);
        where.wait();
        expect(out[0] == 6 && out[1] == 16 && out[2] == 1); // ReduceByKey makes six of it: no key follows itself
        //! [by_index]
    }
}
