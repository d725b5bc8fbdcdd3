// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a rank does with the segments of a call under its local policy: it reads their offsets, and reduces and
/// scans the segments that lie in its part as a whole.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/output_on_ranks.hpp>
#include <tilewise/engine/segment_parts.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/segmented.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/host_values.cuh>
#include <tilewise/device/segmented.cuh>
#endif

#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Reads the offsets of segments, which a GPU may have.
template <class Local, class Begins, class Ends>
segments_on_ranks read_segments(char const* algorithm, [[maybe_unused]] Local const& local, Begins const& begins,
                                Begins const& begins_last, Ends const& ends)
{
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        auto const count = static_cast<offset>(begins_last - begins);
        std::vector<offset> first(static_cast<std::size_t>(std::max(count, offset{0}))), last(first.size());
        gpu::read_values(algorithm, local, begins, count, first.data());
        gpu::read_values(algorithm, local, ends, count, last.data());
        return {algorithm, first.begin(), first.end(), last.begin()};
#else
        throw_no_device();
#endif
    } else {
        return {algorithm, begins, begins_last, ends};
    }
}

#ifdef TILEWISE_DEVICE_ENGINE
/// The offsets of segments, for kernels.
struct offsets_of_segments {
    std::vector<offset> begins, ends;

    explicit offsets_of_segments(std::vector<host::segment> const& segments)
    {
        for (host::segment const& each : segments) {
            begins.push_back(each.begin);
            ends.push_back(each.begin + each.count);
        }
    }
    offset count() const { return static_cast<offset>(begins.size()); }
};
#endif

/// The results of segments that lie in a rank's part as a whole.
template <class Geometry, class T, class Local>
class reduced_segments {
public:
    template <class It, class Op>
    reduced_segments(Local, std::vector<host::segment> const& segments, It const& first, T const& init, Op const& op)
        : results_(segments.size())
    {
        constexpr offset long_from = host::tiles_that_pay<T, Op, It>() * tilewise::order<T, Geometry>::tile + 1;
        host::forget_memory<T>(first);
        host::distribute_segments(
            std::same_as<Local, parallel_policy>, static_cast<offset>(segments.size()), long_from,
            [&](offset i) { return segments[static_cast<std::size_t>(i)]; },
            [&](auto is_shared, offset i, host::segment const& own) {
                results_[static_cast<std::size_t>(i)].emplace(
                    host::reduce_segment<Geometry>(is_shared, first, own, init, op));
            });
    }
    T const& operator[](std::size_t i) const { return *results_[i]; }

private:
    host::aggregates<T> results_;
};
/// The same on a GPU.
template <class Geometry, class T, class Local>
    requires is_device_policy<Local>
class reduced_segments<Geometry, T, Local> {
public:
#ifdef TILEWISE_DEVICE_ENGINE
    template <class It, class Op>
    reduced_segments(Local const& local, std::vector<host::segment> const& segments, It const& first, T const& init,
                     Op const& op)
        : results_(static_cast<offset>(segments.size()))
    {
        offsets_of_segments const at(segments);
        gpu::segmented_reduce<Geometry>(local, first, at.begins.data(), at.ends.data(), at.count(), results_.data(),
                                        init, gpu::operator_on<T>(op));
    }
    T const& operator[](std::size_t i) { return results_.data()[i]; }

private:
    gpu::host_values<T> results_;
#else
    template <class It, class Op>
    reduced_segments(Local const&, std::vector<host::segment> const&, It const&, T const&, Op const&)
    {
        throw_no_device();
    }
    T const& operator[](std::size_t) { throw_no_device(); }
#endif
};

/// Scans the segments that lie in a rank's part as a whole.
template <class Geometry, scan_form form, class T, class Local, class It, class Out, class Op>
void scan_whole_segments(char const* algorithm, [[maybe_unused]] Local const& local,
                         std::vector<host::segment> const& segments, It const& first, Out const& out,
                         std::optional<T> const& init, Op const& op)
{
    if constexpr (is_device_policy<Local>) {
#ifdef TILEWISE_DEVICE_ENGINE
        offsets_of_segments const at(segments);
        gpu::segmented_scan<Geometry, form, T>(local, first, at.begins.data(), at.ends.data(), at.count(), out, init,
                                               gpu::operator_on<T>(op));
#else
        throw_no_device();
#endif
    } else {
        constexpr bool is_parallel = std::same_as<Local, parallel_policy> && !shares_words<Out>;
        constexpr offset long_from = host::tiles_that_pay_to_scan<T, Op>() * tilewise::order<T, Geometry>::tile + 1;
        host::distribute_segments(
            is_parallel, static_cast<offset>(segments.size()), long_from,
            [&](offset i) { return segments[static_cast<std::size_t>(i)]; },
            [&](auto is_shared, offset, host::segment const& each) {
                host::scan_segment<Geometry, form, T>(is_shared, algorithm, first, each, out, init, op);
            });
        host::forget_memory<T>(out);
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
