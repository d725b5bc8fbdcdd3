// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a warp does to its chunk of a tile in a scan: reads it, adds it up, and writes its results.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/block.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Reads elements from memory as they are.
template <class View>
inline constexpr bool calls_nothing = false;
template <class E>
inline constexpr bool calls_nothing<memory_view<E>> = true;

/// The types of a scan and what follows from them.
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
    static constexpr int threads = chunks * warp_size; ///< of a block with a warp for every chunk of a tile
    using vector_size = typename View::template vector<lane_vector>;

    /// Rows are in registers together unless that takes too many; else they are read twice.
    static constexpr bool batched = sizeof(T) <= 16 && View::widest <= 32;
    /// Sums within a lane vector are worth keeping between adding up and writing. Narrow ones would take a register
    /// each; their elements take fewer, and are added up again.
    static constexpr bool has_wide_sums = sizeof(T) >= 4;
    /// Sums of bytes to bytes: four at a time.
    static constexpr bool scans_bytes =
        adds_bytes<View, T, Op> && sizeof(T) == 1 && lane_vector == vector_bytes && stores_bytes<Sink>;

    /// What follows the last element cannot change what comes before it, so it may be added up like elements where that
    /// calls nothing of the user's.
    static constexpr bool is_unpredicated = is_total<Op, T> && calls_nothing<View>;

    /// For `load_aggregate`.
    struct layout {
        using value = T;
        static constexpr int vectors = 1, lane_vector = scan_of::lane_vector, vector_size = lane_vector;
    };
};

/// The first operand of a scan, as a kernel gets it.
template <class T>
struct initial {
    alignas(T) unsigned char bytes[sizeof(T)] = {};
    bool there = false;

    explicit initial(std::optional<T> const& value) : there(value.has_value())
    {
        if (there)
            std::memcpy(bytes, static_cast<void const*>(&*value), sizeof(T));
    }
    TILEWISE_DEVICE maybe<T> get() const
    {
        maybe<T> result;
        result.there = there;
        gpu::put(result.value[0], reinterpret_cast<T const&>(bytes));
        return result;
    }
};

/// A tile as a warp sees it: its elements, and those of them that may be read in 16-byte vectors.
template <class Scan>
struct tile_input {
    typename Scan::view all;    ///< in global memory
    typename Scan::view nearby; ///< the same, or the stage that they were copied to
    int count;                  ///< elements there
    int begin, end;             ///< those to read from `nearby`
};

/// Elements at either end of a tile whose 16-byte vectors, or the next one, may have bytes of other tiles.
template <class View>
inline constexpr int shared_with_others = (vector_bytes + View::narrowest - 1) / View::narrowest;

/// A tile of `count` elements read from memory.
template <class Scan, access how>
TILEWISE_DEVICE tile_input<Scan> tile_in_memory(typename Scan::view const& view, offset first, int count)
{
    auto const all = view.from(first);
    if constexpr (how == access::realigned)
        return {all, all, count, shared_with_others<typename Scan::view>,
                count - shared_with_others<typename Scan::view>};
    else
        return {all, all, count, 0, count / Scan::lane_vector * Scan::lane_vector};
}

/// Loads the rows from element `first` of a tile on. What is not there has any value, or none.
template <class Scan, bool whole, access how, memory where, int rows>
TILEWISE_DEVICE void load_rows(tile_input<Scan>& from, int first, registers<typename Scan::vector_size, rows>& loaded)
{
    constexpr int N = Scan::lane_vector;
    auto const position_of = [&](int row) { return first + row * Scan::row + lane_index() * N; };
    if constexpr (whole && (how == access::aligned || (how == access::elementwise && where == memory::global))) {
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            loaded[row] = from.nearby.template fetch<how, N, where>(position_of(row));
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            from.nearby.template finish<how, N>(loaded[row], position_of(row));
        return;
    }
    if constexpr (rows == 1) { // of which nobody else may read a thing: it may be overwritten
        int const position = position_of(0);
        if (position >= from.begin && position + N <= from.end) {
            loaded[0] = from.nearby.template fetch<how, N, where>(position);
            from.nearby.template finish<how, N>(loaded[0], position);
        } else if (position < from.count) {
            loaded[0] = from.all.template fetch_clamped<N>(position, from.count - 1);
        }
        return;
    }
    // All lanes load, without a branch in between, which would wait for the load before it: what cannot be loaded from
    // here as the nearest that can. Then those few are read again.
    auto const near_position = [&](int row) {
        return gpu::max_of(gpu::min_of(position_of(row), from.end - N), from.begin);
    };
    if (from.end - from.begin >= N) {
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            loaded[row] = from.nearby.template fetch<how, N, where>(near_position(row));
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            from.nearby.template finish<how, N>(loaded[row], near_position(row));
    }
    TILEWISE_UNROLL
    for (int row = 0; row < rows; ++row) {
        int const position = position_of(row);
        if (position < from.count && (position < from.begin || position + N > from.end))
            loaded[row] = from.all.template fetch_clamped<N>(position, from.count - 1);
    }
}

/// Consecutive rows of a chunk in the registers of a warp: for every row and lane what comes before the lane vector in
/// the chunk, and the sums within the lane vector or its elements.
///
/// `whole` says that all of their elements are there; otherwise nothing of the user's is called with those that are
/// not.
template <class Scan, bool whole, int rows>
class rows_in_registers {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using View = typename Scan::view;
    using Sink = typename Scan::sink;
    using vector_size = typename Scan::vector_size;
    static constexpr int N = Scan::lane_vector;
    static constexpr bool keeps_sums = Scan::has_wide_sums;
    static constexpr bool predicated = !whole && !Scan::is_unpredicated;

public:
    /// Adds up the rows that are in `loaded`, of which `count` elements are there, onto the rows before them in the
    /// chunk.
    TILEWISE_DEVICE void add_up(registers<vector_size, rows> const& loaded, View& view, Op& op, int count,
                                maybe<T>& run)
    {
        if constexpr (!keeps_sums)
            loaded_ = loaded;
        registers<T, rows> sum; // of each lane's vector, then of the lanes up to it
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            add_vector(loaded[row], view, op, row, present(row, count), sum[row]);
        TILEWISE_UNROLL
        for (int distance = 1; distance < warp_size; distance *= 2) {
            TILEWISE_UNROLL
            for (int row = 0; row < rows; ++row) {
                T const left = gpu::shuffle_up(sum[row], distance);
                if (lane_index() >= distance && (!predicated || present(row, count) > 0))
                    gpu::put(sum[row], gpu::combine(op, left, T(sum[row])));
            }
        }
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            T const lanes = gpu::shuffle_up(sum[row], 1), total = gpu::shuffle(sum[row], warp_size - 1);
            before_[row] = run;
            if (lane_index() > 0 && (!predicated || present(row, count) > 0))
                before_[row].append(op, lanes);
            if (!predicated || count >= (row + 1) * Scan::row)
                run.append(op, total);
        }
    }

    /// Writes the results of the rows, which begin at `first` of the tile that `to` is for, onto what comes before the
    /// chunk.
    template <access how>
    TILEWISE_DEVICE void write(Sink& to, View& view, Op& op, int first, int count, maybe<T> const& carry)
    {
        first += lane_index() * N;
        [[maybe_unused]] vector16 row_before = {}; // what the last lane has in the row before, for the first lane
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            int const there = present(row, count), position = first + row * Scan::row;
            auto const results = results_of(view, op, row, there, prefix_of(op, row, there, carry));
            if constexpr (whole && how == access::realigned) {
                if (to.address_of(0) % vector_bytes != 0)
                    store_shifted(to, position, row, results, row_before);
                else
                    to.template store<access::aligned>(position, results);
            } else if (whole || there >= N) {
                to.template store<how == access::aligned ? how : access::elementwise>(position, results);
            } else {
                to.store_some(position, results, 0, there);
            }
        }
    }

private:
    /// How many elements of this lane's vector in a row are there: all if it is N or more, none if it is not positive.
    /// (Clamped to that range, nvcc 13.0 gets a comparison with N wrong.)
    TILEWISE_DEVICE static int present(int row, int count)
    {
        return whole ? N : count - row * Scan::row - lane_index() * N;
    }

    /// The total of a lane vector of which `there` elements are there.
    TILEWISE_DEVICE void add_vector(vector_size const& loaded, View& view, Op& op, int row, int there, T& sum)
    {
        if constexpr (!predicated && !keeps_sums) {
            gpu::put(sum, gpu::load_aggregate<typename Scan::layout>(view, loaded, op));
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i) {
                if (!predicated || i < there) {
                    T const element = gpu::operand<T, Op>(view, loaded, i);
                    gpu::put(sum, i == 0 ? element : gpu::combine(op, T(sum), element));
                    if constexpr (keeps_sums)
                        gpu::put(sums_[row][i], sum);
                }
            }
        }
    }

    /// What comes before the lane vector.
    TILEWISE_DEVICE maybe<T> prefix_of(Op& op, int row, int there, maybe<T> const& carry)
    {
        maybe<T> prefix(carry);
        if (before_[row].there) {
            if (carry.there && (!predicated || there > 0))
                gpu::put(prefix.value[0], gpu::combine(op, T(carry.value[0]), T(before_[row].value[0])));
            else
                gpu::put(prefix.value[0], before_[row].value[0]);
            prefix.there = true;
        }
        return prefix;
    }

    /// The results of a lane vector, as the sink stores them.
    TILEWISE_DEVICE auto results_of(View& view, Op& op, int row, int there, maybe<T> const& prefix)
    {
        if constexpr (!predicated && Scan::scans_bytes) {
            typename Sink::template vector<N> results;
            unsigned sum = prefix.there ? static_cast<unsigned>(prefix.value[0]) : 0;
            TILEWISE_UNROLL
            for (int i = 0; i < 4; ++i) {
                unsigned const before = sum & 0xFF, word = gpu::scan_bytes(loaded_[row].vectors[0].word[i], sum);
                results.vectors[0].word[i] = Scan::form == scan_form::inclusive ? word : word << 8 | before;
            }
            return results;
        } else {
            registers<T, N> results;
            registers<T, 1> sum; // of the lane vector up to element i
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i) {
                if (predicated && i >= there)
                    continue;
                if constexpr (Scan::form == scan_form::exclusive) {
                    if (i == 0) {
                        gpu::put(results[0], prefix.value[0]);
                    } else {
                        add_element(view, op, row, i - 1, sum[0]);
                        gpu::put(results[i], gpu::combine(op, T(prefix.value[0]), T(sum[0])));
                    }
                } else {
                    add_element(view, op, row, i, sum[0]);
                    gpu::put(results[i], prefix.there ? gpu::combine(op, T(prefix.value[0]), T(sum[0])) : sum[0]);
                }
            }
            return Sink::pack(results);
        }
    }
    TILEWISE_DEVICE void add_element(View& view, Op& op, int row, int i, T& sum)
    {
        if constexpr (keeps_sums) {
            gpu::put(sum, sums_[row][i]);
        } else {
            T const element = gpu::operand<T, Op>(view, loaded_[row], i);
            gpu::put(sum, i == 0 ? element : gpu::combine(op, T(sum), element));
        }
    }

    /// Stores a row at an address that is not aligned: each lane the 16-byte vector that begins in the vector of the
    /// lane before it, the first and the last lane of the chunk the bytes that are left.
    template <class Packet>
    TILEWISE_DEVICE void store_shifted(Sink& to, int position, int row, Packet const& own, vector16& row_before)
    {
        int const skipped = static_cast<int>(to.address_of(0) % vector_bytes);
        vector16 left;
        TILEWISE_UNROLL
        for (int i = 0; i < 4; ++i)
            left.word[i] = gpu::shuffle(own.vectors[0].word[i], (lane_index() + warp_size - 1) % warp_size);
        vector16 const rotated = left;
        if (lane_index() == 0)
            left = row_before;
        row_before = rotated;
        if (row == 0 && lane_index() == 0)
            to.store_bytes(position, own, 0, vector_bytes - skipped);
        else
            *reinterpret_cast<vector16*>(to.address_of(position) - skipped) =
                gpu::shifted(left, own.vectors[0], static_cast<unsigned>(vector_bytes - skipped));
        if (row == rows - 1 && lane_index() == warp_size - 1)
            to.store_bytes(position, own, vector_bytes - skipped, vector_bytes);
    }

    registers<vector_size, keeps_sums ? 1 : rows> loaded_;
    registers<registers<T, keeps_sums ? N : 1>, keeps_sums ? rows : 1> sums_;
    registers<maybe<T>, rows> before_;
};

/// How a warp holds its chunk between adding it up and writing its results.
enum class chunk_storage {
    kept, ///< in registers
    none  ///< it does not: all is done twice, row by row
};

/// A warp's chunk of a tile.
template <class Scan, bool whole, access in, memory where, chunk_storage storage>
class warp_chunk {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    static constexpr int rows = storage == chunk_storage::none ? 1 : Scan::rows;

public:
    /// Adds up the chunk that begins at `first` of a tile; every lane has the total of its whole rows.
    TILEWISE_DEVICE maybe<T> read(tile_input<Scan>& from, int first, Op& op)
    {
        auto run = gpu::nothing<T>();
        for_rows(first, from.count, [&](int begin) { add_up(from, begin, op, run); });
        return run;
    }

    /// Writes its results.
    template <access out>
    TILEWISE_DEVICE void write(tile_input<Scan>& from, int first, typename Scan::sink& to, Op& op,
                               maybe<T> const& carry)
    {
        auto run = gpu::nothing<T>();
        for_rows(first, from.count, [&](int begin) {
            if constexpr (storage == chunk_storage::none)
                add_up(from, begin, op, run);
            rows_.template write<out>(to, from.all, op, begin, from.count - begin, carry);
        });
    }

private:
    TILEWISE_DEVICE void add_up(tile_input<Scan>& from, int begin, Op& op, maybe<T>& run)
    {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, whole, in, where>(from, begin, loaded);
        rows_.add_up(loaded, from.all, op, from.count - begin, run);
    }
    template <class Body>
    TILEWISE_DEVICE static void for_rows(int first, int count, Body const& body)
    {
        if constexpr (storage == chunk_storage::none) {
            TILEWISE_NO_UNROLL
            for (int row = 0; row < Scan::rows && first + row * Scan::row < count; ++row)
                body(first + row * Scan::row);
        } else {
            body(first);
        }
    }
    rows_in_registers<Scan, whole, rows> rows_;
};

/// The total of a whole chunk, of a tile that is `whole` or not; every lane has it. For tiles whose results another
/// warp or kernel writes.
template <class Scan, bool whole, access in, memory where>
TILEWISE_DEVICE auto chunk_total(tile_input<Scan>& from, int first, typename Scan::op& op) -> typename Scan::value
{
    using T = typename Scan::value;
    constexpr int rows = Scan::rows;
    if constexpr (Scan::batched) {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, whole, in, where>(from, first, loaded);
        registers<T, rows> total;
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            gpu::put(total[row], gpu::load_aggregate<typename Scan::layout>(from.all, loaded[row], op));
        return gpu::warp_fold_rows<rows, warp_size, T>(op, gpu::warp_row_trees<rows, warp_size>(op, total));
    } else {
        auto run = gpu::nothing<T>();
        TILEWISE_NO_UNROLL
        for (int row = 0; row < rows; ++row) {
            registers<typename Scan::vector_size, 1> loaded;
            gpu::load_rows<Scan, whole, in, where>(from, first + row * Scan::row, loaded);
            T const total = gpu::warp_tree(op, gpu::load_aggregate<typename Scan::layout>(from.all, loaded[0], op));
            run.append(op, gpu::shuffle(total, 0));
        }
        return run.value[0];
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
