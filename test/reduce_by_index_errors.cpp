// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce_by_index: arguments that are rejected, and exceptions that pass through.

#include <tilewise/reduce_by_index.hpp>

#include "calls.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <list>
#include <vector>

namespace tw = tilewise;

namespace {

using calls::expect_exceptions_from, calls::message_of, calls::on_both;
using values::fuse, values::tracked;

TEST(reduce_by_index, rejects_sizes_that_cannot_be)
{
    std::vector<int> const keys{0, 1}, x{1, 2};
    on_both([&](auto on) {
        std::vector<int> out(2, -1);
        EXPECT_EQ(message_of([&] { tw::reduce_by_index(on, keys, x, -1, out.begin()); }),
                  "tilewise::reduce_by_index: the size must be from 0 to 2^31 - 2, not -1");
        EXPECT_EQ(
            message_of([&] { tw::reduce_by_index(on, keys.begin(), keys.end(), x.begin(), 2147483647, out.begin()); }),
            "tilewise::reduce_by_index: the size must be from 0 to 2^31 - 2, not 2147483647");
        EXPECT_NE(message_of([&] { tw::reduce_by_index(on, keys, x, ~std::uint64_t{0}, out.begin()); }), "");
        EXPECT_NE(message_of(
                      [&] { tw::reduce_by_index(on, keys, x, std::numeric_limits<std::int64_t>::min(), out.begin()); }),
                  "");
        EXPECT_EQ(out, (std::vector<int>{-1, -1}));
    });
}

TEST(reduce_by_index, reports_broken_arguments_in_the_hardened_mode)
{
    int const* const none = nullptr;
    int* const nowhere = nullptr;
    int const keys[]{0, 1}, x[]{1, 2};
    on_both([&](auto on) {
        int out[2]{};
        EXPECT_EQ(message_of([&] { tw::reduce_by_index(on, keys + 2, keys, x, 2, out); }),
                  "tilewise::reduce_by_index: last is before first");
        EXPECT_EQ(message_of([&] { tw::reduce_by_index(on, none, none + 2, x, 2, out); }),
                  "tilewise::reduce_by_index: first is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::reduce_by_index(on, keys, keys + 2, none, 2, out); }),
                  "tilewise::reduce_by_index: first2 is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::reduce_by_index(on, keys, keys + 2, x, 2, nowhere); }),
                  "tilewise::reduce_by_index: the output is null, but the range is not empty");
        EXPECT_EQ(message_of([&] { tw::reduce_by_index(on, keys, std::vector<int>(1), 2, out); }),
                  "tilewise::reduce_by_index: the second range is shorter than the first");
    });
}

TEST(reduce_by_index, without_a_gpu_says_so)
{
    int const keys[]{0, 1};
    int out[2]{};
    EXPECT_THROW(tw::reduce_by_index(tw::device, keys, keys + 2, keys, 2, out), tw::no_device);
}

/// Calls `check(policy, keys, values, size)`: of one bucket to a cell and of several, also on many threads.
template <class Check>
void for_each_case_that_throws(Check check)
{
    for (std::size_t const elements : {std::size_t{1}, std::size_t{300}, std::size_t{70000}}) {
        for (unsigned const size : {3u, 140000u}) {
            if (elements == 1 && size > 3)
                continue;
            SCOPED_TRACE(elements);
            auto const x = values::seeds(elements);
            std::vector<unsigned> keys;
            for (unsigned const seed : x)
                keys.push_back(seed / 64 % size);
            check(tw::seq, keys, x, size);
            check(tw::par, keys, x, size);
            if (elements == 300) {
                check(tw::seq, std::list(keys.begin(), keys.end()), x, size);
                check(tw::par, std::list(keys.begin(), keys.end()), x, size);
            }
        }
    }
}

TEST(reduce_by_index, passes_on_exceptions_of_op)
{
    for_each_case_that_throws([](auto on, auto const& keys, auto const& x, unsigned size) {
        std::vector<unsigned> out(size);
        expect_exceptions_from([&] {
            tw::reduce_by_index(on, keys, x, size, out.begin(), 1u,
                                [](unsigned a, unsigned b) { return fuse::burn(), a + b; });
        });
    });
}

TEST(reduce_by_index, passes_on_exceptions_of_making_copying_and_moving_and_leaves_nothing_behind)
{
    for_each_case_that_throws([](auto on, auto const& keys, auto const& x, unsigned size) {
        std::vector<tracked> out(size, tracked(0));
        expect_exceptions_from([&] { tw::reduce_by_index(on, keys, x, size, out.begin(), tracked(1)); });
        std::list<tracked> list(size, tracked(0));
        if (x.size() < 1000)
            expect_exceptions_from([&] { tw::reduce_by_index(on, keys, x, size, list.begin(), tracked(1)); });
    });
}

/// A key that may throw when it is read.
class fused_keys {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = int const*;
    using reference = int;

    fused_keys() = default;
    explicit fused_keys(std::ptrdiff_t position) : position_(position) {}
    int operator*() const { return fuse::burn(), static_cast<int>(position_ % 3); }
    int operator[](std::ptrdiff_t i) const { return *(*this + i); }
    fused_keys& operator++()
    {
        ++position_;
        return *this;
    }
    friend fused_keys operator+(fused_keys keys, std::ptrdiff_t n) { return fused_keys(keys.position_ + n); }
    friend std::ptrdiff_t operator-(fused_keys a, fused_keys b) { return a.position_ - b.position_; }
    bool operator==(fused_keys const&) const = default;

private:
    std::ptrdiff_t position_ = 0;
};

TEST(reduce_by_index, passes_on_exceptions_of_iterators)
{
    for (std::ptrdiff_t const elements : {1, 300, 70000}) {
        std::vector<double> const x(static_cast<std::size_t>(elements), 1);
        std::vector<unsigned> const integers(x.size(), 1);
        on_both([&](auto on) {
            std::vector<double> out(3);
            expect_exceptions_from(
                [&] { tw::reduce_by_index(on, fused_keys(0), fused_keys(elements), x.begin(), 3, out.begin()); });
            expect_exceptions_from([&] {
                tw::reduce_by_index(on, fused_keys(0), fused_keys(elements), integers.begin(), 3, out.begin(), 0u);
            });
            auto const thirds = (elements + 2) / 3;
            EXPECT_EQ(out[0], static_cast<double>(thirds));
        });
    }
}

} // namespace
