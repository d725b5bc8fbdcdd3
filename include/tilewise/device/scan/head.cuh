// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The elements before the first aligned one of a misaligned range.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstdint>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The elements before the first tile, at most 15, if the range is scanned in tiles that begin later than those of the
/// order, at aligned elements. That regroups elements, so it requires `Scan::sums_integers`. They are scanned by the
/// warp that scans the first chunk. Each lane has one of them.
template <class Scan>
struct head_of_range {
    using T = typename Scan::value;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using Op = typename Scan::op;

    int count;

    /// Returns how many elements come before the first one from which elements and results are aligned; if there is
    /// no such element, before the first aligned result, as it takes longer to realign results than elements.
    static int before_aligned(View const& view, Sink const& sink, offset elements)
    {
        int before_results = vector_bytes;
        if constexpr (Scan::sums_integers)
            for (int head = 0; head < vector_bytes && head < elements; ++head) {
                auto const results = reinterpret_cast<std::uintptr_t>(sink.from(head).base());
                if (results % Sink::template alignment<Scan::lane_vector> != 0)
                    continue;
                before_results = std::min(before_results, head);
                if (gpu::misalignment_of(view.from(head)) == 0)
                    return head;
            }
        return before_results % vector_bytes;
    }

    /// Returns their aggregate in lane 0. `view` begins at the first tile.
    TILEWISE_DEVICE T aggregate(View const& view, Op& op) const { return gpu::warp_tree(op, element(view)); }

    /// Stores their results. `carry` is their exclusive prefix. Returns that of the first tile.
    TILEWISE_DEVICE optional_value<T> scan(View const& view, Sink const& sink, Op& op,
                                           optional_value<T> const& carry) const
    {
        T sum = element(view);
        TILEWISE_UNROLL
        for (int distance = 1; distance < vector_bytes; distance *= 2) {
            T const left = gpu::shuffle_up(sum, distance);
            if (lane_index() >= distance)
                gpu::put(sum, gpu::combine(op, left, T(sum)));
        }
        T const before = gpu::shuffle_up(sum, 1);
        optional_value<T> result(carry), next(carry);
        if (Scan::form == scan_form::inclusive)
            result.append(op, sum);
        else if (lane_index() > 0)
            result.append(op, before);
        if (lane_index() < count)
            sink.from(-count).template store<access::elementwise>(lane_index(), Sink::pack(result.value));
        next.append(op, gpu::shuffle(sum, count - 1));
        return next;
    }

private:
    /// Returns the lane's element, or 0 if it has none.
    TILEWISE_DEVICE T element(View const& view) const
    {
        T own{};
        View from = view.from(-count);
        if (lane_index() < count)
            gpu::put(own, gpu::operand<T, Op>(from, from.template fetch_clamped<1>(lane_index(), lane_index()), 0));
        return own;
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
