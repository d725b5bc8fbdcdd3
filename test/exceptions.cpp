// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Exceptions from everything that a user passes: each leaves the call as it was thrown, and leaves nothing behind.
#include <tilewise/count.hpp>
#include <tilewise/minmax.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include "calls.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::expect_exceptions_from;
using values::blown, values::fuse, values::tracked;

/// For one element, a part of a tile and, where par takes tasks, many tiles.
template <class Check>
void for_each_size_and_policy(Check check)
{
    for (std::size_t const size : {std::size_t{1}, std::size_t{300}, values::many_tiles(sizeof(tracked))}) {
        SCOPED_TRACE(size);
        std::vector<unsigned> const elements = values::seeds(size);
        check(tw::seq, elements);
        check(tw::par, elements);
        if (size < 30000) {
            check(tw::seq, std::forward_list(elements.begin(), elements.end()));
            check(tw::par, std::forward_list(elements.begin(), elements.end()));
        }
    }
    std::vector<unsigned> const elements = values::seeds(3 * values::tile_of(sizeof(tracked)));
    check(tw::par, std::forward_list(elements.begin(), elements.end()));
}

TEST(exceptions, of_op_leave_the_call)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        expect_exceptions_from(
            [&] { tw::reduce(policy, elements, 0U, [](unsigned a, unsigned b) { return fuse::burn(), a + b; }); });
    });
}

TEST(exceptions, of_op_and_transform_leave_a_scan)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        std::vector<unsigned> out(static_cast<std::size_t>(std::distance(elements.begin(), elements.end())));
        // Threads that reach a tile before others are done with those before it read it twice.
        bool const varies = std::same_as<std::remove_cvref_t<decltype(policy)>, tw::parallel_policy>;
        auto const plus = [](unsigned a, unsigned b) { return fuse::burn(), a + b; };
        auto const half = [](unsigned a) { return fuse::burn(), a / 2; };
        if (out.size() > 1) // of one element there is nothing to combine
            expect_exceptions_from([&] { tw::inclusive_scan(policy, elements, out.begin(), plus); }, varies);
        expect_exceptions_from(
            [&] { tw::transform_exclusive_scan(policy, elements, out.begin(), 1U, std::plus<>{}, half); }, varies);
        expect_exceptions_from([&] { tw::transform_inclusive_scan(policy, elements, out.begin(), plus, half, 1U); },
                               varies);
    });
}

TEST(exceptions, of_making_copying_and_moving_the_values_of_a_scan_leave_the_call)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        auto const size = static_cast<std::size_t>(std::distance(elements.begin(), elements.end()));
        if (size > 30000)
            return; // takes long; the threads have work enough below
        std::vector<tracked> out(size, tracked(0));
        expect_exceptions_from([&] { tw::inclusive_scan(policy, elements, out.begin(), std::plus<>{}, tracked(0)); });
        expect_exceptions_from([&] { tw::exclusive_scan(policy, elements, out.begin(), tracked(0)); });
    });
    std::vector<unsigned> const elements = values::seeds(20 * values::tile_of(sizeof(tracked)));
    std::vector<tracked> out(elements.size(), tracked(0));
    expect_exceptions_from([&] { tw::inclusive_scan(tw::par, elements, out.begin(), std::plus<>{}, tracked(0)); },
                           true);
}

TEST(exceptions, of_transform_leave_the_call)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        auto const half = [](unsigned a) { return fuse::burn(), a / 2; };
        auto const product = [](unsigned a, unsigned b) { return fuse::burn(), a * b; };
        expect_exceptions_from([&] { tw::transform_reduce(policy, elements, 0U, std::plus<>{}, half); });
        expect_exceptions_from([&] { tw::transform_reduce(policy, elements, 0.0, std::plus<>{}, half); });
        expect_exceptions_from([&] { tw::transform_reduce(policy, elements, elements, 0U, std::plus<>{}, product); });
        expect_exceptions_from([&] { tw::count_if(policy, elements, half); });
    });
}

TEST(exceptions, of_comparisons_leave_the_call)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        auto const less = [](unsigned a, unsigned b) { return fuse::burn(), a < b; };
        expect_exceptions_from([&] { static_cast<void>(tw::min_element(policy, elements, less)); });
        expect_exceptions_from([&] { static_cast<void>(tw::minmax_element(policy, elements, less)); });
    });
}

TEST(exceptions, of_making_copying_and_moving_the_accumulator_leave_the_call)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        expect_exceptions_from([&] { tw::reduce(policy, elements, tracked(0), std::plus<>{}); });
    });
    std::vector<tracked> const stored(1000, tracked(1));
    for_each_size_and_policy([&](auto policy, auto const&) {
        expect_exceptions_from([&] { tw::reduce(policy, stored, tracked(0), std::plus<>{}); });
    });
}

/// Throws where a list would have to walk.
class fused_iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = unsigned;
    using difference_type = std::ptrdiff_t;
    using pointer = unsigned const*;
    using reference = unsigned const&;

    fused_iterator() = default;
    explicit fused_iterator(unsigned const* element) : element_(element) {}
    unsigned const& operator*() const { return *element_; }
    fused_iterator& operator++()
    {
        fuse::burn();
        ++element_;
        return *this;
    }
    fused_iterator operator++(int)
    {
        auto const before = *this;
        ++*this;
        return before;
    }
    bool operator==(fused_iterator const&) const = default;

private:
    unsigned const* element_ = nullptr;
};

TEST(exceptions, of_iterators_leave_the_call)
{
    for (std::size_t const size : {std::size_t{1}, std::size_t{300}, 5 * values::tile_of(sizeof(tracked))}) {
        auto const elements = values::seeds(size);
        fused_iterator const first(elements.data()), last(elements.data() + size);
        expect_exceptions_from([&] { tw::reduce(tw::seq, first, last, 0U); });
        expect_exceptions_from([&] { tw::reduce(tw::par, first, last, 0U); });
        long const alive = tracked::alive;
        fuse::set(static_cast<long>(size));
        EXPECT_THROW(tw::transform_reduce(tw::par, first, last, std::string(), std::plus<>{},
                                          [](unsigned) { return std::string(50, 'x'); }),
                     blown);
        fuse::set(fuse::never);
        EXPECT_EQ(tracked::alive, alive);
    }
}

TEST(exceptions, of_a_single_pass_iterator_leave_the_call)
{
    auto const elements = values::seeds(3 * values::tile_of(sizeof(tracked)));
    expect_exceptions_from([&] {
        values::single_pass::state stream{elements};
        tw::reduce(values::single_pass(stream), values::single_pass(), tracked(0), std::plus<>{});
    });
}

TEST(exceptions, keep_their_type_and_what_they_carry)
{
    struct position {
        unsigned value;
    };
    auto const elements = values::seeds(values::many_tiles(sizeof(unsigned)));
    unsigned const culprit = elements[elements.size() / 2];
    auto const check = [&](auto policy) {
        try {
            tw::transform_reduce(policy, elements, 0U, std::plus<>{}, [&](unsigned element) {
                if (element == culprit)
                    throw position{element};
                return element;
            });
            ADD_FAILURE() << "no exception";
        } catch (position const& thrown) {
            EXPECT_EQ(thrown.value, culprit);
        }
    };
    check(tw::seq);
    check(tw::par);
}

TEST(exceptions, of_several_tasks_come_out_as_one)
{
    auto const elements = values::seeds(values::many_tiles(sizeof(unsigned)));
    auto const always = [fails = !elements.empty()](unsigned a, unsigned b) {
        if (fails)
            throw std::out_of_range("always");
        return a + b;
    };
    for (int i = 0; i < 20; ++i)
        EXPECT_THROW(tw::reduce(tw::par, elements, 0U, always), std::out_of_range);
}

TEST(exceptions, keep_the_into_forms_from_writing)
{
    for_each_size_and_policy([](auto policy, auto const& elements) {
        double out = 0.25;
        auto const add = [](double a, double b) { return fuse::burn(), a + b; };
        auto const half = [](unsigned a) { return a / 2.0; };
        auto const check = [&](auto call) {
            fuse::set(1);
            EXPECT_THROW(call(), blown);
            EXPECT_EQ(out, 0.25);
        };
        check([&] { tw::reduce_into(policy, elements, &out, 0.0, add); });
        check([&] { tw::reduce_into(policy, elements.begin(), elements.end(), &out, 0.0, add); });
        check([&] { tw::transform_reduce_into(policy, elements, &out, 0.0, add, half); });
        check([&] { tw::transform_reduce_into(policy, elements, elements, &out, 0.0, add, std::plus<>{}); });
    });
    fuse::set(fuse::never);
}

} // namespace
