// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators whose difference type is narrower than the library's offsets: no header warns of a conversion (the tests
// are compiled with -Wconversion -Werror), and every algorithm computes what it computes through pointers.
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <compare>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

/// A pointer that measures distances in int.
struct position {
    using difference_type = int;
    using value_type = float;
    using pointer = float*;
    using reference = float&;
    using iterator_category = std::random_access_iterator_tag;

    float* at = nullptr;

    float& operator*() const { return *at; }
    float& operator[](int n) const { return at[n]; }
    position& operator+=(int n)
    {
        at += n;
        return *this;
    }
    position& operator-=(int n) { return *this += -n; }
    position& operator++() { return *this += 1; }
    position& operator--() { return *this -= 1; }
    position operator++(int) { return std::exchange(*this, *this + 1); }
    position operator--(int) { return std::exchange(*this, *this - 1); }
    friend position operator+(position a, int n) { return a += n; }
    [[maybe_unused]] friend position operator+(int n, position a) { return a += n; }
    friend position operator-(position a, int n) { return a -= n; }
    friend int operator-(position a, position b) { return static_cast<int>(a.at - b.at); }
    auto operator<=>(position const&) const = default;
};
static_assert(std::random_access_iterator<position>);

/// What every algorithm makes of a range, one result behind the other.
template <class It, class Policy>
std::vector<float> results(Policy policy, std::vector<float>& elements, std::vector<int>& keys)
{
    auto const plus = [](float a, float b) { return a + b; };
    auto const same = [](float x) { return x; };
    std::vector<float> all;
    auto const room = [&](std::size_t count) {
        std::vector<float> out(count);
        return out;
    };
    auto const keep = [&](std::vector<float> const& some) { all.insert(all.end(), some.begin(), some.end()); };
    It const first{elements.data()}, last = first + static_cast<int>(elements.size());
    std::vector<int> const offsets{0, 100, 5000, static_cast<int>(elements.size())};

    all.push_back(tw::reduce(policy, first, last));
    all.push_back(tw::transform_reduce(policy, first, last, first, 0.0F));
    all.push_back(tw::transform_reduce(policy, first, last, 0.0F, plus, same));
    auto out = room(elements.size());
    auto const written = [&](It end) {
        EXPECT_EQ(end - It{out.data()}, last - first);
        keep(out);
    };
    written(tw::inclusive_scan(policy, first, last, It{out.data()}));
    written(tw::exclusive_scan(policy, first, last, It{out.data()}, 1.0F, plus));
    written(tw::transform_inclusive_scan(policy, first, last, It{out.data()}, plus, same));
    tw::segmented_inclusive_scan(policy, first, offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                 It{out.data()});
    keep(out);
    auto few = room(3);
    tw::segmented_reduce(policy, first, offsets.begin(), offsets.end() - 1, offsets.begin() + 1, It{few.data()}, 0.0F,
                         std::plus<>());
    keep(few);
    auto bins = room(10);
    tw::weighted_histogram(policy, first, last, first, tw::regular_axis{10, 0.0F, 1.0F}, It{bins.data()});
    keep(bins);
    tw::reduce_by_index(policy, keys.begin(), keys.end(), first, 10, It{bins.data()}, 0.0F);
    keep(bins);
    std::vector<int> counts(10);
    tw::histogram(policy, first, last, 10, 0.0F, 1.0F, counts.begin());
    keep(std::vector<float>(counts.begin(), counts.end()));
    all.push_back(static_cast<float>(tw::count_if(policy, first, last, [](float x) { return x < 0.5F; })));
    all.push_back(static_cast<float>(tw::min_element(policy, first, last) - first));
    all.push_back(static_cast<float>(tw::minmax_element(policy, first, last).second - first));
    return all;
}

TEST(distances, may_be_measured_in_int)
{
    std::vector<float> elements(40'000);
    std::vector<int> keys(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = static_cast<float>(i * 7919 % 1009) / 1009.0F;
        keys[i] = static_cast<int>(i % 11);
    }
    auto const expected = results<float*>(tw::seq, elements, keys);
    EXPECT_EQ(results<position>(tw::seq, elements, keys), expected);
    EXPECT_EQ(results<position>(tw::par, elements, keys), expected);
}

} // namespace
