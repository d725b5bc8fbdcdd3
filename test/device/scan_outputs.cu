// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Scans through iterators of Thrust: what they read, and what they write to.

#include "wrappings.hpp"

#include <tilewise/scan.hpp>

#include <thrust/copy.h>
#include <thrust/fill.h>

#include <cstdint>
#include <vector>

namespace {

using namespace wrappings;

struct negated {
    TILEWISE_PORTABLE float operator()(float value) const { return -value; }
};

/// Numbers of elements for every kernel.
std::vector<std::size_t> scan_sizes()
{
    std::size_t const tile = values::tile_of(sizeof(float));
    std::vector<std::size_t> result{1, tile / 3, tile + 1, 12 * tile + 5, 40 * tile + 7};
    if (!on_device::is_small())
        result.push_back(600 * tile + 1001);
    return result;
}

class scan_outputs : public testing::Test {
protected:
    std::vector<float> here_ = on_device::some_elements<float>(scan_sizes().back());
    thrust::device_vector<float> device_copy_{here_.begin(), here_.end()};
    thrust::device_vector<float> out_ = thrust::device_vector<float>(here_.size() + 2);

    /// The bits of seq, for elements that are made from those.
    template <class Make>
    std::vector<float> expected(std::size_t count, Make make) const
    {
        std::vector<float> result(here_.begin(), here_.begin() + static_cast<std::ptrdiff_t>(count));
        for (float& value : result)
            value = make(value);
        tw::inclusive_scan(tw::seq, result.begin(), result.end(), result.begin(), std::plus<>{}, 0.5f);
        return result;
    }
    std::vector<float> expected(std::size_t count) const
    {
        return expected(count, [](float value) { return value; });
    }
    /// The results stand behind the first place, and nothing else was written.
    void expect_written(std::vector<float> const& right)
    {
        std::vector<float> result(out_.size());
        thrust::copy(out_.begin(), out_.end(), result.begin());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < right.size(); ++i)
            wrong += !same_bits(result[i + 1], right[i]);
        EXPECT_EQ(wrong, 0u) << "n = " << right.size();
        EXPECT_EQ(result[0], 0.0f);
        EXPECT_EQ(result[right.size() + 1], 0.0f);
        thrust::fill(out_.begin(), out_.end(), 0.0f);
    }
    template <class In, class Out>
    auto scan(In first, std::size_t count, Out out)
    {
        return tw::inclusive_scan(tw::device, first, first + static_cast<std::ptrdiff_t>(count), out, std::plus<>{},
                                  0.5f);
    }
};

TEST_F(scan_outputs, may_be_device_pointers_and_vectors)
{
    for (std::size_t const count : scan_sizes()) {
        auto const n = static_cast<std::ptrdiff_t>(count);
        EXPECT_EQ(scan(device_copy_.begin(), count, out_.begin() + 1), out_.begin() + 1 + n);
        expect_written(expected(count));
        EXPECT_EQ(scan(device_copy_.data(), count, out_.data() + 1), out_.data() + 1 + n);
        expect_written(expected(count));
    }
}

TEST_F(scan_outputs, may_be_transformed)
{
    for (std::size_t const count : scan_sizes()) {
        auto right = expected(count);
        for (float& value : right)
            value = -value;
        scan(device_copy_.begin(), count,
             thrust::make_transform_output_iterator(thrust::raw_pointer_cast(out_.data()) + 1, negated{}));
        expect_written(right);
    }
}

TEST_F(scan_outputs, may_be_discarded)
{
    for (std::size_t const count : scan_sizes()) {
        auto const end = scan(device_copy_.begin(), count, thrust::make_discard_iterator());
        EXPECT_EQ(end - thrust::make_discard_iterator(), static_cast<std::ptrdiff_t>(count));
    }
    expect_written({});
}

TEST_F(scan_outputs, may_be_permuted)
{
    for (std::size_t const count : scan_sizes()) {
        auto const n = static_cast<std::ptrdiff_t>(count);
        auto const right = expected(count);
        scan(device_copy_.begin(), count, thrust::make_reverse_iterator(out_.begin() + 1 + n));
        expect_written({right.rbegin(), right.rend()});

        thrust::device_vector<std::int32_t> const positions(
            thrust::make_reverse_iterator(thrust::make_counting_iterator(static_cast<int>(count))),
            thrust::make_reverse_iterator(thrust::make_counting_iterator(0)));
        scan(device_copy_.begin(), count, thrust::make_permutation_iterator(out_.begin() + 1, positions.begin()));
        expect_written({right.rbegin(), right.rend()});
    }
}

/// Two sums at once.
struct add_pairs {
    template <class Pair>
    TILEWISE_PORTABLE Pair operator()(Pair const& a, Pair const& b) const
    {
        return Pair(thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b));
    }
};

TEST_F(scan_outputs, may_be_zips)
{
    for (std::size_t const count : scan_sizes()) {
        auto const n = static_cast<std::ptrdiff_t>(count);
        using pair = thrust::tuple<std::int32_t, std::int32_t>;
        thrust::device_vector<std::int32_t> ones(count, 1), sums(count), twice_as_many(count);
        auto const first = thrust::make_zip_iterator(thrust::make_tuple(ones.begin(), ones.begin()));
        tw::inclusive_scan(tw::device, first, first + n,
                           thrust::make_zip_iterator(thrust::make_tuple(sums.begin(), twice_as_many.begin())),
                           add_pairs{}, pair(0, 7));
        std::vector<std::int32_t> sums_here(count), others_here(count);
        thrust::copy(sums.begin(), sums.end(), sums_here.begin());
        thrust::copy(twice_as_many.begin(), twice_as_many.end(), others_here.begin());
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_TRUE(sums_here[i] == static_cast<int>(i) + 1 && others_here[i] == static_cast<int>(i) + 8) << i;
    }
}

TEST_F(scan_outputs, are_of_what_is_wrapped)
{
    thrust::device_vector<std::int16_t> const weights(here_.size(), std::int16_t{3});
    for (std::size_t const count : scan_sizes()) {
        auto const squares = expected(count, square{});
        scan(thrust::make_transform_iterator(device_copy_.begin(), square{}), count, out_.begin() + 1);
        expect_written(squares);
        auto const n = static_cast<std::ptrdiff_t>(count);
        tw::transform_inclusive_scan(tw::device, device_copy_.begin(), device_copy_.begin() + n, out_.begin() + 1,
                                     std::plus<>{}, square{}, 0.5f);
        expect_written(squares);
        scan(thrust::make_transform_iterator(
                 thrust::make_zip_iterator(thrust::make_tuple(device_copy_.begin(), weights.begin())), weighted{}),
             count, out_.begin() + 1);
        expect_written(expected(count, [](float value) { return value * 3.0f; }));
    }
}

} // namespace
