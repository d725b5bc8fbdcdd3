// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Elements to be compared by their numbers in kernels, also if they are in host memory.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/reduce.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The numbers of the two elements that `find(elements, count)` chooses among those from `first` on. Elements in host
/// memory are copied, if need be one piece after the other, each behind the two chosen from those before it.
template <class Policy, class It, class Extent, class Find>
std::array<offset, 2> find_two(Policy const& policy, It const& first, Extent const& end, Find const& find)
{
    if constexpr (std::contiguous_iterator<It> && std::same_as<Extent, offset>) {
        using element = std::iter_value_t<It>;
        auto const* const elements = static_cast<element const*>(std::to_address(first));
        gpu::device_call const call("reduce", end, policy, gpu::reduce_without_waiting);
        std::optional<gpu::staging> staged(std::in_place, call);
        gpu::memory_view<element> whole = {elements, end};
        offset const at_once = staged->elements_at_once(end, staged->bytes_per_element(whole),
                                                        gpu::staging_tuning::least_elements, 2 * sizeof(element));
        std::array<offset, 2> found = find(staged->stage_in(elements, at_once), at_once);
        for (offset begin = at_once; begin < end; begin += at_once) {
            offset const count = std::min(at_once, end - begin);
            constexpr offset ahead = 2;
            staged.emplace(call);
            auto const* const there =
                staged->stage_in({elements + found[0], elements + found[1]}, elements + begin, count);
            std::array<offset, 2> const in_copy = find(there, ahead + count), before = found;
            for (std::size_t i = 0; i < 2; ++i)
                found[i] =
                    in_copy[i] < ahead ? before[static_cast<std::size_t>(in_copy[i])] : begin + in_copy[i] - ahead;
        }
        return found;
    } else {
        if constexpr (std::same_as<Extent, offset>) {
            gpu::device_call const call("reduce", end, policy, gpu::reduce_without_waiting);
            auto view = gpu::view_of(first, end);
            if (gpu::staging(call).bytes_per_element(view) > 0)
                gpu::check_readable("reduce", gpu::memory_kind::pageable);
        }
        return find(elements_in_kernels<It>{first}, end);
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
