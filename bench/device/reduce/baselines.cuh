// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The competitors as functions: this library and CUB.

#include "../cuda.cuh"
#include "../read.cuh"
#include "workload.cuh"

#include <tilewise/reduce.hpp>

#include <cub/device/device_reduce.cuh>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace bench::reductions {

/// tilewise into device memory; does not wait.
template <class Reduction, class It>
void tilewise_into(cudaStream_t stream, It first, std::uint64_t count, typename Reduction::accumulator* out)
{
    auto const policy = tilewise::device.on(stream).nosync();
    auto const last = first + static_cast<std::ptrdiff_t>(count);
    if constexpr (std::is_same_v<typename Reduction::transform, no_transform>)
        tilewise::reduce_into(policy, first, last, out, Reduction::init(), typename Reduction::op{});
    else
        tilewise::transform_reduce_into(policy, first, last, out, Reduction::init(), typename Reduction::op{},
                                        typename Reduction::transform{});
}

/// CUB into device memory, with scratch at hand and offsets of 32 bits where they do, as Thrust calls it; does not
/// wait.
template <class Reduction, class It>
void cub_into(device_array<unsigned char> const& scratch, cudaStream_t stream, It first, std::uint64_t count,
              typename Reduction::accumulator* out)
{
    using cub::DeviceReduce;
    auto const with_count = [&](auto items) {
        auto bytes = scratch.size();
        using accumulator = typename Reduction::accumulator;
        using element = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
        if constexpr (!std::is_same_v<typename Reduction::transform, no_transform>)
            return DeviceReduce::TransformReduce(scratch.data(), bytes, first, out, items,
                                                 for_cub(typename Reduction::op{}), typename Reduction::transform{},
                                                 Reduction::init(), stream);
        else if constexpr (std::is_same_v<typename Reduction::op, std::plus<>> && std::is_same_v<element, accumulator>)
            return DeviceReduce::Sum(scratch.data(), bytes, first, out, items, stream);
        else
            return DeviceReduce::Reduce(scratch.data(), bytes, first, out, items, for_cub(typename Reduction::op{}),
                                        Reduction::init(), stream);
    };
    check(count <= std::numeric_limits<std::int32_t>::max() ? with_count(static_cast<std::int32_t>(count))
                                                            : with_count(static_cast<std::int64_t>(count)),
          "cub::DeviceReduce");
}

} // namespace bench::reductions
