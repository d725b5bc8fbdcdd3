// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scans by each of their kernels, against the specification of the order.

#include "on_device.hpp"
#include "order_shapes.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/scan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace scan_kernels {

using on_device::device_array;
constexpr auto inclusive = tw::scan_form::inclusive, exclusive = tw::scan_form::exclusive;

/// So small that a few thousand elements cross four levels above the tile.
struct steep_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};

/// @name Tunings that choose one kernel wherever it can be
/// @{
template <class Geometry>
struct in_cluster : tw::gpu::scan_tuning {
    static constexpr bool bulk_copies = false; // racecheck understands the single pass of `in_one_pass` only
    static constexpr int cluster_blocks = std::min(16, Geometry::tiles_per_group);
    static constexpr char const* name = "in a cluster";
};
template <class Geometry>
struct tile_per_block : tw::gpu::scan_tuning {
    static constexpr bool clusters = false, bulk_copies = false;
    static constexpr int cluster_blocks = 0;
    static constexpr char const* name = "side by side";
};
template <class Geometry>
struct in_one_pass : tw::gpu::scan_tuning {
    static constexpr bool clusters = false;
    static constexpr int cluster_blocks = 0, most_stages = Geometry::tiles_per_group < 16 ? 3 : 7;
    static constexpr tw::offset tile_per_block_limit = 0;
    static constexpr bool every_lane_arrives = !on_device::interpreted; // racecheck does not see it otherwise
    static constexpr char const* name = "in one pass";
};
template <class Geometry>
struct in_three_passes : tw::gpu::scan_tuning {
    static constexpr bool clusters = false, bulk_copies = false;
    static constexpr int cluster_blocks = 0, carry_threads = 64;
    static constexpr tw::offset tile_per_block_limit = 0;
    static constexpr char const* name = "in three passes";
};
/// @}

/// Calls `check(tuning)` for every kernel; in the interpreter, schedules take turns with them.
template <class Geometry, class Check>
void by_every_kernel(Check check)
{
    std::size_t index = 0;
    auto const maybe_check = [&](auto tuning) {
        if (on_device::leaves_to_other_schedule(index++))
            return;
        SCOPED_TRACE(decltype(tuning)::name);
        check(tuning);
    };
    maybe_check(in_cluster<Geometry>());
    maybe_check(tile_per_block<Geometry>());
    maybe_check(in_one_pass<Geometry>());
    maybe_check(in_three_passes<Geometry>());
}

/// Numbers of elements around the boundaries of the order.
template <class T, class Geometry>
std::vector<std::size_t> sizes(tw::offset most)
{
    using order = tw::order<T, Geometry>;
    std::vector<std::size_t> result;
    for (tw::offset const unit : {order::lane_vector, order::row, order::chunk, order::tile, order::group,
                                  order::super_group, 4 * order::super_group, order::tile + order::chunk})
        for (tw::offset const multiple : {1, 2, 3})
            for (tw::offset const difference : {-1, 0, 1})
                if (tw::offset const size = unit * multiple + difference; size <= most)
                    result.push_back(static_cast<std::size_t>(size));
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// All of them, or some under a tool; in the interpreter they differ from schedule to schedule.
inline std::vector<std::size_t> some_of(std::vector<std::size_t> const& counts)
{
    std::size_t const step = on_device::amount<std::size_t>(1, 4, counts.size() / 8 + 1);
    std::vector<std::size_t> some;
    for (std::size_t i = on_device::variation() % step; i < counts.size(); i += step)
        some.push_back(counts[i]);
    return some;
}

/// What all forms of a scan of some values have to be.
template <class T>
struct scanned {
    std::vector<T> without_init, with_init, excluding;

    template <class Geometry, class Op>
    scanned(Geometry, std::vector<T> const& values, T const& init, Op op)
    {
        specification::order<T, Op> const order(op, backend::units_of<Geometry>());
        without_init = order.inclusive_scan(values, std::nullopt);
        with_init = order.inclusive_scan(values, init);
        excluding = order.exclusive_scan(values, init);
    }
};

/// A scan on the device, by a kernel of choice.
template <class Geometry, class Tuning, tw::scan_form form, class T, class Policy, class Input, class Out, class Op>
void scan(Policy const& policy, Input const& input, std::size_t count, Out const& out, std::optional<T> const& init,
          Op op)
{
    tw::gpu::scan<Geometry, form, T, Tuning>(policy, input, static_cast<tw::offset>(count), out, init,
                                             tw::gpu::operator_for(tw::known::portable_operator_or_self<T>(op)));
}

/// Compares the results of a scan with the first of those expected, as they are in memory of type O.
template <class O, class T>
void expect_same(std::vector<O> const& results, std::vector<T> const& expected, char const* what)
{
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!on_device::same_bits(results[i], static_cast<O>(expected[i]))) {
            ADD_FAILURE() << what << " of " << results.size() << " elements, of " << sizeof(T) << " bytes, differs at "
                          << i;
            return;
        }
}

/// Memory for results, some bytes into an allocation; those before and after shall keep what they have.
template <class O>
class guarded {
public:
    guarded(std::size_t size, std::size_t misalignment)
        : size_(size), misalignment_(misalignment),
          bytes_(std::vector<unsigned char>(misalignment + size * sizeof(O) + after, pattern))
    {}
    O* data() const { return reinterpret_cast<O*>(bytes_.data() + misalignment_); }
    /// The results, which are wiped out.
    std::vector<O> take() const
    {
        auto const all = bytes_.values(bytes_.size());
        std::vector<O> results(size_);
        std::memcpy(static_cast<void*>(results.data()), all.data() + misalignment_, size_ * sizeof(O));
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i < misalignment_ || i >= misalignment_ + size_ * sizeof(O)) {
                EXPECT_EQ(all[i], pattern) << "what is beside the results was written";
            }
        bytes_.assign(std::vector<unsigned char>(all.size(), pattern));
        return results;
    }

private:
    static constexpr unsigned char pattern = 0xA5;
    static constexpr std::size_t after = on_device::interpreted ? 0 : 64; ///< the interpreter knows the bounds
    std::size_t size_, misalignment_;
    device_array<unsigned char> bytes_;
};

/// How many bytes memory is off what the allocation is aligned for.
struct offsets {
    std::size_t input = 0, output = 0;
};

/// Scans the first elements of `x` by every kernel: into memory for elements of type O, and in place. Values are of
/// type T.
template <class Geometry, class T, class O, class E, class Op>
void expect_scanned(std::vector<E> const& x, T const& init, std::vector<std::size_t> const& counts, Op op,
                    offsets off = {})
{
    std::vector<T> values;
    for (E const& element : x)
        values.push_back(static_cast<T>(element));
    scanned<T> const expected(Geometry(), values, init, op);
    for (std::size_t const count : counts) {
        std::vector<E> const part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
        by_every_kernel<Geometry>([&](auto tuning) {
            using tuning_type = decltype(tuning);
            device_array<E> const device_copy(part, off.input);
            guarded<O> const out(count, off.output);
            scan<Geometry, tuning_type, inclusive, T>(tw::device, device_copy.data(), count, out.data(), {}, op);
            expect_same(out.take(), expected.without_init, "the inclusive scan");
            scan<Geometry, tuning_type, exclusive, T>(tw::device, device_copy.data(), count, out.data(), init, op);
            expect_same(out.take(), expected.excluding, "the exclusive scan");
            if constexpr (std::is_same_v<E, O>) {
                scan<Geometry, tuning_type, inclusive, T>(tw::device, device_copy.data(), count, device_copy.data(),
                                                          init, op);
                expect_same(device_copy.values(count), expected.with_init, "the scan in place");
            } else {
                scan<Geometry, tuning_type, inclusive, T>(tw::device, device_copy.data(), count, out.data(), init, op);
                expect_same(out.take(), expected.with_init, "the inclusive scan with init");
            }
        });
    }
}

/// The same where all have one type, with values that tell every order from every other, at the boundaries of the
/// order.
template <class T, class Geometry = steep_geometry>
void expect_specified_order(offsets off = {})
{
    tw::offset const most =
        4 * tw::order<T, Geometry>::super_group + tw::order<T, Geometry>::tile + 7; // the fourth level
    auto const x = shape::some_values<T>(static_cast<std::size_t>(most));
    expect_scanned<Geometry, T, T>(x, x.back(), some_of(sizes<T, Geometry>(most)), shape::non_associative<T>(), off);
}

/// Ranges of up to a few rows more than those for which `scan_one_tile` has code of its own.
template <class T>
void expect_few_rows_scanned()
{
    using geometry = tw::standard_geometry;
    constexpr std::size_t row = tw::order<T, geometry>::row;
    static_assert(geometry::rows_per_chunk > 3);
    auto const x = shape::some_values<T>(4 * row);
    shape::non_associative<T> const op;
    scanned<T> const expected(geometry(), x, x.back(), op);
    device_array<T> const device_copy(x);
    for (std::size_t const count :
         {std::size_t{1}, row - 1, row, row + 1, 2 * row - 1, 2 * row, 2 * row + 1, 3 * row, 3 * row + 1}) {
        guarded<T> const out(count, 0);
        scan<geometry, in_cluster<geometry>, inclusive, T>(tw::device, device_copy.data(), count, out.data(), x.back(),
                                                           op);
        expect_same(out.take(), expected.with_init, "the inclusive scan with init");
    }
}

/// Whether something was called on what is not there, as kernels note it.
class witness {
public:
    bool* data() const { return reinterpret_cast<bool*>(called_.data()); }
    void expect_not_called() const { EXPECT_EQ(called_.value(), 0) << "called on what is not there"; }

private:
    device_array<unsigned char> called_{std::vector<unsigned char>{0}};
};

/// At the order's boundaries most blocks of the single pass have one tile, or none: here each fills all of its stages
/// again and again, in a tuning that racecheck understands.
template <class T>
void expect_stages_filled_again()
{
    using tuning = in_one_pass<steep_geometry>;
    constexpr std::size_t tile = tw::order<T, steep_geometry>::tile, stages = tuning::most_stages;
    int multiprocessors = 0;
    on_device::expect_success(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    // as many blocks as a multiprocessor of 2048 threads may hold
    std::size_t const most_blocks = static_cast<std::size_t>(multiprocessors) * 8;
    std::size_t const count = most_blocks * stages * on_device::amount<std::size_t>(3, 3, 2) * tile + 7;

    auto const x = shape::some_values<T>(count);
    shape::non_associative<T> const op;
    device_array<T> const device_copy(x);
    guarded<T> const out(count, 0);
    int blocks = 0;
    auto const sink = [&](tw::launch_record const& launch) {
        EXPECT_STREQ(launch.kernel, "scan_in_one_pass");
        blocks = launch.blocks;
    };
    scan<steep_geometry, tuning, inclusive, T>(tw::device.trace(sink), device_copy.data(), count, out.data(), {}, op);
    EXPECT_GE(count / tile, 2 * stages * static_cast<std::size_t>(blocks)) << "stages were not filled again";
    scanned<T> const expected(steep_geometry(), x, x.back(), op);
    expect_same(out.take(), expected.without_init, "the inclusive scan");
}

} // namespace scan_kernels
