// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram_kernels.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using namespace histogram_kernels;
using on_device::amount;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

/// Samples, and what their histogram has to be.
class workload {
public:
    explicit workload(std::size_t size = amount<std::size_t>(1 << 18, 1 << 15, 5003))
        : samples(some_samples<float>(size, 0, 10)), device_copy(samples), expected(counted(axis, samples))
    {}
    std::size_t size() const { return samples.size(); }

    template <class Tuning, class Policy>
    void start(Policy const& policy, guarded<unsigned> const& counts, bool adds = false) const
    {
        count<Tuning>(policy, device_copy.data(), size(), axis, counts.data(), adds);
    }
    /// Runs one and looks at the counters.
    template <class Tuning, class Policy>
    void run(Policy const& policy) const
    {
        guarded<unsigned> const counts(expected.size());
        start<Tuning>(policy, counts);
        expect_success(cudaStreamSynchronize(policy.stream()));
        counts.expect(expected);
    }

    tw::variable_axis<float> axis{0, 0.5f, 1, 3, 7, 7.5f, 10};
    std::vector<float> samples;
    device_array<float> device_copy;
    std::vector<std::uint64_t> expected;
};

DEVICE_TEST_WITH_STREAMS(histogram_streams, keep_the_order_of_calls_that_do_not_wait)
{
    workload const work;
    stream const where;
    int const repeats = amount(200, 20, 3);
    by_every_kernel([&](auto tuning) {
        using tuning_type = decltype(tuning);
        guarded<unsigned> const counts(work.expected.size());
        for (int i = 0; i < repeats; ++i) {
            work.start<tuning_type>(tw::device.on(where).nosync(), counts);
            work.start<tuning_type>(tw::device.on(where).nosync(), counts, true);
        }
        where.wait();
        auto twice = work.expected;
        for (auto& each : twice)
            each *= 2;
        counts.expect(twice);
    });
}

/// Samples that the call before it makes: counts of other samples.
DEVICE_TEST_WITH_STREAMS(histogram_streams, read_what_the_call_before_wrote)
{
    workload const work;
    stream const where;
    tw::integer_axis const of_counts(0, 3000);
    std::vector<unsigned> const first(work.expected.begin(), work.expected.end());
    by_every_kernel([&](auto tuning) {
        using tuning_type = decltype(tuning);
        guarded<unsigned> const counts(work.expected.size()), again(3000);
        work.start<tuning_type>(tw::device.on(where).nosync(), counts);
        count<tuning_type>(tw::device.on(where).nosync(), counts.data(), first.size(), of_counts, again.data());
        where.wait();
        again.expect(counted(of_counts, first));
    });
}

DEVICE_TEST_WITH_STREAMS(histogram_streams, are_several_at_once)
{
    workload const work;
    std::vector<stream> const streams(3);
    std::size_t const repeats = amount<std::size_t>(50, 5, 2);
    by_every_kernel([&](auto tuning) {
        std::vector<guarded<unsigned>> results;
        for (std::size_t i = 0; i < repeats * streams.size(); ++i) {
            results.emplace_back(work.expected.size());
            work.start<decltype(tuning)>(tw::device.on(streams[i % streams.size()]).nosync(), results.back());
        }
        for (auto const& each : streams)
            each.wait();
        for (auto const& counts : results)
            counts.expect(work.expected);
    });
}

DEVICE_TEST_WITH_STREAMS(histogram_streams, serve_threads_that_share_them)
{
    workload const work;
    std::vector<stream> const streams(2);
    by_every_kernel([&](auto tuning) {
        std::vector<std::thread> threads;
        for (std::size_t thread = 0; thread < 3; ++thread)
            threads.emplace_back([&, thread] {
                for (std::size_t i = 0; i < amount<std::size_t>(50, 5, 1); ++i)
                    work.run<decltype(tuning)>(tw::device.on(streams[(thread + i) % streams.size()]));
            });
        for (auto& each : threads)
            each.join();
    });
}

DEVICE_TEST_WITH_STREAMS(histogram_graphs, count_anew_from_changed_samples)
{
    workload const work;
    auto samples = work.samples;
    by_every_kernel([&](auto tuning) {
        using tuning_type = decltype(tuning);
        stream const where;
        guarded<unsigned> const counts(work.expected.size()), sums(work.expected.size());
        graph const replayed(where, [&] {
            EXPECT_THROW(work.start<tuning_type>(tw::device.on(where), counts), std::invalid_argument);
            work.start<tuning_type>(tw::device.on(where).nosync(), counts);
            work.start<tuning_type>(tw::device.on(where).nosync(), sums, true);
        });
        std::vector<std::uint64_t> added(work.expected.size(), sums.old);
        for (int i = 0; i < 3; ++i) {
            for (auto& sample : samples)
                sample *= 0.75f;
            work.device_copy.assign(samples);
            expect_success(cudaDeviceSynchronize());
            replayed.launch(where);
            where.wait();
            auto const expected = counted(work.axis, samples);
            counts.expect(expected);
            for (std::size_t cell = 0; cell < added.size(); ++cell)
                added[cell] += expected[cell];
            sums.expect(added);
        }
        work.device_copy.assign(work.samples);
        samples = work.samples;
    });
}

/// Counts, and passes on to the stream's pool.
struct counting_pool {
    int allocations = 0;
    std::size_t bytes = 0;

    void* allocate(std::size_t wanted, cudaStream_t where)
    {
        void* memory = nullptr;
        expect_success(cudaMallocAsync(&memory, wanted, where));
        ++allocations;
        bytes += wanted;
        return memory;
    }
    void deallocate(void* memory, std::size_t returned, cudaStream_t where)
    {
        expect_success(cudaFreeAsync(memory, where));
        bytes -= returned;
    }
};

DEVICE_TEST_WITH_STREAMS(histogram_policies, take_memory_for_tables_from_a_resource)
{
    workload const work;
    stream const where;
    by_every_kernel([&](auto tuning) {
        counting_pool pool;
        for (int i = 0; i < 3; ++i)
            work.run<decltype(tuning)>(tw::device.on(where).with(pool));
        EXPECT_EQ(pool.allocations, (std::is_same_v<decltype(tuning), in_no_table> ? 6 : 3)); // parts of samples, too
        EXPECT_EQ(pool.bytes, 0u);
    });
}

using names = std::vector<std::string>;

/// The kernels that a tuning chooses.
template <class Tuning, class E>
names kernels_for(std::size_t size, int bins, bool adds = false, tw::trace_mode mode = tw::trace_mode::launches)
{
    names launched;
    auto sink = [&](tw::launch_record const& record) {
        EXPECT_STREQ(record.algorithm, adds ? "histogram_add" : "histogram");
        EXPECT_GE(record.resident_blocks, 1);
        EXPECT_EQ(record.items, static_cast<std::ptrdiff_t>(size));
        launched.emplace_back(record.kernel);
    };
    auto const samples = some_samples<E>(size, 0, 10);
    device_array<E> const device_copy(samples);
    guarded<unsigned> const counts(static_cast<std::size_t>(bins));
    tw::regular_axis const axis(bins, 0.0f, 10.0f);
    count<Tuning>(tw::device.trace(sink, mode), device_copy.data(), size, axis, counts.data(), adds);
    counts.expect(counted(axis, samples), adds ? counts.old : 0);
    return launched;
}

/// Tables for so few cells that all homes can be seen.
struct of_few_cells : small_blocks<12, 24, 20 + tw::gpu::warp_size, 3000> {};

DEVICE_TEST(histogram_policies, tell_a_trace_of_every_launch)
{
    for (auto const mode : {tw::trace_mode::launches, tw::trace_mode::timed}) {
        EXPECT_EQ((kernels_for<of_few_cells, float>(100, 20, false, mode)),
                  (names{"clear_counters", "count_in_table"}));
        EXPECT_EQ((kernels_for<of_few_cells, float>(100, 20, true, mode)), (names{"count_in_table"}));
    }
    EXPECT_EQ((kernels_for<of_few_cells, float>(0, 10)), (names{"clear_counters"}));
    EXPECT_EQ((kernels_for<of_few_cells, float>(0, 10, true)), names{});
    for (int const bins : {1, 11, 12, 23})
        EXPECT_EQ((kernels_for<of_few_cells, float>(100, bins)), (names{"clear_counters", "count_in_table"}));
    for (int const bins : {24, 40})
        EXPECT_EQ((kernels_for<of_few_cells, float>(100, bins)), (names{"clear_counters", "count_in_packed_table"}));
    EXPECT_EQ((kernels_for<of_few_cells, float>(100, 41)), (names{"clear_counters", "add_samples"}));
    for (std::size_t const size : {2999, 3000})
        EXPECT_EQ((kernels_for<of_few_cells, std::uint8_t>(size, 41)), (names{"clear_counters", "count_bytes"}));
}

/// No larger tables than the device has room for.
DEVICE_TEST(histogram_policies, know_the_shared_memory_of_the_device)
{
    int words = 0, device = 0;
    expect_success(cudaGetDevice(&device));
    expect_success(cudaDeviceGetAttribute(&words, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    words /= 4;
    EXPECT_EQ((kernels_for<small_blocks<0, 0, any_words, 0>, float>(100, 2 * words).back()), "add_samples");
#ifdef __CUDACC__
    EXPECT_EQ((kernels_for<small_blocks<any_words, 0, 0, 0>, float>(100, words - 1).back()), "count_in_table");
    EXPECT_EQ((kernels_for<small_blocks<any_words, any_words, any_words, 0>, float>(100, words).back()),
              "count_in_packed_table");
    EXPECT_EQ(
        (kernels_for<small_blocks<0, 0, any_words, 0>, float>(100, 2 * (words - tw::gpu::warp_size) / 8 * 8).back()),
        "count_in_packed_table");
#endif
}

/// With the kernels that users get.
DEVICE_TEST(histogram_policies, have_the_same_answer_by_default)
{
    using tuning = tw::gpu::histogram_tuning;
    EXPECT_EQ((kernels_for<tuning, float>(10000, 100)), (names{"clear_counters", "count_in_table"}));
    EXPECT_EQ((kernels_for<tuning, std::uint8_t>(10000, 100)), (names{"clear_counters", "count_bytes"}));
    EXPECT_EQ((kernels_for<tuning, double>(10, 1000000)), (names{"clear_counters", "add_samples"}));
}

#ifndef __CUDACC__
DEVICE_TEST(histogram_policies, start_no_dependent_kernels_before_sm_90)
{
    simt::runtime::set_devices({{}, {.major = 8}});
    expect_success(cudaSetDevice(1));
    {
        workload const work;
        work.run<in_small_table>(tw::device);
        work.run<in_packed_table>(tw::device);
    }
    expect_success(cudaSetDevice(0));
}
#endif

} // namespace
