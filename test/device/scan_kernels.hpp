// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The scans by each of their kernels, against the specification of the order.

#include "on_device.hpp"
#include "order_shapes.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace scan_kernels {

using on_device::device_array;
constexpr auto inclusive = tw::scan_form::inclusive, exclusive = tw::scan_form::exclusive;

/// So small that a few thousand elements cross every level.
struct steep_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super = 2;
};

/// @name Tunings that choose one kernel wherever it can be
/// @{
template <class Geometry>
struct in_cluster : tw::gpu::scan_tuning {
    static constexpr int cluster_blocks = std::min(16, Geometry::tiles_per_group);
    static constexpr char const* name = "in a cluster";
};
template <class Geometry>
struct side_by_side : tw::gpu::scan_tuning {
    static constexpr bool clusters = false, bulk_copies = false;
    static constexpr int cluster_blocks = 0;
    static constexpr char const* name = "side by side";
};
template <class Geometry>
struct in_one_pass : tw::gpu::scan_tuning {
    static constexpr bool clusters = false;
    static constexpr int cluster_blocks = 0, most_stages = Geometry::tiles_per_group < 16 ? 3 : 7;
    static constexpr tw::offset tiles_side_by_side = 0;
    static constexpr char const* name = "in one pass";
};
template <class Geometry>
struct in_three_passes : tw::gpu::scan_tuning {
    static constexpr bool clusters = false, bulk_copies = false;
    static constexpr int cluster_blocks = 0, carry_threads = 64;
    static constexpr tw::offset tiles_side_by_side = 0;
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
    maybe_check(side_by_side<Geometry>());
    maybe_check(in_one_pass<Geometry>());
    maybe_check(in_three_passes<Geometry>());
}

/// Numbers of elements around the boundaries of the order.
template <class T, class Geometry>
std::vector<std::size_t> sizes(tw::offset most)
{
    using order = tw::order<T, Geometry>;
    std::vector<std::size_t> result;
    for (tw::offset const unit : {order::lane_vector, order::row, order::chunk, order::tile, order::group, order::super,
                                  order::tile + order::chunk})
        for (tw::offset const multiple : {1, 2, 3})
            for (tw::offset const beside : {-1, 0, 1})
                if (tw::offset const size = unit * multiple + beside; size <= most)
                    result.push_back(static_cast<std::size_t>(size));
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// All of them, or in the interpreter some, which differ from schedule to schedule.
inline std::vector<std::size_t> some_of(std::vector<std::size_t> const& counts)
{
#ifdef __CUDACC__
    return counts;
#else
    std::vector<std::size_t> some;
    std::size_t const step = counts.size() / 8 + 1;
    for (std::size_t i = simt::schedule_seed() % step; i < counts.size(); i += step)
        some.push_back(counts[i]);
    return some;
#endif
}

/// What all forms of a scan of some elements have to be.
template <class T, class Op>
struct scanned {
    std::vector<T> without_init, with_init, excluding;

    template <class Geometry>
    scanned(Geometry, std::vector<T> const& x, T const& init, Op op)
    {
        specification::order<T, Op> const order(op, backend::units_of<Geometry>());
        without_init = order.inclusive_scan(x, std::nullopt);
        with_init = order.inclusive_scan(x, init);
        excluding = order.exclusive_scan(x, init);
    }
};

template <class T>
void expect_same(std::vector<T> const& results, std::vector<T> const& expected, char const* what)
{
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!on_device::same_bits(results[i], expected[i])) {
            ADD_FAILURE() << what << " of " << results.size() << " elements of " << sizeof(T) << " bytes differs at "
                          << i;
            return;
        }
}

/// Scans the first elements of `x`, in memory that ends with the last, by every kernel, into such memory or in place.
template <class Geometry, class T, class Op>
void expect_scanned(std::vector<T> const& x, std::vector<std::size_t> const& counts, Op op,
                    std::size_t misalignment = 0, std::size_t misaligned_output = 0)
{
    T const init = x.back();
    scanned<T, Op> const expected(Geometry(), x, init, op);
    for (std::size_t const count : counts) {
        std::vector<T> const part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
        by_every_kernel<Geometry>([&](auto tuning) {
            device_array<T> const there(part, misalignment), out(count, misaligned_output);
            auto const scan = [&]<tw::scan_form form>(std::optional<T> const& first, T* to) {
                tw::gpu::scan<Geometry, form, T, decltype(tuning)>(
                    tw::device, there.data(), static_cast<tw::offset>(count), to, first,
                    tw::gpu::operator_for(tw::named::portable_twin_or_self<T>(op)));
            };
            scan.template operator()<inclusive>(std::nullopt, out.data());
            expect_same(out.values(count), expected.without_init, "the inclusive scan");
            scan.template operator()<exclusive>(init, out.data());
            expect_same(out.values(count), expected.excluding, "the exclusive scan");
            scan.template operator()<inclusive>(init, there.data());
            expect_same(there.values(count), expected.with_init, "the scan in place");
        });
    }
}

} // namespace scan_kernels
