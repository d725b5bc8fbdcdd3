// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Segments and runs of more than 2^32 elements, and more than 2^31 of them.

#include "computed.hpp"
#include "on_device.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace large {

inline constexpr std::int64_t size = (std::int64_t{1} << 32) + 100003, pairs = (size + 1) / 2,
                              middle = (std::int64_t{1} << 31) + 5;

/// Where pairs of elements begin; the last one has a single element.
struct begin_of_pair {
    TILEWISE_PORTABLE std::int64_t operator()(std::int64_t i) const { return 2 * i < size ? 2 * i : size; }
};
struct two {
    TILEWISE_PORTABLE std::int64_t operator()(std::int64_t) const { return 2; }
};
/// Keys of which each two are equal.
struct key_of_pair {
    TILEWISE_PORTABLE std::int64_t operator()(std::int64_t i) const { return i / 2; }
};
struct widened {
    TILEWISE_PORTABLE std::int64_t operator()(std::uint8_t value) const { return value; }
};
/// Keys of one run of more than 2^31 elements, and another one.
struct one_of_two_keys {
    TILEWISE_PORTABLE std::int64_t operator()(std::int64_t i) const { return i < middle ? 3 : 4; }
};

} // namespace large

namespace {

using namespace large;
using on_device::device_array;
using on_device::expect_success;

/// Ones, except that a few elements are larger: also behind the 2^31st and the 2^32nd.
constexpr std::array<std::int64_t, 5> larger{7, (std::int64_t{1} << 31) + 2, (std::int64_t{1} << 32) - 1,
                                             (std::int64_t{1} << 32) + 40000, size - 1};
constexpr int how_much = 8;

/// The sum of the elements from `first` to `last`.
std::int64_t sum_of(std::int64_t first, std::int64_t last)
{
    auto const more = std::ranges::count_if(larger, [&](std::int64_t i) { return first <= i && i < last; });
    return last - first + how_much * more;
}

class segmented_large : public testing::Test {
protected:
    void SetUp() override
    {
        if (on_device::is_small())
            GTEST_SKIP() << "would take long";
    }
    static bool has_room(std::size_t gigabytes)
    {
        std::size_t free = 0, total = 0;
        expect_success(cudaMemGetInfo(&free, &total));
        return free >= gigabytes << 30;
    }
};

struct elements {
    device_array<std::uint8_t> const all{static_cast<std::size_t>(size)};

    elements()
    {
        expect_success(cudaMemset(all.data(), 1, static_cast<std::size_t>(size)));
        for (std::int64_t const i : larger)
            expect_success(cudaMemset(all.data() + i, 1 + how_much, 1));
    }
};

/// Compares results at the beginning, around each element that is larger, and at the end. `at(i)` is the result that
/// belongs to element i.
template <class T, class At, class Expected>
void expect_results(T const* results, std::int64_t count, At at, Expected expected)
{
    constexpr std::int64_t most = 80000;
    std::vector<T> piece(most);
    for (std::int64_t const i : larger) {
        std::int64_t const first = std::clamp<std::int64_t>(at(i) - most / 2, 0, count - most);
        expect_success(cudaMemcpy(piece.data(), results + first, most * sizeof(T), cudaMemcpyDefault));
        std::int64_t wrong = 0;
        for (std::int64_t k = 0; k < most; ++k)
            wrong += piece[static_cast<std::size_t>(k)] != static_cast<T>(expected(first + k));
        EXPECT_EQ(wrong, 0) << "around " << at(i);
    }
}

std::int64_t sum_of_pair(std::int64_t i)
{
    return sum_of(2 * i, std::min(2 * i + 2, size));
}
std::int64_t scan_of_pairs(std::int64_t i)
{
    return sum_of(i / 2 * 2, i + 1);
}
constexpr auto pair_of = [](std::int64_t i) { return i / 2; };
constexpr auto itself = [](std::int64_t i) { return i; };

TEST_F(segmented_large, more_than_2_to_the_31_segments_are_combined)
{
    if (!has_room(11))
        GTEST_SKIP() << "needs more memory than there is";
    elements const x;
    device_array<std::uint8_t> const out(static_cast<std::size_t>(size));
    values::computed<begin_of_pair> const begins{0}, last{pairs}, ends{1};
    EXPECT_EQ(tw::segmented_reduce(tw::device, x.all.data(), begins, last, ends, out.data()), out.data() + pairs);
    expect_results(out.data(), pairs, pair_of, sum_of_pair);
    tw::segmented_inclusive_scan(tw::device, x.all.data(), begins, last, ends, out.data());
    expect_results(out.data(), size, itself, scan_of_pairs);
}

/// Whose offsets are in memory, as many reductions of segments have them: other kernels take part.
TEST_F(segmented_large, more_than_2_to_the_31_segments_have_offsets_in_memory)
{
    if (!has_room(30))
        GTEST_SKIP() << "needs more memory than there is";
    elements const x;
    device_array<std::uint8_t> const out(static_cast<std::size_t>(size));
    device_array<std::int64_t> const offsets(static_cast<std::size_t>(pairs + 1));
    tw::exclusive_scan(tw::device, values::computed<two>{0}, values::computed<two>{pairs}, offsets.data(),
                       std::int64_t{0});
    expect_success(cudaMemcpy(offsets.data() + pairs, &size, sizeof size, cudaMemcpyDefault));
    auto const begins = offsets.data();
    tw::segmented_reduce(tw::device, x.all.data(), begins, begins + pairs, begins + 1, out.data());
    expect_results(out.data(), pairs, pair_of, sum_of_pair);
    tw::segmented_inclusive_scan(tw::device, x.all.data(), begins, begins + pairs, begins + 1, out.data());
    expect_results(out.data(), size, itself, scan_of_pairs);
}

TEST_F(segmented_large, a_segment_has_more_than_2_to_the_32_elements)
{
    if (!has_room(11))
        GTEST_SKIP() << "needs more memory than there is";
    elements const x;
    std::vector<std::int64_t> const bounds{0, 3, size - 1000, size - 1000, size};
    device_array<std::int64_t> const offsets(bounds), sums(4);
    auto const begins = offsets.begin(), last = begins + 4, ends = begins + 1;
    tw::segmented_reduce(tw::device, x.all.data(), begins, last, ends, sums.begin(), std::int64_t{5});
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(sums.value(i), 5 + sum_of(bounds[i], bounds[i + 1])) << i;

    device_array<std::uint8_t> const out(static_cast<std::size_t>(size));
    auto const begin_of = [&](std::int64_t i) { return *(std::ranges::upper_bound(bounds, i) - 1); };
    tw::segmented_inclusive_scan(tw::device, x.all.data(), begins, last, ends, out.data());
    expect_results(out.data(), size, itself, [&](std::int64_t i) { return sum_of(begin_of(i), i + 1); });
    tw::segmented_exclusive_scan(tw::device, x.all.data(), begins, last, ends, out.data(), std::uint8_t{9});
    expect_results(out.data(), size, itself, [&](std::int64_t i) { return 9 + sum_of(begin_of(i), i); });
}

TEST_F(segmented_large, more_than_2_to_the_31_runs_are_combined)
{
    if (!has_room(16))
        GTEST_SKIP() << "needs more memory than there is";
    elements const x;
    device_array<std::uint8_t> const out(static_cast<std::size_t>(size));
    values::computed<key_of_pair> const keys{0}, last{size};
    auto const ends = tw::reduce_by_key(tw::device, keys, last, x.all.data(), tw::discard_iterator(), out.data());
    EXPECT_EQ(ends.second - out.data(), pairs);
    expect_results(out.data(), pairs, pair_of, sum_of_pair);
    tw::inclusive_scan_by_key(tw::device, keys, last, x.all.data(), out.data());
    expect_results(out.data(), size, itself, scan_of_pairs);
    auto const counts = tw::count_by_key(tw::device, keys, last, tw::discard_iterator(), out.data());
    EXPECT_EQ(counts.second - out.data(), pairs);
    expect_results(out.data(), pairs, pair_of, [](std::int64_t i) { return std::min<std::int64_t>(2, size - 2 * i); });
}

TEST_F(segmented_large, a_run_has_more_than_2_to_the_31_elements)
{
    if (!has_room(11))
        GTEST_SKIP() << "needs more memory than there is";
    elements const x;
    device_array<std::int64_t> const found(2), sums(2), counts(2);
    values::computed<one_of_two_keys> const keys{0}, last{size};
    tw::transform_reduce_by_key(tw::device, keys, last, x.all.data(), found.data(), sums.data(), std::equal_to<>(),
                                std::plus<>(), widened());
    tw::count_by_key(tw::device, keys, last, tw::discard_iterator(), counts.data());
    EXPECT_EQ(found.values(2), (std::vector<std::int64_t>{3, 4}));
    EXPECT_EQ(sums.values(2), (std::vector<std::int64_t>{sum_of(0, middle), sum_of(middle, size)}));
    EXPECT_EQ(counts.values(2), (std::vector<std::int64_t>{middle, size - middle}));

    device_array<std::uint8_t> const out(static_cast<std::size_t>(size));
    tw::inclusive_scan_by_key(tw::device, keys, last, x.all.data(), out.data());
    expect_results(out.data(), size, itself, [](std::int64_t i) { return sum_of(i < middle ? 0 : middle, i + 1); });
}

} // namespace
