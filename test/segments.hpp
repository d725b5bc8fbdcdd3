// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The segmented algorithms against the specification: each segment is a range of its own.

#include "computed.hpp"
#include "order_shapes.hpp"

#include <tilewise/core/operators.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace segments {

struct product_of {
    int const *a, *b;
    TILEWISE_PORTABLE int operator()(std::ptrdiff_t i) const { return a[i] * b[i]; }
};
using products = values::computed<product_of>;

/// Where segments begin and end in so many elements.
struct list {
    std::vector<std::int64_t> begins, ends;
    std::size_t elements = 0;

    void add(tilewise::offset count, tilewise::offset gap)
    {
        elements += static_cast<std::size_t>(gap);
        begins.push_back(static_cast<std::int64_t>(elements));
        elements += static_cast<std::size_t>(count);
        ends.push_back(static_cast<std::int64_t>(elements));
    }
    std::size_t size() const { return begins.size(); }
};

/// In another order, the same every time.
inline list shuffled(list given)
{
    std::uint64_t state = 88172645463325252u;
    for (std::size_t i = given.size(); i > 1; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::size_t const other = (state >> 33) % i;
        std::swap(given.begins[i - 1], given.begins[other]);
        std::swap(given.ends[i - 1], given.ends[other]);
    }
    return given;
}

/// Lists of segments: of about so many elements as a unit of the order has, tiny ones, empty ones, one, none.
template <class T, class Geometry>
std::vector<list> lists()
{
    using order = tilewise::order<T, Geometry>;
    constexpr tilewise::offset most = backend::is_slow ? 9000 : 40000;
    bool const tall = order::super_group <= most;
    list units, tiny, narrow, mixed, empty, one;
    for (tilewise::offset const unit : {order::lane_vector, order::row / 2, order::row, order::chunk, order::tile,
                                        order::group, order::super_group}) {
        for (tilewise::offset const difference : {-1, 0, 1, 2})
            if (unit + difference <= most)
                units.add(unit + difference, difference + 1);
    }
    if (tall || order::tile <= most)
        units.add(tall ? 7 * order::super_group + order::group + order::tile + 3 : order::tile + order::chunk + 5, 3);
    for (tilewise::offset i = 0; i < 100; ++i) {
        tiny.add(i * i % (5 * order::lane_vector + 2), 0);
        narrow.add(i % 2, i % 3);
        mixed.add(i % 16 == 7 ? order::chunk + i : i % 16 == 3 ? order::row + i : i % 5, 0);
    }
    for (int i = 0; i < 40; ++i)
        empty.add(0, i % 2);
    one.add(order::tile + order::row + 1, 1);
    return {shuffled(units), tiny, narrow, mixed, empty, one, list()};
}

/// The segment i of some elements.
template <class T>
std::vector<T> part_of(std::vector<T> const& x, list const& of, std::size_t i)
{
    return {x.begin() + of.begins[i], x.begin() + of.ends[i]};
}

/// What each algorithm gives for segments, by the specification; elements of no segment stay as they are.
template <class T>
struct expectation {
    std::vector<T> reduced, inclusive, inclusive_after, exclusive;
};
template <class Geometry, class T, class Op>
expectation<T> specified(std::vector<T> const& x, list const& of, T const& init, Op op)
{
    specification::order<T, Op> const order(op, backend::units_of<Geometry>());
    expectation<T> expected{{}, x, x, x};
    for (std::size_t i = 0; i < of.size(); ++i) {
        auto const part = part_of(x, of, i);
        auto const put = [&](std::vector<T>& all, std::vector<T> const& results) {
            std::copy(results.begin(), results.end(), all.begin() + of.begins[i]);
        };
        auto const after = order.inclusive_scan(part, init);
        expected.reduced.push_back(part.empty() ? init : after.back());
        put(expected.inclusive_after, after);
        put(expected.inclusive, order.inclusive_scan(part, {}));
        put(expected.exclusive, order.exclusive_scan(part, init));
    }
    return expected;
}

template <class T>
void expect_bits(std::vector<T> const& result, std::vector<T> const& expected, char const* what)
{
    ASSERT_EQ(result.size(), expected.size());
    std::size_t i = 0;
    while (i < result.size() &&
           std::memcmp(static_cast<void const*>(&result[i]), static_cast<void const*>(&expected[i]), sizeof(T)) == 0)
        ++i;
    EXPECT_EQ(i, result.size()) << what << ", " << sizeof(T) << " bytes";
}

#ifndef TILEWISE_DEVICE_ENGINE

/// A segment of every length up to a row and beyond.
template <class T, class Geometry>
list of_every_length()
{
    list of;
    for (tilewise::offset i = 0; i <= tilewise::order<T, Geometry>::row + 1; ++i)
        of.add(i, i % 3);
    return of;
}

/// Compares the engines with the specification.
template <class Geometry, class T, class Op>
void expect_specified(std::vector<T> const& x, list const& of, Op op)
{
    using tilewise::scan_form;
    T const init = x.empty() ? T{} : x.back();
    auto const expected = specified<Geometry>(x, of, init, op);
    auto const own_op = tilewise::known::operator_or_self<T>(op);
    auto const check = [&](auto policy) {
        auto const scanned = [&]<scan_form form>(std::integral_constant<scan_form, form>, std::optional<T> first) {
            std::vector<T> out(x); // in place
            tilewise::host::segmented_scan<Geometry, form, T>(policy, "test", out.begin(), of.begins.begin(),
                                                              of.begins.end(), of.ends.begin(), out.begin(), first,
                                                              own_op);
            std::vector<T> in_place(x);
            tilewise::host::segmented_scan<Geometry, form, T>(policy, "test", x.begin(), of.begins.begin(),
                                                              of.begins.end(), of.ends.begin(), in_place.begin(), first,
                                                              own_op);
            expect_bits(in_place, out, "in place");
            return out;
        };
        std::vector<T> reduced(of.size(), init);
        auto const end = tilewise::host::segmented_reduce<Geometry, T>(
            policy, x.begin(), of.begins.begin(), of.begins.end(), of.ends.begin(), reduced.begin(), init, own_op);
        EXPECT_EQ(end, reduced.end());
        constexpr std::integral_constant<scan_form, scan_form::inclusive> inclusive;
        constexpr std::integral_constant<scan_form, scan_form::exclusive> exclusive;
        expect_bits(reduced, expected.reduced, "reduce");
        expect_bits(scanned(inclusive, std::nullopt), expected.inclusive, "inclusive");
        expect_bits(scanned(inclusive, init), expected.inclusive_after, "inclusive with init");
        expect_bits(scanned(exclusive, init), expected.exclusive, "exclusive");
    };
    check(tilewise::seq);
    check(tilewise::par);
}

/// The same for a segment of every length up to a row, and an operator for which every parenthesis counts.
template <class T>
void expect_every_length_specified()
{
    using geometry = tilewise::standard_geometry;
    auto const of = of_every_length<T, geometry>();
    expect_specified<geometry>(shape::some_values<T>(of.elements), of, shape::non_associative<T>());
}

#else

/// So small that a few thousand elements cross four levels above the tile.
struct steep_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};

struct scan_tuning : tilewise::gpu::scan_tuning {
    static constexpr bool every_lane_arrives = !on_device::interpreted; // racecheck does not see it otherwise
};

/// Several launches, and warps of several segments, also where segments are few, with 2^6 units; with fewer units, a
/// round of few segments has no kernel that lists them. Few tiles are split, of few segments.
template <int log2_units>
struct tuning_with : tilewise::gpu::segmented_tuning {
    using scan = scan_tuning;
    static constexpr int threads = 64, scanning_short_blocks = 1, reducing_short_blocks = 1, by_fours_blocks = 1;
    static constexpr tilewise::offset warps_wanted = 4, segments_at_once = 37, runs_at_once = 301,
                                      least_split_tiles = 3, least_for_warps = log2_units == 6 ? 1 : 1000;
    template <class T, int element_bytes>
    static constexpr int log2_least_unit = 0;
    static constexpr int log2_units_most = log2_units, most_split_segments = 3;
    static constexpr int most_few_segments = log2_units == 6 ? 0 : 32, least_chunks_of_long = 1;
    static constexpr std::size_t split_bytes = 256;
};
using tuning = tuning_with<6>;

/// There is room for many segments that are split, so that a block folds several of them for a ticket.
struct tuning_of_many_splits : tuning_with<6> {
    static constexpr tilewise::offset segments_at_once = 1 << 20;
    static constexpr int most_split_segments = 4096;
    static constexpr std::size_t split_bytes = std::size_t{1} << 20;
};

/// Segments that are split, most of them into so few units that a warp folds them.
template <class T, class Geometry>
list many_to_split(tilewise::offset count)
{
    using order = tilewise::order<T, Geometry>;
    list of;
    for (tilewise::offset i = 0; i < count; ++i)
        of.add((i % 3 == 1 ? 31 + i % 5 : 3 + i % 9) * order::tile + 1 + i * 37 % order::tile, i % 2);
    return shuffled(of);
}

/// One launch of few warps, each of which takes all the segments that it can.
struct tuning_of_few_warps : tilewise::gpu::segmented_tuning {
    using scan = scan_tuning;
    static constexpr int threads = 32, scanning_short_blocks = 1, reducing_short_blocks = 1, by_fours_blocks = 1;
    static constexpr tilewise::offset warps_wanted = 1, least_for_warps = 1;
};

struct tuning_of_two_warps : tuning_of_few_warps { // so that a warp need not take all rows of a tile
    static constexpr int threads = 64;
};

/// Adjacent segments are reduced with a lane for every four lane vectors, whatever their mean length is.
template <class Tuning>
struct by_fours : Tuning {
    static constexpr int least_mean_by_fours = 0, most_mean_by_fours = 1 << 20;
};

/// They never are: the kernel for that is launched, and has nothing to do.
template <class Tuning>
struct not_by_fours : Tuning {
    static constexpr int most_mean_by_fours = 0;
};

/// Segments of a few elements, and twice as many of more than a row, and of more than a tile: among 32 of them are 12
/// or 13 of each of these, so that a list of 32 is never full exactly.
template <class T, class Geometry>
list of_all_lengths(tilewise::offset count)
{
    using order = tilewise::order<T, Geometry>;
    list of;
    for (tilewise::offset i = 0; i < count; ++i)
        of.add((i % 5 == 0 ? 0 : i % 5 < 3 ? order::row : order::tile) + 1 + i % 7, i % 2);
    return of;
}

/// @name How long segments are scanned
/// @{
struct few_stages : scan_tuning {
    static constexpr int most_stages = 2;
};
struct with_few_stages : tuning_with<2> { // blocks take what warps take otherwise
    using scan = few_stages;
};
/// There is room for a few tiles of some segments.
struct with_little_room : tuning {
    static constexpr std::size_t least_status_bytes = 40 * 8, most_status_bytes = least_status_bytes;
};
struct without_bulk_copies : scan_tuning {
    static constexpr bool bulk_copies = false;
};
struct without_single_pass : tuning {
    using scan = without_bulk_copies;
};
/// @}

/// Compares the kernels with the specification, for elements that begin some bytes into their memory.
template <class Geometry, class Tuning = tuning, class T, class Op>
void expect_specified(std::vector<T> const& x, list const& of, Op op, std::size_t misalignment = 0)
{
    using tilewise::scan_form;
    T const init = x.back();
    auto const expected = specified<Geometry>(x, of, init, op);
    auto const own_op = tilewise::gpu::operator_for(tilewise::known::portable_operator_or_self<T>(op));
    auto const count = static_cast<tilewise::offset>(of.size());
    on_device::device_array<T> const device_copy(x, misalignment);
    on_device::device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    auto const reduce_with = [&]<class How>(How, char const* what) {
        on_device::device_array<T> const reduced(std::vector<T>(of.size())); // none of those before
        tilewise::gpu::segmented_reduce<Geometry, How>(tilewise::device, device_copy.data(), begins.data(), ends.data(),
                                                       count, reduced.data(), init, own_op);
        expect_bits(reduced.values(of.size()), expected.reduced, what);
    };
    reduce_with(Tuning(), "reduce");
    reduce_with(tuning_with<2>(), "reduce in larger units");
    auto const scanned = [&]<scan_form form, class How>(std::integral_constant<scan_form, form>, std::optional<T> first,
                                                        bool in_place, How) {
        on_device::device_array<T> const out(x, misalignment);
        tilewise::gpu::segmented_scan<Geometry, form, T, How>(tilewise::device,
                                                              in_place ? out.data() : device_copy.data(), begins.data(),
                                                              ends.data(), count, out.data(), first, own_op);
        return out.values(x.size());
    };
    constexpr std::integral_constant<scan_form, scan_form::inclusive> inclusive;
    constexpr std::integral_constant<scan_form, scan_form::exclusive> exclusive;
    expect_bits(scanned(inclusive, std::nullopt, false, Tuning()), expected.inclusive, "inclusive");
    expect_bits(scanned(inclusive, init, true, Tuning()), expected.inclusive_after, "inclusive with init, in place");
    expect_bits(scanned(exclusive, init, false, Tuning()), expected.exclusive, "exclusive");
    expect_bits(scanned(inclusive, init, false, with_few_stages()), expected.inclusive_after, "with few stages");
    expect_bits(scanned(exclusive, init, true, with_little_room()), expected.exclusive, "with little room, in place");
    expect_bits(scanned(inclusive, std::nullopt, true, without_single_pass()), expected.inclusive, "split, in place");
    expect_bits(scanned(exclusive, init, false, without_single_pass()), expected.exclusive, "split, exclusive");
}

/// Compares reductions of adjacent segments with the specification: the lengths are around those at which one takes
/// another lane, row or kernel, and the elements begin some bytes into memory that ends with them.
template <class T, class Geometry, class Op>
void expect_adjacent_specified(std::vector<T> const& values, Op op, std::size_t misalignment)
{
    using order = tilewise::order<T, Geometry>;
    list lengths;
    for (tilewise::offset const unit :
         {tilewise::offset{1}, order::lane_vector, 4 * order::lane_vector, 5 * order::lane_vector,
          9 * order::lane_vector, order::row, order::row + 4 * order::lane_vector, 2 * order::row, 3 * order::row,
          4 * order::row, order::tile})
        for (tilewise::offset const difference : {-1, 0, 1, 2})
            lengths.add(unit + difference, 0);
    for (int i = 0; i < 40; ++i)
        lengths.add(i % 4, 0);
    list const mixed = shuffled(lengths);
    list of;
    for (std::size_t i = 0; i < mixed.size(); ++i)
        of.add(mixed.ends[i] - mixed.begins[i], 0);
    std::vector<std::int64_t> offsets(of.begins);
    offsets.push_back(of.ends.back());
    auto const check = [&](list const& expected_of) {
        std::vector<T> x;
        for (std::size_t i = 0; i < of.elements; ++i)
            x.push_back(values[i % values.size()]);
        T const init = x.back();
        auto const expected = specified<Geometry>(x, expected_of, init, op).reduced;
        auto const own_op = tilewise::gpu::operator_for(tilewise::known::portable_operator_or_self<T>(op));
        auto const count = static_cast<tilewise::offset>(expected_of.size());
        on_device::device_array<T> const device_copy(x, misalignment);
        on_device::device_array<std::int64_t> const bounds(offsets);
        auto const reduce_with = [&]<class Tuning>(Tuning, char const* what) {
            on_device::device_array<T> const reduced(std::vector<T>(expected_of.size()));
            tilewise::gpu::segmented_reduce<Geometry, Tuning>(tilewise::device, device_copy.data(), bounds.data(),
                                                              bounds.data() + 1, count, reduced.data(), init, own_op);
            expect_bits(reduced.values(expected_of.size()), expected, what);
        };
        reduce_with(by_fours<tuning>(), "by fours, in several launches");
        reduce_with(by_fours<tuning_of_two_warps>(), "by fours, of few warps");
        reduce_with(tuning_of_two_warps(), "adjacent segments");
        reduce_with(not_by_fours<tuning_of_two_warps>(), "adjacent segments, not by fours");
    };
    check(of);
    for (std::size_t i = 5; i + 1 < offsets.size(); i += 11) // a segment that ends before it begins
        offsets[i] = offsets[i + 1] + 3 <= offsets.back() ? offsets[i + 1] + 3 : offsets[i];
    list backward;
    backward.elements = of.elements;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        backward.begins.push_back(offsets[i]);
        backward.ends.push_back(std::max(offsets[i], offsets[i + 1]));
    }
    check(backward);
}
/// The same for some values, by an operator for which every parenthesis counts.
template <class T, class Geometry>
void expect_adjacent_specified(std::size_t misalignment)
{
    segments::expect_adjacent_specified<T, Geometry>(shape::some_values<T>(1009), shape::non_associative<T>(),
                                                     misalignment);
}

#endif

/// The same for all lists, of elements of a type, in memory that ends with the last segment. The lists can take turns:
/// in the interpreter, each schedule then has every other one.
template <class T, class Geometry>
void expect_all_specified(bool in_turn = false)
{
    std::size_t variant = 0;
    for (list const& of : lists<T, Geometry>())
        if (!in_turn || !backend::leaves_to_other_schedule(variant++))
            expect_specified<Geometry>(shape::some_values<T>(std::max(of.elements, std::size_t{1})), of,
                                       shape::non_associative<T>());
}

} // namespace segments
