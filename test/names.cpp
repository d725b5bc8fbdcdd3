// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Names that a program may have: functions beside its types that are called like the library's internal ones,
/// overloaded commas, other functions with the algorithms' names, both using-directives at once.
#include <tilewise/distributed.hpp>
#include <tilewise/mdspan.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

/// Found by argument-dependent lookup wherever an internal call with a `number` is not qualified.
namespace hostile {

struct number {
    long value = 0;
    friend number operator+(number a, number b) { return {a.value + b.value}; }
    friend number operator*(number a, number b) { return {a.value * b.value}; }
    friend bool operator<(number a, number b) { return a.value < b.value; }
    friend bool operator==(number a, number b) = default;
};

struct stolen {}; // what a call that is taken returns: nothing can be done with it

#define HOSTILE(name)                                                                                                  \
    template <class... Arguments>                                                                                      \
    stolen name(Arguments&&...)                                                                                        \
    {                                                                                                                  \
        static_assert(sizeof...(Arguments) > 1000, "an internal call was taken");                                      \
        return {};                                                                                                     \
    }                                                                                                                  \
    template <class T, class... Arguments>                                                                             \
    stolen name(Arguments&&...)                                                                                        \
    {                                                                                                                  \
        static_assert(sizeof...(Arguments) > 1000, "an internal call was taken");                                      \
        return {};                                                                                                     \
    }
HOSTILE(add_elements)
HOSTILE(append)
HOSTILE(agree_on_segments)
HOSTILE(append_elements)
HOSTILE(append_run)
HOSTILE(begin_of)
HOSTILE(best_position_on_ranks)
HOSTILE(call_on_host)
HOSTILE(check_output)
HOSTILE(check_range)
HOSTILE(combine)
HOSTILE(copy_bytes)
HOSTILE(count_sequence)
HOSTILE(count_values)
HOSTILE(count_whole_runs)
HOSTILE(element_on_rank)
HOSTILE(elements_before_tiles)
HOSTILE(entry_of_rank)
HOSTILE(extent_between)
HOSTILE(extent_of)
HOSTILE(fold)
HOSTILE(for_each_element)
HOSTILE(fragment_of)
HOSTILE(hash_of)
HOSTILE(hash_of_axis)
HOSTILE(hash_of_bins)
HOSTILE(hash_of_options)
HOSTILE(histogram_on_ranks)
HOSTILE(host_input)
HOSTILE(host_operator)
HOSTILE(identity_of)
HOSTILE(in_call)
HOSTILE(is_at)
HOSTILE(is_empty_input)
HOSTILE(lengths_of_runs_at_ends)
HOSTILE(make_opaque)
HOSTILE(parallel_for)
HOSTILE(part_operator)
HOSTILE(plain)
HOSTILE(put)
HOSTILE(reach_on_rank)
HOSTILE(read_segments)
HOSTILE(reader_at)
HOSTILE(reduce_by_cell)
HOSTILE(reduce_in_any_order)
HOSTILE(reduce_in_order)
HOSTILE(reduce_sequence)
HOSTILE(reduce_whole_runs)
HOSTILE(resolve)
HOSTILE(right_aligned_tree)
HOSTILE(scan_in_order)
HOSTILE(scan_part)
HOSTILE(scan_rest_of_row)
HOSTILE(scan_sequence)
HOSTILE(scan_whole_runs)
HOSTILE(scan_whole_segments)
HOSTILE(scanner_at)
HOSTILE(segmented_reduce_on_ranks)
HOSTILE(segmented_scan_on_ranks)
HOSTILE(segments_of_rank)
HOSTILE(set)
HOSTILE(step_over)
HOSTILE(store)
HOSTILE(take)
HOSTILE(to_combined)
HOSTILE(tree)
HOSTILE(values_of_ranks)
HOSTILE(with_hashed)
HOSTILE(write_number)
HOSTILE(write_on_ranks)
HOSTILE(write_results)
#undef HOSTILE

} // namespace hostile

namespace {

namespace tw = tilewise;

/// An iterator whose comma must not be used.
template <class It>
class no_comma {
public:
    using iterator_category = typename std::iterator_traits<It>::iterator_category;
    using value_type = std::iter_value_t<It>;
    using difference_type = std::iter_difference_t<It>;
    using pointer = typename std::iterator_traits<It>::pointer;
    using reference = std::iter_reference_t<It>;

    no_comma() = default;
    explicit no_comma(It it) : it_(it) {}
    reference operator*() const { return *it_; }
    reference operator[](difference_type n) const { return it_[n]; }
    no_comma& operator++()
    {
        ++it_;
        return *this;
    }
    no_comma operator++(int)
    {
        auto const old = *this;
        ++it_;
        return old;
    }
    no_comma& operator+=(difference_type n)
    {
        it_ += n;
        return *this;
    }
    friend no_comma operator+(no_comma it, difference_type n) { return no_comma(it.it_ + n); }
    friend difference_type operator-(no_comma a, no_comma b) { return a.it_ - b.it_; }
    friend bool operator==(no_comma a, no_comma b) { return a.it_ == b.it_; }
    template <class T>
    friend void operator,(no_comma const&, T&&) = delete;
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, no_comma>)
    friend void operator,(T&&, no_comma const&) = delete;

private:
    It it_{};
};

/// The same, but for one step at a time.
template <class It>
class steps_only {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::iter_value_t<It>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::iter_reference_t<It>;

    steps_only() = default;
    explicit steps_only(It it) : it_(it) {}
    reference operator*() const { return *it_; }
    steps_only& operator++()
    {
        ++it_;
        return *this;
    }
    steps_only operator++(int)
    {
        auto const old = *this;
        ++it_;
        return old;
    }
    friend bool operator==(steps_only const& a, steps_only const& b) { return a.it_ == b.it_; }
    template <class T>
    friend void operator,(steps_only const&, T&&) = delete;
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, steps_only>)
    friend void operator,(T&&, steps_only const&) = delete;

private:
    It it_{};
};

/// Every algorithm over `n` elements from `first`, which are numbers; `wrap` makes the iterators. Calls with and
/// without a policy.
template <class T, class Wrap>
void call_all(Wrap wrap)
{
    std::size_t const n = 5000;
    std::vector<T> elements(n, T{1}), out(n), scanned(n);
    std::vector<int> keys(n), offsets{0, 7, 7, 2500, static_cast<int>(n)};
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<int>(i % 3);
    std::vector<long> counts(3);
    std::vector<T> sums(4);
    auto const first = wrap(elements.data()), last = wrap(elements.data() + n);
    auto const to = wrap(out.data());
    auto const key = wrap(keys.data()), key_last = wrap(keys.data() + n);
    auto const begins = wrap(offsets.data()), ends = wrap(offsets.data() + 1), begins_last = wrap(offsets.data() + 4);
    auto const cells = wrap(counts.data());
    auto const per_segment = wrap(sums.data());
    tw::integer_axis<int> const axis(0, 3);
    T const none{0};
    auto const op = [](T const& a, T const& b) { return a + b; };
    auto const same = [](T const& a) { return a; };
    auto const times = [](T const& a, T const& b) { return a * b; };

    auto const each = [&](auto const&... policy) {
        EXPECT_EQ(tw::reduce(policy..., first, last, none), T{5000});
        EXPECT_EQ(tw::reduce(policy..., first, last, none, op), T{5000});
        EXPECT_EQ(tw::transform_reduce(policy..., first, last, none, op, same), T{5000});
        EXPECT_EQ(tw::transform_reduce(policy..., first, last, first, none, op, times), T{5000});
        tw::reduce_into(policy..., first, last, to, none, op);
        tw::transform_reduce_into(policy..., first, last, to, none, op, same);
        tw::transform_reduce_into(policy..., first, last, first, to, none, op, times);
        EXPECT_EQ(out[0], T{5000});
        tw::inclusive_scan(policy..., first, last, to, op, none);
        tw::inclusive_scan(policy..., first, last, to, op);
        tw::transform_inclusive_scan(policy..., first, last, to, op, same);
        tw::transform_exclusive_scan(policy..., first, last, to, none, op, same);
        tw::exclusive_scan(policy..., first, last, to, none, op);
        EXPECT_EQ(out[4999], T{4999});
        EXPECT_EQ(tw::count(policy..., first, last, T{1}), 5000);
        EXPECT_EQ(tw::count_if(policy..., first, last, [](T const& a) { return a == T{1}; }), 5000);
        auto const is_first = [&](auto const& position) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(position)>, tw::rank_position>)
                return position.index == 0;
            else
                return position == first;
        };
        EXPECT_TRUE(is_first(tw::min_element(policy..., first, last)));
        EXPECT_TRUE(is_first(tw::max_element(policy..., first, last)));
        EXPECT_TRUE(is_first(tw::minmax_element(policy..., first, last).first));
        tw::histogram(policy..., key, key_last, axis, cells);
        tw::histogram_add(policy..., key, key_last, axis, cells);
        EXPECT_EQ(counts[2], 2 * 1666);
        tw::weighted_histogram(policy..., key, key_last, first, axis, per_segment);
        tw::reduce_by_index(policy..., key, key_last, first, 3, per_segment, none, op);
        EXPECT_EQ(sums[0], T{1667});
        if constexpr (tw::random_access<decltype(wrap(elements.data()))>) {
            tw::segmented_reduce(policy..., first, begins, begins_last, ends, per_segment, none, op);
            EXPECT_EQ(sums[2], T{2493});
            tw::segmented_inclusive_scan(policy..., first, begins, begins_last, ends, to, op);
            tw::segmented_exclusive_scan(policy..., first, begins, begins_last, ends, to, none, op);
        }
    };
    each();
    each(tw::seq);
    each(tw::par);
    tw::self_communicator alone;
    each(tw::distributed(alone).at(0, static_cast<tw::offset>(n)));
    each(tw::distributed(alone, tw::par).at(0, static_cast<tw::offset>(n)));
}

TEST(Names, InternalCallsAreNotTakenByFunctionsBesideAUsersType)
{
    call_all<hostile::number>([](auto* p) { return p; });
}

TEST(Names, AnIteratorMayOverloadTheComma)
{
    call_all<long>([](auto* p) { return no_comma(p); });
}

TEST(Names, AnIteratorThatOnlyStepsMayOverloadTheComma)
{
    call_all<long>([](auto* p) { return steps_only(p); });
}

/// Whose end is an integer, which is a value and no count.
class counter {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::ptrdiff_t;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::ptrdiff_t;

    explicit counter(std::ptrdiff_t value) : value_(value) {}
    std::ptrdiff_t operator*() const { return value_; }
    counter& operator++()
    {
        ++value_;
        return *this;
    }
    counter operator++(int) { return counter(value_++); }
    [[maybe_unused]] friend bool operator==(counter const& a, counter const& b) { return a.value_ == b.value_; }
    friend bool operator==(counter const& it, std::ptrdiff_t end) { return it.value_ == end; }

private:
    std::ptrdiff_t value_;
};
struct five_to_nine {
    counter begin() const { return counter(5); }
    std::ptrdiff_t end() const { return 10; }
};

TEST(Names, ASentinelThatIsAnIntegerIsNoCount)
{
    using integers = std::vector<std::ptrdiff_t>;
    EXPECT_EQ(tw::reduce(tw::seq, five_to_nine(), std::ptrdiff_t{0}), 35);
    EXPECT_EQ(tw::reduce(five_to_nine(), std::ptrdiff_t{0}, std::plus<>{}), 35);
    EXPECT_EQ(tw::transform_reduce(five_to_nine(), std::ptrdiff_t{0}, std::plus<>{}, std::negate<>{}), -35);
    EXPECT_EQ(tw::count(five_to_nine(), 7), 1);
    integers out(10);
    tw::inclusive_scan(tw::seq, five_to_nine(), out.begin());
    EXPECT_EQ(out, (integers{5, 11, 18, 26, 35, 0, 0, 0, 0, 0}));
    std::vector<int> counts(10);
    tw::histogram(tw::seq, five_to_nine(), tw::integer_axis<int>(0, 10), counts.begin());
    EXPECT_EQ(counts, (std::vector<int>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
}

/// Neither a policy nor an iterator nor a range.
struct other {};

template <class... Arguments>
concept can_be_reduced = requires(Arguments... arguments) { tw::reduce(arguments...); };
template <class... Arguments>
concept can_be_scanned = requires(Arguments... arguments) { tw::inclusive_scan(arguments...); };
template <class... Arguments>
concept can_be_counted = requires(Arguments... arguments) { tw::count(arguments...); };
static_assert(can_be_reduced<int*, int*> && can_be_reduced<std::vector<int>&> && can_be_counted<int*, int*, int>);
static_assert(!can_be_reduced<other> && !can_be_reduced<other, other> && !can_be_reduced<int, int>);
static_assert(!can_be_reduced<other, std::vector<int>&> && !can_be_reduced<int*, other> && !can_be_reduced<int*>);
static_assert(!can_be_scanned<other, other, int*> && !can_be_scanned<int*, other, int*>);
static_assert(!can_be_counted<other, other, int> && !can_be_counted<int, std::vector<int>&, int>);

} // namespace

/// A program's own functions with the algorithms' names, beside the library's.
namespace own {

using namespace tilewise;
template <class T>
int reduce(T const&, other const&)
{
    return 1;
}
template <class T, class... Rest>
int count(T, Rest...)
{
    return 2;
}

TEST(Names, AProgramsOwnFunctionComesFirst)
{
    std::vector<int> const elements(3);
    EXPECT_EQ(reduce(other(), other()), 1);
    EXPECT_EQ(count(other(), elements), 2);
}

} // namespace own

/// Names of both without their namespace: only those of algorithms that std has, too, are ambiguous.
// clang 15 and later warn of calls of move and forward without std::, which are the point here.
#if defined(__clang__)
#if __has_warning("-Wunqualified-std-cast-call")
#pragma clang diagnostic ignored "-Wunqualified-std-cast-call"
#endif
#endif

namespace both {

using namespace std;
using namespace tilewise;

static_assert(extent<int[3]>::value == 3 && is_empty<other>::value);

template <class T>
decltype(auto) pass(T&& x)
{
    return forward<T>(x);
}

TEST(Names, StdAndTheLibraryCanBeUsedTogether)
{
    vector<int> elements{1, 2, 3};
    int sum = 0;
    for_each(elements.begin(), elements.end(), [&](int x) { sum += pass(move(x)); });
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(reduce(par, elements), 6);
    using position = std::vector<int>::iterator;
    EXPECT_EQ((distance<position>(begin(elements), end(elements))), 3);
    EXPECT_EQ(order_version, 2);
}

} // namespace both
