// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/policy.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tw = tilewise;

/// A policy of a user's own.
struct on_all_cores_please {
    std::string reason = "it is late";
};
template <>
struct tilewise::policy_traits<on_all_cores_please> {
    using type = parallel_policy;
};

namespace {

TEST(policy, is_a_policy_whether_const_or_a_reference)
{
    static_assert(tw::execution_policy<tw::sequenced_policy>);
    static_assert(tw::execution_policy<tw::parallel_policy const>);
    static_assert(tw::execution_policy<tw::parallel_policy&>);
    static_assert(tw::execution_policy<tw::parallel_policy const&>);
    static_assert(tw::execution_policy<tw::parallel_policy&&>);
    static_assert(std::same_as<tw::policy_for<tw::sequenced_policy const&>, tw::sequenced_policy>);
    static_assert(std::same_as<tw::policy_for<tw::parallel_policy&&>, tw::parallel_policy>);
}

TEST(policy, is_nothing_else)
{
    static_assert(!tw::execution_policy<int>);
    static_assert(!tw::execution_policy<int*>);
    static_assert(!tw::execution_policy<std::vector<int>>);
    static_assert(!tw::execution_policy<std::plus<>>);
    static_assert(!tw::execution_policy<tw::sequenced_policy*>);
    static_assert(!tw::execution_policy<void>);
}

TEST(policy, objects_are_constants_without_state)
{
    static_assert(std::is_empty_v<tw::sequenced_policy> && std::is_empty_v<tw::parallel_policy>);
    static_assert(std::same_as<decltype(tw::seq), tw::sequenced_policy const>);
    static_assert(std::same_as<decltype(tw::par), tw::parallel_policy const>);
}

/// Every algorithm takes what `policy` returns, in that value category.
void expect_accepted(auto policy)
{
    std::vector<int> const v{2, 1, 3};
    std::vector<int> out(1);
    auto const twice = [](int x) { return 2 * x; };
    EXPECT_EQ(tw::reduce(policy(), v), 6);
    EXPECT_EQ(tw::reduce(policy(), v.begin(), v.end(), 1L), 7);
    EXPECT_EQ(tw::reduce_into(policy(), v, out.begin(), 1), out.end());
    EXPECT_EQ(tw::transform_reduce(policy(), v, v, 0), 14);
    EXPECT_EQ(tw::transform_reduce(policy(), v.begin(), v.end(), 0, std::plus<>{}, twice), 12);
    EXPECT_EQ(tw::transform_reduce_into(policy(), v, v, out.begin(), 1), out.end());
    EXPECT_EQ(tw::count(policy(), v, 3), 1);
    EXPECT_EQ(tw::count_if(policy(), v, [](int x) { return x > 1; }), 2);
    EXPECT_EQ(tw::min_element(policy(), v), v.begin() + 1);
    EXPECT_EQ(tw::max_element(policy(), v.begin(), v.end()), v.begin() + 2);
    EXPECT_EQ(tw::minmax_element(policy(), v).second, v.begin() + 2);
}

TEST(policy, is_accepted_by_every_algorithm_in_any_value_category)
{
    tw::parallel_policy mine;
    expect_accepted([]() -> auto& { return tw::seq; });
    expect_accepted([]() -> auto& { return tw::par; });
    expect_accepted([&]() -> auto& { return mine; });
    expect_accepted([&]() -> auto&& { return std::move(mine); });
    expect_accepted([] { return tw::sequenced_policy{}; });
}

#define TEXT_OF_EXPANDED(name) #name
#define TEXT_OF(name) TEXT_OF_EXPANDED(name)

TEST(mode, has_the_architectures_that_kernels_are_compiled_for)
{
    EXPECT_STREQ(TEXT_OF(TILEWISE_ARCHITECTURES(900)), "_900");
    EXPECT_STREQ(TEXT_OF(TILEWISE_ARCHITECTURES(800, 900, 1200)), "_8009001200");
    EXPECT_STREQ(TEXT_OF(TILEWISE_JOIN(nvcc, TILEWISE_ARCHITECTURES(800), _hardened, , , , , , , , )),
                 "mode_nvcc_800_hardened");
}

TEST(policy, may_be_a_type_that_a_specialisation_of_policy_traits_names)
{
    static_assert(tw::execution_policy<on_all_cores_please const&>);
    on_all_cores_please mine;
    on_all_cores_please const constant;
    expect_accepted([&]() -> auto& { return mine; });
    expect_accepted([&]() -> auto& { return constant; });
    expect_accepted([&]() -> auto&& { return std::move(mine); });
    EXPECT_EQ(mine.reason, "it is late"); // and is not moved from
}

} // namespace
