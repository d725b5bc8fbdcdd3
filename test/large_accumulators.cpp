// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Accumulators that are larger than a stack would like, and values whose copies, addresses and default constructors
/// are their own affair.

#include "order_specification.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace {

/// Runs a function on a thread with so many bytes of stack.
template <class Function>
void with_stack(std::size_t bytes, Function function)
{
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    pthread_t thread{};
    auto const call = [](void* own) -> void* {
        (*static_cast<Function*>(own))();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, call, &function), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

template <std::size_t bytes>
struct large {
    float values[bytes / sizeof(float)];

    explicit large(float first = 0)
    {
        for (float& value : values)
            value = first += 0.25F;
    }
    friend bool operator==(large const& a, large const& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
};

struct add_all {
    template <class T>
    T operator()(T const& a, T const& b) const
    {
        T sum(a);
        for (std::size_t i = 0; i < std::size(sum.values); ++i)
            sum.values[i] += b.values[i];
        return sum;
    }
};

/// The values of T are on the heap here, too, so that only the library takes stack.
template <class T>
void check_large(std::size_t count, std::size_t stack)
{
    auto const x = std::make_unique<std::vector<T>>();
    for (std::size_t i = 0; i < count; ++i)
        x->emplace_back(0.1F * static_cast<float>(i * i));
    auto const init = std::make_unique<T>(0.7F);
    specification::order<T, add_all> const order(add_all{});
    auto const including = order.inclusive_scan(*x, *init), excluding = order.exclusive_scan(*x, *init);
    std::vector<T> out(count), one(2);
    std::vector<int> const keys(count, 1), offsets{0, static_cast<int>(count)};
    with_stack(stack, [&] {
        auto const check = [&](auto policy) {
            tilewise::reduce_into(policy, x->begin(), x->end(), one.begin(), *init, add_all());
            EXPECT_TRUE(one[0] == including.back());
            tilewise::inclusive_scan(policy, x->begin(), x->end(), out.begin(), add_all(), *init);
            EXPECT_TRUE(out == including);
            tilewise::exclusive_scan(policy, x->begin(), x->end(), out.begin(), *init, add_all());
            EXPECT_TRUE(out == excluding);
            tilewise::segmented_reduce(policy, x->begin(), offsets.begin(), offsets.begin() + 1, offsets.begin() + 1,
                                       one.begin(), *init, add_all());
            EXPECT_TRUE(one[0] == including.back());
            tilewise::reduce_by_index(policy, keys.begin(), keys.end(), x->begin(), 2, one.begin(), *init, add_all());
            EXPECT_TRUE(one[1] == including.back());
        };
        check(tilewise::seq);
        check(tilewise::par);
    });
}

TEST(LargeAccumulators, TakeLittleStack)
{
    check_large<large<1024>>(700, std::size_t{512} << 10); // the largest that the engines keep there
    check_large<large<5120>>(270, std::size_t{512} << 10);
    check_large<large<65536>>(34, std::size_t{512} << 10);
    check_large<large<262144>>(3, std::size_t{8} << 20);
}

TEST(LargeAccumulators, OfASinglePassAreTheSame)
{
    using T = large<2000>;
    std::vector<T> x;
    for (int i = 0; i < 300; ++i)
        x.emplace_back(0.1F * static_cast<float>(i * i));
    auto const expected = specification::order<T, add_all>(add_all{}).inclusive_scan(x, T(1));
    std::istringstream stream("0 1 2 3");
    std::istream_iterator<int> const first(stream), last;
    EXPECT_TRUE(tilewise::transform_reduce(first, last, T(1), add_all(),
                                           [&](int i) { return x[static_cast<std::size_t>(i)]; }) == expected[3]);
    std::istringstream again("0 1 2 3");
    std::vector<T> out;
    tilewise::transform_inclusive_scan(
        std::istream_iterator<int>(again), last, std::back_inserter(out), add_all(),
        [&](int i) { return x[static_cast<std::size_t>(i)]; }, T(1));
    EXPECT_TRUE(out == std::vector<T>(expected.begin(), expected.begin() + 4));
    std::vector<T> copy = x, scanned(x.size());
    tilewise::inclusive_scan(tilewise::par, std::make_move_iterator(copy.begin()), std::make_move_iterator(copy.end()),
                             scanned.begin(), add_all(), T(1));
    EXPECT_TRUE(scanned == expected);
}

/// An output iterator that owns something, and that a move copies.
struct owning_output {
    std::shared_ptr<std::vector<int>> to;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::output_iterator_tag;
    using value_type = void;
    using pointer = void;
    using reference = void;
    explicit owning_output(std::shared_ptr<std::vector<int>> own) : to(std::move(own)) {}
    owning_output(owning_output const&) = default;
    owning_output& operator*() { return *this; }
    owning_output& operator++() { return *this; }
    owning_output operator++(int) { return *this; }
    owning_output& operator=(int value) { return to->push_back(value), *this; }
};

TEST(OutputIterators, AreDestroyedAsOftenAsTheyAreMade)
{
    auto const out = std::make_shared<std::vector<int>>();
    std::istringstream stream("1 2 3 4");
    tilewise::inclusive_scan(std::istream_iterator<int>(stream), std::istream_iterator<int>(), owning_output(out));
    EXPECT_EQ(*out, (std::vector{1, 3, 6, 10}));
    EXPECT_EQ(out.use_count(), 1);
}

/// Has a default constructor that nobody may call, an address that nobody gets, and cannot be assigned.
struct peculiar {
    int const value;
    peculiar() : value(0) { ADD_FAILURE() << "a default constructor was called"; }
    explicit peculiar(int v) : value(v) {}
    void operator&() const = delete;
};

TEST(PeculiarValues, AreCopiedAndNothingElse)
{
    std::vector<peculiar> x;
    for (int i = 0; i < 100; ++i)
        x.emplace_back(i);
    auto const add = [](peculiar const& a, peculiar const& b) { return peculiar(a.value + b.value); };
    EXPECT_EQ(tilewise::reduce(x.begin(), x.end(), peculiar(1), add).value, 4951);
    EXPECT_EQ(tilewise::reduce(tilewise::par, x.begin(), x.end(), peculiar(1), add).value, 4951);
}

/// The same, but assignable: short segments are another path.
struct assignable {
    int value;
    assignable() : value(0) { ADD_FAILURE() << "a default constructor was called"; }
    explicit assignable(int v) : value(v) {}
};

TEST(PeculiarValues, NeedNoDefaultConstructorInShortSegments)
{
    std::vector<assignable> x, out;
    for (int i = 0; i < 9; ++i)
        x.emplace_back(i), out.emplace_back(i);
    auto const add = [](assignable const& a, assignable const& b) { return assignable(a.value + b.value); };
    int const offsets[] = {0, 3, 9};
    tilewise::segmented_reduce(x.begin(), offsets, offsets + 2, offsets + 1, out.begin(), assignable(1), add);
    EXPECT_EQ(out[0].value, 4);
    EXPECT_EQ(out[1].value, 34);
    tilewise::segmented_inclusive_scan(x.begin(), offsets, offsets + 2, offsets + 1, out.begin(), add);
    EXPECT_EQ(out[8].value, 33);
    tilewise::segmented_exclusive_scan(x.begin(), offsets, offsets + 2, offsets + 1, out.begin(), assignable(1), add);
    EXPECT_EQ(out[8].value, 26);
}

} // namespace
