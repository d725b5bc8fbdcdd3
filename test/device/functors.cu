// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The function objects of <functional> in kernels, without a flag for nvcc: what they compute, and in every role.

#include "same_bits.hpp"

#include <functional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using on_device::device_array;

template <class Function>
using own = decltype(tw::gpu::function_for(std::declval<Function>()));

template <class... Functions>
struct functions {
    template <class A>
    static std::vector<double> on_host(A a, A b)
    {
        return {static_cast<double>(call<Functions>(a, b))...};
    }
    template <class A>
    TILEWISE_DEVICE static void in_kernel(A a, A b, double* results)
    {
        ((*results++ = static_cast<double>(call_in_kernel<own<Functions>>(a, b))), ...);
    }

private:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion" // a std::plus<unsigned char> of two ints
    template <class Function, class A>
    static auto call(A const& a, A const& b)
    {
        if constexpr (std::is_invocable_v<Function, A const&, A const&>)
            return Function{}(a, b);
        else
            return Function{}(b);
    }
    template <class Function, class A>
    static auto
    result_in_kernel() // (nvcc hides the bodies of kernels' functions from the host, which cannot deduce it)
    {
        if constexpr (std::is_invocable_v<Function, A const&, A const&>)
            return std::type_identity<decltype(Function{}(std::declval<A const&>(), std::declval<A const&>()))>();
        else
            return std::type_identity<decltype(Function{}(std::declval<A const&>()))>();
    }
    template <class Function, class A>
    TILEWISE_DEVICE static auto call_in_kernel(A const& a, A const& b) ->
        typename decltype(result_in_kernel<Function, A>())::type
    {
        if constexpr (std::is_invocable_v<Function, A const&, A const&>)
            return Function{}(a, b);
        else
            return Function{}(b);
    }
#pragma GCC diagnostic pop

public:
    template <class A>
    static constexpr bool keep_their_results =
        (std::is_same_v<decltype(call<Functions>(A{}, A{})),
                        typename decltype(result_in_kernel<own<Functions>, A>())::type> &&
         ...);
};

template <class Functions, class A>
TILEWISE_KERNEL(32, 1)
call_all(A a, A b, double* results)
{
    if (tw::gpu::thread_index() == 0)
        Functions::in_kernel(a, b, results);
}

template <class Functions, class A>
void expect_what_the_standards_compute(std::vector<std::pair<A, A>> const& operands)
{
    static_assert(Functions::template keep_their_results<A>);
    for (auto const& [a, b] : operands) {
        std::vector<double> const expected = Functions::on_host(a, b);
        device_array<double> const results(expected.size());
        tw::gpu::device_call call("functors", 1, tw::device);
        call.launch(&call_all<Functions, A>, "call_all", {1, 32}, a, b, results.begin());
        call.finish();
        EXPECT_EQ(results.values(expected.size()), expected) << a << ", " << b;
    }
}

template <template <class> class... Kinds>
struct every {
    template <class A, class B>
    using of = functions<Kinds<void>..., Kinds<A>..., Kinds<B>...>;
};
using of_numbers =
    every<std::plus, std::minus, std::multiplies, std::divides, std::negate, std::equal_to, std::not_equal_to,
          std::greater, std::less, std::greater_equal, std::less_equal, std::logical_and, std::logical_or,
          std::logical_not, tw::minimum, tw::maximum, tw::square, tw::absolute>;
using of_integers = every<std::modulus, std::bit_and, std::bit_or, std::bit_xor, std::bit_not>;
using of_ranges = functions<std::identity, std::ranges::equal_to, std::ranges::not_equal_to, std::ranges::greater,
                            std::ranges::less, std::ranges::greater_equal, std::ranges::less_equal>;

DEVICE_TEST(functors, compute_in_kernels_what_they_do_on_the_host)
{
    std::vector<std::pair<int, int>> const integers = {{7, 3}, {-5, 2}, {3, 3}, {0, 4}, {-9, -1}};
    expect_what_the_standards_compute<of_numbers::of<int, long long>>(integers);
    expect_what_the_standards_compute<of_integers::of<int, unsigned char>>(integers);
    expect_what_the_standards_compute<of_ranges>(integers);
    std::vector<std::pair<float, float>> const numbers = {{0.1F, 0.7F}, {3e9F, -1}, {2.5F, 2.5F}, {0, -0.25F}};
    expect_what_the_standards_compute<of_numbers::of<float, double>>(numbers);
    expect_what_the_standards_compute<of_ranges>(numbers);
}

// ---- in algorithms

struct numbers {
    std::vector<int> x = on_device::some_elements<int>(1000);
    device_array<int> device_copy{x};

    /// Expects the same result of `run(policy, first, last)` on the device and on seq.
    template <class Run>
    void expect_the_same(Run const& run) const
    {
        EXPECT_EQ(run(tw::device, device_copy.begin(), device_copy.begin() + 1000),
                  run(tw::seq, x.data(), x.data() + 1000));
    }
};

DEVICE_TEST(functors, work_as_operators)
{
    numbers const of;
    auto const expect = [&]<class Op, class T>(Op op, T init) {
        of.expect_the_same(
            [=](auto const& policy, auto first, auto last) { return tw::reduce(policy, first, last, init, op); });
    };
    expect(std::logical_and<>{}, true);
    expect(std::plus<double>{}, 0.5F);
    expect(std::minus<>{}, 3);
    expect(tw::minimum<long long>{}, 3);
    expect(std::multiplies<>{}, true);
}

DEVICE_TEST(functors, work_as_transforms)
{
    numbers const of;
    of.expect_the_same([](auto const& policy, auto first, auto last) {
        return tw::transform_reduce(policy, first, last, 0LL, std::plus<>{}, std::negate<>{});
    });
    of.expect_the_same([](auto const& policy, auto first, auto last) {
        return tw::transform_reduce(policy, first, last, first, 0, std::bit_xor<>{}, std::less_equal<int>{});
    });
}

/// A value whose members are summed.
struct pair_of_numbers {
    int first;
    double second;
};

DEVICE_TEST(functors, may_be_pointers_to_data_members)
{
    std::vector<pair_of_numbers> const x{{1, 0.5}, {2, 0.25}, {3, 0.125}};
    device_array<pair_of_numbers> const copy(x);
    auto const first = copy.begin(), last = first + 3;
    EXPECT_EQ(tw::transform_reduce(tw::device, first, last, 0, std::plus<>(), &pair_of_numbers::first), 6);
    EXPECT_EQ(tw::transform_reduce(tw::device, x, 0.0, std::plus<>(), &pair_of_numbers::second), 0.875);
    device_array<int> const sums(3);
    tw::transform_inclusive_scan(tw::device, first, last, sums.begin(), std::plus<>(), &pair_of_numbers::first);
    EXPECT_EQ(sums.values(3), (std::vector<int>{1, 3, 6}));
}

DEVICE_TEST(functors, work_as_comparisons_and_predicates)
{
    numbers const of;
    of.expect_the_same([](auto const& policy, auto first, auto last) {
        return tw::min_element(policy, first, last, std::greater<int>{}) - first;
    });
    of.expect_the_same([](auto const& policy, auto first, auto last) {
        auto const found = tw::minmax_element(policy, first, last, std::ranges::less{});
        return std::pair(found.first - first, found.second - first);
    });
    of.expect_the_same([](auto const& policy, auto first, auto last) {
        return tw::count_if(policy, first, last, std::logical_not<>{});
    });
    of.expect_the_same(
        [](auto const& policy, auto first, auto last) { return tw::count_if(policy, first, last, std::identity{}); });
}

DEVICE_TEST(functors, number_bins)
{
    std::vector<int> const x = {1, 3, 1, 0, -1, 7, 4};
    device_array<int> const device_copy(x), device_counts(5);
    auto const expect = [&](auto const& axis, auto const& first, auto const& device_first) {
        std::vector<int> counts(5);
        tw::histogram(tw::seq, first, first + 7, axis, counts.begin());
        tw::histogram(tw::device, device_first, device_first + 7, axis, device_counts.begin());
        EXPECT_EQ(device_counts.values(5), counts);
    };
    expect(tw::function_axis(5, std::identity{}), x.data(), device_copy.begin());
    expect(tw::function_axis(5, std::negate<int>{}), x.data(), device_copy.begin());
}

} // namespace
