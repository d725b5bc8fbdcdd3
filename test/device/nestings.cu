// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Iterators of Thrust nested in each other, every kind in every other, under every policy. Without a GPU it takes
/// Thrust as Debian has it; the interpreter then runs some of the nestings, seq and par run all.

#include "same_bits.hpp"

#include <tilewise/histogram.hpp>
#include <tilewise/scan.hpp>

#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#if __has_include(<thrust/iterator/offset_iterator.h>)
#include <thrust/iterator/offset_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#else
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/iterator/iterator_facade.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#if __has_include(<thrust/iterator/offset_iterator.h>)
template <class T>
using counting = thrust::counting_iterator<T>;
#else
/// What newer versions of Thrust have by this name.
namespace thrust {

template <class It, class Offset>
class offset_iterator : public iterator_adaptor<offset_iterator<It, Offset>, It> {
public:
    __host__ __device__ offset_iterator(It it, Offset offset)
        : iterator_adaptor<offset_iterator, It>(it), offset_(offset)
    {}
    __host__ __device__ Offset const& offset() const { return offset_; }

private:
    friend class iterator_core_access;
    __host__ __device__ decltype(auto) dereference() const { return *(this->base() + offset_); }
    __host__ __device__ std::ptrdiff_t distance_to(offset_iterator const& other) const
    {
        return other.base() + other.offset_ - (this->base() + offset_);
    }
    __host__ __device__ bool equal(offset_iterator const& other) const { return distance_to(other) == 0; }
    __host__ __device__ void advance(std::ptrdiff_t n) { offset_ += n; }
    __host__ __device__ void increment() { ++offset_; }
    __host__ __device__ void decrement() { --offset_; }

    Offset offset_;
};

} // namespace thrust

template <class... Members>
struct std::tuple_size<thrust::tuple<Members...>>
    : std::integral_constant<std::size_t, thrust::tuple_size<thrust::tuple<Members...>>::value> {};

/// Thrust's, but trivially copyable, as newer versions have it.
template <class T>
class counting : public thrust::iterator_facade<counting<T>, T, thrust::any_system_tag,
                                                thrust::random_access_traversal_tag, T, std::ptrdiff_t> {
public:
    explicit counting(T first) : value_(first) {}

private:
    friend class thrust::iterator_core_access;
    T dereference() const { return value_; }
    std::ptrdiff_t distance_to(counting other) const { return static_cast<std::ptrdiff_t>(other.value_ - value_); }
    bool equal(counting other) const { return value_ == other.value_; }
    void advance(std::ptrdiff_t n) { value_ += static_cast<T>(n); }
    void increment() { advance(1); }
    void decrement() { advance(-1); }

    T value_;
};
#endif

namespace {

using on_device::device_array;
using on_device::same_bits;

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
            first, thrust::make_transform_iterator(counting<std::ptrdiff_t>(0), unshuffled{n}));
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
            thrust::make_zip_iterator(thrust::make_tuple(first, counting<std::ptrdiff_t>(5))), plus_position{});
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

/// Whether `device` runs nestings of a kind in another: on a GPU always. The interpreter's builds would take minutes.
template <class Outer, class Inner>
inline constexpr bool runs_on_device = true;
#ifndef __CUDACC__
template <class Outer, class Inner>
    requires(!std::is_same_v<Inner, shifted> || !std::is_same_v<Outer, transform>)
inline constexpr bool runs_on_device<Outer, Inner> = std::is_same_v<Outer, zip> && std::is_same_v<Inner, reverse>;
#endif

/// Calls `call` with each kind.
template <class Call, class... Kinds>
void for_each(kinds<Kinds...>, Call call)
{
    (call(Kinds{}), ...);
}

// ---- elements for them

constexpr std::ptrdiff_t room_before = 4; // elements that a kind may step back over

std::vector<std::ptrdiff_t> sizes()
{
    auto const tile = static_cast<std::ptrdiff_t>(values::tile_of(sizeof(float)));
    if (on_device::interpreted)
        return {0, 1, tile / 3, 5 * tile + 5};
    return {0, 1, tile / 3, 12 * tile + 5, 39 * tile + 7};
}

struct elements {
    std::vector<float> x = on_device::some_elements<float>(static_cast<std::size_t>(sizes().back() + 2 * room_before));
    device_array<float> device_x{x};

    auto here() const { return x.begin() + room_before; }
    float const* pointer_here() const { return x.data() + room_before; }
    float* device_pointer() const { return device_x.data() + room_before; }
    auto device_copy() const { return thrust::device_pointer_cast(device_pointer()); }
};

elements const& some()
{
    static elements const all;
    return all;
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

/// Iterators that read the same, `here` on the host and `device_copy` on the device, reduce to the same bits
/// everywhere.
template <bool on_device = true, class Here, class There>
void expect_one_sum(Here here, There device_copy, std::ptrdiff_t n)
{
    float const right = tw::reduce(tw::seq, read(here, n), 0.5f);
    EXPECT_TRUE(same_bits(tw::reduce(tw::seq, here, here + n, 0.5f), right)) << "n = " << n;
    EXPECT_TRUE(same_bits(tw::reduce(tw::par, here, here + n, 0.5f), right)) << "n = " << n;
    if constexpr (on_device) {
        EXPECT_TRUE(same_bits(tw::reduce(tw::device, device_copy, device_copy + n, 0.5f), right)) << "n = " << n;
    }
}

DEVICE_TEST(nestings, of_one_kind_over_memory_and_numbers)
{
    for_each(every_kind{}, []<class Kind>(Kind) {
        for (std::ptrdiff_t const n : sizes()) {
            expect_one_sum<runs_on_device<Kind, permutation>>(Kind::over(some().here(), n),
                                                              Kind::over(some().device_copy(), n), n);
            expect_one_sum<runs_on_device<Kind, permutation>>(Kind::over(counting<float>(0), n),
                                                              Kind::over(counting<float>(0), n), n);
        }
    });
}

DEVICE_TEST(nestings, of_every_kind_in_every_other)
{
    for_each(every_kind{}, []<class Outer>(Outer) {
        for_each(every_kind{}, []<class Inner>(Inner) {
            for (std::ptrdiff_t const n : sizes())
                expect_one_sum<runs_on_device<Outer, Inner>>(Outer::over(Inner::over(some().pointer_here(), n), n),
                                                             Outer::over(Inner::over(some().device_pointer(), n), n),
                                                             n);
        });
    });
}

DEVICE_TEST(nestings, of_three_and_four_kinds)
{
    for (std::ptrdiff_t const n : sizes()) {
        auto const three = [n](auto first) { return reverse::over(zip::over(transform::over(first, n), n), n); };
        expect_one_sum<!on_device::interpreted>(three(some().here()), three(some().device_copy()), n);
        auto const four = [n](auto first) {
            return transform::over(permutation::over(shifted::over(zip::over(first, n), n), n), n);
        };
        expect_one_sum(four(some().here()), four(some().device_copy()), n);
    }
}

/// Memory behind offsets is memory: it is loaded 16 bytes at a time.
DEVICE_TEST(nestings, of_offsets_are_seen_through)
{
    auto const behind_offset = shifted::over(transform::over(some().device_copy(), 1), 1);
    auto const view = tw::gpu::view_of(behind_offset, 1);
    static_assert(decltype(view)::bases == 1);
    static_assert(std::is_same_v<decltype(tw::gpu::sink_of(shifted::over(some().device_copy(), 1))),
                                 tw::gpu::memory_sink<float>>);
}

// ---- what the other algorithms make of them

DEVICE_TEST(nestings, in_every_algorithm)
{
    for (std::ptrdiff_t const n : sizes()) {
        auto const nested = [n](auto first) { return zip::over(reverse::over(first, n), n); };
        auto const here = nested(some().here());
        auto const device_copy = nested(some().device_copy());
        std::vector<float> const x = read(here, n);
        device_array<float> const out(static_cast<std::size_t>(n) + 1);
        std::vector<float> right(static_cast<std::size_t>(n));

        EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, device_copy, device_copy + n, device_copy, 0.5f),
                              tw::transform_reduce(tw::seq, x.begin(), x.end(), x.begin(), 0.5f)));
        tw::exclusive_scan(tw::device, device_copy, device_copy + n, out.begin(), 0.5f);
        tw::exclusive_scan(tw::par, here, here + n, right.begin(), 0.5f);
        EXPECT_TRUE(std::ranges::equal(right, out.values(right.size()), same_bits<float>)) << "n = " << n;

        tw::regular_axis const axis(37, -1e9f, 1e9f);
        device_array<std::uint32_t> const counts(37);
        std::vector<std::uint32_t> right_counts(37);
        tw::histogram(tw::device, device_copy, device_copy + n, axis, counts.begin());
        tw::histogram(tw::par, here, here + n, axis, right_counts.begin());
        EXPECT_EQ(counts.values(37), right_counts) << "n = " << n;

        EXPECT_EQ(tw::min_element(tw::device, device_copy, device_copy + n) - device_copy,
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

/// The scan of some elements that `wrap`, laid over memory, puts where `position(i)` says, as `stored(result)`.
template <class Wrap, class Position, class Stored>
void expect_scan(Wrap wrap, Position position, Stored stored)
{
    for (std::ptrdiff_t const n : sizes()) {
        auto const x = some().here();
        std::vector<float> right(static_cast<std::size_t>(n)), expected(static_cast<std::size_t>(2 * n) + 8, 77.0f);
        device_array<float> const out(expected);
        tw::inclusive_scan(tw::seq, x, x + n, right.begin());
        auto const first = wrap(thrust::device_pointer_cast(out.data() + room_before), n);
        EXPECT_EQ(tw::inclusive_scan(tw::device, some().device_copy(), some().device_copy() + n, first) - first, n);
        for (std::ptrdiff_t i = 0; i < n; ++i)
            expected[static_cast<std::size_t>(room_before + position(i, n))] =
                stored(right[static_cast<std::size_t>(i)]);
        EXPECT_TRUE(std::ranges::equal(out.values(expected.size()), expected, same_bits<float>)) << "n = " << n;
    }
}

DEVICE_TEST(nested_outputs, of_two_kinds)
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
#ifdef __CUDACC__
    expect_scan(
        [](auto out, std::ptrdiff_t) {
            return thrust::make_tabulate_output_iterator(to_every_other{thrust::raw_pointer_cast(&*out)});
        },
        [](std::ptrdiff_t i, std::ptrdiff_t) { return 2 * i; }, as_it_is);
#endif
}

DEVICE_TEST(nested_outputs, that_are_read_as_well)
{
    std::ptrdiff_t const n = sizes().back();
    std::vector<float> right(some().here(), some().here() + n);
    device_array<float> const out(right);
    auto const halves_in_negatives_out = thrust::make_transform_input_output_iterator(out.data(), halved{}, negated{});
    tw::inclusive_scan(tw::device, halves_in_negatives_out, halves_in_negatives_out + n,
                       halves_in_negatives_out, // in place
                       std::plus<>{}, 0.5f);
    right = read(transform::over(right.begin(), n), n);
    tw::inclusive_scan(tw::seq, right.begin(), right.end(), right.begin(), std::plus<>{}, 0.5f);
    for (float& value : right)
        value = -value;
    EXPECT_TRUE(std::ranges::equal(out.values(right.size()), right, same_bits<float>));
}

} // namespace
