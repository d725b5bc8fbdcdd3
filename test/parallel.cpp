// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What par does with threads. That its results are those of seq is tested with each algorithm.
#include <tilewise/reduce.hpp>

#include "values.hpp"

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
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

} // namespace
