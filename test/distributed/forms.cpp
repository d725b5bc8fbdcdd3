// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tw = tilewise;

namespace {

constexpr std::size_t elements = 30'000;

std::vector<float> const& whole()
{
    static auto const x = [] {
        std::vector<float> values(elements);
        for (std::size_t i = 0; i < elements; ++i)
            values[i] = static_cast<float>((i * 7919) % 1013) / 7;
        return values;
    }();
    return x;
}

/// Runs a test on four ranks, of which one has no elements, under both policies.
template <class Test>
void on_ranks(Test test)
{
    ranks::on_each_rank({0, 11'111, 11'111, 25'000, elements},
                        [&](tw::thread_communicator& communicator, std::size_t begin, std::size_t end) {
                            std::span const own(whole().data() + begin, end - begin);
                            test(tw::distributed(communicator), own, begin);
                            test(tw::distributed(communicator, tw::par), own, begin);
                        });
}

TEST(ranges_over_ranks, may_be_of_any_kind)
{
    float const expected = tw::reduce(whole(), 1.5F);
    on_ranks([&](auto on, std::span<float const> own, std::size_t) {
        EXPECT_EQ(tw::reduce(on, own, 1.5F), expected);
        EXPECT_EQ(tw::reduce(on, own.begin(), own.end(), 1.5F), expected);
        std::list<float> const list(own.begin(), own.end());
        EXPECT_EQ(tw::reduce(on, list, 1.5F), expected);
        std::deque<float> const deque(own.begin(), own.end());
        EXPECT_EQ(tw::reduce(on, deque, 1.5F), expected);
        std::list<int> const integers(own.size(), 2);
        EXPECT_EQ(tw::reduce(on, integers, 1), 2 * static_cast<int>(elements) + 1);
        std::vector<int> sums(own.size());
        tw::inclusive_scan(on, integers, sums);
        EXPECT_TRUE(own.empty() || sums.back() - sums.front() == 2 * static_cast<int>(own.size() - 1));
        std::vector<double> const doubles(own.begin(), own.end());
        EXPECT_EQ(tw::reduce(on, doubles, 1.5F), expected);
    });
}

TEST(ranges_over_ranks, may_be_readable_once)
{
    ranks::on_each_rank({0, 5, 5, 12}, [&](tw::thread_communicator& communicator, std::size_t begin, std::size_t end) {
        std::stringstream text;
        for (std::size_t i = begin; i < end; ++i)
            text << i << ' ';
        using it = std::istream_iterator<int>;
        auto const on = tw::distributed(communicator);
        std::vector<int> sums;
        tw::inclusive_scan(on, it(text), it(), std::back_inserter(sums), std::plus<>(), 0);
        for (std::size_t i = begin; i < end; ++i)
            EXPECT_EQ(sums.at(i - begin), static_cast<int>(i * (i + 1) / 2));
        std::stringstream again(text.str());
        EXPECT_EQ(tw::reduce(on, it(again), it(), 0.), 66);
    });
}

TEST(ranges_over_ranks, may_be_of_one_rank_or_of_none)
{
    tw::self_communicator alone;
    EXPECT_EQ(tw::reduce(tw::distributed(alone, tw::par), whole(), 2.F), tw::reduce(whole(), 2.F));
    ranks::on_each_rank({0, 0, 0, 0}, [](tw::thread_communicator& communicator, std::size_t, std::size_t) {
        std::vector<float> none;
        std::vector<int> counts(2, 9);
        auto const on = tw::distributed(communicator);
        EXPECT_EQ(tw::reduce(on, none, 3.F + static_cast<float>(communicator.rank())), 3.F); // rank 0's
        EXPECT_EQ(tw::reduce(on, std::vector<int>(), 3), 3);
        EXPECT_TRUE(tw::inclusive_scan(on, none, none.begin()) == none.begin());
        EXPECT_EQ(tw::min_element(on, none), tw::rank_position());
        tw::histogram(on, none, 2, 0., 1., counts);
        EXPECT_EQ(counts, std::vector<int>({0, 0}));
    });
}

TEST(forms_of_reductions_over_ranks, give_what_one_range_gives)
{
    auto const square = [](float x) { return x * x; };
    double const squares = tw::transform_reduce(whole(), 0., std::plus<>(), square);
    double const products = tw::transform_reduce(whole(), whole(), 0.);
    auto const large = [](float x) { return x > 100; };
    auto const count = tw::count_if(whole(), large);
    auto const ones = tw::count(whole(), 1.F);
    on_ranks([&](auto on, std::span<float const> own, std::size_t) {
        EXPECT_EQ(tw::transform_reduce(on, own, 0., std::plus<>(), square), squares);
        EXPECT_EQ(tw::transform_reduce(on, own, own, 0.), products);
        std::array<double, 1> out{};
        EXPECT_TRUE(tw::transform_reduce_into(on, own, out, 0., std::plus<>(), square) == out.end());
        EXPECT_EQ(out[0], squares);
        float into = 0;
        EXPECT_EQ(tw::reduce_into(on, own.begin(), own.end(), &into), &into + 1);
        EXPECT_EQ(into, tw::reduce(whole()));
        EXPECT_EQ(tw::count_if(on, own, large), count);
        EXPECT_EQ(tw::count(on, own.begin(), own.end(), 1.F), ones);
        EXPECT_TRUE(tw::reduce(on, own, false, std::logical_or<>()));
    });
}

TEST(forms_of_scans_over_ranks, write_the_results_of_each_rank)
{
    auto const half = [](float x) { return x / 2; };
    std::vector<float> inclusive(elements), exclusive(elements), halves(elements);
    tw::inclusive_scan(whole(), inclusive);
    tw::exclusive_scan(whole(), exclusive, 4.F);
    tw::transform_inclusive_scan(whole(), halves, std::plus<>(), half);
    std::vector<bool> positive(elements);
    tw::inclusive_scan(whole(), positive, std::logical_or<>(), false);
    on_ranks([&](auto on, std::span<float const> own, std::size_t begin) {
        auto const expect = [&](auto const& out, std::vector<float> const& results) {
            EXPECT_TRUE(std::equal(out.begin(), out.end(), results.begin() + static_cast<std::ptrdiff_t>(begin)));
        };
        std::vector<float> vector(own.size());
        EXPECT_TRUE(tw::inclusive_scan(on, own, vector) == vector.end());
        expect(vector, inclusive);
        std::list<float> list(own.size());
        EXPECT_TRUE(tw::exclusive_scan(on, own, list, 4.F) == list.end());
        expect(list, exclusive);
        std::vector<float> in_place(own.begin(), own.end());
        tw::transform_inclusive_scan(on, in_place, in_place, std::plus<>(), half);
        expect(in_place, halves);
        std::vector<bool> bits(own.size());
        tw::inclusive_scan(on, own, bits, std::logical_or<>(), false);
        EXPECT_TRUE(std::equal(bits.begin(), bits.end(), positive.begin() + static_cast<std::ptrdiff_t>(begin)));
    });
}

TEST(even_partitions, are_of_equal_parts_that_begin_at_units)
{
    using order = tw::order<float>;
    for (tw::offset const count : {0, 1, 3, 100, 4096, 1'000'000, 50'000'001})
        for (int const ranks : {1, 2, 3, 7, 64, 1000}) {
            auto const cuts = tw::even_partition<float>(count, ranks);
            ASSERT_EQ(std::ssize(cuts), ranks + 1);
            EXPECT_EQ(cuts.front(), 0);
            EXPECT_EQ(cuts.back(), count);
            tw::offset const equal = count / ranks, slack = std::max(equal / 64, order::lane_vector);
            for (std::size_t rank = 0; rank + 1 < cuts.size(); ++rank) {
                EXPECT_EQ(cuts[rank] % order::lane_vector * (count - cuts[rank]), 0);
                EXPECT_LE(cuts[rank], cuts[rank + 1]);
                EXPECT_LE(cuts[rank + 1] - cuts[rank], equal + slack + 1);
            }
        }
    EXPECT_EQ(tw::even_partition<float>(8192 * 64 * 2, 2)[1] % order::tile, 0);
    EXPECT_THROW(tw::even_partition<float>(-1, 2), std::invalid_argument);
    EXPECT_THROW(tw::even_partition<float>(1, 0), std::invalid_argument);
    EXPECT_EQ(tw::aligned_begin<float>(4 * 100 + 3), 3);
    EXPECT_EQ(tw::aligned_begin<double>(7), 1);
}

/// The least that a communicator is: five functions, here of another one.
class five_functions {
public:
    explicit five_functions(tw::thread_communicator& ranks) : ranks_(ranks) {}
    int rank() const { return ranks_.rank(); }
    int size() const { return ranks_.size(); }
    void all_gather(void const* own, std::size_t bytes, void* all) { ranks_.all_gather(own, bytes, all); }
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        ranks_.all_gather_v(own, sizes, all);
    }
    void exchange(std::span<tw::outgoing const> out, std::span<tw::incoming const> in) { ranks_.exchange(out, in); }

private:
    tw::thread_communicator& ranks_;
};

TEST(a_communicator_of_five_functions, is_enough)
{
    std::vector<int> counts(10);
    tw::histogram(whole(), 10, 0., 150., counts);
    on_ranks([&](auto on, std::span<float const> own, std::size_t) {
        five_functions few(on.communicator());
        auto const on_few = tw::distributed(few, tw::par);
        EXPECT_EQ(tw::reduce(on_few, own), tw::reduce(whole()));
        std::vector<int> all(10);
        tw::histogram(on_few, own, 10, 0., 150., all);
        EXPECT_EQ(all, counts);
    });
}

} // namespace
