// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Iterators of Thrust nested in each other, every kind in every other, under every policy.

#include "wrappings.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/scan.hpp>

#include <thrust/copy.h>
#include <thrust/iterator/offset_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace {

using namespace wrappings;

// ---- kinds of iterators: each is laid over `n` elements from `first` on, and has as many

struct halved {
    TILEWISE_PORTABLE float operator()(float value) const { return value / 2; }
};
struct transform {
    template <class It>
    static auto over(It first, std::ptrdiff_t)
    {
        return thrust::make_transform_iterator(first, halved{});
    }
};
struct reverse {
    template <class It>
    static auto over(It first, std::ptrdiff_t n)
    {
        return thrust::make_reverse_iterator(first + n);
    }
};
/// The elements at even places, then those at odd ones.
struct unshuffled {
    std::ptrdiff_t n;
    TILEWISE_PORTABLE std::ptrdiff_t operator()(std::ptrdiff_t i) const
    {
        std::ptrdiff_t const even = (n + 1) / 2;
        return i < even ? 2 * i : 2 * (i - even) + 1;
    }
};
struct permutation {
    template <class It>
    static auto over(It first, std::ptrdiff_t n)
    {
        return thrust::make_permutation_iterator(
            first, thrust::make_transform_iterator(thrust::counting_iterator<std::ptrdiff_t>(0), unshuffled{n}));
    }
};
struct plus_position {
    template <class Pair>
    TILEWISE_PORTABLE float operator()(Pair const& pair) const
    {
        return thrust::get<0>(pair) + static_cast<float>(thrust::get<1>(pair) % 1000) / 3;
    }
};
struct zip {
    template <class It>
    static auto over(It first, std::ptrdiff_t)
    {
        return thrust::make_transform_iterator(
            thrust::make_zip_iterator(thrust::make_tuple(first, thrust::counting_iterator<std::ptrdiff_t>(5))),
            plus_position{});
    }
};
struct shifted {
    template <class It>
    static auto over(It first, std::ptrdiff_t)
    {
        return thrust::offset_iterator(first - 3, std::ptrdiff_t{3});
    }
};

template <class... Kinds>
struct kinds {};
using every_kind = kinds<transform, reverse, permutation, zip, shifted>;

/// Calls `call` with each kind.
template <class Call, class... Kinds>
void for_each(kinds<Kinds...>, Call call)
{
    (call(Kinds{}), ...);
}

// ---- elements for them

constexpr std::ptrdiff_t room_before = 4; // elements that a kind may step back over

struct elements {
    both<float> x;
    auto here() const { return x.here.begin() + room_before; }
    auto there() const { return x.there.begin() + room_before; }
    auto pointer_here() const { return x.here.data() + room_before; }
    auto pointer_there() const { return thrust::raw_pointer_cast(x.there.data()) + room_before; }
};

elements const& some()
{
    static elements const all;
    return all;
}

std::vector<std::ptrdiff_t> sizes()
{
    auto const tile = static_cast<std::ptrdiff_t>(values::tile_of(sizeof(float)));
    return {0, 1, tile / 3, 12 * tile + 5, 39 * tile + 7};
}

/// What an iterator on the host reads, one after the other.
template <class It>
std::vector<float> read(It first, std::ptrdiff_t n)
{
    std::vector<float> result;
    for (std::ptrdiff_t i = 0; i < n; ++i)
        result.push_back(first[i]);
    return result;
}

/// Iterators that read the same, `here` on the host and `there` on the device, reduce to the same bits everywhere.
template <class Here, class There>
void expect_one_sum(Here here, There there, std::ptrdiff_t n)
{
    float const right = tw::reduce(tw::seq, read(here, n), 0.5f);
    EXPECT_TRUE(same_bits(tw::reduce(tw::seq, here, here + n, 0.5f), right)) << "n = " << n;
    EXPECT_TRUE(same_bits(tw::reduce(tw::par, here, here + n, 0.5f), right)) << "n = " << n;
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, there, there + n, 0.5f), right)) << "n = " << n;
}

DEVICE_TEST(nestings, of_one_kind_over_memory_and_numbers)
{
    for_each(every_kind{}, []<class Kind>(Kind) {
        for (std::ptrdiff_t const n : sizes()) {
            expect_one_sum(Kind::over(some().here(), n), Kind::over(some().there(), n), n);
            expect_one_sum(Kind::over(thrust::counting_iterator<float>(0), n),
                           Kind::over(thrust::counting_iterator<float>(0), n), n);
        }
    });
}

DEVICE_TEST(nestings, of_every_kind_in_every_other)
{
    for_each(every_kind{}, []<class Outer>(Outer) {
        for_each(every_kind{}, []<class Inner>(Inner) {
            for (std::ptrdiff_t const n : sizes())
                expect_one_sum(Outer::over(Inner::over(some().pointer_here(), n), n),
                               Outer::over(Inner::over(some().pointer_there(), n), n), n);
        });
    });
}

DEVICE_TEST(nestings, of_three_and_four_kinds)
{
    for (std::ptrdiff_t const n : sizes()) {
        auto const three = [n](auto first) { return reverse::over(zip::over(transform::over(first, n), n), n); };
        expect_one_sum(three(some().here()), three(some().there()), n);
        auto const four = [n](auto first) {
            return transform::over(permutation::over(shifted::over(zip::over(first, n), n), n), n);
        };
        expect_one_sum(four(some().here()), four(some().there()), n);
    }
}

/// Memory behind offsets is memory: it is loaded 16 bytes at a time.
DEVICE_TEST(nestings, of_offsets_are_seen_through)
{
    auto const behind_offset = shifted::over(transform::over(some().there(), 1), 1);
    auto const view = tw::gpu::view_of(behind_offset, 1);
    static_assert(decltype(view)::bases == 1);
}

// ---- what the other algorithms make of them

DEVICE_TEST(nestings, in_every_algorithm)
{
    for (std::ptrdiff_t const n : sizes()) {
        auto const nested = [n](auto first) { return zip::over(reverse::over(first, n), n); };
        auto const here = nested(some().here());
        auto const there = nested(some().there());
        std::vector<float> const x = read(here, n);
        auto const of = [&](auto const& out) {
            std::vector<float> copied(static_cast<std::size_t>(n));
            thrust::copy(out.begin(), out.begin() + n, copied.begin());
            return copied;
        };
        thrust::device_vector<float> out(static_cast<std::size_t>(n));
        std::vector<float> right(static_cast<std::size_t>(n));

        EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, there, there + n, there, 0.5f),
                              tw::transform_reduce(tw::seq, x.begin(), x.end(), x.begin(), 0.5f)));
        tw::exclusive_scan(tw::device, there, there + n, out.begin(), 0.5f);
        tw::exclusive_scan(tw::par, here, here + n, right.begin(), 0.5f);
        EXPECT_TRUE(std::equal(right.begin(), right.end(), of(out).begin(), same_bits<float>)) << "n = " << n;

        tw::regular_axis const axis(37, -1e9f, 1e9f);
        thrust::device_vector<std::uint32_t> counts(37);
        std::vector<std::uint32_t> right_counts(37), copied(37);
        tw::histogram(tw::device, there, there + n, axis, counts.begin());
        tw::histogram(tw::par, here, here + n, axis, right_counts.begin());
        thrust::copy(counts.begin(), counts.end(), copied.begin());
        EXPECT_EQ(copied, right_counts) << "n = " << n;

        EXPECT_EQ(tw::min_element(tw::device, there, there + n) - there,
                  tw::min_element(tw::seq, x.begin(), x.end()) - x.begin());
    }
}

// ---- outputs

struct negated {
    TILEWISE_PORTABLE float operator()(float value) const { return -value; }
};
/// Writes to every other place of memory.
struct to_every_other {
    float* memory;
    TILEWISE_PORTABLE void operator()(std::ptrdiff_t i, float value) const { memory[2 * i] = value; }
};

class nested_outputs : public testing::Test {
protected:
    thrust::device_vector<float> out_ = thrust::device_vector<float>(2 * most + 8);

    /// The scan of some elements that `wrap`, laid over memory, puts where `place(i)` says, as `stored(result)`.
    template <class Wrap, class Place, class Stored>
    void expect_scan(Wrap wrap, Place place, Stored stored)
    {
        for (std::ptrdiff_t const n : sizes()) {
            thrust::fill(out_.begin(), out_.end(), 77.0f);
            auto const x = some().here();
            std::vector<float> right(static_cast<std::size_t>(n)), result(out_.size());
            tw::inclusive_scan(tw::seq, x, x + n, right.begin());
            auto const first = wrap(out_.begin() + room_before, n);
            EXPECT_EQ(tw::inclusive_scan(tw::device, some().there(), some().there() + n, first) - first, n);
            thrust::copy(out_.begin(), out_.end(), result.begin());
            std::vector<float> expected(out_.size(), 77.0f);
            for (std::ptrdiff_t i = 0; i < n; ++i)
                expected[static_cast<std::size_t>(room_before + place(i, n))] =
                    stored(right[static_cast<std::size_t>(i)]);
            EXPECT_TRUE(std::equal(result.begin(), result.end(), expected.begin(), same_bits<float>)) << "n = " << n;
        }
    }
};

TEST_F(nested_outputs, of_two_kinds)
{
    auto const as_it_is = [](float value) { return value; };
    expect_scan([](auto out, std::ptrdiff_t n) { return permutation::over(shifted::over(out, n), n); },
                [](std::ptrdiff_t i, std::ptrdiff_t n) { return unshuffled{n}(i); }, as_it_is);
    expect_scan(
        [](auto out, std::ptrdiff_t n) {
            return thrust::make_transform_output_iterator(reverse::over(out, n), negated{});
        },
        [](std::ptrdiff_t i, std::ptrdiff_t n) { return n - 1 - i; }, negated{});
    expect_scan(
        [](auto out, std::ptrdiff_t n) {
            return thrust::make_transform_input_output_iterator(shifted::over(out, n), halved{}, negated{});
        },
        [](std::ptrdiff_t i, std::ptrdiff_t) { return i; }, negated{});
    expect_scan(
        [](auto out, std::ptrdiff_t) {
            return thrust::make_tabulate_output_iterator(to_every_other{thrust::raw_pointer_cast(&*out)});
        },
        [](std::ptrdiff_t i, std::ptrdiff_t) { return 2 * i; }, as_it_is);
}

TEST_F(nested_outputs, that_are_read_as_well)
{
    auto const tile = static_cast<std::ptrdiff_t>(values::tile_of(sizeof(float)));
    std::ptrdiff_t const n = 39 * tile + 7;
    thrust::copy(some().there(), some().there() + n, out_.begin());
    auto const halves_in_negatives_out =
        thrust::make_transform_input_output_iterator(out_.begin(), halved{}, negated{});
    tw::inclusive_scan(tw::device, halves_in_negatives_out, halves_in_negatives_out + n,
                       halves_in_negatives_out, // in place
                       std::plus<>{}, 0.5f);
    std::vector<float> right = read(transform::over(some().here(), n), n), result(static_cast<std::size_t>(n));
    tw::inclusive_scan(tw::seq, right.begin(), right.end(), right.begin(), std::plus<>{}, 0.5f);
    thrust::copy(out_.begin(), out_.begin() + n, result.begin());
    for (float& value : right)
        value = -value;
    EXPECT_TRUE(std::equal(result.begin(), result.end(), right.begin(), same_bits<float>));
}

} // namespace
