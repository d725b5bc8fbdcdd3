// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The types of a scan, the constants derived from them, and its initial value.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstring>
#include <optional>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether reading the elements of a view calls no user code: true for elements in memory.
template <class View>
inline constexpr bool calls_no_function = false;
template <class E>
inline constexpr bool calls_no_function<memory_view<E>> = true;

/// The types of a scan and the constants derived from them.
template <class View, class Sink, class T, class Op, scan_form form_, class Order>
struct scan_of {
    using view = View;
    using sink = Sink;
    using value = T;
    using op = Op;
    using order = Order;
    using geometry = typename Order::geometry;
    static constexpr scan_form form = form_;

    static_assert(geometry::lanes_per_row == warp_size, "a row is what a warp reads at once");
    static constexpr int lane_vector = static_cast<int>(Order::lane_vector);
    static constexpr int row = static_cast<int>(Order::row), rows = geometry::rows_per_chunk;
    static constexpr int chunk = static_cast<int>(Order::chunk), chunks = geometry::chunks_per_tile;
    static constexpr int tile = static_cast<int>(Order::tile);
    static constexpr int threads = chunks * warp_size; ///< per block, with one warp per chunk of a tile
    using vector_size = typename View::template vector<lane_vector>;

    /// Whether a warp holds all rows of its chunk in registers at once. If they take too many registers, it reads the
    /// rows twice.
    static constexpr bool batched = sizeof(T) <= 16 && View::widest <= 32;
    /// The same for a block that scans one tile: it may have most of a multiprocessor's registers.
    static constexpr bool keeps_tile = sizeof(T) <= 32 && View::widest <= 32;
    /// Whether the running sums of a lane vector stay in registers until the results are stored. Narrow sums would take
    /// a register each. Their elements take fewer, so these are kept and combined again.
    static constexpr bool has_wide_sums = sizeof(T) >= 4;
    /// Whether bytes are summed to bytes, four at a time.
    static constexpr bool scans_bytes =
        adds_bytes<View, T, Op> && sizeof(T) == 1 && lane_vector == vector_bytes && stores_bytes<Sink>;

    /// Whether integers in memory are summed to memory: any grouping gives the same bits, and 0 changes nothing.
    static constexpr bool sums_integers = std::same_as<Op, plus> && std::integral<T> && !std::same_as<T, bool> &&
                                          calls_no_function<View> && is_memory<Sink>;

    /// How the single pass reads stages, and writes results, in memory that is not aligned for the widest loads and
    /// stores.
    static constexpr access unaligned_stage =
        View::bases > 0 && View::template can_realign<lane_vector> ? access::realigned : access::elementwise;
    static constexpr access unaligned_output =
        batched && Sink::template can_realign<lane_vector> ? access::realigned : access::elementwise;

    /// Whether the elements of a misaligned stage can be moved to its beginning, one 16-byte vector for each lane and
    /// row.
    static constexpr bool can_move_elements =
        batched && calls_no_function<View> && View::template can_realign<lane_vector>;

    /// Whether lanes past the last element are combined without a predicate. They cannot change the results before
    /// them, so this is allowed where it calls no user code.
    static constexpr bool is_unpredicated = accepts_any_operand<Op, T> && calls_no_function<View>;

    /// The layout for `load_aggregate`: one lane vector per load.
    struct layout {
        using value = T;
        static constexpr int vectors = 1, lane_vector = scan_of::lane_vector, vector_size = lane_vector;
    };
};

/// The optional initial value of a scan, as a kernel parameter.
template <class T>
struct initial {
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    bool has_value = false;

    explicit initial(std::optional<T> const& value) : has_value(value.has_value())
    {
        if (has_value)
            std::memcpy(bytes, static_cast<void const*>(&*value), sizeof(T));
    }
    TILEWISE_DEVICE optional_value<T> get() const
    {
        optional_value<T> result;
        result.has_value = has_value;
        gpu::put(result.value[0], reinterpret_cast<T const&>(bytes));
        return result;
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
