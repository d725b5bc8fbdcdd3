// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of Thrust beside those of tilewise.

#include "expect.hpp"
#include "gpu.cuh"

//! [include]
#include <tilewise/thrust_execution.hpp>
#include <tilewise/tilewise.hpp>
//! [include]

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include <functional>
#include <vector>

namespace tw = tilewise;

struct square {
    __host__ __device__ int operator()(int value) const { return value * value; }
};

int main()
{
    leave_without_a_gpu();
    std::vector<int> const elements{3, 1, 4, 1, 5, 9, 2, 9};
    thrust::device_vector<int> const x(elements.begin(), elements.end()), y(8, 1'000'000'000);
    thrust::device_vector<int> out(8), expected(8), total(1);
    stream const where;

    //! [same_call]
    expect(thrust::reduce(thrust::device, x.begin(), x.end(), 0) == 34);
    expect(tw::reduce(thrust::device, x.begin(), x.end(), 0) == 34); // another namespace
    expect(tw::reduce(tw::device, x.begin(), x.end(), 0) == 34);     // and another policy
    expect(tw::reduce(tw::device, x, 0) == 34);                      // and a range

    expect(thrust::reduce(thrust::cuda::par.on(where.get()), x.begin(), x.end()) == 34);
    expect(tw::reduce(tw::device.on(where.get()), x.begin(), x.end()) == 34);
    //! [same_call]

    //! [transform_reduce]
    int const with_thrust =
        thrust::transform_reduce(thrust::device, x.begin(), x.end(), square{}, 0, thrust::plus<int>{});
    int const with_tilewise =
        tw::transform_reduce(tw::device, x.begin(), x.end(), 0, std::plus<>{}, square{}); // as in std
    expect(with_thrust == 218 && with_tilewise == 218);

    //! [transform_reduce]

    //! [inner_product]
    expect(thrust::inner_product(thrust::device, x.begin(), x.end(), y.begin(), 0LL) == 34'000'000'000);
    expect(tw::transform_reduce(tw::device, x.begin(), x.end(), y.begin(), 0LL, std::plus<>{},
                                thrust::multiplies<long long>{}) == 34'000'000'000); // too large for products of ints
    //! [inner_product]

    //! [scans]
    thrust::inclusive_scan(thrust::device, x.begin(), x.end(), expected.begin(), thrust::maximum<int>{});
    tw::inclusive_scan(tw::device, x.begin(), x.end(), out.begin(), tw::maximum<>{});
    expect(out == expected);

    thrust::exclusive_scan(thrust::device, x.begin(), x.end(), expected.begin()); // from zero
    tw::exclusive_scan(tw::device, x.begin(), x.end(), out.begin(), 0);           // init is required, as in std
    expect(out == expected);

    thrust::transform_inclusive_scan(thrust::device, x.begin(), x.end(), expected.begin(), square{},
                                     thrust::plus<int>{});
    tw::transform_inclusive_scan(tw::device, x.begin(), x.end(), out.begin(), std::plus<>{}, square{});
    expect(out == expected);
    //! [scans]
    thrust::transform_exclusive_scan(thrust::device, x.begin(), x.end(), expected.begin(), square{}, 7,
                                     thrust::plus<int>{});
    tw::transform_exclusive_scan(tw::device, x.begin(), x.end(), out.begin(), 7, std::plus<>{}, square{});
    expect(out == expected);

    //! [extremes]
    expect(thrust::max_element(thrust::device, x.begin(), x.end()) - x.begin() == 5);
    expect(tw::max_element(tw::device, x.begin(), x.end()) - x.begin() == 5);

    expect(thrust::minmax_element(thrust::device, x.begin(), x.end()).second - x.begin() == 5); // the first nine
    expect(tw::minmax_element(tw::device, x.begin(), x.end()).second - x.begin() == 7);         // the last, as in std
    //! [extremes]

    //! [host]
    thrust::host_vector<int> const here = x;
    expect(tw::reduce(thrust::host, here.begin(), here.end()) == 34); // the calling thread
    expect(tw::reduce(tw::par, here.begin(), here.end()) == 34);      // all cores
    //! [host]

    //! [nosync]
    auto const policy = tw::device.on(where.get()).nosync();
    tw::inclusive_scan(policy, x.begin(), x.end(), out.begin());    // returns at once
    tw::reduce_into(policy, out.begin(), out.end(), total.begin()); // after it, in the stream
    where.wait();
    expect(total[0] == 120);
    //! [nosync]
}
