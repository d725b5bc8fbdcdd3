// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the property tests run on. A law is written once, against this interface, and holds on every backend; a new
/// engine is one more backend.

#include "order_specification.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#ifdef TILEWISE_DEVICE_ENGINE
#include "on_device.hpp"
#endif

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace backend {

/// A geometry so small that a few hundred elements cross four levels above the tile, with trees that can lack operands.
/// A kernel's row is what a warp reads, so it takes ten thousands of them there.
#ifdef TILEWISE_DEVICE_ENGINE
struct tiny_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 4,
                         tiles_per_group = 16, groups_per_super_group = 2;
};
#else
struct tiny_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 4, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};
#endif

/// The specification's name for a geometry.
template <class Geometry>
constexpr specification::units units_of()
{
    return {Geometry::lane_vector_bytes, Geometry::lanes_per_row,   Geometry::rows_per_chunk,
            Geometry::chunks_per_tile,   Geometry::tiles_per_group, Geometry::groups_per_super_group};
}

#ifndef TILEWISE_DEVICE_ENGINE

/// A policy of the library, on a geometry of choice.
template <class Policy, class Geometry>
struct host {
    using geometry = Geometry;

    template <class It, class T, class Op>
    static T reduce(It first, It last, T init, Op op)
    {
        if (first == last)
            return init;
        return tilewise::host::reduce<Geometry>(Policy{}, first, tilewise::extent_between(first, last), init,
                                                tilewise::known::operator_or_self<T>(op));
    }
    template <class T, class Op>
    static T reduce(std::vector<T> const& x, T init, Op op)
    {
        return reduce(x.begin(), x.end(), init, op);
    }

    /// The results of a scan with or without `init`: beside the elements, or in their place.
    template <tilewise::scan_form form, class T, class Op>
    static std::vector<T> scan(std::vector<T> const& x, std::optional<T> init, Op op)
    {
        std::vector<T> out(x.rbegin(), x.rend()); // (there may be no T but those)
        scan_into<form>(x.begin(), x, out, init, op);
        return out;
    }
    template <tilewise::scan_form form, class T, class Op>
    static std::vector<T> scan_in_place(std::vector<T> x, std::optional<T> init, Op op)
    {
        scan_into<form>(x.begin(), x, x, init, op);
        return x;
    }

private:
    template <tilewise::scan_form form, class It, class T, class Op>
    static void scan_into(It first, std::vector<T> const& x, std::vector<T>& out, std::optional<T> init, Op op)
    {
        if (!x.empty())
            tilewise::host::scan<Geometry, form>(Policy{}, first, static_cast<tilewise::offset>(x.size()), out.begin(),
                                                 std::move(init), tilewise::known::operator_or_self<T>(op));
    }
};

using seq_tiny = host<tilewise::sequenced_policy, tiny_geometry>;
using par_tiny = host<tilewise::parallel_policy, tiny_geometry>;
using seq = host<tilewise::sequenced_policy, tilewise::standard_geometry>;
using par = host<tilewise::parallel_policy, tilewise::standard_geometry>;

/// Calls `check(backend)` for every one with the given geometry.
template <class Geometry, class Check>
void on_all(Check check)
{
    check(host<tilewise::sequenced_policy, Geometry>{});
    check(host<tilewise::parallel_policy, Geometry>{});
}

/// The same for what only scans.
template <class Geometry, class Check>
void on_all_for_scans(Check check)
{
    on_all<Geometry>(check);
}

/// Calls `check(policy, range)` for every policy of the library, with the elements where it can read them.
template <class T, class Check>
void under_all_policies(std::vector<T> const& x, Check check)
{
    check(tilewise::seq, x);
    check(tilewise::par, x);
}

/// The results of type T that `scan(policy, range, out)` writes, under a policy and for a range of those.
template <class T, class Policy, class Element, class Scan>
std::vector<T> written_by(Scan scan, Policy policy, std::vector<Element> const& x)
{
    std::vector<T> out;
    if constexpr (std::same_as<T, Element>)
        out.assign(x.rbegin(), x.rend()); // there may be no T but those
    else
        out.resize(x.size());
    auto const end = scan(policy, x, out.begin());
    return {out.begin(), end};
}

/// Runs a test.
template <class Body>
void run(Body body)
{
    body();
}

/// Whether this is a variant of a test that another schedule of the interpreter runs.
inline bool leaves_to_other_schedule(std::size_t)
{
    return false;
}

/// Whether calls take their time.
inline constexpr bool is_slow = false;

/// How many super-groups a test crosses.
inline constexpr tilewise::offset most_super_groups = 5;

/// The numbers of elements that a test tries, of those that it could.
inline std::vector<std::size_t> chosen(std::vector<std::size_t> counts)
{
    return counts;
}

#else

/// A tuning for tests, which change it between calls. Pass 2 takes a few super-groups at once, so it may need several
/// rounds.
struct tuning : tilewise::gpu::reduce_tuning {
    static inline bool clusters = true, one_launch = true, dependent_launches = true;
    static inline int forced_iterations = 0; ///< none, if 0
    static int iterations(tilewise::offset bytes)
    {
        return forced_iterations != 0 ? forced_iterations : reduce_tuning::iterations(bytes);
    }
    template <class, class Geometry>
    static constexpr int fold_super_groups = Geometry::tiles_per_group < 32 ? 2 : 1;
};

/// The same of scans: few elements reach the kernel for long ranges.
struct scan_tuning : tilewise::gpu::scan_tuning {
    static constexpr tilewise::offset tile_per_block_limit = 24;
    static constexpr bool every_lane_arrives = !on_device::interpreted; // racecheck does not see it otherwise
};

/// The kernels, on a geometry of choice.
template <class Geometry, class Tuning>
struct device {
    using geometry = Geometry;

    template <class It, class T, class Op>
    static T reduce(It first, It last, T init, Op op)
    {
        return reduce(std::vector<T>(first, last), init, op);
    }
    template <class T, class Op>
    static T reduce(std::vector<T> const& x, T init, Op op)
    {
        on_device::device_array<T> const device_copy(x);
        return tilewise::gpu::reduce<Geometry, Tuning>(
            tilewise::device, device_copy.data(), static_cast<tilewise::offset>(x.size()), init,
            tilewise::gpu::operator_for(tilewise::known::portable_operator_or_self<T>(op)));
    }

    template <tilewise::scan_form form, class T, class Op>
    static std::vector<T> scan(std::vector<T> const& x, std::optional<T> init, Op op)
    {
        on_device::device_array<T> const device_copy(x), out(x.size());
        return scan_into<form>(x, device_copy, out, init, op);
    }
    template <tilewise::scan_form form, class T, class Op>
    static std::vector<T> scan_in_place(std::vector<T> const& x, std::optional<T> init, Op op)
    {
        on_device::device_array<T> const device_copy(x);
        return scan_into<form>(x, device_copy, device_copy, init, op);
    }

private:
    template <tilewise::scan_form form, class T, class Op>
    static std::vector<T> scan_into(std::vector<T> result, on_device::device_array<T> const& device_copy,
                                    on_device::device_array<T> const& out, std::optional<T> const& init, Op op)
    {
        if (!result.empty())
            tilewise::gpu::scan<Geometry, form, T, scan_tuning>(
                tilewise::device, device_copy.data(), static_cast<tilewise::offset>(result.size()), out.data(), init,
                tilewise::gpu::operator_for(tilewise::known::portable_operator_or_self<T>(op)));
        return out.values(result.size());
    }
};

/// Calls `check(backend)` for the kernels as the library chooses them, and for those that it would choose elsewhere: on
/// older GPUs and at other sizes.
template <class Geometry, class Check>
void on_all(Check check)
{
    struct variant {
        char const* name;
        bool clusters, one_launch, dependent_launches;
        int iterations;
    };
    static constexpr variant variants[] = {{"clusters", true, true, true, 0},
                                           {"no clusters", false, true, true, 0},
                                           {"one launch, 4 iterations", false, true, true, 4},
                                           {"two passes, no dependent launches", false, false, false, 2},
                                           {"two passes, 1 iteration", false, false, true, 1},
                                           {"two passes, 4 iterations", false, false, true, 4},
                                           {"two passes, 8 iterations", false, false, true, 8}};
    std::size_t index = 0;
    for (auto const& [name, clusters, one_launch, dependent_launches, iterations] : variants) {
        if (on_device::leaves_to_other_schedule(index++))
            continue;
        SCOPED_TRACE(name);
        tuning::clusters = clusters;
        tuning::one_launch = one_launch;
        tuning::dependent_launches = dependent_launches;
        tuning::forced_iterations = iterations;
        check(device<Geometry, tuning>{});
    }
}

/// The same for what only scans, which none of these choices changes.
template <class Geometry, class Check>
void on_all_for_scans(Check check)
{
    check(device<Geometry, tuning>{});
}

/// Calls `check(policy, range)` for the device policy, with the elements in its memory.
template <class T, class Check>
void under_all_policies(std::vector<T> const& x, Check check)
{
    on_device::device_array<T> const device_copy(x);
    check(tilewise::device, std::span<T const>(device_copy.data(), device_copy.size()));
}

/// The results of type T that `scan(policy, range, out)` writes, under a policy and for a range of those.
template <class T, class Policy, class Element, class Scan>
std::vector<T> written_by(Scan scan, Policy policy, std::span<Element const> x)
{
    on_device::device_array<T> const device_copy(x.size());
    auto const end = scan(policy, x, device_copy.begin());
    return device_copy.values(static_cast<std::size_t>(end - device_copy.begin()));
}

/// Runs a test: in the interpreter, under several schedules.
using on_device::leaves_to_other_schedule;
using on_device::run;

/// Whether calls take their time.
inline constexpr bool is_slow = on_device::interpreted;

/// How many super-groups a test crosses.
inline constexpr tilewise::offset most_super_groups = is_slow ? 4 : 7;

/// The numbers of elements that a test tries, of those that it could: every so many, where each takes its time.
inline std::vector<std::size_t> chosen(std::vector<std::size_t> counts)
{
    std::size_t const most = on_device::amount<std::size_t>(400, 20, 6);
    std::size_t const step = (counts.size() + most - 1) / most;
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < counts.size(); i += step + (i / step) % 2) // odd and even ones
        some.push_back(counts[i]);
    return some;
}

#endif

} // namespace backend
