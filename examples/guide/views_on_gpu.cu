// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"
#include "gpu.cuh"

#include <tilewise/mdspan.hpp>
#include <tilewise/tilewise.hpp>

#include <cuda/std/mdspan>
#include <thrust/device_vector.h>

#include <cstddef>
#include <ranges>
#include <span>

namespace tw = tilewise;

//! [function]
struct square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};
//! [function]

int main()
{
    leave_without_a_gpu();
    {
        //! [views]
        thrust::device_vector<float> const x(1000, 0.5F);
        std::span const elements(thrust::raw_pointer_cast(x.data()), x.size());

        float const sum = tw::reduce(tw::device, elements | std::views::drop(200) | std::views::transform(square()));
        long const numbers = tw::reduce(tw::device, std::views::iota(1, 101), 0L); // no memory at all
        //! [views]
        expect(sum == 200);
        expect(numbers == 5050);
    }
    {
        //! [mdspan]
        thrust::device_vector<float> const x(60 * 100, 0.5F);
        float const* const memory = thrust::raw_pointer_cast(x.data());

        using by_rows = cuda::std::mdspan<float const, cuda::std::dims<2>>;
        using by_columns = cuda::std::mdspan<float const, cuda::std::dims<2>, cuda::std::layout_left>;
        float const sum = tw::reduce(tw::device, tw::elements_of(by_rows(memory, 60, 100))); // a std::span
        float const same = tw::reduce(tw::device, tw::elements_of(by_columns(memory, 60, 100)));
        //! [mdspan]
        expect(sum == 3000);
        expect(same == 3000);
    }
}
