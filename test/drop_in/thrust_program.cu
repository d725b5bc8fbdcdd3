// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random walk of a million steps, and what there is to say about it. This program knows Thrust and nothing else;
// scripts/to_tilewise.sed makes one of tilewise of it, and that must print the same. Thrust leaves open in which order
// numbers are added up: of those with a fraction it prints the digits that do not depend on it.

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/tuple.h>

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

//! [structs]
struct position {
    int x, y;
};
struct moved { // from a by b
    __host__ __device__ position operator()(position const& a, position const& b) const
    {
        return {a.x + b.x, a.y + b.y};
    }
};

struct box {
    int left, right, bottom, top;
};
struct box_of {
    __host__ __device__ box operator()(position const& p) const { return {p.x, p.x, p.y, p.y}; }
};
struct joined {
    __host__ __device__ box operator()(box const& a, box const& b) const
    {
        return {a.left < b.left ? a.left : b.left, a.right < b.right ? b.right : a.right,
                a.bottom < b.bottom ? a.bottom : b.bottom, a.top < b.top ? b.top : a.top};
    }
};
//! [structs]

/// North, south, east or west: as a hash of the step's number has it.
struct step_of {
    __host__ __device__ position operator()(std::uint32_t number) const
    {
        number = (number ^ (number >> 16)) * 0x7feb352dU;
        number = (number ^ (number >> 15)) * 0x846ca68bU;
        int const by = (number & 0x10000) != 0 ? 1 : -1;
        return (number & 0x20000) != 0 ? position{by, 0} : position{0, by};
    }
};
struct square_of {
    __host__ __device__ long long operator()(position const& p) const { return 1LL * p.x * p.x + 1LL * p.y * p.y; }
};
struct distance_of {
    __host__ __device__ double operator()(position const& p) const
    {
        return std::sqrt(static_cast<double>(square_of{}(p)));
    }
};
struct nearer {
    __host__ __device__ bool operator()(position const& a, position const& b) const
    {
        return square_of{}(a) < square_of{}(b);
    }
};
struct is_home {
    __host__ __device__ bool operator()(position const& p) const { return p.x == 0 && p.y == 0; }
};
struct is_far {
    __host__ __device__ int operator()(position const& p) const { return square_of{}(p) > 1'000'000 ? 1 : 0; }
};
struct is_same {
    __host__ __device__ bool operator()(thrust::tuple<position, position> const& positions) const
    {
        position const a = thrust::get<0>(positions), b = thrust::get<1>(positions);
        return a.x == b.x && a.y == b.y;
    }
};
struct crosses { // the diagonal, between two places
    __host__ __device__ bool operator()(thrust::tuple<position, position> const& positions) const
    {
        position const before = thrust::get<0>(positions), after = thrust::get<1>(positions);
        return before.x < before.y && !(after.x < after.y);
    }
};

} // namespace

int main()
{
    int const n = 1'000'000;
    auto const steps = thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint32_t{0}), step_of{});
    thrust::device_vector<position> walk(n);

    //! [scan]
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    thrust::inclusive_scan(thrust::cuda::par.on(stream), steps, steps + n, walk.begin(), moved{});
    //! [scan]
    position const end = thrust::reduce(thrust::device, steps, steps + n, position{0, 0}, moved{});
    position const last = walk.back();
    std::printf("ends at %d %d, which is %d %d\n", end.x, end.y, last.x, last.y);

    //! [reduce]
    auto const boxes = thrust::make_transform_iterator(walk.begin(), box_of{});
    box const all = thrust::reduce(thrust::device, boxes, boxes + n, box{0, 0, 0, 0}, joined{});
    auto const distances = thrust::make_transform_iterator(walk.begin(), distance_of{});
    double const mean = thrust::reduce(thrust::cuda::par.on(stream), distances, distances + n, 0.0) / n;
    //! [reduce]
    auto const squares = thrust::make_transform_iterator(walk.begin(), square_of{});
    long long const largest = thrust::reduce(thrust::device, squares, squares + n, 0LL, thrust::maximum<long long>{});
    std::printf("within %d .. %d and %d .. %d, distance %.6f, at most the root of %lld\n", all.left, all.right,
                all.bottom, all.top, mean, largest);

    auto const farthest = thrust::max_element(thrust::device, walk.begin(), walk.end(), nearer{});
    auto const closest = thrust::min_element(thrust::device, walk.begin() + n / 2, walk.end(), nearer{});
    std::printf("farthest at %td, later closest at %td\n", farthest - walk.begin(), closest - walk.begin());

    //! [count]
    auto const homes = thrust::count_if(thrust::device, walk.begin(), walk.end(), is_home{});
    auto const pairs = thrust::make_zip_iterator(thrust::make_tuple(walk.begin(), walk.begin() + 1));
    auto const crossings = thrust::count_if(thrust::device, pairs, pairs + (n - 1), crosses{});
    //! [count]
    auto const ends = thrust::make_zip_iterator(thrust::make_tuple(walk.begin(), thrust::make_constant_iterator(end)));
    std::printf("%td times at home, %td crossings, %td times at the end\n", homes, crossings,
                thrust::count_if(thrust::device, ends, ends + n, is_same{}));

    // Those far from home, in their order: a scan says where each goes.
    auto const flags = thrust::make_transform_iterator(walk.begin(), is_far{});
    thrust::device_vector<int> slots(n);
    thrust::exclusive_scan(thrust::cuda::par.on(stream), flags, flags + n, slots.begin(), 0);
    thrust::device_vector<position> far(static_cast<std::size_t>(thrust::reduce(thrust::device, flags, flags + n)));
    thrust::scatter_if(thrust::device, walk.begin(), walk.end(), slots.begin(), flags, far.begin());

    thrust::host_vector<position> copied = far;
    position const sum = thrust::reduce(thrust::host, copied.begin(), copied.end(), position{0, 0}, moved{});
    std::printf("%zu places far from home, together %d %d\n", copied.size(), sum.x, sum.y);
    cudaStreamDestroy(stream);
    return 0;
}
