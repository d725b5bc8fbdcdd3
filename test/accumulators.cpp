// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What may be the accumulator and what the operator.
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

/// reduce agrees with a left fold, under each policy, on both kinds of range, at every boundary of the order.
template <class T, class Op, class Element>
void expect_left_fold(Op op, Element element)
{
    for (std::size_t const size : values::sizes_around_units(sizeof(T))) {
        std::vector<decltype(element(0U))> elements;
        for (unsigned const seed : values::seeds(size))
            elements.push_back(element(seed));
        T expected(element(7));
        for (auto const& e : elements) {
            T next(op(std::move(expected), T(e)));
            std::destroy_at(&expected);
            std::construct_at(&expected, std::move(next));
        }
        ASSERT_TRUE(tw::reduce(tw::seq, elements, T(element(7)), op) == expected) << size;
        ASSERT_TRUE(tw::reduce(tw::par, elements, T(element(7)), op) == expected) << size;
        if (size > 0 && size < 20000) {
            std::list const list(elements.begin(), elements.end());
            ASSERT_TRUE(tw::reduce(tw::seq, list, T(element(7)), op) == expected) << size;
            ASSERT_TRUE(tw::reduce(tw::par, list, T(element(7)), op) == expected) << size;
        }
    }
}
auto const seed_itself = [](unsigned seed) { return seed; };

TEST(accumulator, may_have_any_size)
{
    using values::words;
    static_assert(sizeof(words<std::uint8_t, 3>) == 3 && sizeof(words<std::uint32_t, 3>) == 12);
    static_assert(sizeof(words<std::uint64_t, 3>) == 24 && sizeof(words<std::uint32_t, 25>) == 100);
    expect_left_fold<words<std::uint8_t, 3>>(values::compose{}, seed_itself);
    expect_left_fold<words<std::uint32_t, 3>>(values::compose{}, seed_itself);
    expect_left_fold<words<std::uint64_t, 3>>(values::compose{}, seed_itself);
    expect_left_fold<words<std::uint32_t, 25>>(values::compose{}, seed_itself);
}

TEST(accumulator, needs_no_default_constructor_and_no_assignment)
{
    static_assert(!std::is_default_constructible_v<values::constant> && !std::is_move_assignable_v<values::constant>);
    expect_left_fold<values::constant>(std::multiplies<>{}, seed_itself);
}

TEST(accumulator, need_not_be_copyable)
{
    static_assert(!std::is_copy_constructible_v<values::move_only>);
    expect_left_fold<values::move_only>(std::multiplies<>{}, seed_itself);
    expect_left_fold<values::move_only>(
        [](values::move_only&& x, values::move_only&& y) { return std::move(x) * std::move(y); }, seed_itself);
    expect_left_fold<values::move_only>(
        [](values::move_only&& x, values::move_only const& y) -> values::move_only&& {
            *x.value = values::compose{}(*x.value, *y.value);
            return std::move(x);
        },
        seed_itself);
}

/// Trivially copyable, and yet only to be moved.
struct ticket {
    values::map value;

    ticket(unsigned seed) : value(seed) {}
    ticket(ticket&&) = default;
    ticket& operator=(ticket&&) = default;
    bool operator==(ticket const&) const = default;
};

TEST(accumulator, may_be_trivial_to_move_and_not_copyable)
{
    static_assert(std::is_trivially_copyable_v<ticket> && !std::is_copy_constructible_v<ticket>);
    auto const op = [](ticket x, ticket y) {
        x.value = values::compose{}(x.value, y.value);
        return x;
    };
    expect_left_fold<ticket>(op, seed_itself);
}

TEST(accumulator, may_be_any_arithmetic_type)
{
    __extension__ using int128 = __int128;
    auto const add = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
    expect_left_fold<bool>(std::not_equal_to<>{}, [](unsigned seed) { return seed % 3 == 1; });
    expect_left_fold<char>(add, [](unsigned seed) { return static_cast<char>(seed % 2); });
    expect_left_fold<wchar_t>(std::bit_xor<>{}, [](unsigned seed) { return static_cast<wchar_t>(seed % 128); });
    expect_left_fold<long double>(std::plus<>{}, seed_itself);
    expect_left_fold<int128>(std::plus<>{}, seed_itself);
    expect_left_fold<double>(std::plus<double>{}, seed_itself); // whole numbers add up exactly
    expect_left_fold<float>(tw::maximum<>{}, seed_itself);
}

enum class level : unsigned { low, high };

TEST(accumulator, may_be_an_enumeration_or_a_pointer)
{
    auto const higher = [](level a, level b) { return a < b ? b : a; };
    std::vector<level> levels(100000, level::low);
    EXPECT_EQ(tw::reduce(tw::par, levels, level::low, higher), level::low);
    levels[77777] = level::high;
    EXPECT_EQ(tw::reduce(tw::par, levels, level::low, higher), level::high);
    auto const second_if_any = [](level const* a, level const* b) { return b == nullptr ? a : b; };
    auto const address = [](level const& l) { return l == level::high ? &l : nullptr; };
    EXPECT_EQ(tw::transform_reduce(tw::par, levels, static_cast<level const*>(nullptr), second_if_any, address),
              &levels[77777]);
}

unsigned sum(unsigned a, unsigned b)
{
    return a + b;
}
unsigned& add_in_place(unsigned& a, unsigned const& b)
{
    return a += b;
}
struct wrapped {
    unsigned value;
    operator unsigned() const { return value; }
};

TEST(operator_of_reduce, may_be_any_callable)
{
    for (std::size_t const size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, values::many_tiles(4)}) {
        auto const elements = values::seeds(size);
        unsigned const expected = std::accumulate(elements.begin(), elements.end(), 1U);
        auto const check = [&](auto op) {
            EXPECT_EQ(tw::reduce(tw::seq, elements, 1U, op), expected);
            EXPECT_EQ(tw::reduce(tw::par, elements, 1U, op), expected);
        };
        check(sum);
        check(&sum);
        check(std::function<unsigned(unsigned, unsigned)>(sum));
        check([](auto a, auto b) { return a + b; });
        check([](auto&& a, auto&& b) -> decltype(auto) { return a + b; });
        check([](unsigned const& a, unsigned const& b) { return wrapped{a + b}; });
        check([](unsigned& a, unsigned& b) { return a + b; });
        check(add_in_place);
        check([calls = 0U](unsigned a, unsigned b) mutable { return ++calls != 0 ? a + b : 0U; });
        check([keep = std::string("a capture that allocates memory")](unsigned a, unsigned b) { return a + b; });
        check([](unsigned long a, unsigned long b) { return static_cast<unsigned>(a + b); });
        unsigned const least = tw::reduce(
            elements, ~0U, [](unsigned const& a, unsigned const& b) -> unsigned const& { return b < a ? b : a; });
        EXPECT_EQ(least, size == 0 ? ~0U : *std::min_element(elements.begin(), elements.end()));
    }
}

TEST(operator_of_reduce, may_be_a_reference_under_seq)
{
    std::size_t calls = 0;
    auto counted = [&calls](unsigned a, unsigned b) { return ++calls, a + b; };
    auto const elements = values::seeds(9999);
    tw::reduce(tw::seq, elements, 1U, std::ref(counted));
    EXPECT_EQ(calls, elements.size());
}

TEST(operator_of_reduce, is_copied_for_each_task_so_that_it_may_keep_state)
{
    struct counting {
        unsigned calls = 0; // unprotected: no two threads share one copy
        std::string scratch = "some memory of its own";
        unsigned operator()(unsigned a, unsigned b)
        {
            scratch[++calls % 8] = 'x';
            return a + b;
        }
    };
    auto const elements = values::seeds(values::many_tiles(sizeof(unsigned)));
    std::list<unsigned> const list(elements.begin(), elements.end());
    unsigned const expected = std::accumulate(elements.begin(), elements.end(), 0U);
    counting const mine;
    EXPECT_EQ(tw::reduce(tw::par, elements, 0U, mine), expected);
    EXPECT_EQ(tw::reduce(tw::par, list, 0U, mine), expected);
}

/// The three kinds of programs that docs/coming-from-std.md says have to be changed, as it says.
struct distance {
    long steps;
};
struct position {
    long at;
};

TEST(programs_of_the_standard, with_elements_that_do_not_convert_make_an_accumulator_of_each)
{
    std::vector<position> const positions{{1}, {2}, {3}};
    auto const add = [](distance a, distance b) { return distance{a.steps + b.steps}; };
    auto const from_origin = [](position p) { return distance{p.at}; };
    auto const check = [&](auto policy) {
        EXPECT_EQ(tw::transform_reduce(policy, positions.begin(), positions.end(), distance{4}, add, from_origin).steps,
                  10);
        std::vector<distance> out(3);
        tw::transform_inclusive_scan(policy, positions.begin(), positions.end(), out.begin(), add, from_origin,
                                     distance{4});
        EXPECT_EQ(out[2].steps, 10);
    };
    check(tw::seq);
    check(tw::par);
}

TEST(programs_of_the_standard, with_what_cannot_be_copied_move_it_or_share_it)
{
    using pointer = std::unique_ptr<int>;
    auto const add = [](pointer const& a, pointer const& b) { return std::make_unique<int>(*a + *b); };
    std::vector<pointer> x;
    for (int i = 1; i < 100; ++i)
        x.push_back(std::make_unique<int>(i));
    auto const of_another = [](pointer const& each) { return std::make_unique<int>(*each); };
    EXPECT_EQ(*tw::transform_reduce(tw::par, x.begin(), x.end(), std::make_unique<int>(50), add, of_another), 5000);

    using shared = std::shared_ptr<int const>;
    auto const add_shared = [](shared const& a, shared const& b) { return std::make_shared<int const>(*a + *b); };
    auto const share = [](pointer const& each) -> shared { return std::make_shared<int const>(*each); };
    std::vector<shared> out(x.size());
    tw::transform_inclusive_scan(tw::par, x.begin(), x.end(), out.begin(), add_shared, share);
    EXPECT_EQ(*out.back(), 4950);

    auto const moved = std::make_move_iterator(x.begin());
    EXPECT_EQ(*tw::reduce(moved, std::make_move_iterator(x.end()), std::make_unique<int>(50), add), 5000);
}

} // namespace
