// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What par does with threads. That its results are those of seq is tested with each algorithm.
#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

/// Remembers the threads that it is called on, and keeps the first until it has seen enough of them.
class threads_seen {
public:
    explicit threads_seen(std::size_t enough = 1) : enough_(enough) {}
    std::string operator()(std::string left, std::string const& right)
    {
        std::unique_lock lock(mutex_);
        if (seen_.insert(std::this_thread::get_id()).second)
            another_.notify_all();
        if (!another_.wait_until(lock, deadline_, [&] { return seen_.size() >= enough_; }))
            enough_ = 0;
        return std::move(left += right);
    }
    std::size_t count() const { return seen_.size(); }
    bool contains(std::thread::id thread) const { return seen_.contains(thread); }

private:
    std::size_t enough_;
    std::chrono::steady_clock::time_point const deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::mutex mutex_;
    std::condition_variable another_;
    std::set<std::thread::id> seen_;
};

class parallel : public testing::Test {
protected:
    tbb::global_control const at_most_four_threads{tbb::global_control::max_allowed_parallelism, 4};
    std::vector<std::string> const strings = letters();
    std::list<std::string> const list{strings.begin(), strings.end()};
    std::string const expected = std::accumulate(strings.begin(), strings.end(), std::string());

    /// reduce of a vector and of a list are right.
    void expect_right_results(auto op) const
    {
        EXPECT_TRUE(tw::reduce(tw::par, strings, std::string(), op) == expected);
        EXPECT_TRUE(tw::reduce(tw::par, list, std::string(), op) == expected);
    }

private:
    static std::vector<std::string> letters()
    {
        std::vector<std::string> result;
        for (std::size_t i = 0; i < values::many_tiles(sizeof(std::string)); ++i)
            result.emplace_back(1, static_cast<char>('a' + i * i % 23));
        return result;
    }
};

TEST_F(parallel, policy_stays_on_the_calling_thread_in_an_arena_of_one)
{
    tbb::task_arena(1).execute([&] {
        threads_seen threads;
        expect_right_results(std::ref(threads));
        EXPECT_EQ(threads.count(), 1U);
        EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
    });
}

TEST_F(parallel, policy_uses_no_more_threads_than_the_arena_has)
{
    tbb::task_arena(2).execute([&] {
        threads_seen threads;
        expect_right_results(std::ref(threads));
        EXPECT_LE(threads.count(), 2U);
    });
}

TEST_F(parallel, policy_uses_several_threads)
{
    tbb::task_arena(2).execute([&] {
        threads_seen two_on_a_vector(2), two_on_a_list(2);
        tw::reduce(tw::par, strings, std::string(), std::ref(two_on_a_vector));
        tw::reduce(tw::par, list, std::string(), std::ref(two_on_a_list));
        EXPECT_EQ(two_on_a_vector.count(), 2U);
        EXPECT_EQ(two_on_a_list.count(), 2U);
    });
}

TEST_F(parallel, seq_policy_stays_on_the_calling_thread)
{
    threads_seen threads;
    EXPECT_TRUE(tw::reduce(tw::seq, strings, std::string(), std::ref(threads)) == expected);
    EXPECT_EQ(threads.count(), 1U);
    EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST_F(parallel, calls_may_be_nested_and_take_up_no_work_from_outside_while_they_wait)
{
    static thread_local bool inside = false; // as if the caller held a lock
    std::atomic<int> interrupted = 0;
    tbb::parallel_for(0, 20, [&](int) {
        interrupted += std::exchange(inside, true);
        expect_right_results(std::plus<>{});
        inside = false;
    });
    EXPECT_EQ(interrupted, 0);
}

TEST_F(parallel, calls_from_several_threads_at_once_do_not_disturb_each_other)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int repeat = 0; repeat < 3; ++repeat)
                expect_right_results(std::plus<>{});
        });
    for (std::thread& thread : threads)
        thread.join();
}

TEST_F(parallel, calls_finish_although_the_work_around_them_is_cancelled)
{
    tbb::task_group_context context;
    int finished = 0;
    tbb::parallel_for(
        0, 1,
        [&](int) {
            context.cancel_group_execution();
            expect_right_results(std::plus<>{});
            ++finished;
        },
        context);
    EXPECT_EQ(finished, 1);
}

TEST_F(parallel, calls_work_after_one_that_threw)
{
    for (int i = 0; i < 100; ++i) {
        auto const fails = [](std::string const&, std::string const& right) -> std::string {
            if (right == "q")
                throw std::runtime_error("q");
            return right;
        };
        EXPECT_THROW(tw::reduce(tw::par, strings, std::string(), fails), std::runtime_error);
        EXPECT_THROW(tw::reduce(tw::par, list, std::string(), fails), std::runtime_error);
    }
    expect_right_results(std::plus<>{});
}

/// An iterator over bits that remembers which threads write there, and gives others the time to come.
class watched_bits {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = bool;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::vector<bool>::reference;

    explicit watched_bits(std::vector<bool>::iterator bit) : bit_(bit) {}
    reference operator*() const
    {
        std::unique_lock lock(mutex);
        bool const is_new = threads.insert(std::this_thread::get_id()).second;
        lock.unlock();
        if (is_new)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return *bit_;
    }
    reference operator[](difference_type n) const { return *(*this + n); }
    watched_bits& operator++()
    {
        ++bit_;
        return *this;
    }
    watched_bits operator++(int) { return watched_bits(bit_++); }
    friend watched_bits operator+(watched_bits const& it, difference_type n) { return watched_bits(it.bit_ + n); }
    [[maybe_unused]] friend difference_type operator-(watched_bits const& a, watched_bits const& b)
    {
        return a.bit_ - b.bit_;
    }
    bool operator==(watched_bits const& other) const { return bit_ == other.bit_; }

    static inline std::mutex mutex;
    static inline std::set<std::thread::id> threads;

private:
    std::vector<bool>::iterator bit_;
};

/// Calls `check(policy, out)` with seq and with par and bits to write, which have to become the same, on one thread.
template <class Check>
void expect_same_bits(std::size_t size, Check check)
{
    std::vector<bool> expected(size + 10), forwards(size + 10), backwards(size + 10), watched(size + 10);
    check(tw::seq, expected.begin() + 5);
    check(tw::par, forwards.begin() + 5);
    check(tw::par, std::make_reverse_iterator(backwards.end() - 5));
    watched_bits::threads.clear();
    check(tw::par, watched_bits(watched.begin() + 5));
    EXPECT_TRUE(forwards == expected);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), backwards.rbegin()));
    EXPECT_TRUE(watched == expected);
    EXPECT_EQ(watched_bits::threads.size(), 1U);
}

TEST_F(parallel, policy_writes_every_bit_of_a_vector_of_bool)
{
    std::vector<int> numbers(500001);
    std::iota(numbers.begin(), numbers.end(), 0);
    auto const first = numbers.begin(), last = numbers.end() - 1, middle = first + 140000;
    auto const third = [](int a) { return a % 3; };
    auto const differ = [](int a, int b) { return (a ^ b) & 1; };
    expect_same_bits(
        500000, [&](auto policy, auto out) { tw::transform_inclusive_scan(policy, first, last, out, differ, third); });
    expect_same_bits(140000, [&](auto policy, auto out) {
        EXPECT_TRUE(tw::segmented_reduce(policy, first, first, middle, first + 1, out) == out + 140000);
    });
    expect_same_bits(140000, [&](auto policy, auto out) {
        tw::segmented_exclusive_scan(policy, first, first, middle, first + 1, out, 1);
    });
    expect_same_bits(140000, [&](auto policy, auto out) {
        auto const second = [](int, int b) { return b; };
        tw::reduce_by_index(policy, first, middle, first, 140000, out, 0, second);
    });
}

/// Counts strings by their first letter. It takes them by value, so that what can be moved is moved.
struct first_letter {
    tw::offset size() const { return 23; }
    tw::offset extent() const { return 23; }
    int index(std::string string) const { return string.empty() ? -1 : string[0] - 'a'; }
};

TEST_F(parallel, policy_reads_once_what_reading_moves_away)
{
    auto const check = [&](auto const& elements, auto const& call) {
        auto own = elements, others = elements;
        auto const moved = [](auto it) { return std::make_move_iterator(it); };
        EXPECT_TRUE(call(tw::par, moved(own.begin()), moved(own.end())) ==
                    call(tw::seq, moved(others.begin()), moved(others.end())));
    };
    std::size_t const size = 10 * values::tile_of(sizeof(std::string)); // which several threads share
    std::vector<std::string> const some(strings.begin(), strings.begin() + std::ptrdiff_t{size});
    auto const check_both = [&](auto const& call) {
        check(some, call);
        check(std::list(some.begin(), some.end()), call);
    };
    auto const longer = [](std::string a, std::string b) { return a.size() + 2 * b.size() > 2 ? b : a; };
    auto const doubled = [](std::string a) { return a + a; };
    check_both([&](auto policy, auto first, auto last) {
        std::vector<std::string> out(size);
        tw::inclusive_scan(policy, first, last, out.begin(), longer);
        return out;
    });
    check_both([&](auto policy, auto first, auto last) {
        std::list<std::string> out(size);
        tw::transform_exclusive_scan(policy, first, last, out.begin(), std::string(), longer, doubled);
        return out;
    });
    check_both([&](auto policy, auto first, auto last) {
        auto const pass_on = [](std::string& a) -> std::string&& { return std::move(a); };
        std::vector<std::string> out(size);
        tw::transform_inclusive_scan(policy, first.base(), last.base(), out.begin(), longer, pass_on);
        return out;
    });
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
    check_both([&](auto policy, auto first, auto last) {
        auto const tuples = std::ranges::subrange(first.base(), last.base()) |
                            std::views::transform([](auto& a) { return std::tuple<std::string&&>(std::move(a)); });
        auto const inside = [](std::tuple<std::string&&> a) { return std::get<0>(std::move(a)); };
        std::vector<std::string> out(size);
        tw::transform_inclusive_scan(policy, tuples, out.begin(), longer, inside);
        return out;
    });
#endif
    check_both([&](auto policy, auto first, auto last) {
        return tw::transform_reduce(policy, first, last, std::string(), std::plus<>{}, doubled);
    });
    check(std::vector<std::string>(100, "a"), [&](auto policy, auto first, auto last) {
        std::vector<int> counts(23);
        tw::histogram(policy, first, last, first_letter(), counts.begin());
        return counts;
    });
    auto in_place = some, out_of_place = some;
    tw::inclusive_scan(tw::seq, some.begin(), some.end(), out_of_place.begin(), longer);
    tw::inclusive_scan(tw::par, std::make_move_iterator(in_place.begin()), std::make_move_iterator(in_place.end()),
                       in_place.begin(), longer);
    EXPECT_TRUE(in_place == out_of_place);
}

} // namespace
