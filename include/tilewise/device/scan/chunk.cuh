// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How a warp scans its chunk of a tile: it loads the elements, combines them, and stores the results.

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
    /// Whether the running sums of a lane vector stay in registers until the results are stored. Narrow sums would take
    /// a register each. Their elements take fewer, so these are kept and combined again.
    static constexpr bool has_wide_sums = sizeof(T) >= 4;
    /// Whether bytes are summed to bytes, four at a time.
    static constexpr bool scans_bytes =
        adds_bytes<View, T, Op> && sizeof(T) == 1 && lane_vector == vector_bytes && stores_bytes<Sink>;

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

/// The elements of a tile, and the range of them that may be read in 16-byte vectors.
template <class Scan>
struct tile_input {
    typename Scan::view all;    ///< in global memory
    typename Scan::view nearby; ///< the same, or their copy in a stage of shared memory
    int count;                  ///< elements in the tile
    int begin, end;             ///< the elements [begin, end) are read from `nearby`
};

/// The number of elements at either end of a tile whose 16-byte vector, or the next one, may contain bytes of other
/// tiles.
template <class View>
inline constexpr int shared_with_others = (vector_bytes + View::narrowest - 1) / View::narrowest;

/// The tile of `count` elements in global memory that begins at element `first`.
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

/// Loads `rows` rows, starting at element `first` of a tile. Elements past the end of the tile have unspecified values,
/// or stay uninitialized.
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
    if constexpr (rows == 1) { // a lane reads its own elements only: others may have been overwritten by results
        int const position = position_of(0);
        if (position >= from.begin && position + N <= from.end) {
            loaded[0] = from.nearby.template fetch<how, N, where>(position);
            from.nearby.template finish<how, N>(loaded[0], position);
        } else if (position < from.count) {
            loaded[0] = from.all.template fetch_clamped<N>(position, from.count - 1);
        }
        return;
    }
    // All lanes load without a branch, which would wait for the preceding load. A lane whose vector cannot be loaded
    // from `nearby` loads the nearest one that can. Those few vectors are read again below.
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

/// Consecutive rows of a chunk in the registers of a warp. For each row, a lane holds the exclusive prefix of its lane
/// vector within the chunk, and either the running sums or the elements of the lane vector.
///
/// `whole` says that no row reaches past the last element. Otherwise no user code is called for elements past it.
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
    /// Scans the rows in `loaded`, of which the first `count` elements are valid. `run` is the aggregate of the
    /// preceding rows of the chunk; these rows are appended to it.
    TILEWISE_DEVICE void scan(registers<vector_size, rows> const& loaded, View& view, Op& op, int count,
                              optional_value<T>& run)
    {
        if constexpr (!keeps_sums)
            loaded_ = loaded;
        registers<T, rows> sum; // of each lane's vector, then of all lanes up to and including it
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            reduce_vector(loaded[row], view, op, row, present(row, count), sum[row]);
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
            T const lanes = gpu::shuffle_up(sum[row], 1), aggregate = gpu::shuffle(sum[row], warp_size - 1);
            before_[row] = run;
            if (lane_index() > 0 && (!predicated || present(row, count) > 0))
                before_[row].append(op, lanes);
            if (!predicated || count >= (row + 1) * Scan::row)
                run.append(op, aggregate);
        }
    }

    /// Stores the results of the rows, which begin at position `first` of the tile. `carry` is the exclusive prefix of
    /// the chunk.
    template <access how>
    TILEWISE_DEVICE void write(Sink& to, View& view, Op& op, int first, int count, optional_value<T> const& carry)
    {
        first += lane_index() * N;
        [[maybe_unused]] vector16 row_before = {}; // the last lane's vector of the preceding row, for the first lane
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row) {
            int const valid = present(row, count), position = first + row * Scan::row;
            auto const results = results_of(view, op, row, valid, prefix_of(op, row, valid, carry));
            if constexpr (whole && how == access::realigned) {
                if (to.address_of(0) % vector_bytes != 0)
                    store_shifted(to, position, row, results, row_before);
                else
                    to.template store<access::aligned>(position, results);
            } else if (whole || valid >= N) {
                to.template store<how == access::aligned ? how : access::elementwise>(position, results);
            } else {
                to.store_some(position, results, 0, valid);
            }
        }
    }

private:
    /// The number of valid elements in this lane's vector of a row: N or more means all, 0 or less means none. (If the
    /// number is clamped to [0, N], nvcc 13.0 miscompiles a comparison with N.)
    TILEWISE_DEVICE static int present(int row, int count)
    {
        return whole ? N : count - row * Scan::row - lane_index() * N;
    }

    /// Computes the aggregate of a lane vector of which the first `valid` elements are valid.
    TILEWISE_DEVICE void reduce_vector(vector_size const& loaded, View& view, Op& op, int row, int valid, T& sum)
    {
        if constexpr (!predicated && !keeps_sums) {
            gpu::put(sum, gpu::load_aggregate<typename Scan::layout>(view, loaded, op));
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < N; ++i) {
                if (!predicated || i < valid) {
                    T const element = gpu::operand<T, Op>(view, loaded, i);
                    gpu::put(sum, i == 0 ? element : gpu::combine(op, T(sum), element));
                    if constexpr (keeps_sums)
                        gpu::put(sums_[row][i], sum);
                }
            }
        }
    }

    /// Returns the exclusive prefix of the lane vector.
    TILEWISE_DEVICE optional_value<T> prefix_of(Op& op, int row, int valid, optional_value<T> const& carry)
    {
        optional_value<T> prefix(carry);
        if (before_[row].has_value) {
            if (carry.has_value && (!predicated || valid > 0))
                gpu::put(prefix.value[0], gpu::combine(op, T(carry.value[0]), T(before_[row].value[0])));
            else
                gpu::put(prefix.value[0], before_[row].value[0]);
            prefix.has_value = true;
        }
        return prefix;
    }

    /// Returns the results of a lane vector in the form that the sink stores.
    TILEWISE_DEVICE auto results_of(View& view, Op& op, int row, int valid, optional_value<T> const& prefix)
    {
        if constexpr (!predicated && Scan::scans_bytes) {
            typename Sink::template vector<N> results;
            unsigned sum = prefix.has_value ? static_cast<unsigned>(prefix.value[0]) : 0;
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
                if (predicated && i >= valid)
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
                    gpu::put(results[i], prefix.has_value ? gpu::combine(op, T(prefix.value[0]), T(sum[0])) : sum[0]);
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

    /// Stores a row at an address that is not 16-byte aligned. Each lane stores the aligned 16-byte vector that begins
    /// in the preceding lane's vector. The first and the last lane of the chunk store the bytes that remain at its
    /// ends.
    template <class Vector>
    TILEWISE_DEVICE void store_shifted(Sink& to, int position, int row, Vector const& own, vector16& row_before)
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
    registers<optional_value<T>, rows> before_;
};

/// Where a warp keeps its chunk between reading it and storing its results.
enum class chunk_storage {
    kept, ///< in registers
    none  ///< nowhere: the chunk is read and combined twice, row by row
};

/// The chunk of a tile that a warp scans.
template <class Scan, bool whole, access in, memory where, chunk_storage storage>
class warp_chunk {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    static constexpr int rows = storage == chunk_storage::none ? 1 : Scan::rows;

public:
    /// Reads and combines the chunk that begins at position `first` of a tile. Returns the aggregate of its complete
    /// rows in every lane.
    TILEWISE_DEVICE optional_value<T> read(tile_input<Scan>& from, int first, Op& op)
    {
        auto run = gpu::no_value<T>();
        for_rows(first, from.count, [&](int begin) { scan(from, begin, op, run); });
        return run;
    }

    /// Stores the results of the chunk, whose exclusive prefix is `carry`.
    template <access out>
    TILEWISE_DEVICE void write(tile_input<Scan>& from, int first, typename Scan::sink& to, Op& op,
                               optional_value<T> const& carry)
    {
        auto run = gpu::no_value<T>();
        for_rows(first, from.count, [&](int begin) {
            if constexpr (storage == chunk_storage::none)
                scan(from, begin, op, run);
            rows_.template write<out>(to, from.all, op, begin, from.count - begin, carry);
        });
    }

private:
    TILEWISE_DEVICE void scan(tile_input<Scan>& from, int begin, Op& op, optional_value<T>& run)
    {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, whole, in, where>(from, begin, loaded);
        rows_.scan(loaded, from.all, op, from.count - begin, run);
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

/// Returns the aggregate of a complete chunk in every lane; `whole` says whether its tile is complete, too. For tiles
/// whose results another warp or kernel writes.
template <class Scan, bool whole, access in, memory where>
TILEWISE_DEVICE auto chunk_aggregate(tile_input<Scan>& from, int first, typename Scan::op& op) -> typename Scan::value
{
    using T = typename Scan::value;
    constexpr int rows = Scan::rows;
    if constexpr (Scan::batched) {
        registers<typename Scan::vector_size, rows> loaded;
        gpu::load_rows<Scan, whole, in, where>(from, first, loaded);
        registers<T, rows> aggregate;
        TILEWISE_UNROLL
        for (int row = 0; row < rows; ++row)
            gpu::put(aggregate[row], gpu::load_aggregate<typename Scan::layout>(from.all, loaded[row], op));
        return gpu::warp_fold_rows<rows, warp_size, T>(op, gpu::warp_row_trees<rows, warp_size>(op, aggregate));
    } else {
        auto run = gpu::no_value<T>();
        TILEWISE_NO_UNROLL
        for (int row = 0; row < rows; ++row) {
            registers<typename Scan::vector_size, 1> loaded;
            gpu::load_rows<Scan, whole, in, where>(from, first + row * Scan::row, loaded);
            T const aggregate = gpu::warp_tree(op, gpu::load_aggregate<typename Scan::layout>(from.all, loaded[0], op));
            run.append(op, gpu::shuffle(aggregate, 0));
        }
        return run.value[0];
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
