// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Views as ranges: kernels get them by value, and index them.

#include <tilewise/mdspan.hpp>
#include <tilewise/tilewise.hpp>

#include "on_device.hpp"
#include "values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

/// A view of the user's own: every so many elements of a span.
namespace of_the_user {

template <class T>
class every_nth : public std::ranges::view_base {
public:
    class iterator {
    public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::random_access_iterator_tag;
        using value_type = std::remove_const_t<T>;
        using difference_type = std::ptrdiff_t;

        iterator() = default;
        TILEWISE_PORTABLE iterator(T* at, std::ptrdiff_t step) : at_(at), step_(step) {}
        TILEWISE_PORTABLE T& operator*() const { return *at_; }
        TILEWISE_PORTABLE T& operator[](std::ptrdiff_t n) const { return at_[n * step_]; }
        iterator& operator+=(std::ptrdiff_t n)
        {
            at_ += n * step_;
            return *this;
        }
        iterator& operator-=(std::ptrdiff_t n) { return *this += -n; }
        iterator& operator++() { return *this += 1; }
        iterator& operator--() { return *this += -1; }
        iterator operator++(int) { return std::exchange(*this, *this + 1); }
        iterator operator--(int) { return std::exchange(*this, *this - 1); }
        friend iterator operator+(iterator it, std::ptrdiff_t n) { return it += n; }
        friend iterator operator+(std::ptrdiff_t n, iterator it) { return it += n; }
        friend iterator operator-(iterator it, std::ptrdiff_t n) { return it -= n; }
        friend std::ptrdiff_t operator-(iterator a, iterator b) { return (a.at_ - b.at_) / a.step_; }
        friend bool operator==(iterator a, iterator b) { return a.at_ == b.at_; }
        friend auto operator<=>(iterator a, iterator b) { return a.at_ <=> b.at_; }

    private:
        T* at_ = nullptr;
        std::ptrdiff_t step_ = 1;
    };

    every_nth(std::span<T> elements, std::size_t step)
        : first_(elements.data()), size_(elements.size() / step), step_(static_cast<std::ptrdiff_t>(step))
    {}
    TILEWISE_PORTABLE iterator begin() const { return {first_, step_}; }
    iterator end() const { return begin() + static_cast<std::ptrdiff_t>(size_); }

private:
    T* first_;
    std::size_t size_;
    std::ptrdiff_t step_;
};

} // namespace of_the_user

namespace {

namespace tw = tilewise;
using of_the_user::every_nth;
using on_device::device_array;
using on_device::same_bits;

struct third {
    TILEWISE_PORTABLE float operator()(int i) const { return static_cast<float>(i) / 3; }
};
struct half {
    TILEWISE_PORTABLE float operator()(float x) const { return x / 2; }
};

/// The elements of two arrays at a place, as one number.
struct both_at {
    float const *x, *y;
    TILEWISE_PORTABLE float operator()(int i) const { return x[i] + 2 * y[i]; }
};
/// Every so many of an array's elements.
struct at_multiples {
    float const* x;
    int step;
    TILEWISE_PORTABLE float operator()(int i) const { return x[i * step]; }
};

/// The least of an mdspan that has two extents and any strides.
template <class T>
struct plane {
    using element_type = T;
    using index_type = int;
    using reference = T&;
    using data_handle_type = T*;
    struct layout_type {};
    struct mapping_type {
        int strides[2];
        TILEWISE_PORTABLE int operator()(int row, int column) const { return row * strides[0] + column * strides[1]; }
    };
    struct accessor_type {
        TILEWISE_PORTABLE T& access(T* first, int index) const { return first[index]; }
    };

    T* memory;
    int extents[2];
    mapping_type layout;

    TILEWISE_PORTABLE static constexpr std::size_t rank() { return 2; }
    TILEWISE_PORTABLE int extent(std::size_t i) const { return extents[i]; }
    int size() const { return extents[0] * extents[1]; }
    TILEWISE_PORTABLE accessor_type accessor() const { return {}; }
    TILEWISE_PORTABLE T* data_handle() const { return memory; }
    TILEWISE_PORTABLE mapping_type mapping() const { return layout; }
};

std::vector<float> some_floats(std::size_t count)
{
    std::vector<float> x;
    for (unsigned const seed : values::seeds(count))
        x.push_back(static_cast<float>(seed % 1000) / 7);
    return x;
}

/// A view under device reduces to what the same elements in a vector do.
template <class View>
void expect_sum_of_elements(View view, std::vector<float> const& elements)
{
    ASSERT_EQ(static_cast<std::size_t>(std::ranges::size(view)), elements.size());
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, view, 0.5f), tw::reduce(elements, 0.5f)));
}

/// And so do a scan and a histogram.
template <class View>
void expect_sums_and_counts_of_elements(View view, std::vector<float> const& elements)
{
    expect_sum_of_elements(view, elements);
    device_array<float> const out(elements.size() + 1);
    std::vector<float> scanned(elements.size());
    EXPECT_EQ(tw::inclusive_scan(tw::device, view, out.data()), out.data() + elements.size());
    tw::inclusive_scan(elements, scanned.begin());
    EXPECT_TRUE(std::ranges::equal(out.values(scanned.size()), scanned, same_bits<float>));

    tw::regular_axis const axis(10, 0.0f, 100.0f);
    device_array<std::uint32_t> const counts(10);
    std::vector<std::uint32_t> expected(10);
    tw::histogram(tw::device, view, axis, counts.data());
    tw::histogram(elements, axis, expected.begin());
    EXPECT_EQ(counts.values(10), expected);
}

/// Every algorithm gives of it what it gives of them.
template <class View>
void expect_as_of_elements(View view, std::vector<float> const& elements)
{
    expect_sums_and_counts_of_elements(view, elements);
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, view), tw::reduce(elements)));
    EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, view, 0.5f, std::plus<>{}, half{}),
                          tw::transform_reduce(elements, 0.5f, std::plus<>{}, half{})));

    device_array<float> const out(elements.size() + 1);
    std::vector<float> scanned(elements.size());
    tw::transform_exclusive_scan(tw::device, view, out.data(), 0.5f, std::plus<>{}, half{});
    tw::transform_exclusive_scan(elements, scanned.begin(), 0.5f, std::plus<>{}, half{});
    EXPECT_TRUE(std::ranges::equal(out.values(scanned.size()), scanned, same_bits<float>));

    if (elements.empty())
        return;
    auto const smallest = tw::min_element(tw::device, view);
    EXPECT_EQ(smallest - std::ranges::begin(view), tw::min_element(elements) - elements.begin());
    auto const [low, high] = tw::minmax_element(tw::device, view);
    EXPECT_EQ(low, smallest);
    EXPECT_EQ(high - std::ranges::begin(view), tw::minmax_element(elements).second - elements.begin());
}

template <class View>
std::vector<float> elements_of_host(View view)
{
    std::vector<float> elements;
    for (auto const element : view)
        elements.push_back(element);
    return elements;
}

DEVICE_TEST(views, of_a_kind_of_the_users_own)
{
    std::vector<float> const here = some_floats(30'000);
    device_array<float> const device_copy(here);
    expect_as_of_elements(every_nth<float>(std::span(device_copy.data(), device_copy.size()), 3),
                          elements_of_host(every_nth<float const>(here, 3)));
}

#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
DEVICE_TEST(views, of_numbers)
{
    for (int const count : {0, 1, 20'000}) {
        auto const thirds = std::views::iota(0, count) | std::views::transform(third{});
        expect_as_of_elements(thirds, elements_of_host(thirds));
    }
}

DEVICE_TEST(views, of_spans)
{
    std::vector<float> const here = some_floats(9'001);
    device_array<float> const device_copy(here);
    std::span<float const> const x(device_copy.data(), device_copy.size()), same(here);
    auto const halves = std::views::transform(half{});
    expect_sum_of_elements(x | halves, elements_of_host(same | halves));
    expect_sum_of_elements(x | std::views::reverse, elements_of_host(same | std::views::reverse));
    expect_sum_of_elements(x | std::views::drop(3) | halves, elements_of_host(same | std::views::drop(3) | halves));
    expect_sum_of_elements(x | std::views::take(1'000) | std::views::reverse | halves,
                           elements_of_host(same | std::views::take(1'000) | std::views::reverse | halves));
}

DEVICE_TEST(views, of_two_arrays_at_once)
{
    std::vector<float> const x = some_floats(20'000), y(x.rbegin(), x.rend());
    device_array<float> const device_x(x), device_y(y);
    auto const positions = std::views::iota(0, 20'000);
    expect_sums_and_counts_of_elements(
        positions | std::views::transform(both_at{device_x.data(), device_y.data()}),
        elements_of_host(positions | std::views::transform(both_at{x.data(), y.data()})));
}

DEVICE_TEST(views, of_every_seventh_element)
{
    std::vector<float> const here = some_floats(70'000);
    device_array<float> const device_copy(here);
    auto const positions = std::views::iota(0, 10'000);
    expect_sum_of_elements(positions | std::views::transform(at_multiples{device_copy.data(), 7}),
                           elements_of_host(positions | std::views::transform(at_multiples{here.data(), 7})));
}

DEVICE_TEST(views, of_members)
{
    std::vector<std::pair<float, int>> here;
    for (float const x : some_floats(5'000))
        here.emplace_back(x, 1);
    device_array<std::pair<float, int>> const device_copy(here);
    std::span<std::pair<float, int> const> const pairs(device_copy.data(), device_copy.size()), same(here);
    expect_sum_of_elements(pairs | std::views::keys, elements_of_host(same | std::views::keys));
}

DEVICE_TEST(views, of_many_adjacent_rows_are_reduced)
{
    std::vector<std::int32_t> offsets{0};
    for (int i = 0; i < on_device::amount(20'000, 5'000, 2'500); ++i) // i * i is an int
        offsets.push_back(offsets.back() + i * i % 97 + (i % 500 == 0 ? 700 : 0));
    auto const x = some_floats(static_cast<std::size_t>(offsets.back()));
    device_array<float> const copy(x), sums(offsets.size() - 1);
    device_array<std::int32_t> const bounds(offsets);
    auto const halves = std::views::transform(half());
    std::vector<float> expected(sums.size());
    tw::segmented_reduce(tw::seq, std::span<float const>(x) | halves, offsets, expected);
    tw::segmented_reduce(tw::device, std::span<float const>(copy.begin(), copy.end()) | halves,
                         std::span<std::int32_t const>(bounds.begin(), bounds.end()), sums.begin());
    EXPECT_TRUE(std::ranges::equal(sums.values(expected.size()), expected, same_bits<float>));
}

DEVICE_TEST(views, of_host_memory_are_refused)
{
    std::vector<float> const here = some_floats(2'000);
    std::span<float const> const x(here);
    auto const halves = std::views::transform(half{});
    EXPECT_THROW(tw::reduce(tw::device, x | halves, 0.5f), std::invalid_argument);
    EXPECT_THROW(tw::reduce(tw::device, x | std::views::take(1'000) | std::views::reverse | halves, 0.5f),
                 std::invalid_argument);
    EXPECT_EQ(tw::reduce(tw::device, x.first(0) | halves, 0.5f), 0.5f);
    EXPECT_THROW(tw::min_element(tw::device, x | halves), std::invalid_argument);

    auto const one = std::views::single(3.0f); // has its element in itself
    EXPECT_EQ(tw::memory_under(one | halves), nullptr);
    EXPECT_EQ(tw::memory_under(x | halves), here.data());
    EXPECT_EQ(tw::memory_under(std::views::iota(0, 9) | halves), nullptr);
}

DEVICE_TEST(views, of_columns_of_an_mdspan)
{
    std::vector<float> here = some_floats(70 * 130);
    device_array<float> const device_copy(here);
    plane<float> const turned{device_copy.data(), {70, 130}, {{1, 70}}}, same{here.data(), {70, 130}, {{1, 70}}};
    expect_sum_of_elements(tw::elements_of(turned), elements_of_host(tw::elements_of(same)));
    plane<float> const window{device_copy.data(), {60, 50}, {{130, 2}}}, same_window{here.data(), {60, 50}, {{130, 2}}};
    std::vector<float> const expected = elements_of_host(tw::elements_of(same_window));
    EXPECT_EQ(expected[50 * 7 + 3], here[130 * 7 + 2 * 3]);
    expect_sums_and_counts_of_elements(tw::elements_of(window), expected);
}

DEVICE_TEST(views, in_pairs)
{
    std::vector<float> const here = some_floats(5'000);
    device_array<float> const device_copy(here);
    std::span<float const> const x(device_copy.data(), device_copy.size()), same(here);
    auto const thirds = std::views::iota(0, 5'000) | std::views::transform(third{});
    EXPECT_TRUE(same_bits(tw::transform_reduce(tw::device, thirds, x, 0.0f), tw::transform_reduce(thirds, same, 0.0f)));

    device_array<float> const sums(10);
    std::vector<float> expected(10);
    tw::regular_axis const axis(10, 0.0f, 1'000.0f);
    tw::weighted_histogram(tw::device, thirds, x, axis, sums.data());
    tw::weighted_histogram(thirds, same, axis, expected.begin());
    EXPECT_TRUE(std::ranges::equal(sums.values(10), expected, same_bits<float>));
}

/// Offsets 5, 6, 7, ... in a type, without memory.
template <class Offset>
void expect_offsets_of_views()
{
    device_array<int> const x(std::vector<int>(300, 7)), out(99);
    auto const begins = std::views::iota(Offset{5}, Offset{105}).begin();
    auto const last = std::ranges::next(begins, 99);
    tw::segmented_reduce(tw::device, x.begin(), begins, last, std::ranges::next(begins), out.begin(), 1);
    EXPECT_EQ(out.values(99), std::vector<int>(99, 8));
    tw::segmented_inclusive_scan(tw::device, x.begin(), begins, begins + 1, last, x.begin());
    EXPECT_EQ(x.values(300)[4], 7);
    EXPECT_EQ(x.values(300)[103], 99 * 7);
    EXPECT_EQ(x.values(300)[104], 7);
    EXPECT_EQ(tw::reduce(tw::device, begins, last, std::int64_t{0}), 99 * 54);
}

DEVICE_TEST(views, of_any_integers_are_offsets)
{
    expect_offsets_of_views<signed char>();
    expect_offsets_of_views<int>();
    expect_offsets_of_views<long>();
    expect_offsets_of_views<std::size_t>();
}

DEVICE_TEST(views, of_indices_are_found_with_values)
{
    std::vector<int> here;
    for (unsigned const seed : values::seeds(1000))
        here.push_back(static_cast<int>(seed % 1000) - 500);
    device_array<int> const device_copy(here);
    auto const indices = std::views::iota(std::ptrdiff_t{0}, std::ptrdiff_t{1000});
    auto const expect = [&](auto op) {
        tw::indexed<int> const init{4'711, -1};
        auto const found = tw::transform_reduce(tw::device, device_copy.begin(), device_copy.end(), indices.begin(),
                                                init, op, tw::with_index{}),
                   expected =
                       tw::transform_reduce(here.begin(), here.end(), indices.begin(), init, op, tw::with_index{});
        EXPECT_EQ(std::pair(found.value, found.index), std::pair(expected.value, expected.index));
    };
    expect(tw::argmin{});
    expect(tw::argmax{});
}

DEVICE_TEST(views, that_are_only_iterators)
{
    std::vector<float> const here = some_floats(9'001);
    device_array<float> const device_copy(here);
    std::ranges::subrange const x(device_copy.data(), device_copy.data() + device_copy.size());
    EXPECT_TRUE(same_bits(tw::reduce(tw::device, x), tw::reduce(here)));
    static_assert(!tw::needs_indexing<std::remove_const_t<decltype(x)>>);
}
#endif

} // namespace
