// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce_by_index and weighted_histogram on the device: streams, graphs, policies and traces.

#include "by_index_kernels.hpp"

#include <tilewise/histogram.hpp>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace by_index;
using on_device::amount;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

/// Elements of some cells, and what those have to be: sums of floats, which are sorted, or of integers.
template <class T>
class workload {
public:
    static constexpr int cells = 21;
    static constexpr std::size_t size = 21;
    static constexpr T init = T(3);

    explicit workload(std::size_t count = amount<std::size_t>(1 << 20, 1 << 16, 3000))
        : keys(keys_of<int>(count, cells, spread::anyhow))
    {
        for (std::uint32_t const bits : shape::some_values<std::uint32_t>(count))
            values.push_back(static_cast<T>(static_cast<std::int32_t>(bits)) / static_cast<T>(1 << (bits % 16)));
        device_keys.emplace(keys);
        device_values.emplace(values);
        std::vector<std::int64_t> const cell_of(keys.begin(), keys.end());
        expected = specified<tw::standard_geometry>(cell_of, values, cells, init, std::plus<>());
    }
    template <class Policy>
    void start(Policy const& policy, T* out) const
    {
        run<tw::standard_geometry, small_steps>(policy, device_keys->data(), keys.size(), device_values->data(),
                                                tw::binning::numbered_cells{cells}, out, init, std::plus<>());
    }

    std::vector<int> keys;
    std::vector<T> values, expected;
    std::optional<device_array<int>> device_keys;
    std::optional<device_array<T>> device_values;
};

template <class T>
void expect_order_of_calls()
{
    workload<T> const work;
    stream const one, other;
    std::vector<device_array<T>> results;
    for (int i = 0; i < amount(50, 6, 4); ++i) {
        results.emplace_back(work.size);
        work.start(tw::device.on(i % 2 == 0 ? one : other).nosync(), results.back().data());
    }
    one.wait();
    other.wait();
    for (auto const& out : results)
        expect_same(out.values(work.size), work.expected, "a call that did not wait");
}

DEVICE_TEST_WITH_STREAMS(by_index_streams, run_side_by_side_without_waiting)
{
    expect_order_of_calls<float>();
    expect_order_of_calls<int>();
}

DEVICE_TEST_WITH_STREAMS(by_index_streams, serve_threads_that_share_them)
{
    workload<float> const work;
    stream const one, other;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread)
        threads.emplace_back([&, thread] {
            for (int i = 0; i < amount(20, 2, 1); ++i) {
                device_array<float> const out(work.size);
                work.start(tw::device.on((thread + i) % 2 == 0 ? one : other), out.data());
                expect_same(out.values(work.size), work.expected, "a call of a thread");
            }
        });
    for (auto& each : threads)
        each.join();
}

/// Runs a graph of calls twice, with other elements the second time.
template <class T>
void expect_capture()
{
    workload<T> const work;
    stream const where;
    device_array<T> const out(work.size);
    auto const axis = tw::variable_axis(std::vector<float>{0, 4, 7, 20});
    device_array<T> const sums(std::size_t{3});
    graph const captured(where, [&] {
        work.start(tw::device.on(where).nosync(), out.data());
        tw::weighted_histogram(tw::device.on(where).nosync(), work.device_keys->begin(), work.device_keys->end(),
                               work.device_values->begin(), axis, sums.begin());
        EXPECT_THROW(work.start(tw::device.on(where), out.data()), std::invalid_argument);
    });
    for (int turn = 0; turn < 2; ++turn) {
        auto keys = work.keys;
        if (turn == 1) // fewer elements belong to cells, and they come in another order
            for (std::size_t i = 0; i < keys.size(); ++i)
                keys[i] = i % 3 == 0 ? work.keys[keys.size() - 1 - i] : -1;
        work.device_keys->assign(keys);
        out.assign(std::vector<T>(work.size));
        captured.launch(where);
        where.wait();
        std::vector<std::int64_t> const cell_of(keys.begin(), keys.end());
        expect_same(out.values(work.size),
                    specified<tw::standard_geometry>(cell_of, work.values, work.cells, work.init, std::plus<>()),
                    "a graph's call");
        std::vector<std::int64_t> bin_of;
        for (int const key : keys)
            bin_of.push_back(axis.index(key));
        expect_same(sums.values(3), specified<tw::standard_geometry>(bin_of, work.values, 3, T(0), std::plus<>()),
                    "a graph's weights");
    }
}

DEVICE_TEST_WITH_STREAMS(by_index_streams, are_captured_into_graphs)
{
    expect_capture<float>();
    expect_capture<int>();
}

DEVICE_TEST(by_index_traces, name_the_kernels)
{
    workload<float> const floats(100);
    workload<int> const integers(100);
    std::vector<std::string> kernels;
    auto sink = [&](tw::launch_record const& record) {
        EXPECT_STREQ(record.algorithm, "reduce_by_index");
        EXPECT_EQ(record.items, 100);
        kernels.emplace_back(record.kernel);
    };
    device_array<float> const out(std::size_t{21});
    device_array<int> const sums(std::size_t{21});
    auto const policy = tw::device.trace(sink);
    tw::reduce_by_index(policy, floats.device_keys->begin(), floats.device_keys->end(), floats.device_values->begin(),
                        21, out.begin());
    EXPECT_EQ(kernels, (std::vector<std::string>{"count_digits", "scan_digit_counts", "begin_digits", "move_by_digit",
                                                 "reduce_short_segments"}));
    kernels.clear();
    tw::reduce_by_index(policy, integers.device_keys->begin(), integers.device_keys->end(),
                        integers.device_values->begin(), 21, sums.begin());
    EXPECT_EQ(kernels, (std::vector<std::string>{"sum_few_cells", "write_sums"}));
}

DEVICE_TEST(weighted_histograms, are_those_of_seq)
{
    workload<float> const work;
    std::vector<double> weights(work.values.begin(), work.values.end());
    device_array<double> const device_copy(weights), sums(std::size_t{12});
    auto const axis = tw::regular_axis(12, -1.5, 19.0);
    std::vector<double> expected(12);
    tw::weighted_histogram(tw::seq, work.keys.begin(), work.keys.end(), weights.begin(), axis, expected.begin());
    EXPECT_EQ(tw::weighted_histogram(tw::device, work.device_keys->begin(), work.device_keys->end(),
                                     device_copy.begin(), axis, sums.begin()),
              sums.end());
    expect_same(sums.values(12), expected, "weights");
}

} // namespace
