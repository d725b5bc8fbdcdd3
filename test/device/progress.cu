// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The reports of calls in pieces to the policy's progress callback, and callbacks that throw.

#include "../distributed/ranks.hpp"
#include "backend.hpp"
#include "nothing_is_lost.hpp"
#include "same_bits.hpp"

#include <tilewise/cached_memory.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/reduce/part.cuh>
#include <tilewise/device/scan/part.cuh>
#include <tilewise/distributed.hpp>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using on_device::expect_success;
using on_device::stream;

/// Keeps what is reported.
struct reports {
    std::vector<tw::progress_record> records;
    void operator()(tw::progress_record const& record) { records.push_back(record); }
};

/// Calls in pieces, each of at least two. All sums are exact.
struct calls {
    using geometry = backend::tiny_geometry;
    using order = tw::order<float, geometry>;
    static constexpr tw::offset group = order::group, few = 2 * tw::gpu::staging_tuning::least_elements + 5,
                                segments = 5;
    static constexpr auto inclusive = tw::scan_form::inclusive;

    struct pair {
        int key, value;
    };
    struct by_key {
        TILEWISE_PORTABLE bool operator()(pair const& a, pair const& b) const { return a.key < b.key; }
    };

    std::vector<float> x;
    std::vector<int> numbers;
    std::vector<pair> pairs;
    std::vector<int> offsets{0, 3, 40, 700, 701, 1200};

    calls()
    {
        for (int i = 0; i < static_cast<int>(std::max(5 * group, few)); ++i) {
            x.push_back(static_cast<float>(i % 7));
            numbers.push_back(i % 5);
            pairs.push_back({i * 7 % 11, i});
        }
    }

    /// What a call is expected to report: the name of the engine, the total, the number of pieces in all passes.
    struct expectation {
        std::string algorithm;
        tw::offset total, pieces;
        int passes = 1;
    };
    std::vector<expectation> const expected{
        {"reduce", 4 * group + 3, 5},
        {"inclusive_scan", 4 * group + 3, 5},
        {"reduce", 3 * group + 1, 4},
        {"inclusive_scan", 3 * group, 8, 2},
        {"histogram", few, 3},
        {"reduce_by_index", few, 3},
        {"reduce", few, 3},
        {"reduce", few, 3},
        {"segmented_reduce", segments, 5},
        {"segmented_inclusive_scan", segments, 5},
    };

    /// Makes the call of this number. \returns its results
    std::vector<double> run(std::size_t number, tw::device_policy const& policy) const
    {
        auto const plus = tw::gpu::operator_for(tw::known::portable_operator_or_self<float>(std::plus<>()));
        auto const total = expected[number].total;
        auto const begin = order::tile / 2 + 1; // of a part: in a tile
        std::vector<float> out(x.size());
        std::vector<unsigned> counts(5);
        switch (number) {
        case 0:
            return {tw::gpu::reduce<geometry, backend::tuning>(policy, x.data(), total, 1.0f, plus)};
        case 1:
            tw::gpu::scan<geometry, inclusive, float>(policy, x.data(), total, out.data(), std::optional<float>(),
                                                      plus);
            break;
        case 2: {
            float sum = 0;
            tw::gpu::reduce_part<order, float, backend::tuning>(policy, x.data(), begin, begin + total - 1, true, plus,
                                                                [&](int, float part) { sum += part; });
            return {sum};
        }
        case 3: {
            tw::gpu::part_scanner<geometry, inclusive, float, tw::device_policy, float const*, float*,
                                  std::remove_const_t<decltype(plus)>, tw::gpu::scan_tuning, backend::tuning>
                scanner(policy, x.data(), out.data(), begin, begin + total, plus);
            scanner.reduce([](int, float) {});
            tw::host::aggregates<float> tiles;
            std::plus<> op;
            std::vector<float> const before(static_cast<std::size_t>(begin), 1.0f);
            tw::host::entry<order, float> entry(begin + total);
            entry.move_behind(op, std::optional<float>(),
                              tw::host::fragment_of<order, float>(tw::seq, before.data(), 0, begin, op, tiles));
            scanner.scan(entry, op);
            scanner.wait();
            break;
        }
        case 4:
            tw::histogram(policy, numbers.begin(), numbers.begin() + few, tw::integer_axis(0, 4), counts.begin());
            return {counts.begin(), counts.end()};
        case 5:
            tw::reduce_by_index(policy, numbers.begin(), numbers.begin() + few, numbers.begin(), 5, counts.begin());
            return {counts.begin(), counts.end()};
        case 6: // of elements that are copied
            return {static_cast<double>(tw::max_element(policy, x.begin(), x.begin() + few) - x.begin())};
        case 7: // of elements that stay where they are
            return {static_cast<double>(tw::max_element(policy, pairs.begin(), pairs.begin() + few, by_key()) -
                                        pairs.begin())};
        case 8:
            tw::segmented_reduce(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                 out.begin());
            break;
        default:
            tw::segmented_inclusive_scan(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                                         out.begin());
        }
        return {out.begin(), out.end()};
    }
};

DEVICE_TEST(progress, is_reported_after_each_piece_up_to_the_total)
{
    calls const all;
    for (std::size_t number = 0; number < all.expected.size(); ++number) {
        SCOPED_TRACE(number);
        auto const& expected = all.expected[number];
        reports seen;
        auto const results = all.run(number, tw::device.budget(1).progress(seen));
        EXPECT_EQ(results, all.run(number, tw::device)); // as a whole
        ASSERT_EQ(seen.records.size(), static_cast<std::size_t>(expected.pieces));
        tw::offset before = 0;
        int passes = 0;
        for (auto const& record : seen.records) {
            passes += record.done == record.total;
            EXPECT_EQ(record.algorithm, expected.algorithm);
            EXPECT_EQ(record.total, expected.total);
            EXPECT_GT(record.done, before);
            EXPECT_LE(record.done, record.total);
            before = record.done < record.total ? record.done : 0;
        }
        EXPECT_EQ(before, 0); // the last report was of all
        EXPECT_EQ(passes, expected.passes);
    }
}

DEVICE_TEST(progress, of_a_call_in_one_piece_is_not_reported)
{
    calls const all;
    reports seen;
    for (std::size_t number = 0; number < all.expected.size(); ++number)
        all.run(number, tw::device.progress(seen));
    on_device::device_array<int> const device_copy(all.numbers), counts(5);
    auto const policy = tw::device.budget(1).progress(seen);
    tw::reduce(policy, device_copy.begin(), device_copy.end());
    tw::reduce_into(policy.nosync(), device_copy.begin(), device_copy.end(), counts.begin());
    tw::max_element(policy, device_copy.begin(), device_copy.end());
    expect_success(cudaDeviceSynchronize());
    EXPECT_TRUE(seen.records.empty());
}

TEST(progress, is_a_property_of_the_policy)
{
    reports seen;
    auto const constant = [](tw::progress_record const&) {};
    EXPECT_FALSE(tw::device.progress());
    EXPECT_TRUE(tw::device.progress(constant).progress());
    EXPECT_TRUE(tw::device.progress(seen).on(nullptr).budget(7).nosync().progress());
    tw::device.nosync().progress(seen).progress()({"an engine", 2, 3});
    ASSERT_EQ(seen.records.size(), 1u);
    EXPECT_EQ(seen.records[0].done, 2);
}

struct thrown {};

/// Throws at the report after so many.
struct throws_later {
    int skipped, reports = 0;
    void operator()(tw::progress_record const&)
    {
        if (reports++ == skipped)
            throw thrown();
    }
};

/// Everything that was allocated while it lives is given back, and no work in streams starts until a call waits.
struct nothing_is_lost : on_device::nothing_is_lost {
#ifdef __CUDACC__
    nothing_is_lost() = default;
#else
    nothing_is_lost() { simt::runtime::hold_work(true); }
    ~nothing_is_lost() { simt::runtime::hold_work(false); }
#endif
    nothing_is_lost(nothing_is_lost const&) = delete;
    nothing_is_lost& operator=(nothing_is_lost const&) = delete;
};

DEVICE_TEST_WITH_STREAMS(progress, ends_a_call_if_the_callback_throws)
{
    calls const all;
    stream const where;
    for (std::size_t number = 0; number < all.expected.size(); ++number) {
        SCOPED_TRACE(number);
        auto const results = all.run(number, tw::device);
        for (int skipped = 0; skipped <= all.expected[number].pieces; ++skipped) {
            [[maybe_unused]] nothing_is_lost const checked;
            throws_later callback{skipped};
            bool is_thrown = false;
            try {
                EXPECT_EQ(all.run(number, tw::device.on(where).budget(1).progress(callback)), results);
            } catch (thrown const&) {
                is_thrown = true;
                expect_success(cudaStreamQuery(where)); // its work is done
            }
            EXPECT_EQ(is_thrown, skipped < all.expected[number].pieces);
            EXPECT_EQ(callback.reports, std::min<tw::offset>(skipped + 1, all.expected[number].pieces));
        }
    }
}

DEVICE_TEST_WITH_STREAMS(progress, ends_a_call_on_all_ranks_if_the_callback_of_one_throws)
{
    calls const all;
    ranks::on_each_rank({0, 9'000, 18'000}, [&](auto& communicator, std::size_t, std::size_t) {
        std::vector<int> const own(9'000, communicator.rank());
        std::vector<unsigned> counts(2);
        throws_later callback{communicator.rank() == 1 ? 1 : 1000};
        auto const on = tw::distributed(communicator, tw::device.budget(1).progress(callback));
        try {
            tw::histogram(on, own, tw::integer_axis(0, 2), counts.begin());
            ADD_FAILURE() << "no exception";
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), 1);
        }
        EXPECT_GE(callback.reports, 2);
        callback.skipped = 1000;
        tw::histogram(on, own, tw::integer_axis(0, 2), counts.begin()); // in step again
        EXPECT_EQ(counts, (std::vector<unsigned>{9'000, 9'000}));
    });
    tw::release_cached_memory();
}

#ifndef __CUDACC__
/// Neither the property nor a callback costs a call of the runtime.
DEVICE_TEST(progress, costs_no_call_of_the_runtime)
{
    calls const all;
    auto const names_of_calls = [&](std::size_t number, tw::device_policy const& policy) {
        all.run(number, policy); // with what is kept for later calls
        simt::runtime::forget_calls();
        all.run(number, policy);
        std::vector<std::string> names;
        for (auto const& call : simt::runtime::calls())
            names.push_back(call.name);
        return names;
    };
    reports seen;
    for (std::size_t number = 0; number < all.expected.size(); ++number) {
        EXPECT_EQ(names_of_calls(number, tw::device.progress(seen)), names_of_calls(number, tw::device)) << number;
        EXPECT_EQ(names_of_calls(number, tw::device.budget(1).progress(seen)),
                  names_of_calls(number, tw::device.budget(1)))
            << number;
    }
}
#endif

} // namespace
