// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A rank that has no memory, at any of its allocations during a call: all ranks throw, and none waits forever.
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

/// How often this thread may still allocate before it fails once; negative where it does not fail.
thread_local long allocations_left = -1;
/// Whether all of its allocations from then on fail, too.
thread_local bool stays_without = false;

void* allocate(std::size_t bytes)
{
    if (allocations_left == 0) {
        if (!stays_without)
            allocations_left = -1;
        throw std::bad_alloc();
    }
    if (allocations_left > 0)
        --allocations_left;
    if (void* const memory = std::malloc(bytes > 0 ? bytes : 1))
        return memory;
    throw std::bad_alloc();
}

} // namespace

void* operator new(std::size_t bytes)
{
    return allocate(bytes);
}
void* operator new[](std::size_t bytes)
{
    return allocate(bytes);
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace {

using namespace std::chrono_literals;

/// Has this thread fail its allocation with a number, counted from 0, while it exists.
struct failing_allocation {
    failing_allocation(long number, bool is_last)
    {
        stays_without = is_last;
        allocations_left = number;
    }
    ~failing_allocation() { allocations_left = -1; }
    failing_allocation(failing_allocation const&) = delete;
    failing_allocation& operator=(failing_allocation const&) = delete;
};

/// Gives this thread memory while it exists: the last rank that calls a collective allocates for all, so otherwise the
/// schedule would decide which allocation has a number.
struct uncounted_allocations {
    long left = std::exchange(allocations_left, -1);
    uncounted_allocations() = default;
    ~uncounted_allocations() { allocations_left = left; }
    uncounted_allocations(uncounted_allocations const&) = delete;
    uncounted_allocations& operator=(uncounted_allocations const&) = delete;
};

/// A thread's communicator with as little as the library needs. Its own allocations do not fail.
struct plain_communicator {
    tw::thread_communicator& threads;
    int rank() const { return threads.rank(); }
    int size() const { return threads.size(); }
    void all_gather(void const* own, std::size_t bytes, void* all)
    {
        uncounted_allocations const here;
        threads.all_gather(own, bytes, all);
    }
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        uncounted_allocations const here;
        threads.all_gather_v(own, sizes, all);
    }
    void exchange(std::span<tw::outgoing const> out, std::span<tw::incoming const> in)
    {
        uncounted_allocations const here;
        threads.exchange(out, in);
    }
};

/// The same with sums.
struct summing_communicator : plain_communicator {
    void all_reduce_add(std::uint64_t* counters, std::size_t count)
    {
        uncounted_allocations const here;
        threads.all_reduce_add(counters, count);
    }
};

/// Ranks of one call, of which one has no memory.
struct world {
    int ranks, failing;
    bool has_all_reduce = true, states_positions = false, stays_without = false;
    bool counts_collectives = false; ///< whether allocations within the communicator can fail, too
};

/// What became of a call on the ranks.
struct outcome {
    int errors = 0, bad_allocs = 0;
    bool is_reached = false; ///< whether the failing rank has made so many allocations
    std::string text;
};

/// Calls `call(policy, elements)` on every rank; the failing one has no memory for its allocation with a number.
template <class Local, class Call>
outcome try_allocation(world const& w, long number, Local local, Call const& call)
{
    outcome result;
    std::mutex mutex;
    auto const on_rank = [&](tw::thread_communicator& threads, auto& own) {
        bool const fails = own.rank() == w.failing;
        std::vector<float> const x(static_cast<std::size_t>(1000 + 777 * own.rank()), 1.F);
        auto on = tw::distributed(own, local);
        if (w.states_positions)
            on = on.at(1000 * own.rank() + 777 * (own.rank() * (own.rank() - 1) / 2),
                       1000 * w.ranks + 777 * (w.ranks * (w.ranks - 1) / 2));
        auto const note = [&](int outcome::* what, char const* text) {
            std::lock_guard const lock(mutex);
            ++(result.*what);
            if (result.text.empty() && what == &outcome::errors)
                result.text = text;
        };
        bool is_reached = false;
        try {
            failing_allocation const once(fails ? number : -1, w.stays_without);
            try {
                call(on, x);
            } catch (...) {
                is_reached = fails && (w.stays_without || allocations_left < 0);
                allocations_left = -1;
                throw;
            }
            is_reached = fails && (w.stays_without ? allocations_left == 0 : allocations_left < 0);
        } catch (tw::distributed_error const& error) {
            note(&outcome::errors, error.what());
        } catch (std::bad_alloc const&) {
            note(&outcome::bad_allocs, "");
        }
        {
            std::lock_guard const lock(mutex);
            result.is_reached = result.is_reached || is_reached;
        }
        if (threads.is_usable() && !w.stays_without) {
            EXPECT_EQ(tw::reduce(tw::distributed(own), std::vector<int>(2, 1)), 2 * w.ranks); // all are in step
        }
    };
    tw::thread_communicator::run(w.ranks,
                                 [&](tw::thread_communicator& threads) {
                                     plain_communicator plain{threads};
                                     summing_communicator summing{plain};
                                     if (w.counts_collectives)
                                         on_rank(threads, threads);
                                     else if (w.has_all_reduce)
                                         on_rank(threads, summing);
                                     else
                                         on_rank(threads, plain);
                                 },
                                 {.timeout = 120s});
    return result;
}

/// Has one rank miss memory at each allocation in turn.
template <class Local, class Call>
void expect_errors(world const& w, Local local, Call const& call)
{
    long number = 0;
    for (;; ++number) {
        outcome const result = try_allocation(w, number, local, call);
        if (!result.is_reached) {
            EXPECT_EQ(result.errors + result.bad_allocs, 0);
            break;
        }
        EXPECT_EQ(result.errors, w.ranks) << "allocation " << number << " of rank " << w.failing << " of " << w.ranks
                                          << ", " << result.bad_allocs << " std::bad_alloc, text: " << result.text;
        EXPECT_EQ(result.text.find("waited"), std::string::npos) << result.text;
        if (testing::Test::HasFailure())
            return;
    }
    EXPECT_GT(number, 3);
}

/// The same on few ranks and on many, with a rank in the middle, the first and the last.
template <class Call>
void expect_errors_everywhere(Call const& call)
{
    for (int const failing : {0, 1, 3})
        for (bool const states_positions : {false, true}) {
            expect_errors({4, failing, true, states_positions}, tw::seq, call);
            expect_errors({4, failing, true, states_positions}, tw::par, call);
        }
    expect_errors({4, 2, false}, tw::seq, call);
    expect_errors({40, 39}, tw::seq, call); // two rounds of messages, of which the second has more for this rank
}

TEST(a_rank_without_memory, is_an_error_on_all_in_a_reduction)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) { tw::reduce(on, x); });
}

TEST(a_rank_without_memory, is_an_error_on_all_in_a_reduction_of_integers)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) { tw::count(on, x, 1.F); });
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        tw::transform_reduce(on, x, 0L, std::plus<>(), [](float value) { return static_cast<long>(value); });
    });
}

TEST(a_rank_without_memory, is_an_error_on_all_in_a_scan)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        std::array<float, 32'000> out;
        tw::inclusive_scan(on, x.data(), x.data() + x.size(), out.data());
    });
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        std::array<int, 32'000> out;
        tw::transform_inclusive_scan(
            on, x.data(), x.data() + x.size(), out.data(), std::plus<>(),
            [](float value) { return static_cast<int>(value); }, 3);
    });
    expect_errors({4, 1}, tw::seq, [](auto on, std::vector<float> const& x) {
        std::vector<float> out; // which allocates as it grows
        tw::exclusive_scan(on, x.data(), x.data() + 900, std::back_inserter(out), 2.F);
    });
}

TEST(a_rank_without_memory, is_an_error_on_all_with_values_that_are_kept_on_the_heap)
{
    struct large {
        float value = 0;
        std::byte rest[1100] = {};
    };
    auto const plus = [](large a, large const& b) noexcept {
        a.value += b.value;
        return a;
    };
    for (int const ranks : {3, 35})
        expect_errors({ranks, 1}, tw::seq, [&](auto on, std::vector<float> const& x) {
            tw::transform_reduce(on, x.data(), x.data() + 5, large{}, plus, [](float value) { return large{value}; });
        });
}

TEST(a_rank_without_memory, is_an_error_on_all_in_a_histogram)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        std::array<int, 100> counts;
        tw::histogram(on, x, tw::regular_axis(100, 0.F, 2.F), counts.data());
    });
}

TEST(a_rank_without_memory, is_an_error_on_all_in_a_histogram_that_is_scattered)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        std::array<int, 100> counts;
        tw::histogram(on.scattered(), x, tw::regular_axis(100, 0.F, 2.F), counts.data());
    });
}

TEST(a_rank_without_memory, is_an_error_on_all_in_sums_by_key)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        std::array<float, 20> sums;
        tw::weighted_histogram(on, x, x, tw::regular_axis(20, 0.F, 2.F), sums.data());
    });
    expect_errors_everywhere([](auto on, std::vector<float> const& x) {
        std::array<int, 20> sums;
        std::array<int, 32'000> ones;
        ones.fill(1);
        tw::reduce_by_index(on, ones.data(), ones.data() + x.size(), ones.data(), 20, sums.data());
    });
}

TEST(a_rank_without_memory, is_an_error_on_all_with_segments)
{
    std::array<int, 6> const offsets{0, 7, 1500, 1510, 6000, 8662}; // of four ranks' elements
    for (int const failing : {0, 2}) {
        auto const expect = [&](auto local) {
            expect_errors({4, failing, true, true}, local, [&](auto on, std::vector<float> const& x) {
                std::array<float, 5> sums;
                tw::segmented_reduce(on, x.data(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     sums.data());
            });
            expect_errors({4, failing, true, true}, local, [&](auto on, std::vector<float> const& x) {
                std::array<float, 5000> out;
                tw::segmented_inclusive_scan(on, x.data(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                             out.data());
            });
        };
        expect(tw::seq);
        expect(tw::par);
    }
}

TEST(a_rank_without_memory, is_an_error_on_all_with_runs_of_keys)
{
    auto const is_equal = [](int a, int b) { return a == b; }; // may throw, as far as the library knows
    expect_errors_everywhere([&](auto on, std::vector<float> const& x) {
        int const rank = on.communicator().rank(), before = 1000 * rank + 777 * (rank * (rank - 1) / 2);
        std::array<int, 32'000> keys_of_rank; // of runs of 1400 elements
        for (std::size_t i = 0; i < x.size(); ++i)
            keys_of_rank[i] = (before + static_cast<int>(i)) / 1400;
        int const *const keys = keys_of_rank.data(), *const last = keys + x.size();
        std::array<float, 32'000> out;
        std::array<tw::offset, 32'000> counts;
        tw::reduce_by_key(on, keys, last, x.data(), tw::discard_iterator(), out.data());
        tw::reduce_by_key(on, keys, last, x.data(), tw::discard_iterator(), out.data(), is_equal);
        tw::count_by_key(on, keys, last, tw::discard_iterator(), counts.data());
        tw::inclusive_scan_by_key(on, keys, last, x.data(), out.data());
        tw::exclusive_scan_by_key(on, keys, last, x.data(), out.data(), 2.F, is_equal);
    });
}

TEST(a_rank_without_memory, is_an_error_on_all_in_a_search)
{
    expect_errors_everywhere([](auto on, std::vector<float> const& x) { tw::min_element(on, x); });
    expect_errors_everywhere([](auto on, std::vector<float> const& x) { tw::minmax_element(on, x); });
}

TEST(a_communicator_without_memory, is_an_error_on_all)
{
    auto const sum = [](auto on, std::vector<float> const& x) { tw::reduce(on, x); };
    expect_errors({4, 1, true, false, false, true}, tw::seq, sum);
    expect_errors({40, 39, true, false, false, true}, tw::par, sum);
}

TEST(a_rank_that_stays_without_memory, keeps_no_other_waiting)
{
    // It cannot say what has happened; that its function ends says enough to ranks that are threads.
    for (int const ranks : {4, 40})
        for (long number = 0;; ++number) {
            world const w{ranks, 2, true, false, true, true};
            std::string failure;
            bool is_over = false;
            try {
                is_over = !try_allocation(w, number, tw::seq, [](auto on, std::vector<float> const& x) {
                               tw::reduce(on, x);
                           }).is_reached;
            } catch (std::exception const& error) {
                failure = error.what();
            }
            EXPECT_EQ(failure.find("waited"), std::string::npos) << failure;
            if (is_over)
                break;
        }
}

} // namespace
