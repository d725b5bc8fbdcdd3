// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What `combine_runs` writes of a reduction: the first keys of the runs that begin in a row of memory, and the results
/// of those that end there. A warp lists both, so that neighboring lanes store those of neighboring runs.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/order.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether the list contains keys: a lane loads all N keys of its values. Keys that are large or computed are not
/// listed, but their positions in the row are, and only keys that begin a run are loaded, when they are stored.
template <class FirstKeys, int N>
inline constexpr bool lists_keys =
    FirstKeys::are_in_memory && N * sizeof(typename FirstKeys::key) <= 2 * std::size_t{vector_bytes};

/// A run that begins in a row: its first key, or the position of that in the row; and the result of the run that ends
/// there. Entries of up to 16 bytes are aligned, so that one instruction stores or loads them.
template <class T, class Key>
struct alignas(std::bit_ceil(sizeof(T) + sizeof(Key)) <= vector_bytes ? std::bit_ceil(sizeof(T) + sizeof(Key))
                                                                      : std::max(alignof(T), alignof(Key))) listed_run {
    T result;
    Key key;
};

/// What `combine_runs` writes: a result for every run, and its first key, if there are more than `most` runs.
template <class Sink, class FirstKeys>
struct reduced_runs {
    static constexpr bool reduces = true, are_results_in_memory = is_memory<Sink>,
                          are_keys_in_memory = is_memory<decltype(FirstKeys::to)>;
    Sink to;
    FirstKeys keys;
    offset most;

    /// The runs that begin in a row.
    template <class Scan>
    using list = registers<listed_run<typename Scan::value, std::conditional_t<lists_keys<FirstKeys, Scan::lane_vector>,
                                                                               typename FirstKeys::key, std::uint16_t>>,
                           Scan::row>;
    /// Advances the outputs in memory by so many runs. The indices of the next row then take 32 bits, and fewer
    /// instructions. Output iterators are not advanced: they may not be assignable.
    TILEWISE_DEVICE void skip(offset runs)
    {
        if constexpr (are_results_in_memory)
            to.first += runs;
        if constexpr (are_keys_in_memory)
            keys.to.first += runs;
    }
    /// Whether keys can be loaded in the widest vectors, if they are listed.
    template <class Scan>
    bool is_aligned() const
    {
        return !lists_keys<FirstKeys, Scan::lane_vector> || gpu::misalignment_of(keys.keys) == 0;
    }
};

/// Stores the results of the runs that end where others begin, and the first keys of the latter, in the row of memory
/// from key `first` on. `runs` is the number of runs that begin before the row, by which `out` has been advanced;
/// `before` is the result for the value before the lane's first one. Returns how many runs begin in the row.
template <class Scan, access how, class Rows, class Sink, class FirstKeys>
TILEWISE_DEVICE int store_runs(reduced_runs<Sink, FirstKeys>& out, Rows const& rows, offset runs, offset first,
                               offset count, bool is_long, typename Scan::value const& before, typename Scan::op& op,
                               typename reduced_runs<Sink, FirstKeys>::template list<Scan>& listed)
{
    using T = typename Scan::value;
    using key = typename FirstKeys::key;
    using run = std::remove_reference_t<decltype(listed[0])>;
    constexpr int N = Scan::lane_vector;
    constexpr bool lists = lists_keys<FirstKeys, N>;
    static_assert(Scan::row <= 1 << 16);
    int const lane = lane_index();
    [[maybe_unused]] auto const own_keys = [&] { // not assigned later, as keys may not be assignable
        if constexpr (lists)
            return first + Scan::row <= count ? out.keys.keys.template fetch<how, N>(first + lane * N)
                                              : out.keys.keys.template fetch_clamped<N>(first + lane * N, count - 1);
        else
            return nullptr;
    }();
    int const earlier = rows.runs_before_lane(),
              number = gpu::shuffle(earlier + gpu::count_bits(rows.begins_of_lane()), warp_size - 1);
    int own = earlier;
    TILEWISE_UNROLL
    for (int i = 0; i < N; ++i) {
        registers<T, 1> result;
        if (i == 0)
            gpu::put(result[0], before);
        else if (Scan::is_unpredicated || (rows.begins(i) && rows.exists(i - 1)))
            gpu::put(result[0], rows.result(gpu::max_of(i - 1, 0), op));
        if (rows.begins(i)) {
            if constexpr (lists)
                gpu::put(listed[own], run{T(result[0]), key(out.keys.keys.element(own_keys, i))});
            else
                gpu::put(listed[own], run{T(result[0]), static_cast<std::uint16_t>(lane * N + i)});
        }
        own += rows.begins(i) ? 1 : 0;
    }
    sync_warp();
    offset const at = out.are_results_in_memory ? 0 : runs, key_at = out.are_keys_in_memory ? 0 : runs;
    bool const has_first = runs > 0 && !is_long; // a result of the run that is open before the row
    int const with_key = number - (first + Scan::row > count ? 1 : 0); // the last one is behind the keys
    TILEWISE_NO_UNROLL
    for (int i = lane; i < number; i += warp_size) {
        run const one(listed[i]);
        if (i < with_key) {
            registers<key, 1> own_key;
            if constexpr (lists)
                gpu::put(own_key[0], one.key);
            else
                out.keys.load(own_key, 0, first + one.key);
            out.keys.write(key_at + i, own_key, 0);
        }
        if (i > 0 || has_first)
            gpu::store_one(out.to, at + (i - 1), T(one.result));
    }
    sync_warp(); // before the list is written again
    return number;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
