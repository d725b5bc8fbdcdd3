// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Scans of long segments in a single pass.

#include "computed.hpp"
#include "constant_sum.hpp"
#include "same_bits.hpp"
#include "segments.hpp"

#include <tilewise/device/segmented.cuh>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace tw = tilewise;

namespace long_segments {

struct doubled {
    std::uint32_t const* first;
    TILEWISE_PORTABLE std::uint32_t operator()(std::ptrdiff_t i) const { return 2 * first[i]; }
};

/// Results of no known memory, where one more is stored.
struct increments {
    struct place {
        std::uint32_t* to;
        TILEWISE_PORTABLE void operator=(std::uint32_t value) const { *to = value + 1; }
    };
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = place;
    std::uint32_t* first;
    TILEWISE_PORTABLE place operator*() const { return {first}; }
    TILEWISE_PORTABLE place operator[](std::ptrdiff_t i) const { return {first + i}; }
    TILEWISE_PORTABLE increments operator+(std::ptrdiff_t i) const { return {first + i}; }
    TILEWISE_PORTABLE std::ptrdiff_t operator-(increments const& other) const { return first - other.first; }
    TILEWISE_PORTABLE increments& operator++() { return *this = *this + 1; }
    TILEWISE_PORTABLE bool operator==(increments const& other) const { return first == other.first; }
};

/// Adds up what is allocated.
struct summing_resource {
    std::size_t bytes = 0;
    void* allocate(std::size_t wanted, cudaStream_t where)
    {
        bytes += wanted;
        void* memory = nullptr;
        on_device::expect_success(cudaMallocAsync(&memory, wanted, where));
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t where)
    {
        on_device::expect_success(cudaFreeAsync(memory, where));
    }
};

/// As large as a 16-byte vector, but aligned as a word.
struct quad {
    std::uint32_t words[4];
};

} // namespace long_segments

namespace {

using on_device::device_array;
using segments::steep_geometry;
using word = std::uint32_t;
using words = std::vector<word>;
constexpr tw::offset tile = tw::order<word, steep_geometry>::tile, group = tw::order<word, steep_geometry>::group,
                     super_group = tw::order<word, steep_geometry>::super_group;

/// More segments than a block finds with one look, most of them of a few tiles, some of many, some short.
segments::list many_segments()
{
    segments::list of;
    auto const count = on_device::amount<tw::offset>(3000, 300, 90);
    for (tw::offset i = 0; i < count; ++i) {
        tw::offset const spread = i * 7919 % 64;
        of.add(i % 41 == 20  ? super_group + group + spread
               : i % 13 == 5 ? spread
                             : tile + (i % 3) * tile / 2 + spread,
               i % 3);
    }
    return segments::shuffled(of);
}

DEVICE_TEST(LongSegments, AreFoundAmongMany)
{
    auto const of = many_segments();
    segments::expect_specified<steep_geometry>(shape::some_values<word>(of.elements), of,
                                               shape::non_associative<word>(), 4);
}

/// Scans in place and compares with the specification.
template <class Tuning>
void expect_exclusive(segments::list const& of)
{
    shape::non_associative<word> const op;
    auto const own_op = tw::gpu::operator_for(tw::known::portable_operator_or_self<word>(op));
    auto const x = shape::some_values<word>(of.elements);
    auto const expected = segments::specified<steep_geometry>(x, of, x.back(), op);
    device_array<word> const out(x);
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    tw::gpu::segmented_scan<steep_geometry, tw::scan_form::exclusive, word, Tuning>(
        tw::device, out.data(), begins.data(), ends.data(), static_cast<tw::offset>(of.size()), out.data(),
        std::optional<word>(x.back()), own_op);
    segments::expect_bits(out.values(x.size()), expected.exclusive, "exclusive, in place");
}

/// Every call finds the status words of the call before it, and other segments in their place.
DEVICE_TEST(LongSegments, HaveNothingToDoWithThoseOfTheCallBefore)
{
    for (tw::offset const first : {tw::offset{1}, 3 * tile, group + 1, 2 * super_group + tile}) {
        segments::list of;
        of.add(first, 1);
        of.add(3 * group + 5, 0);
        of.add(2 * tile, 3);
        expect_exclusive<segments::tuning>(of);
    }
}

auto const sum = tw::gpu::operator_for(tw::known::portable_operator_or_self<word>(std::plus<>()));

/// The input and the output.
DEVICE_TEST(LongSegments, MayBeMisalignedDifferently)
{
    segments::list of;
    for (tw::offset const gap : {0, 1, 2, 3, 4, 5})
        of.add(2 * tile + 31 * gap, gap);
    auto const x = shape::some_values<word>(of.elements);
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    for (std::size_t const from : {0u, 4u})
        for (std::size_t const to : {0u, 8u, 12u}) {
            device_array<word> const in(x, from), out(x, to);
            tw::gpu::segmented_scan<steep_geometry, tw::scan_form::inclusive, word, segments::tuning>(
                tw::device, in.data(), begins.data(), ends.data(), static_cast<tw::offset>(of.size()), out.data(),
                std::optional<word>(), sum);
            words expected(x);
            for (std::size_t i = 0; i < of.size(); ++i)
                for (auto k = static_cast<std::size_t>(of.begins[i]) + 1; k < static_cast<std::size_t>(of.ends[i]); ++k)
                    expected[k] += expected[k - 1];
            segments::expect_bits(out.values(x.size()), expected, "inclusive");
        }
}

/// Segments of about a chunk, a tile and a few of these, which begin at every element of a 16-byte vector in turn, with
/// complete and incomplete vectors at their ends.
template <class T>
segments::list at_every_element()
{
    using order = tw::order<T, steep_geometry>;
    constexpr tw::offset N = order::lane_vector;
    segments::list of;
    auto const count = on_device::amount<tw::offset>(2, 1, 1) * 16;
    for (tw::offset i = 0; i < count; ++i) {
        tw::offset const unit = i % 4 == 0   ? order::row + 1
                                : i % 4 == 1 ? order::tile + order::chunk
                                : i % 4 == 2 ? order::tile + 1
                                             : 2 * order::tile,
                         before = static_cast<tw::offset>(of.elements) % N;
        of.add(unit + i * 5 % (2 * N), (i * 3 % N - before + N) % N);
    }
    return of;
}

/// Compares scans with the specification, of elements that are read as T, and in place.
template <class T, class E = T, class Op>
void expect_at_every_element(Op op)
{
    using tw::scan_form;
    auto const of = at_every_element<T>();
    auto const elements = shape::some_values<E>(of.elements);
    std::vector<T> const x(elements.begin(), elements.end());
    auto const expected = segments::specified<steep_geometry>(x, of, x.back(), op);
    auto const own_op = tw::gpu::operator_for(tw::known::portable_operator_or_self<T>(op));
    auto const count = static_cast<tw::offset>(of.size());
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    device_array<E> const in(elements);
    device_array<T> const out(x), in_place(x);
    tw::gpu::segmented_scan<steep_geometry, scan_form::inclusive, T, segments::tuning>(
        tw::device, in.data(), begins.data(), ends.data(), count, out.data(), std::optional<T>(), own_op);
    segments::expect_bits(out.values(x.size()), expected.inclusive, "inclusive");
    tw::gpu::segmented_scan<steep_geometry, scan_form::exclusive, T, segments::with_few_stages>(
        tw::device, in_place.data(), begins.data(), ends.data(), count, in_place.data(), std::optional<T>(x.back()),
        own_op);
    segments::expect_bits(in_place.values(x.size()), expected.exclusive, "exclusive, in place");
}

DEVICE_TEST(LongSegments, BeginAtEveryElement)
{
    expect_at_every_element<unsigned char>(shape::non_associative<unsigned char>());
    expect_at_every_element<word>(shape::non_associative<word>());
    expect_at_every_element<std::uint64_t>(shape::non_associative<std::uint64_t>());
}

DEVICE_TEST(LongSegments, OfIntegersThatAreSummedBeginAtEveryElement)
{
    expect_at_every_element<unsigned char>(std::plus<>());
    expect_at_every_element<std::uint16_t>(std::plus<>());
    expect_at_every_element<word>(std::plus<>());
    expect_at_every_element<std::uint64_t>(std::plus<>());
    expect_at_every_element<word, std::uint16_t>(std::plus<>());
    expect_at_every_element<std::uint64_t, unsigned char>(std::plus<>());
}

/// Their writers read chunks before they wait for the prefix, unless the elements are moved.
DEVICE_TEST(LongSegments, OfSixteenBytesMayBeMisaligned)
{
    using long_segments::quad;
    auto const of = at_every_element<quad>();
    for (std::size_t const misalignment : {0u, 4u})
        segments::expect_specified<steep_geometry>(shape::some_values<quad>(of.elements), of,
                                                   shape::non_associative<quad>(), misalignment);
}

/// Their chunks are scanned row by row from a stage.
DEVICE_TEST(LongSegments, OfTwentyFourBytesMayBeMisaligned)
{
    using structure = std::array<std::uint64_t, 3>;
    auto const of = at_every_element<structure>();
    for (std::size_t const misalignment : {0u, 8u})
        segments::expect_specified<steep_geometry>(shape::some_values<structure>(of.elements), of,
                                                   shape::non_associative<structure>(), misalignment);
}

/// Of segments of more than a tile in the mean, shorter ones are scanned with the others.
DEVICE_TEST(LongSegments, AreScannedWithShorterOnesIfThoseAreFew)
{
    shape::non_associative<word> const op;
    segments::list of;
    auto const count = on_device::amount<tw::offset>(100, 24, 16);
    constexpr tw::offset chunk = tw::order<word, steep_geometry>::chunk, row = tw::order<word, steep_geometry>::row;
    for (tw::offset i = 0; i < count; ++i)
        of.add(std::vector<tw::offset>{chunk - 1, 3 * tile + 5, chunk, chunk + 1, 2 * tile, 0, tile, row, 4 * tile + 3,
                                       5}[static_cast<std::size_t>(i % 10)],
               0);
    auto const x = shape::some_values<word>(of.elements);
    auto const expected = segments::specified<steep_geometry>(x, of, x.back(), op);
    std::vector<std::int64_t> bounds(of.begins);
    bounds.push_back(of.ends.back());
    device_array<std::int64_t> const offsets(bounds);
    auto const own_op = tw::gpu::operator_for(tw::known::portable_operator_or_self<word>(op));
    auto const check = [&]<class Tuning>(Tuning, char const* what) {
        device_array<word> const in(x), out(x);
        tw::gpu::segmented_scan<steep_geometry, tw::scan_form::inclusive, word, Tuning>(
            tw::device, in.data(), offsets.data(), offsets.data() + 1, count, out.data(), std::optional<word>(),
            own_op);
        segments::expect_bits(out.values(x.size()), expected.inclusive, what);
    };
    check(segments::tuning(), "some by warps, in several launches");
    check(segments::with_few_stages(), "some by blocks");
    check(segments::with_little_room(), "with little room");
}

/// Two tiles of one of them, and a third in part; a tile and a half of another.
segments::list two_segments(tw::offset whole)
{
    segments::list of;
    of.add(2 * whole + 77, 5);
    of.add(3, 0);
    of.add(whole + whole / 2, 2);
    return of;
}

/// What a loop gives, with `after` for each result; other elements stay as they are.
template <class After>
words expected_sums(words const& x, segments::list const& of, words expected, After after)
{
    for (std::size_t i = 0; i < of.size(); ++i) {
        word total = 0;
        for (auto k = static_cast<std::size_t>(of.begins[i]); k < static_cast<std::size_t>(of.ends[i]); ++k)
            expected[k] = after(total += x[k]);
    }
    return expected;
}

DEVICE_TEST(LongSegments, TakeElementsAndResultsOfIterators)
{
    auto const of = two_segments(tw::order<word>::tile);
    auto const x = on_device::some_elements<word>(of.elements);
    device_array<word> const in(x), out(x);
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    tw::segmented_inclusive_scan(tw::device, in.begin(), begins.begin(), begins.end(), ends.begin(),
                                 long_segments::increments{out.data()});
    segments::expect_bits(out.values(x.size()), expected_sums(x, of, x, [](word total) { return total + 1; }),
                          "to an iterator");
    tw::segmented_inclusive_scan(tw::device, values::computed<long_segments::doubled>{0, {in.data()}}, begins.begin(),
                                 begins.end(), ends.begin(), out.begin());
    segments::expect_bits(out.values(x.size()), expected_sums(x, of, x, [](word total) { return 2 * total; }),
                          "of an iterator");
}

DEVICE_TEST(LongSegments, MayHaveSumsThatCannotBeAssigned)
{
    auto const of = two_segments(tw::order<word>::tile);
    auto const x = on_device::some_elements<word>(of.elements);
    device_array<word> const in(x), out(x);
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    tw::segmented_inclusive_scan(tw::device, in.begin(), begins.begin(), begins.end(), ends.begin(), out.begin(),
                                 values::add_sums(), values::constant_sum(1));
    segments::expect_bits(out.values(x.size()), expected_sums(x, of, x, [](word total) { return total + 1; }),
                          "sums that cannot be assigned");
}

DEVICE_TEST(LongSegments, AreScannedByThreeKernels)
{
    auto const of = two_segments(tw::order<word>::tile);
    device_array<word> const x(words(of.elements, 1));
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    std::vector<std::string> kernels;
    auto sink = [&](tw::launch_record const& record) { kernels.push_back(record.kernel); };
    tw::segmented_inclusive_scan(tw::device.trace(sink), x.begin(), begins.begin(), begins.end(), ends.begin(),
                                 x.begin());
    std::vector<std::string> const in_one_pass{"scan_short_segments", "scan_segments_in_one_pass",
                                               "scan_long_segments"},
        before_sm90{"scan_short_segments", "reduce_groups_of_segments", "carry_groups_of_segments",
                    "scan_long_segments"};
    EXPECT_TRUE(kernels == in_one_pass || (!on_device::interpreted && kernels == before_sm90));
    EXPECT_EQ(x.values(of.elements).back(), static_cast<word>(of.ends.back() - of.begins.back()));
}

/// CUDA knows how much memory the results have, so there cannot be many long segments in it.
DEVICE_TEST_WITH_STREAMS(LongSegments, TakeLittleMemoryForFewResults)
{
    auto const of = two_segments(tw::order<word>::tile);
    device_array<word> const in(words(of.elements, 1)), out(words(of.elements, 0));
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    on_device::stream const stream;
    long_segments::summing_resource memory;
    tw::segmented_inclusive_scan(tw::device.on(stream).with(memory), in.data(), begins.begin(), begins.end(),
                                 ends.begin(), out.data());
    EXPECT_GT(memory.bytes, 0u);
    EXPECT_LT(memory.bytes, of.elements * sizeof(word));
    EXPECT_EQ(out.values(of.elements).back(), static_cast<word>(of.ends.back() - of.begins.back()));
}

DEVICE_TEST_WITH_STREAMS(LongSegments, AreScannedByEveryRunOfAGraph)
{
    segments::list of;
    of.add(3 * tile + 1, 0);
    of.add(super_group + 5, 1);
    words const ones(of.elements, 1);
    device_array<word> const in(ones), out(of.elements);
    device_array<std::int64_t> const begins(of.begins), ends(of.ends);
    on_device::stream const stream;
    on_device::graph const captured(stream, [&] {
        tw::gpu::segmented_scan<steep_geometry, tw::scan_form::inclusive, word, segments::tuning>(
            tw::device.on(stream).nosync(), in.data(), begins.data(), ends.data(), 2, out.data(), std::optional<word>(),
            sum);
    });
#ifndef __CUDACC__
    auto const late = simt::runtime::statistics_so_far().late_dependents;
#endif
    for (word const value : {3u, 5u}) {
        out.assign(words(of.elements, 0));
        in.assign(words(of.elements, value));
        captured.launch(stream);
        stream.wait();
        auto const results = out.values(of.elements);
        EXPECT_EQ(results.back(), value * (static_cast<word>(super_group) + 5));
        EXPECT_EQ(results[static_cast<std::size_t>(of.ends[0]) - 1], value * (3 * static_cast<word>(tile) + 1));
    }
#ifndef __CUDACC__
    EXPECT_EQ(simt::runtime::statistics_so_far().late_dependents, late) << "something comes between two kernels";
#endif
}

#ifndef __CUDACC__
/// @name Kernels of their own: how many of a kernel's blocks can be resident is asked once
/// @{
template <int blocks>
struct stages_for : tw::gpu::scan_tuning {};
template <int blocks>
struct tuning_for : segments::tuning {
    using scan = stages_for<blocks>;
};
/// @}

template <int blocks>
void expect_exclusive_by()
{
    simt::runtime::set_devices({{.multiprocessors = blocks, .resident_blocks = 1}});
    expect_exclusive<tuning_for<blocks>>(segments::lists<word, steep_geometry>().front());
    simt::runtime::set_devices({{}});
}

/// A block that waits for another one must not keep it from starting.
DEVICE_TEST(LongSegments, AreScannedByAnyNumberOfBlocks)
{
    expect_exclusive_by<1>();
    expect_exclusive_by<2>();
    expect_exclusive_by<40>();
}
#endif

} // namespace
