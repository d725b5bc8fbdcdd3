// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../backend.hpp"
#include "../order_shapes.hpp"
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace tw = tilewise;

namespace {

using ranks::cuts_of;
using ranks::on_each_rank;

template <class T>
bool same(std::vector<T> const& a, std::vector<T> const& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
std::vector<T> values(std::size_t count, std::mt19937& random)
{
    if constexpr (std::is_floating_point_v<T>) {
        std::vector<T> x(count);
        for (T& value : x)
            value = static_cast<T>(random() % 2001) / T{7} - T{100};
        return x;
    } else {
        return shape::some_values<T>(count);
    }
}

/// What the specification gives for a whole range, which no rank sees.
template <class T>
struct expected {
    std::vector<T> inclusive, without_init, exclusive;
    T init;

    template <class Geometry, class Op>
    static expected of(std::vector<T> const& x, Op op)
    {
        specification::order<T, Op> const order(op, backend::units_of<Geometry>());
        T const init = x.empty() ? T{} : x.back();
        return {order.inclusive_scan(x, init), order.inclusive_scan(x, {}), order.exclusive_scan(x, init), init};
    }
    T reduction() const { return inclusive.empty() ? init : inclusive.back(); }
};

/// Compares all that ranks compute of their parts with the specification. `other` stands for the init of ranks that
/// have no say.
template <class Geometry, class Policy, class T, class Op>
void expect_specified(std::vector<T> const& x, std::vector<std::size_t> const& cuts, Op op, expected<T> const& want)
{
    auto const known = tw::known::operator_or_self<T>(op);
    std::vector<T> inclusive(x), without_init(x), exclusive(x), reductions(cuts.size() - 1);
    on_each_rank(cuts, [&](auto& communicator, std::size_t begin, std::size_t end) {
        using communicator_type = std::remove_reference_t<decltype(communicator)>;
        auto const call = [&](auto algorithm) {
            tw::engine::rank_call<communicator_type> own_call(communicator, "a test");
            algorithm(tw::engine::on_ranks<communicator_type, Policy, Geometry>(own_call, Policy{}));
        };
        T init = want.init, other = x.empty() ? T{} : x.front();
        auto const count = static_cast<tw::offset>(end - begin);
        T const* const first = x.data() + begin;
        auto const own_init = [&] { return std::optional<T>(communicator.rank() == 0 ? init : other); };
        call([&](auto on) {
            reductions[static_cast<std::size_t>(communicator.rank())] = on.reduce(first, count, *own_init(), known);
        });
        call([&](auto on) {
            on.template scan<tw::scan_form::inclusive, T>(first, count, inclusive.data() + begin, own_init(), known);
        });
        call([&](auto on) {
            on.template scan<tw::scan_form::exclusive, T>(first, count, exclusive.data() + begin, own_init(), known);
        });
        call([&](auto on) { // in place
            T* const in_place = without_init.data() + begin;
            on.template scan<tw::scan_form::inclusive, T>(in_place, count, in_place, std::optional<T>(), known);
        });
    });
    EXPECT_TRUE(same(inclusive, want.inclusive)) << x.size() << " elements, " << cuts.size() - 1 << " ranks";
    EXPECT_TRUE(same(without_init, want.without_init)) << x.size() << " elements, " << cuts.size() - 1 << " ranks";
    EXPECT_TRUE(same(exclusive, want.exclusive)) << x.size() << " elements, " << cuts.size() - 1 << " ranks";
    EXPECT_TRUE(same(reductions, std::vector<T>(reductions.size(), want.reduction())))
        << x.size() << " elements, " << cuts.size() - 1 << " ranks";
}

template <class Geometry, class T, class Op>
void expect_always_specified(Op op, std::size_t most, int runs)
{
    std::mt19937 random(1);
    for (int run = 0; run < runs; ++run) {
        auto const x = values<T>(random() % most, random);
        auto const want = expected<T>::template of<Geometry>(x, op);
        auto const cuts = cuts_of(x.size(), static_cast<std::size_t>(tw::order<T, Geometry>::tile), random);
        expect_specified<Geometry, tw::sequenced_policy>(x, cuts, op, want);
        expect_specified<Geometry, tw::parallel_policy>(x, cuts, op, want);
    }
}

template <class T>
class RanksHaveTheBitsOfTheSpecification : public testing::Test {};
using sizes = testing::Types<shape::bytes<1>, shape::bytes<3>, shape::bytes<4>, shape::bytes<8>, shape::bytes<24>>;
TYPED_TEST_SUITE(RanksHaveTheBitsOfTheSpecification, sizes);

TYPED_TEST(RanksHaveTheBitsOfTheSpecification, AcrossEveryLevel)
{
    using order = tw::order<TypeParam, backend::tiny_geometry>;
    expect_always_specified<backend::tiny_geometry, TypeParam>(shape::non_associative<TypeParam>(),
                                                               static_cast<std::size_t>(3 * order::super_group), 25);
}

TEST(ranks, have_the_bits_of_the_specification_on_deep_levels)
{
    using value = shape::bytes<8>;
    using order = tw::order<value, shape::deep_geometry>;
    expect_always_specified<shape::deep_geometry, value>(shape::non_associative<value>(),
                                                         static_cast<std::size_t>(order::tile * 4 * 64), 25);
}

TEST(ranks, have_the_bits_of_the_specification_in_vector_registers)
{
    expect_always_specified<backend::tiny_geometry, float>(std::plus<>{}, 1500, 40);
    expect_always_specified<backend::tiny_geometry, double>(std::plus<>{}, 1500, 40);
    expect_always_specified<tw::standard_geometry, float>(std::plus<>{}, 150'000, 8);
}

TEST(ranks, have_the_values_of_integers_in_any_order)
{
    expect_always_specified<tw::standard_geometry, int>(std::plus<>{}, 100'000, 10);
}

TEST(ranks, have_the_bits_of_the_specification_for_large_values)
{
    using value = shape::bytes<1100>;
    expect_always_specified<backend::tiny_geometry, value>(shape::non_associative<value>(), 150, 6);
}

TEST(ranks, combine_by_key_what_one_range_combines)
{
    std::mt19937 random(2);
    for (int run = 0; run < 40; ++run) {
        auto const x = values<float>(random() % (run % 2 ? 60'000 : 100), random);
        int const keys = run % 3 ? 7 : 900;
        std::vector<int> key(x.size());
        for (int& k : key)
            k = static_cast<int>(random() % static_cast<unsigned>(keys + 2)) - 1;
        auto const n = static_cast<std::size_t>(keys);
        std::vector<float> sums(n);
        std::vector<long> integers(n);
        std::vector<double> weights(20);
        std::vector<unsigned char> counts(20);
        tw::reduce_by_index(key, x, keys, sums, 2.F);
        tw::reduce_by_index(key, key, keys, integers, 2L, tw::maximum<>());
        tw::weighted_histogram(x, x, 20, -100., 100., weights);
        tw::histogram(x, 20, -100., 100., counts);
        on_each_rank(cuts_of(x.size(), 1000, random), [&](auto& communicator, std::size_t begin, std::size_t end) {
            auto const compare = [&](auto local) {
                auto const on = tw::distributed(communicator, local);
                std::span const own_x(x.data() + begin, end - begin);
                std::span const own_key(key.data() + begin, end - begin);
                bool const decides = communicator.rank() == 0;
                std::vector<float> own_sums(n);
                tw::reduce_by_index(on, own_key, own_x, keys, own_sums, decides ? 2.F : 77.F);
                EXPECT_TRUE(same(own_sums, sums));
                std::vector<long> own_integers(n);
                tw::reduce_by_index(on, own_key, own_key, keys, own_integers, decides ? 2L : 77L, tw::maximum<>());
                EXPECT_EQ(own_integers, integers);
                std::vector<double> own_weights(20);
                tw::weighted_histogram(on, own_x, own_x, 20, -100., 100., own_weights);
                EXPECT_TRUE(same(own_weights, weights));
                std::vector<unsigned char> own_counts(20), twice(20, 1);
                EXPECT_TRUE(tw::histogram(on, own_x, 20, -100., 100., own_counts) == own_counts.end());
                EXPECT_EQ(own_counts, counts);
                tw::histogram_add(on, own_x, tw::regular_axis(20, -100., 100.), twice);
                for (std::size_t bin = 0; bin < twice.size(); ++bin)
                    EXPECT_EQ(twice[bin], static_cast<unsigned char>(counts[bin] + 1));
            };
            compare(tw::seq);
            compare(tw::par);
        });
    }
}

TEST(ranks, find_the_first_of_equals)
{
    std::mt19937 random(3);
    for (int run = 0; run < 40; ++run) {
        std::vector<int> x(random() % (run % 4 ? 3000 : 4));
        for (int& value : x)
            value = static_cast<int>(random() % 50);
        auto const smallest = tw::min_element(x) - x.begin(), largest = tw::max_element(x) - x.begin();
        auto const last_largest = tw::minmax_element(x).second - x.begin();
        auto const cuts = cuts_of(x.size(), 100, random);
        on_each_rank(cuts, [&](auto& communicator, std::size_t begin, std::size_t end) {
            auto const on = tw::distributed(communicator, tw::par);
            std::span const own(x.data() + begin, end - begin);
            auto const least = tw::min_element(on, own);
            auto const most = tw::max_element(on, own.begin(), own.end(), std::less<>());
            auto const both = tw::minmax_element(on, own);
            if (x.empty()) {
                EXPECT_EQ(least, tw::rank_position());
                EXPECT_EQ(both.second, tw::rank_position());
            } else {
                EXPECT_EQ(least.index, smallest);
                EXPECT_EQ(most.index, largest);
                EXPECT_EQ(both.first, least);
                EXPECT_EQ(both.second.index, last_largest);
                EXPECT_EQ(static_cast<long>(cuts[static_cast<std::size_t>(least.rank)]) + least.local, smallest);
            }
        });
    }
}

} // namespace
