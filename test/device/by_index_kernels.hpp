// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// reduce_by_index on the device against the specification: the values of each cell are a range of their own.

#include "on_device.hpp"
#include "order_shapes.hpp"

#include <tilewise/axis.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/reduce_by_index.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace by_index {

using on_device::device_array;

/// So small that a few thousand elements cross every level.
struct steep_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};

/// Digits of two bits, so that a few cells take several passes, tiles of few elements, and tables of a few sums.
struct small_steps : tw::gpu::by_index_tuning {
    static constexpr int threads = 64, digit_bits = 2, blocks_per_multiprocessor = 1,
                         moving_blocks_per_multiprocessor = 1;
    static constexpr int few_cells_bits = 1, many_cells_bits = 7, many_cells_threads = 64;
    static constexpr tw::offset least_for_lane_vectors = 0;
    template <int>
    static constexpr int items_per_thread = 2;
    static constexpr int items_summed = 2, table_bytes = 64, large_table_threads = 96, large_table_bytes = 256;
    struct segments : tw::gpu::segmented_tuning {
        static constexpr int threads = 64, scanning_short_blocks = 1, reducing_short_blocks = 1, by_fours_blocks = 1;
        static constexpr tw::offset warps_wanted = 4, segments_at_once = 37;
        template <class>
        static constexpr int long_blocks_per_multiprocessor = 1;
    };
};

/// More blocks than threads in a block, if there are more than 4096 elements.
struct many_blocks : small_steps {
    static constexpr int moving_blocks_per_multiprocessor = on_device::interpreted ? 100 : 16;
    template <int>
    static constexpr int items_per_thread = 1;
};

/// The same, with values that are always sorted.
template <class Tuning>
struct sorting : Tuning {
    static constexpr tw::offset least_for_lane_vectors = std::numeric_limits<tw::offset>::max();
};

/// The usual numbers, also for a few elements.
struct usual_lane_vectors : tw::gpu::by_index_tuning {
    static constexpr tw::offset least_for_lane_vectors = 0;
};

/// How elements are spread over cells.
enum class spread { anyhow, one_cell, sorted, reversed, in_runs, nowhere, few_cells };
inline constexpr spread all_spreads[] = {spread::anyhow,  spread::one_cell, spread::sorted,   spread::reversed,
                                         spread::in_runs, spread::nowhere,  spread::few_cells};

/// Keys below `cells`, and some that are negative or too large.
template <class Key>
std::vector<Key> keys_of(std::size_t count, int cells, spread how)
{
    std::vector<Key> keys(count);
    std::uint64_t state = 88172645463325252u + count;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        auto const random = static_cast<std::int64_t>(state >> 33);
        auto const position = static_cast<std::int64_t>(i);
        auto const all = static_cast<std::int64_t>(count);
        std::int64_t key = 0;
        switch (how) {
        case spread::anyhow:
            key = random % (cells + cells / 4 + 2) - 1;
            break;
        case spread::one_cell:
            key = cells / 2;
            break;
        case spread::sorted:
            key = position * (cells + 2) / all - 1;
            break;
        case spread::reversed:
            key = (all - position) * (cells + 2) / all - 1;
            break;
        case spread::in_runs:
            key = position / 37 * 11 % (cells + 1);
            break;
        case spread::nowhere:
            key = position % 2 == 0 ? -1 - position : std::int64_t{cells} + position;
            break;
        case spread::few_cells:
            key = random % 3 * (cells - 1) / 2;
            break;
        }
        keys[i] = static_cast<Key>(key);
    }
    return keys;
}

/// An operator of the standard's on integers as the library computes it: it wraps.
template <class T, class Op>
struct wrapping {
    Op op;
    T operator()(T a, T b) const
    {
        if constexpr (std::is_integral_v<T> && std::is_same_v<Op, std::plus<>>)
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        else if constexpr (std::is_integral_v<T> && std::is_same_v<Op, std::multiplies<>>)
            return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else
            return op(a, b);
    }
};

/// What each cell has to be, given the cell of each element as a number that need not be one of them.
template <class Geometry, class T, class Op>
std::vector<T> specified(std::vector<std::int64_t> const& cell_of, std::vector<T> const& values, int cells,
                         T const& init, Op op)
{
    std::vector<std::vector<T>> of_cell(static_cast<std::size_t>(cells));
    for (std::size_t i = 0; i < cell_of.size(); ++i)
        if (cell_of[i] >= 0 && cell_of[i] < cells)
            of_cell[static_cast<std::size_t>(cell_of[i])].push_back(values[i]);
    specification::order<T, wrapping<T, Op>> const order({op}, backend::units_of<Geometry>());
    std::vector<T> results;
    for (auto const& own : of_cell)
        results.push_back(order.reduce(own, init));
    return results;
}

/// The engine, with a geometry and a tuning of choice.
template <class Geometry, class Tuning, class T, class Policy, class Keys, class Values, class View, class Out,
          class Op>
void run(Policy const& policy, Keys const& keys, std::size_t count, Values const& values, View const& view,
         Out const& out, T const& init, Op op)
{
    tw::gpu::reduce_by_cell<Geometry, Tuning>("reduce_by_index", policy, keys, static_cast<tw::offset>(count), values,
                                              view, out, init,
                                              tw::gpu::operator_for(tw::known::portable_operator_or_self<T>(op)));
}

template <class T>
void expect_same(std::vector<T> const& results, std::vector<T> const& expected, char const* what)
{
    ASSERT_EQ(results.size(), expected.size()) << what;
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!on_device::same_bits(results[i], expected[i])) {
            ADD_FAILURE() << what << ": cell " << i << " of " << results.size() << ", of " << sizeof(T)
                          << " bytes, differs";
            return;
        }
}

/// Memory may begin some bytes off what the allocation is aligned for.
struct misaligned_by {
    std::size_t keys = 0, values = 0, out = 0;
};

/// Compares the first `values.size()` elements' results with the specification.
template <class Geometry, class Tuning, class Key = int, class T, class Op>
void expect_specified(std::vector<T> const& values, int cells, spread how, T const& init, Op op, misaligned_by off = {})
{
    SCOPED_TRACE(testing::Message() << values.size() << " elements, " << cells << " cells, spread "
                                    << static_cast<int>(how));
    auto const keys = keys_of<Key>(values.size(), cells, how);
    std::vector<std::int64_t> const cell_of(keys.begin(), keys.end());
    auto const expected = specified<Geometry>(cell_of, values, cells, init, op);
    device_array<Key> const device_keys(keys, off.keys);
    device_array<T> const device_values(values, off.values), out(expected.size(), off.out);
    run<Geometry, Tuning>(tw::device, device_keys.data(), values.size(), device_values.data(),
                          tw::binning::numbered_cells{cells}, out.data(), init, op);
    expect_same(out.values(expected.size()), expected, "reduce_by_index");
}

/// An axis of somebody who returns whatever comes.
struct careless {
    TILEWISE_PORTABLE int extent() const { return 3; }
    TILEWISE_PORTABLE long long index(int sample) const { return (sample - 5LL) << (sample % 40); }
};

inline void expect_cells_of_careless_axis()
{
    std::vector<int> samples;
    std::vector<std::int64_t> cell_of;
    std::vector<float> values;
    for (int i = 0; i < 200; ++i) {
        samples.push_back(i % 77);
        cell_of.push_back(careless().index(i % 77));
        values.push_back(0.1f * static_cast<float>(i));
    }
    device_array<int> const device_copy(samples);
    device_array<float> const device_values(values), out(3);
    run<tw::standard_geometry, small_steps>(tw::device, device_copy.data(), samples.size(), device_values.data(),
                                            careless(), out.data(), 0.5f, std::plus<>());
    expect_same(out.values(3), specified<tw::standard_geometry>(cell_of, values, 3, 0.5f, std::plus<>()), "sums");
}

} // namespace by_index
