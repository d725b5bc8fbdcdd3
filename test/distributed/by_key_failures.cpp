// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Calls by key that fail on one rank, at any time: the same error on all ranks.
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>
#include <tilewise/tilewise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

using testing::HasSubstr;

/// The elements of one of four ranks. One run spans the ranks 0 to 2, another lies on rank 3.
struct part {
    std::vector<int> keys;
    std::vector<float> values;

    explicit part(int rank) : keys(10, rank < 3 ? 7 : 8), values(10, 1.F) {}
};

/// The text that all of four ranks throw, each of which then makes another call.
template <class Call>
std::string error_of_all(Call call)
{
    std::vector<std::string> texts(4, "no error");
    tw::thread_communicator::run(4,
                                 [&](tw::thread_communicator& ranks) {
                                     part own(ranks.rank());
                                     try {
                                         call(ranks, own);
                                     } catch (tw::distributed_error const& error) {
                                         texts[static_cast<std::size_t>(ranks.rank())] = error.what();
                                     }
                                     EXPECT_EQ(tw::reduce(tw::distributed(ranks), std::vector<int>(1, 2)), 8);
                                 },
                                 {.timeout = std::chrono::seconds(120)});
    EXPECT_EQ(texts, std::vector<std::string>(4, texts[0]));
    return texts[0];
}

/// Addition that throws on one rank after so many calls.
struct failing_plus {
    int calls;
    float operator()(float a, float b)
    {
        if (calls-- == 0)
            throw std::domain_error("too much");
        return a + b;
    }
};
/// A comparison that throws likewise; copies count together.
struct failing_equal {
    int* calls;
    bool operator()(int a, int b) const
    {
        if ((*calls)-- == 0)
            throw std::domain_error("not comparable");
        return a == b;
    }
};

/// A key and a result are written without check of their number.
std::array<int, 8> found;
std::array<float, 8> sums;

TEST(runs_over_ranks, are_no_error)
{
    EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) {
                  std::vector<float> results(ranks.rank() == 0 || ranks.rank() == 3 ? 1 : 0);
                  tw::reduce_by_key(tw::distributed(ranks), own.keys, own.values, tw::discard_iterator(), results);
                  std::vector<std::vector<float>> const expected{{30.F}, {}, {}, {10.F}};
                  EXPECT_EQ(results, expected[static_cast<std::size_t>(ranks.rank())]);
              }),
              "no error");
}

TEST(an_operator_that_throws, is_an_error_on_all)
{
    // On rank 1 it reduces the part of a run; on rank 0 it joins those of others after its own, of ten elements.
    for (auto const& [rank, calls] : {std::pair{1, 0}, {1, 5}, {0, 0}, {0, 9}, {0, 16}, {3, 3}})
        EXPECT_EQ(error_of_all([&, failing = rank, most = calls](auto& ranks, part const& own) {
                      std::vector<float> results(1);
                      tw::reduce_by_key(tw::distributed(ranks), own.keys, own.values, tw::discard_iterator(), results,
                                        std::equal_to<>(), failing_plus{ranks.rank() == failing ? most : -1});
                  }),
                  "tilewise::reduce_by_key: rank " + std::to_string(rank) + ": too much")
            << calls;
    // The first pass of a scan, and the second.
    for (auto const& [rank, calls] : {std::pair{0, 0}, {1, 3}, {1, 12}, {2, 15}, {3, 3}})
        EXPECT_EQ(error_of_all([&, failing = rank, most = calls](auto& ranks, part& own) {
                      tw::inclusive_scan_by_key(tw::distributed(ranks), own.keys, own.values, own.values,
                                                std::equal_to<>(), failing_plus{ranks.rank() == failing ? most : -1});
                  }),
                  "tilewise::inclusive_scan_by_key: rank " + std::to_string(rank) + ": too much")
            << calls;
}

TEST(a_predicate_that_throws, is_an_error_on_all)
{
    // The call after nine compares the first key with the last of the rank before.
    for (int const calls : {0, 8, 9})
        for (int const rank : {1, 3}) {
            std::array<int, 4> left{};
            auto const failing = [&](auto& ranks) {
                int& own = left[static_cast<std::size_t>(ranks.rank())];
                own = ranks.rank() == rank ? calls : -1;
                return failing_equal{&own};
            };
            std::string const reason = "rank " + std::to_string(rank) + ": not comparable";
            EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                            std::vector<float> results(1);
                            tw::reduce_by_key(tw::distributed(ranks), own.keys, own.values, tw::discard_iterator(),
                                              results, failing(ranks));
                        }),
                        HasSubstr(reason));
            EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                            tw::count_by_key(tw::distributed(ranks), own.keys, tw::discard_iterator(),
                                             tw::discard_iterator(), failing(ranks));
                        }),
                        HasSubstr(reason));
            EXPECT_THAT(error_of_all([&](auto& ranks, part& own) {
                            tw::exclusive_scan_by_key(tw::distributed(ranks, tw::par), own.keys, own.values, own.values,
                                                      1.F, failing(ranks));
                        }),
                        HasSubstr(reason));
        }
}

TEST(calls_by_key_that_differ, are_an_error_on_all)
{
    auto const reduce = [](auto& ranks, auto const& keys, auto const& values, auto... rest) {
        tw::reduce_by_key(tw::distributed(ranks), keys, values, tw::discard_iterator(), tw::discard_iterator(),
                          rest...);
    };
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    if (ranks.rank() == 2)
                        reduce(ranks, std::vector<long>(10), own.values);
                    else
                        reduce(ranks, own.keys, own.values);
                }),
                testing::AllOf(HasSubstr("rank 2 calls reduce_by_key by keys of long"),
                               HasSubstr("but rank 0 calls reduce_by_key by keys of int")));
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    if (ranks.rank() == 2)
                        reduce(ranks, own.keys, own.values, std::less_equal<>());
                    else
                        reduce(ranks, own.keys, own.values);
                }),
                HasSubstr("by std::less_equal<void>"));
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    if (ranks.rank() == 2)
                        reduce(ranks, own.keys, std::vector<double>(10));
                    else
                        reduce(ranks, own.keys, own.values);
                }),
                HasSubstr("of double"));
    EXPECT_THAT(error_of_all([&](auto& ranks, part& own) {
                    if (ranks.rank() == 1)
                        tw::count_by_key(tw::distributed(ranks), own.keys, tw::discard_iterator(),
                                         tw::discard_iterator());
                    else
                        tw::inclusive_scan_by_key(tw::distributed(ranks), own.keys, own.values, own.values);
                }),
                HasSubstr("rank 1 calls count_by_key"));
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    auto const on = tw::distributed(ranks).at(ranks.rank() == 1 ? 9 : 10 * ranks.rank(), 40);
                    tw::reduce_by_key(on, own.keys, own.values, found.begin(), sums.begin());
                }),
                HasSubstr("rank 1: states that its part begins at 9"));
}

TEST(outputs_that_are_too_short_on_one_rank, are_an_error_on_all)
{
    auto const size = [](auto& ranks, int failing) { return std::vector<long>(ranks.rank() == failing ? 0 : 1); };
    for (int const rank : {0, 3}) { // where a run begins
        std::string const reason =
            "rank " + std::to_string(rank) + ": the output range has 0 elements, but there are 1 results";
        EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) {
                      tw::reduce_by_key(tw::distributed(ranks), own.keys, own.keys, tw::discard_iterator(),
                                        size(ranks, rank));
                  }),
                  "tilewise::reduce_by_key: " + reason);
        EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) {
                      tw::count_by_key(tw::distributed(ranks), own.keys, size(ranks, rank), tw::discard_iterator());
                  }),
                  "tilewise::count_by_key: " + reason);
        EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) {
                      tw::count_by_key_into(tw::distributed(ranks), own.keys, tw::discard_iterator(),
                                            tw::discard_iterator(), size(ranks, rank));
                  }),
                  "tilewise::count_by_key_into: " + reason);
    }
    EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) {
                  std::vector<float> out(ranks.rank() == 2 ? 9 : 10);
                  tw::inclusive_scan_by_key(tw::distributed(ranks), own.keys, own.values, out);
              }),
              "tilewise::inclusive_scan_by_key: rank 2: the output range has 9 elements, but there are 10 results");
}

TEST(null_pointers_on_one_rank, are_an_error_on_all)
{
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    tw::reduce_by_key(tw::distributed(ranks), own.keys, own.values, tw::discard_iterator(),
                                      ranks.rank() == 3 ? nullptr : sums.data());
                }),
                HasSubstr("rank 3: the output is null"));
    EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) { // no run begins there
                  tw::reduce_by_key(tw::distributed(ranks), own.keys, own.values, tw::discard_iterator(),
                                    ranks.rank() == 1 ? nullptr : std::vector<float>(1).data());
              }),
              "no error");
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    int const* const keys = ranks.rank() == 1 ? nullptr : own.keys.data();
                    int const* const last = own.keys.data() + (ranks.rank() == 1 ? 0 : 10);
                    tw::count_by_key(tw::distributed(ranks), keys, last, tw::discard_iterator(),
                                     tw::discard_iterator());
                }),
                HasSubstr("rank 1: "));
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    int* const number = nullptr;
                    int own_number = 0;
                    tw::count_by_key_into(tw::distributed(ranks), own.keys, tw::discard_iterator(),
                                          tw::discard_iterator(), ranks.rank() == 2 ? number : &own_number);
                }),
                HasSubstr("rank 2: the output of the number of runs is null"));
}

/// An output that throws when a value is written.
struct failing_output {
    using iterator_category = std::output_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = void;
    bool throws;
    failing_output& operator*() { return *this; }
    failing_output& operator++() { return *this; }
    failing_output operator++(int) { return *this; }
    template <class Value>
    failing_output& operator=(Value const&)
    {
        if (throws)
            throw std::domain_error("disk full");
        return *this;
    }
};

TEST(an_output_that_throws, is_an_error_on_all)
{
    for (int const rank : {0, 3}) // on rank 0 after the last gather of values
        EXPECT_EQ(error_of_all([&](auto& ranks, part const& own) {
                      tw::reduce_by_key(tw::distributed(ranks), own.keys, own.values, tw::discard_iterator(),
                                        failing_output{ranks.rank() == rank});
                  }),
                  "tilewise::reduce_by_key: rank " + std::to_string(rank) + ": disk full");
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    tw::count_by_key_into(tw::distributed(ranks), own.keys, tw::discard_iterator(),
                                          tw::discard_iterator(), failing_output{ranks.rank() == 1});
                }),
                HasSubstr("rank 1: disk full"));
    EXPECT_THAT(error_of_all([&](auto& ranks, part const& own) {
                    tw::inclusive_scan_by_key(tw::distributed(ranks), own.keys, own.values,
                                              failing_output{ranks.rank() == 2});
                }),
                HasSubstr("rank 2: disk full"));
}

} // namespace
