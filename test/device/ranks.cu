// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../distributed/ranks.hpp"
#include "../on_device.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace tw = tilewise;

namespace {

/// Ranks leave as much in caches as they have used at once, which is up to chance: what is left then is a leak.
struct emptied_caches {
    ~emptied_caches() { tw::release_cached_memory(); }
};

struct is_odd {
    TILEWISE_PORTABLE bool operator()(std::int32_t x) const { return x % 2 != 0; }
};

/// What ranks that each use the GPU make of integers, which may be combined in any order.
DEVICE_TEST(ranks_on_a_gpu, have_the_values_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{5}, on_device::amount<std::size_t>(1 << 20, 30'000, 9000)}) {
        std::vector<std::int32_t> x(count), scanned(count), expected(count);
        for (auto& value : x)
            value = static_cast<std::int32_t>(random() % 2000) - 1000;
        auto const sum = tw::reduce(x, std::int64_t{7});
        auto const largest = tw::reduce(x, -2000, tw::maximum<>());
        auto const odd = tw::count_if(x, is_odd());
        tw::inclusive_scan(x, expected, std::plus<>(), 3);
        ranks::on_each_rank(ranks::cuts_of(count, 1024, random), [&](auto& communicator, std::size_t begin,
                                                                     std::size_t end) {
            std::vector<std::int32_t> const own(x.data() + begin, x.data() + end);
            on_device::device_array<std::int32_t> const there(own), out(own.size());
            std::span<std::int32_t const> const elements(there.data(), own.size());
            auto const on = tw::distributed(communicator, tw::device);
            std::int32_t const other = communicator.rank() == 0 ? 3 : 100; // rank 0's init counts
            EXPECT_EQ(tw::reduce(on, elements, std::int64_t{7}), sum);
            EXPECT_EQ(tw::reduce(on, elements, -2000, tw::maximum<>()), largest);
            EXPECT_EQ(tw::count_if(on, elements, is_odd()), odd);
            EXPECT_EQ(tw::inclusive_scan(on, there.data(), there.data() + own.size(), out.data(), std::plus<>(), other),
                      out.data() + own.size());
            auto const results = out.values(own.size());
            std::copy(results.begin(), results.end(), scanned.begin() + static_cast<std::ptrdiff_t>(begin));
        });
        EXPECT_EQ(scanned, expected);
    }
}

/// Where a rank keeps elements or results.
enum class place { device, pinned, pageable };

/// Elements in memory of a kind.
template <class T>
class elements {
public:
    elements(std::vector<T> const& values, place where) : here_(values)
    {
        if (where != place::pageable)
            there_.emplace(values, 0,
                           where == place::device ? on_device::device_array<T>::kind::device
                                                  : on_device::device_array<T>::kind::pinned);
    }
    T* data() { return there_ ? there_->data() : here_.data(); }
    T* end() { return data() + here_.size(); }
    std::vector<T> values() const { return there_ ? there_->values(here_.size()) : here_; }

private:
    std::vector<T> here_;
    std::optional<on_device::device_array<T>> there_;
};

/// Another place on each rank.
place place_on(tw::thread_communicator const& communicator, int more = 0)
{
    return static_cast<place>((static_cast<std::size_t>(communicator.rank() + more) + on_device::variation()) % 3);
}

template <class T>
std::vector<T> part_of(std::vector<T> const& all, std::size_t begin, std::size_t end)
{
    return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// Random cuts for at most 5 ranks: the interpreter has pinned memory for 7 calls at once.
std::vector<std::size_t> few_cuts_of(std::size_t count, std::mt19937& random)
{
    auto cuts = ranks::cuts_of(count, 1024, random);
    while (cuts.size() > 6)
        cuts = ranks::cuts_of(count, 1024, random);
    return cuts;
}

std::vector<std::size_t> const sizes{0, 5, on_device::amount<std::size_t>(1 << 20, 30'000, 5000)};

template <class Counter, class Sample, class Axis>
void expect_one_histogram(std::vector<Sample> const& x, Axis const& axis, std::mt19937& random)
{
    auto const cells = static_cast<std::size_t>(axis.extent());
    std::vector<Counter> const before(cells + 1, 7);
    std::vector<Counter> expected(before), expected_more(before);
    tw::histogram(x, axis, expected);
    tw::histogram_add(x, axis, expected_more);
    ranks::on_each_rank(few_cuts_of(x.size(), random), [&](auto& communicator, std::size_t begin, std::size_t end) {
        elements<Sample> own(part_of(x, begin, end), place_on(communicator));
        elements<Counter> counts(before, place_on(communicator, 1)), more(before, place_on(communicator, 2));
        auto const on = tw::distributed(communicator, tw::device);
        EXPECT_EQ(tw::histogram(on, own.data(), own.end(), axis, counts.data()), counts.data() + cells);
        EXPECT_EQ(counts.values(), expected);
        EXPECT_EQ(tw::histogram_add(on, own.data(), own.end(), axis, more.data()), more.data() + cells);
        EXPECT_EQ(more.values(), expected_more);
    });
}

DEVICE_TEST(ranks_on_a_gpu, have_the_counts_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        std::vector<float> x(count);
        std::vector<std::uint8_t> bytes(count);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<float>(random() % 4000) / 1000 - 1;
            bytes[i] = static_cast<std::uint8_t>(random());
        }
        expect_one_histogram<std::uint32_t>(x, tw::regular_axis(100, 0.0f, 2.0f, {.flow = tw::flow::bins}), random);
        expect_one_histogram<std::int64_t>(bytes, tw::integer_axis(0, 256), random);
    }
}

DEVICE_TEST(ranks_on_a_gpu, have_the_sums_of_keys_of_one_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        constexpr int cells = 37;
        std::vector<std::int16_t> keys(count);
        std::vector<std::int32_t> values(count);
        for (std::size_t i = 0; i < count; ++i) {
            keys[i] = static_cast<std::int16_t>(random() % 40) - 1; // some have no cell
            values[i] = static_cast<std::int32_t>(random() % 2000) - 1000;
        }
        std::vector<std::int64_t> sums(cells), weights(cells);
        std::vector<std::int32_t> largest(cells);
        tw::reduce_by_index(keys, values, cells, sums, std::int64_t{5});
        tw::reduce_by_index(keys, values, cells, largest, -500, tw::maximum<>());
        tw::weighted_histogram(keys, values, tw::integer_axis(0, cells), weights);
        ranks::on_each_rank(few_cuts_of(count, random), [&](auto& communicator, std::size_t begin, std::size_t end) {
            elements<std::int16_t> own_keys(part_of(keys, begin, end), place_on(communicator));
            elements<std::int32_t> own(part_of(values, begin, end), place_on(communicator, 1));
            elements<std::int64_t> own_sums(std::vector<std::int64_t>(cells), place_on(communicator, 2));
            elements<std::int64_t> own_weights(std::vector<std::int64_t>(cells), place_on(communicator));
            elements<std::int32_t> own_largest(std::vector<std::int32_t>(cells), place_on(communicator, 1));
            auto const on = tw::distributed(communicator, tw::device);
            bool const is_first = communicator.rank() == 0; // whose init counts
            EXPECT_EQ(tw::reduce_by_index(on, own_keys.data(), own_keys.end(), own.data(), cells, own_sums.data(),
                                          std::int64_t{is_first ? 5 : 900}),
                      own_sums.end());
            EXPECT_EQ(own_sums.values(), sums);
            tw::reduce_by_index(on, own_keys.data(), own_keys.end(), own.data(), cells, own_largest.data(),
                                is_first ? -500 : 5000, tw::maximum<>());
            EXPECT_EQ(own_largest.values(), largest);
            tw::weighted_histogram(on, own_keys.data(), own_keys.end(), own.data(), tw::integer_axis(0, cells),
                                   own_weights.data());
            EXPECT_EQ(own_weights.values(), weights);
        });
    }
}

/// An element of a range, in 12 bytes, of which one is compared.
struct place_and_height {
    std::int32_t x, y, height;
};
struct lower {
    TILEWISE_PORTABLE bool operator()(place_and_height const& a, place_and_height const& b) const
    {
        return a.height < b.height;
    }
};

/// Elements that are computed: squares of the distance from a position.
struct distances_from {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::int64_t;

    std::ptrdiff_t at, middle;
    TILEWISE_PORTABLE std::int64_t operator*() const { return (at - middle) * (at - middle); }
    TILEWISE_PORTABLE std::int64_t operator[](std::ptrdiff_t n) const { return *(*this + n); }
    TILEWISE_PORTABLE distances_from& operator++() { return ++at, *this; }
    TILEWISE_PORTABLE distances_from operator+(std::ptrdiff_t n) const { return {at + n, middle}; }
    TILEWISE_PORTABLE std::ptrdiff_t operator-(distances_from const& other) const { return at - other.at; }
    TILEWISE_PORTABLE bool operator==(distances_from const& other) const { return at == other.at; }
};

DEVICE_TEST(ranks_on_a_gpu, find_what_one_finds_in_the_whole_range)
{
    emptied_caches const at_end;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count : sizes) {
        std::vector<std::int32_t> x(count);
        std::vector<place_and_height> places(count);
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<std::int32_t>(random() % 50); // with many equal ones
            places[i] = {static_cast<std::int32_t>(i), 0, static_cast<std::int32_t>(random() % 1000)};
        }
        auto const middle = static_cast<std::ptrdiff_t>(count / 2);
        distances_from const first{0, middle}, last{static_cast<std::ptrdiff_t>(count), middle};
        auto const [smallest, largest] = std::minmax_element(x.begin(), x.end());
        auto const lowest = std::min_element(places.begin(), places.end(), lower());
        auto const nearest = std::min_element(first, last) - first;
        auto const cuts = few_cuts_of(count, random);
        ranks::on_each_rank(cuts, [&, smallest = smallest - x.begin(), largest = largest - x.begin(),
                                   earliest = std::max_element(x.begin(), x.end()) - x.begin(),
                                   lowest = lowest - places.begin()](auto& communicator, std::size_t begin,
                                                                     std::size_t end) {
            elements<std::int32_t> own(part_of(x, begin, end), place_on(communicator));
            elements<place_and_height> own_places(part_of(places, begin, end), place_on(communicator, 1));
            auto const on = tw::distributed(communicator, tw::device);
            auto const expect = [&](tw::rank_position const& found, std::ptrdiff_t expected) {
                if (count == 0) {
                    EXPECT_EQ(found, tw::rank_position());
                    return;
                }
                auto const of_rank = std::upper_bound(cuts.begin(), cuts.end(), static_cast<std::size_t>(expected)) - 1;
                EXPECT_EQ(found.index, expected);
                EXPECT_EQ(found.rank, of_rank - cuts.begin());
                EXPECT_EQ(found.local, expected - static_cast<std::ptrdiff_t>(*of_rank));
            };
            expect(tw::min_element(on, own.data(), own.end()), smallest);
            expect(tw::max_element(on, own.data(), own.end()), earliest);
            auto const both = tw::minmax_element(on, own.data(), own.end());
            expect(both.first, smallest);
            expect(both.second, largest);
            expect(tw::min_element(on, own_places.data(), own_places.end(), lower()), lowest);
            expect(tw::min_element(on, first + static_cast<std::ptrdiff_t>(begin),
                                   first + static_cast<std::ptrdiff_t>(end)),
                   nearest);
        });
    }
}

} // namespace
