// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A lane vector of a short segment, of which only the first elements may exist.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/order.hpp>

#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns the aggregate of the first `count` of N loaded elements, from element `begin` on.
template <class T, int N, class View, class Loaded, class Op>
TILEWISE_DEVICE T aggregate_of_first(View& from, Loaded const& loaded, int begin, int count, Op& op)
{
    if constexpr (adds_bytes<View, T, Op> && N % 4 == 0) {
        std::conditional_t<std::is_signed_v<std::remove_cvref_t<decltype(from.element(loaded, 0))>>, int, unsigned>
            sum = 0;
        TILEWISE_UNROLL
        for (int i = 0; i < N; i += 4) {
            int const at = begin + i;
            unsigned const word = loaded.vectors[at / vector_bytes].word[at / 4 % 4];
            unsigned const counted = count >= i + 4 ? ~0u : count <= i ? 0 : (1u << (count - i) * 8) - 1;
            sum = gpu::add_bytes(word & counted, sum);
        }
        return static_cast<T>(sum);
    } else {
        registers<T, 1> sum;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            if (i < count) {
                T const element = gpu::operand<T, Op>(from, loaded, begin + i);
                gpu::put(sum[0], i == 0 ? element : gpu::combine(op, T(sum[0]), element));
            }
        }
        return sum[0];
    }
}

/// A lane vector whose elements are loaded one by one, to be reduced or scanned. A scan computes the aggregate first,
/// then the results. Meanwhile it keeps the sums up to each element, if these are wide; narrow ones would take as many
/// registers, so it computes them again.
template <class Segmented>
class lane_vector {
    using Scan = typename Segmented::scan;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using T = typename Scan::value;
    using Op = typename Scan::op;
    static constexpr int N = Scan::lane_vector;
    static constexpr bool scans = !Segmented::results::reduces, scans_bytes = scans && Scan::scans_bytes,
                          keeps_sums = scans && Scan::has_wide_sums;

public:
    /// Issues the loads of the first `count` elements.
    TILEWISE_DEVICE void load(View const& from, int count)
    {
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            if constexpr (N > 4) // more predicates than there are registers for: loads would wait for each other
                loaded_[i] = from.template fetch<access::elementwise, 1>(gpu::min_of(i, count - 1));
            else if (i < count)
                loaded_[i] = from.template fetch<access::elementwise, 1>(i);
    }
    /// Returns the aggregate of the first `count` elements, of which there is at least one.
    TILEWISE_DEVICE T aggregate(View& from, int count, Op& op)
    {
        if constexpr (scans_bytes)
            return gpu::aggregate_of_first<T, N>(from, from.template adopt<N>(bytes(), 0), 0, count, op);
        registers<T, 1> sum;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            if (i < count) {
                add_element(from, i, op, sum[0]);
                if constexpr (keeps_sums)
                    gpu::put(sums_[i], sum[0]);
            }
        }
        return sum[0];
    }
    /// Returns the results of a scan of the first `count` elements, as the sink stores them.
    TILEWISE_DEVICE auto results(View& from, int count, Op& op, optional_value<T> const& prefix) const
    {
        if constexpr (scans_bytes) {
            typename Sink::template vector<N> results;
            vector16 const elements = bytes();
            unsigned sum = prefix.has_value ? static_cast<unsigned>(prefix.value[0]) : 0;
            TILEWISE_UNROLL
            for (int i = 0; i < 4; ++i) {
                unsigned const before = sum & 0xFF, word = gpu::scan_bytes(elements.word[i], sum);
                results.vectors[0].word[i] = Scan::form == scan_form::inclusive ? word : word << 8 | before;
            }
            return results;
        } else {
            registers<T, N> results;
            registers<T, 1> sum; // of the elements up to each one
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i) {
                if (i >= count)
                    continue;
                if constexpr (Scan::form == scan_form::exclusive)
                    gpu::put(results[i], i > 0 ? gpu::combine(op, T(prefix.value[0]), T(sum[0])) : prefix.value[0]);
                if constexpr (keeps_sums)
                    gpu::put(sum[0], sums_[i]);
                else
                    add_element(from, i, op, sum[0]);
                if constexpr (Scan::form == scan_form::inclusive)
                    gpu::put(results[i], prefix.has_value ? gpu::combine(op, T(prefix.value[0]), T(sum[0])) : sum[0]);
            }
            return Sink::pack(results);
        }
    }

private:
    TILEWISE_DEVICE void add_element(View& from, int i, Op& op, T& sum) const
    {
        T const element = gpu::operand<T, Op>(from, loaded_[i], 0);
        gpu::put(sum, i == 0 ? element : gpu::combine(op, T(sum), element));
    }
    /// Returns the elements, of one byte each, in words.
    TILEWISE_DEVICE vector16 bytes() const
    {
        vector16 all = {};
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i)
            all.word[i / 4] |= unsigned{loaded_[i].bytes[0]} << i % 4 * 8;
        return all;
    }
    registers<typename View::template vector<1>, N> loaded_;
    registers<T, keeps_sums ? N : 1> sums_;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
