// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What is scanned: for each scan its types, and the calls of this library, of CUB with scratch at hand, and of Thrust.

#include "../elements.cuh"

#include <tilewise/scan.hpp>

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace bench::scans {

using cub_scratch = device_array<unsigned char>;

/// Sums in the type of the elements.
template <class Element>
struct running_sum {
    using element = Element;
    using result = Element;

    template <class Policy, class It, class Out>
    static void by_tilewise(Policy policy, It first, It last, Out out)
    {
        tilewise::inclusive_scan(policy, first, last, out);
    }
    template <class It, class Out, class Count>
    static cudaError_t by_cub(cub_scratch const& scratch, It first, Out out, Count count, cudaStream_t stream)
    {
        auto bytes = scratch.size();
        return cub::DeviceScan::InclusiveSum(scratch.data(), bytes, first, out, count, stream);
    }
    template <class Policy, class It, class Out>
    static void by_thrust(Policy policy, It first, It last, Out out)
    {
        thrust::inclusive_scan(policy, first, last, out);
    }
};

/// Sums of the elements before each.
template <class Element>
struct sum_before {
    using element = Element;
    using result = Element;

    template <class Policy, class It, class Out>
    static void by_tilewise(Policy policy, It first, It last, Out out)
    {
        tilewise::exclusive_scan(policy, first, last, out, Element{});
    }
    template <class It, class Out, class Count>
    static cudaError_t by_cub(cub_scratch const& scratch, It first, Out out, Count count, cudaStream_t stream)
    {
        auto bytes = scratch.size();
        return cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, first, out, count, stream);
    }
};

/// Sums in a wider type. CUB takes the type of its sums from the operator.
template <class Element, class Result>
struct wider_sum {
    using element = Element;
    using result = Result;

    template <class Policy, class It, class Out>
    static void by_tilewise(Policy policy, It first, It last, Out out)
    {
        tilewise::inclusive_scan(policy, first, last, out, std::plus<>{}, Result{});
    }
    template <class It, class Out, class Count>
    static cudaError_t by_cub(cub_scratch const& scratch, It first, Out out, Count count, cudaStream_t stream)
    {
        auto bytes = scratch.size();
        return cub::DeviceScan::InclusiveScan(scratch.data(), bytes, first, out, cuda::std::plus<Result>{}, count,
                                              stream);
    }
};

/// Sums of what a transform makes of the elements. CUB reads them through an iterator.
template <class Element, class Result, class Transform>
struct sum_of_transformed {
    using element = Element;
    using result = Result;

    template <class Policy, class It, class Out>
    static void by_tilewise(Policy policy, It first, It last, Out out)
    {
        tilewise::transform_inclusive_scan(policy, first, last, out, std::plus<>{}, Transform{}, Result{});
    }
    template <class It, class Out, class Count>
    static cudaError_t by_cub(cub_scratch const& scratch, It first, Out out, Count count, cudaStream_t stream)
    {
        auto bytes = scratch.size();
        return cub::DeviceScan::InclusiveSum(scratch.data(), bytes, thrust::make_transform_iterator(first, Transform{}),
                                             out, count, stream);
    }
    template <class Policy, class It, class Out>
    static void by_thrust(Policy policy, It first, It last, Out out)
    {
        thrust::inclusive_scan(policy, thrust::make_transform_iterator(first, Transform{}),
                               thrust::make_transform_iterator(last, Transform{}), out);
    }
};

/// Any operator on elements of its own type.
template <class Element, class Op>
struct running {
    using element = Element;
    using result = Element;

    template <class Policy, class It, class Out>
    static void by_tilewise(Policy policy, It first, It last, Out out)
    {
        tilewise::inclusive_scan(policy, first, last, out, Op{});
    }
    template <class It, class Out, class Count>
    static cudaError_t by_cub(cub_scratch const& scratch, It first, Out out, Count count, cudaStream_t stream)
    {
        auto bytes = scratch.size();
        return cub::DeviceScan::InclusiveScan(scratch.data(), bytes, first, out, Op{}, count, stream);
    }
};

/// tilewise from and to device memory; does not wait.
template <class Scan, class It, class Out>
void tilewise_into(cudaStream_t stream, It first, std::uint64_t count, Out out)
{
    Scan::by_tilewise(tilewise::device.on(stream).nosync(), first, first + static_cast<std::ptrdiff_t>(count), out);
}

/// CUB with offsets of 32 bits where they do, as Thrust calls it; does not wait.
template <class Scan, class It, class Out>
void cub_into(cub_scratch const& scratch, cudaStream_t stream, It first, std::uint64_t count, Out out)
{
    check(count <= std::numeric_limits<std::int32_t>::max()
              ? Scan::by_cub(scratch, first, out, static_cast<std::int32_t>(count), stream)
              : Scan::by_cub(scratch, first, out, static_cast<std::int64_t>(count), stream),
          "cub::DeviceScan");
}

/// The ceiling: a copy within the device that reads and writes as many bytes in all.
inline void copy(cudaStream_t stream, void const* from, void* to, std::uint64_t bytes_moved)
{
    check(cudaMemcpyAsync(to, from, bytes_moved / 2, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}

} // namespace bench::scans
