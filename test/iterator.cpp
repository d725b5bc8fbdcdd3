// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/core/iterator.hpp>
#include <tilewise/reduce.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

/// Sizes around the boundaries of the order, and a sum that depends on the order of its operands.
struct sample {
    std::vector<unsigned> elements;
    values::map expected = 9;

    explicit sample(std::size_t size) : elements(values::seeds(size))
    {
        for (unsigned const element : elements)
            expected = values::compose{}(expected, values::map(element));
    }
};

template <class Container>
void expect_the_same_in()
{
    for (std::size_t const size : values::sizes_around_units(sizeof(values::map))) {
        sample const s(size);
        Container const container(s.elements.begin(), s.elements.end());
        ASSERT_EQ(tw::reduce(container.begin(), container.end(), values::map(9), values::compose{}), s.expected)
            << size;
        ASSERT_EQ(tw::reduce(tw::par, container, values::map(9), values::compose{}), s.expected) << size;
    }
}

TEST(iterator, may_be_of_any_container)
{
    expect_the_same_in<std::vector<unsigned>>();
    expect_the_same_in<std::deque<unsigned>>();
    expect_the_same_in<std::list<unsigned>>();
    expect_the_same_in<std::forward_list<unsigned>>();
}

TEST(iterator, may_be_a_pointer_or_const_or_reversed)
{
    sample const s(values::many_tiles(sizeof(values::map)));
    auto elements = s.elements;
    std::vector<unsigned> const reversed(elements.rbegin(), elements.rend());
    std::list<unsigned> const reversed_list(elements.rbegin(), elements.rend());
    auto const check = [&](auto policy) {
        auto const expect_the_same = [&](auto first, auto last) {
            EXPECT_EQ(tw::reduce(policy, first, last, values::map(9), values::compose{}), s.expected);
        };
        expect_the_same(s.elements.data(), s.elements.data() + s.elements.size());
        expect_the_same(elements.data(), elements.data() + elements.size());
        expect_the_same(elements.begin(), elements.end());
        expect_the_same(std::span(elements).begin(), std::span(elements).end());
        expect_the_same(reversed.rbegin(), reversed.rend());
        expect_the_same(reversed_list.rbegin(), reversed_list.rend());
    };
    check(tw::seq);
    check(tw::par);
}

TEST(iterator, of_bits_reads_bools)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(int))) {
        std::vector<bool> bits(size);
        int ones = 0;
        for (std::size_t i = 0; i < size; ++i)
            ones += bits[i] = i % 3 == 1 || i % 7 == 2;
        ASSERT_EQ(tw::reduce(tw::seq, bits, 0), ones);
        ASSERT_EQ(tw::reduce(tw::par, bits.cbegin(), bits.cend(), 0), ones);
        ASSERT_EQ(tw::reduce(tw::par, bits), ones > 0);
        ASSERT_EQ(tw::reduce(tw::seq, bits, false, std::not_equal_to<>{}), ones % 2 == 1);
    }
}

/// A C++17 iterator whose elements are proxies, with no common reference: random access, but no std::input_iterator.
class proxy_iterator {
public:
    class reference {
    public:
        reference(unsigned) = delete; // makes `true ? proxy : 1U` ambiguous
        operator unsigned() const { return *element_; }

    private:
        friend proxy_iterator;
        explicit reference(unsigned const* element) : element_(element) {}
        unsigned const* element_;
    };
    using iterator_category = std::random_access_iterator_tag;
    using value_type = unsigned;
    using difference_type = std::ptrdiff_t;
    using pointer = void;

    explicit proxy_iterator(unsigned const* element) : element_(element) {}
    reference operator*() const { return reference(element_); }
    reference operator[](difference_type n) const { return reference(element_ + n); }
    proxy_iterator& operator++() { return ++element_, *this; }
    friend bool operator==(proxy_iterator a, proxy_iterator b) { return a.element_ == b.element_; }
    friend proxy_iterator operator+(proxy_iterator it, difference_type n) { return proxy_iterator(it.element_ + n); }
    friend difference_type operator-(proxy_iterator a, proxy_iterator b) { return a.element_ - b.element_; }

private:
    unsigned const* element_;
};
static_assert(!std::input_iterator<proxy_iterator>);
static_assert(tw::random_access<proxy_iterator> && tw::multi_pass<proxy_iterator>);

TEST(iterator, may_yield_proxies_that_the_concepts_of_std_reject)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(values::map))) {
        sample const s(size);
        proxy_iterator const first(s.elements.data()), last(s.elements.data() + size);
        ASSERT_EQ(first == last, size == 0);
        auto const to_map = [](unsigned element) { return values::map(element); };
        auto const check = [&](auto policy) {
            ASSERT_EQ(tw::transform_reduce(policy, first, last, values::map(9), values::compose{}, to_map), s.expected);
            ASSERT_EQ(tw::reduce(policy, first, last), std::accumulate(s.elements.begin(), s.elements.end(), 0U));
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(iterator, of_a_single_pass_reads_each_element_once_and_none_past_the_end)
{
    static_assert(tw::any_iterator<values::single_pass> && !tw::multi_pass<values::single_pass>);
    for (std::size_t const size : values::sizes_around_units(sizeof(values::map))) {
        sample const s(size);
        values::single_pass::state stream{s.elements};
        auto const sum =
            tw::reduce(values::single_pass(stream), values::single_pass(), values::map(9), values::compose{});
        ASSERT_EQ(sum, s.expected) << size;
        ASSERT_EQ(stream.position, size);
    }
    std::istringstream text("1 2 3.5 x 4");
    EXPECT_EQ(tw::reduce(std::istream_iterator<double>(text), std::istream_iterator<double>()), 6.5);
    std::istringstream letters("single pass");
    EXPECT_EQ(tw::transform_reduce(tw::seq, std::istreambuf_iterator<char>(letters), std::istreambuf_iterator<char>(),
                                   std::string(), std::plus<>{}, [](char c) { return std::string(1, c); }),
              "single pass");
}

TEST(iterator, that_moves_hands_every_element_over_once)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(std::string))) {
        std::string const start = "longer than what a string keeps in itself, ";
        std::string expected = start;
        std::vector<std::string> strings(size, std::string(1, 'x'));
        for (std::size_t i = 0; i < size; ++i)
            expected += strings[i] = "a rather long element of a range, number " + std::to_string(i) + ", ";
        auto const reduce_moved = [&](auto policy, auto copies, auto... transform_op) {
            auto const first = std::make_move_iterator(copies.begin()), last = std::make_move_iterator(copies.end());
            if constexpr (sizeof...(transform_op) == 0)
                return tw::reduce(policy, first, last, start, std::plus<>{});
            else
                return tw::transform_reduce(policy, first, last, start, std::plus<>{}, transform_op...);
        };
        auto const slowly = [](std::string moved) {
            auto const begin = std::chrono::steady_clock::now();
            while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(60)) {
            }
            return moved;
        };
        ASSERT_TRUE(reduce_moved(tw::seq, strings) == expected) << size;
        ASSERT_TRUE(reduce_moved(tw::par, strings) == expected) << size;
        ASSERT_TRUE(reduce_moved(tw::par, std::list(strings.begin(), strings.end())) == expected) << size;
        if (size < 100) {
            ASSERT_TRUE(reduce_moved(tw::par, strings, slowly) == expected) << size;
        }
    }
    std::vector<std::unique_ptr<int>> pointers;
    for (int i = 0; i < 5000; ++i)
        pointers.push_back(std::make_unique<int>(i));
    auto const first = std::make_move_iterator(pointers.begin()), last = std::make_move_iterator(pointers.end());
    auto const add = [](std::unique_ptr<int> a, std::unique_ptr<int> b) {
        *a += *b;
        return a;
    };
    EXPECT_EQ(*tw::reduce(tw::par, first, last, std::make_unique<int>(0), add), 5000 * 4999 / 2);
    EXPECT_EQ(pointers[0], nullptr);
}

/// A range whose end is of another type than its beginning.
template <class It, class Sentinel>
struct uncommon {
    It first;
    Sentinel last;

    It begin() const { return first; }
    Sentinel end() const { return last; }
};
struct zero {
    friend bool operator==(char const* it, zero) { return *it == 0; }
};

TEST(iterator, may_end_at_a_sentinel)
{
    uncommon<char const*, zero> const text{"sentinel", {}};
    auto const letter = [](char c) { return std::string(1, c); };
    EXPECT_EQ(tw::transform_reduce(tw::seq, text, std::string(), std::plus<>{}, letter), "sentinel");
    EXPECT_EQ(tw::transform_reduce(tw::par, text, std::string(), std::plus<>{}, letter), "sentinel");
    for (std::size_t const size : values::sizes_around_units(sizeof(values::map))) {
        sample const s(size);
        auto const count = static_cast<std::ptrdiff_t>(size);
        std::forward_list<unsigned> const list(s.elements.begin(), s.elements.end());
        values::single_pass::state stream{s.elements};
        auto const check = [&](auto policy, auto first) {
            uncommon<decltype(first), std::default_sentinel_t> const range{first, {}};
            ASSERT_EQ(tw::reduce(policy, range, values::map(9), values::compose{}), s.expected) << size;
        };
        check(tw::seq, std::counted_iterator(s.elements.begin(), count));
        check(tw::par, std::counted_iterator(s.elements.begin(), count));
        check(tw::seq, std::counted_iterator(list.begin(), count));
        check(tw::par, std::counted_iterator(list.begin(), count));
        check(tw::seq, std::counted_iterator(values::single_pass(stream), count));
    }
}

#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
TEST(iterator, may_be_of_a_view)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(values::map))) {
        sample const s(size);
        auto const computed = std::views::iota(std::size_t{0}, size) |
                              std::views::transform([&](std::size_t i) { return s.elements[i]; });
        auto filtered = s.elements | std::views::filter([](unsigned) { return true; });
        auto const check = [&](auto policy) {
            ASSERT_EQ(tw::reduce(policy, computed, values::map(9), values::compose{}), s.expected) << size;
            ASSERT_EQ(tw::reduce(policy, filtered, values::map(9), values::compose{}), s.expected) << size;
            ASSERT_EQ(tw::reduce(policy, s.elements | std::views::take(3)),
                      std::accumulate(s.elements.begin(),
                                      s.elements.begin() + std::min<std::ptrdiff_t>(3, std::ssize(s.elements)), 0U));
        };
        check(tw::seq);
        check(tw::par);
    }
}

TEST(iterator, of_a_view_that_reads_as_it_begins_is_begun_once)
{
    std::istringstream numbers("1 2 3 4");
    EXPECT_EQ(tw::reduce(std::views::istream<int>(numbers), 0), 10);
    std::istringstream again("1 2 3 4");
    EXPECT_EQ(tw::transform_reduce(std::views::istream<int>(again), 0, std::plus<>{}, [](int i) { return i * i; }), 30);
}
#endif

} // namespace
