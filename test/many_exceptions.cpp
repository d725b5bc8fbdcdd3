// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Under par many tasks throw at once, from everything that a user passes: one of the exceptions reaches the caller,
/// nothing is left behind, and no call hangs. Operators cancel the task groups that they run in: results are complete.
#include <tilewise/count.hpp>
#include <tilewise/histogram.hpp>
#include <tilewise/minmax.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/reduce_by_index.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tw = tilewise;

namespace {

/// Ends the program when a test takes so long that it must hang.
class watchdog {
public:
    explicit watchdog(std::chrono::seconds limit)
        : thread_([this, limit] {
              std::unique_lock lock(mutex_);
              if (!ended_.wait_for(lock, limit, [this] { return is_over_; })) {
                  std::fputs("the test hangs: Failure\n", stderr);
                  std::_Exit(1);
              }
          })
    {}
    watchdog(watchdog const&) = delete;
    ~watchdog()
    {
        {
            std::lock_guard const lock(mutex_);
            is_over_ = true;
        }
        ended_.notify_one();
        thread_.join();
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_; // last: it uses the others
};

struct struck : std::runtime_error {
    struck() : std::runtime_error("struck") {}
};

/// Where something may throw.
enum class site { call, function_copy, value, read, step, iterator_copy };
constexpr std::array sites{site::call, site::function_copy, site::value, site::read, site::step, site::iterator_copy};

/// From some event at a site on, every one throws.
class storm {
public:
    static constexpr long never = 1L << 40;

    static void set(site where, long events_before)
    {
        where_ = where;
        left_ = events_before;
    }
    static long events_since_set_to_never() { return never - left_; }
    static void at(site where)
    {
        if (where == where_ && left_.fetch_sub(1) <= 0)
            throw struck();
    }

private:
    static inline std::atomic<site> where_ = site::call;
    static inline std::atomic<long> left_ = never;
};

/// Knows how many are alive. Copies and moves may throw.
template <site where>
class counted {
public:
    counted() { born(); }
    counted(counted const&) { born(); }
    counted& operator=(counted const&) { return storm::at(where), *this; }
    ~counted() { --alive(); }
    static std::atomic<long>& alive()
    {
        static std::atomic<long> number = 0;
        return number;
    }

private:
    static void born()
    {
        storm::at(where);
        ++alive();
    }
};
long alive()
{
    return counted<site::value>::alive() + counted<site::function_copy>::alive() +
           counted<site::iterator_copy>::alive();
}

/// 16 bytes and more, so that a tile has few of them.
struct value {
    long number;
    long padding = 0;
    [[no_unique_address]] counted<site::value> count = {};

    value(long seed) : number(seed) {}
    explicit operator bool() const { return number % 2 != 0; }
    operator std::size_t() const { return static_cast<std::size_t>(number); }
};

/// An operator, a transform, a predicate, a comparison.
template <class Function>
struct fragile {
    Function function;
    [[no_unique_address]] counted<site::function_copy> count = {};

    template <class... Values>
    auto operator()(Values const&... values) const
    {
        storm::at(site::call);
        return function(values...);
    }
};
template <class Function>
fragile(Function) -> fragile<Function>;

fragile const plus{[](value const& a, value const& b) { return value(a.number + b.number); }};
fragile const twice{[](value const& a) { return value(2 * a.number); }};
fragile const is_odd{[](value const& a) { return a.number % 2 != 0; }};
fragile const less{[](value const& a, value const& b) { return a.number < b.number; }};
fragile const modulo_four{[](value const& a) { return static_cast<int>(a.number % 4); }};

/// A forward or random access iterator that may throw at each step.
template <class Category>
class fragile_iterator {
public:
    using iterator_category = Category;
    using value_type = value;
    using difference_type = std::ptrdiff_t;
    using pointer = value const*;
    using reference = value const&;

    fragile_iterator() = default;
    explicit fragile_iterator(value const* at) : at_(at) {}
    value const& operator*() const { return storm::at(site::read), *at_; }
    value const& operator[](difference_type n) const { return storm::at(site::read), at_[n]; }
    fragile_iterator& operator++() { return storm::at(site::step), ++at_, *this; }
    fragile_iterator operator++(int)
    {
        fragile_iterator const before = *this;
        ++*this;
        return before;
    }
    friend fragile_iterator operator+(fragile_iterator const& it, difference_type n)
        requires std::same_as<Category, std::random_access_iterator_tag>
    {
        storm::at(site::step);
        return fragile_iterator(it.at_ + n);
    }
    friend difference_type operator-(fragile_iterator const& a, fragile_iterator const& b)
        requires std::same_as<Category, std::random_access_iterator_tag>
    {
        return a.at_ - b.at_;
    }
    bool operator==(fragile_iterator const& other) const { return at_ == other.at_; }

private:
    value const* at_ = nullptr;
    [[no_unique_address]] counted<site::iterator_copy> count_;
};

constexpr std::size_t size = 6 * 2048 + 99;

/// Calls `check(name, call)` for every algorithm, where a call returns a number that depends on all of its results.
template <class Category, class Check>
void for_each_algorithm(Check check)
{
    std::vector<value> elements;
    for (std::size_t i = 0; i < size; ++i)
        elements.emplace_back(static_cast<long>(i % 1000));
    using it = fragile_iterator<Category>;
    auto const first = [&] { return it(elements.data()); };
    auto const last = [&] { return it(elements.data() + size); };
    constexpr bool is_random_access = std::same_as<Category, std::random_access_iterator_tag>;
    std::vector<value> random_access(size, value(0));
    std::list<value> list(is_random_access ? 0 : size, value(0));
    auto const out = [&] {
        if constexpr (is_random_access)
            return random_access.begin();
        else
            return list.begin();
    };
    auto const sum = [&] {
        long result = 0;
        for (value& each : random_access)
            result = 3 * result + std::exchange(each.number, 0) % 1000003;
        for (value& each : list)
            result = 3 * result + std::exchange(each.number, 0) % 1000003;
        return result;
    };
    std::array<long, 8> counts{};
    auto const sum_of_counts = [&] {
        long result = 0;
        for (long& each : counts)
            result = 3 * result + std::exchange(each, 0);
        return result;
    };

    check("reduce", [&] { return tw::reduce(tw::par, first(), last(), value(0), plus).number; });
    check("transform_reduce",
          [&] { return tw::transform_reduce(tw::par, first(), last(), value(0), plus, twice).number; });
    check("inclusive_scan", [&] { return tw::inclusive_scan(tw::par, first(), last(), out(), plus), sum(); });
    check("transform_exclusive_scan",
          [&] { return tw::transform_exclusive_scan(tw::par, first(), last(), out(), value(0), plus, twice), sum(); });
    check("count_if", [&] { return tw::count_if(tw::par, first(), last(), is_odd); });
    check("minmax_element", [&] {
        auto const found = tw::minmax_element(tw::par, first(), last(), less);
        return (*found.first).number + (*found.second).number;
    });
    check("histogram", [&] {
        tw::function_axis const axis(4, modulo_four);
        tw::histogram(tw::par, first(), last(), axis, counts.begin());
        return tw::histogram_add(tw::par, first(), last(), axis, counts.begin()), sum_of_counts();
    });
    check("weighted_histogram", [&] {
        tw::function_axis const axis(4, modulo_four);
        return tw::weighted_histogram(tw::par, first(), last(), first(), axis, counts.begin()), sum_of_counts();
    });
    check("reduce_by_index", [&] {
        static std::vector<int> const keys = [] {
            std::vector<int> result(size);
            for (std::size_t i = 0; i < size; ++i)
                result[i] = static_cast<int>(i % 5);
            return result;
        }();
        return tw::reduce_by_index(tw::par, keys.begin(), keys.end(), first(), 5, out(), value(0), plus), sum();
    });
    if constexpr (is_random_access) {
        static constexpr std::array<int, 6> offsets{0, 10, 100, 100, 9000, static_cast<int>(size)};
        check("segmented_reduce", [&] {
            tw::segmented_reduce(tw::par, first(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1, out(),
                                 value(0), plus);
            return sum();
        });
        check("segmented_inclusive_scan", [&] {
            tw::segmented_inclusive_scan(tw::par, first(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                         out(), plus);
            return sum();
        });
    }
}

/// Whatever a site does, the call either throws that or is complete.
template <class Category>
void expect_exceptions_from_many_tasks()
{
    for_each_algorithm<Category>([](char const* name, auto const& call) {
        SCOPED_TRACE(name);
        storm::set(site::call, storm::never);
        long const before = alive(), right = call();
        for (site const where : sites) {
            SCOPED_TRACE(static_cast<int>(where));
            storm::set(where, storm::never);
            EXPECT_EQ(call(), right);
            long const events = storm::events_since_set_to_never();
            for (long const quiet : {0L, 40L, events / 2})
                for (int const threads : {2, 16}) {
                    storm::set(where, quiet);
                    try {
                        EXPECT_EQ(tbb::task_arena(threads).execute(call), right);
                        EXPECT_GT(10 * quiet + 100, events); // some depend on which thread comes first
                    } catch (struck const&) {
                    }
                    storm::set(where, storm::never);
                    EXPECT_EQ(alive(), before);
                }
        }
        EXPECT_EQ(call(), right);
    });
}

class many_exceptions : public testing::Test {
    watchdog const limit{std::chrono::seconds(150)};
    tbb::global_control const at_most_sixteen_threads{tbb::global_control::max_allowed_parallelism, 16};
};

TEST_F(many_exceptions, leave_calls_over_random_access_iterators_as_one)
{
    expect_exceptions_from_many_tasks<std::random_access_iterator_tag>();
}

TEST_F(many_exceptions, leave_calls_over_forward_iterators_as_one)
{
    expect_exceptions_from_many_tasks<std::forward_iterator_tag>();
}

TEST_F(many_exceptions, leave_calls_that_are_made_in_tasks_of_an_arena)
{
    std::vector<long> const elements(1 << 18, 1);
    std::list<long> const list(elements.begin(), elements.begin() + (1 << 16));
    auto const fails = [](long a, long b) { return a + b < 1000 ? a + b : throw struck(); };
    std::atomic<int> caught = 0;
    for (int const threads : {2, 16})
        tbb::task_arena(threads).execute([&] {
            tbb::parallel_for(0, 8, [&](int i) {
                std::vector<long> out(elements.size());
                try {
                    if (i % 3 == 0)
                        tw::inclusive_scan(tw::par, elements.begin(), elements.end(), out.begin(), fails);
                    else if (i % 3 == 1)
                        tw::reduce(tw::par, list, 0L, fails);
                    else
                        tbb::task_arena(4).execute([&] { tw::exclusive_scan(tw::par, list, out.begin(), 0L, fails); });
                } catch (struck const&) {
                    ++caught;
                }
            });
        });
    EXPECT_EQ(caught, 16);
}

/// Keeps the threads that call it until there are several of them, or for a while, and then has all of them throw.
class rendezvous {
public:
    explicit rendezvous(int threads) : awaited_(threads) {}
    void operator()()
    {
        std::unique_lock lock(mutex_);
        if (--awaited_ <= 0)
            all_are_here_.notify_all();
        all_are_here_.wait_for(lock, std::chrono::milliseconds(50), [this] { return awaited_ <= 0; });
        throw struck();
    }

private:
    std::mutex mutex_;
    std::condition_variable all_are_here_;
    int awaited_;
};

TEST_F(many_exceptions, at_the_same_time_leave_calls_as_one)
{
    std::vector<long> const elements(1 << 19, 1);
    std::list<long> const list(elements.begin(), elements.begin() + (1 << 16));
    std::vector<long> out(elements.size());
    tbb::task_arena(4).execute([&] {
        auto const check = [](auto const& call) {
            for (int i = 0; i < 5; ++i) {
                rendezvous all_throw(i < 4 ? 2 : 4);
                EXPECT_THROW(call([&](long a, long b) { return all_throw(), a + b; }), struck);
            }
        };
        check([&](auto op) { tw::reduce(tw::par, elements, 0L, op); });
        check([&](auto op) { tw::reduce(tw::par, list, 0L, op); });
        check([&](auto op) { tw::inclusive_scan(tw::par, elements, out.begin(), op); });
        check([&](auto op) { tw::exclusive_scan(tw::par, list, out.begin(), 0L, op); });
        check([&](auto op) {
            tw::function_axis const axis(4, [op](long x) { return static_cast<int>(op(x, x)); });
            tw::histogram(tw::par, elements, axis, out.begin());
        });
    });
}

/// Cancels the group of the task that it is in.
template <class Function>
struct cancelling {
    Function function;

    template <class... Values>
    auto operator()(Values const&... values) const
    {
        if (auto* const group = tbb::task::current_context())
            group->cancel_group_execution();
        return function(values...);
    }
};
template <class Function>
cancelling(Function) -> cancelling<Function>;

TEST_F(many_exceptions, or_results_are_complete_where_an_operator_cancels_its_task_group)
{
    std::vector<int> elements(1 << 19);
    std::iota(elements.begin(), elements.end(), 0);
    std::list<int> const list(elements.begin(), elements.begin() + (1 << 15));
    auto const add = [](unsigned a, unsigned b) { return a + b; };
    auto const square = [](int a) { return static_cast<unsigned>(a) * static_cast<unsigned>(a); };
    auto const check = [&](auto const& x) {
        auto const policies = [&](auto const& call) {
            auto const expected = call(tw::seq);
            for (int const threads : {2, 16})
                EXPECT_TRUE(tbb::task_arena(threads).execute([&] { return call(tw::par); }) == expected);
        };
        auto const count = static_cast<std::size_t>(std::distance(x.begin(), x.end()));
        policies([&](auto policy) { return tw::reduce(policy, x, 0U, cancelling{add}); });
        policies([&](auto policy) { return tw::transform_reduce(policy, x, 0U, std::plus<>{}, cancelling{square}); });
        policies([&](auto policy) {
            std::vector<unsigned> out(count);
            tw::transform_inclusive_scan(policy, x, out.begin(), cancelling{add}, cancelling{square}, 0U);
            return out;
        });
        policies([&](auto policy) { return tw::count_if(policy, x, cancelling{[](int a) { return a % 3 == 0; }}); });
        policies([&](auto policy) { return tw::max_element(policy, x, cancelling{std::less<>{}}); });
        tw::function_axis const axis(10, cancelling{[](int a) { return a % 10; }});
        policies([&](auto policy) {
            std::vector<int> counts(10);
            tw::histogram(policy, x, axis, counts.begin());
            return counts;
        });
        policies([&](auto policy) {
            std::vector<double> sums(10);
            tw::weighted_histogram(policy, x, x, axis, sums.begin());
            return sums;
        });
        policies([&](auto policy) {
            std::vector<unsigned> sums(count);
            tw::reduce_by_index(policy, x, x, count, sums.begin(), 1U, cancelling{add});
            return sums;
        });
        if constexpr (requires { x[0]; })
            policies([&](auto policy) {
                std::array<int, 5> const offsets{0, 7, 30000, 31000, 1 << 19};
                std::vector<unsigned> out(count + 4);
                tw::segmented_inclusive_scan(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                             out.begin(), cancelling{add}, 0U);
                tw::segmented_reduce(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                     out.end() - 4, 0U, cancelling{add});
                return out;
            });
    };
    check(elements);
    check(list);
}

TEST_F(many_exceptions, reach_the_caller_also_from_a_group_that_is_cancelled)
{
    std::vector<long> const elements((1 << 18) + 1, 1);
    std::list<long> const list(elements.begin(), elements.begin() + (1 << 16) + 1);
    std::atomic<long> left; // calls until one throws: none, or so many that tasks are running then
    auto const fails = cancelling{[&](long a, long b) { return left.fetch_sub(1) != 0 ? a + b : throw struck(); }};
    for (int i = 0; i < 20; ++i)
        for (long const quiet : {0L, 1L << 15}) {
            left = quiet;
            EXPECT_THROW(tw::reduce(tw::par, elements, 0L, fails), struck);
            left = quiet;
            EXPECT_THROW(tw::reduce(tw::par, list, 0L, fails), struck);
        }
}

} // namespace
