// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The histogram of more cells than a table has, against counting one sample after the other.

#include "on_device.hpp"

#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/histogram/partition.cuh>
#include <tilewise/policy.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace tw = tilewise;
namespace gpu = tilewise::gpu;

namespace partition_test {

/// Everything small: a few thousand samples make several chunks, a few hundred cells several buckets.
struct tiny : gpu::partition_tuning {
    static constexpr int threads = 64, blocks_per_multiprocessor = 1, items_per_thread = 8, loads_in_flight = 1;
    static constexpr int log2_most_columns = 3, most_words = 9 * 8;
    static constexpr int counting_threads = 64, log2_most_cells = 5, most_buckets = 16;
    static constexpr tw::offset most_ranges = 3;
    static constexpr tw::offset scratch_bytes = 8 * 1024, most_tiles = 7;
    static constexpr int chunks_per_clearing = 2;
    static constexpr tw::offset least_samples = 1;
    static constexpr int hash_slots = 64;
    static constexpr tw::offset most_blocks = 3;
};
constexpr std::size_t tile = gpu::tile_of_samples<tiny>;

/// The same with as many buckets as a block has threads, and one column.
struct many_buckets : tiny {
    static constexpr bool dependent_launches = false;
    static constexpr int most_buckets = 64, log2_most_cells = 3, most_words = 65;
};

/// The library's own sizes for samples that it would not part.
struct eager : gpu::partition_tuning {
    static constexpr tw::offset least_samples = 1;
    static constexpr int log2_most_cells = on_device::interpreted ? 13 : 15; // what the interpreter has room for
};
/// Nothing is parted.
struct adding : tiny {
    static constexpr tw::offset least_samples = tw::offset{1} << 60;
};

/// Samples that are their cells' numbers.
struct numbers {
    int cells;
    template <class Sample>
    TILEWISE_PORTABLE Sample index(Sample sample) const
    {
        return sample;
    }
    TILEWISE_PORTABLE tw::offset extent() const { return cells; }
};
/// Others, whose cells are found.
struct found {
    int cells;
    template <class Sample>
    TILEWISE_PORTABLE int index(Sample const& sample) const
    {
        return static_cast<int>(static_cast<double>(sample) * 7) - 3;
    }
    TILEWISE_PORTABLE int extent() const { return cells; }
};

struct twelve_bytes {
    int number[3];
};
struct last_number {
    TILEWISE_PORTABLE int operator()(twelve_bytes const& of) const { return of.number[2]; }
};
struct difference {
    TILEWISE_PORTABLE int operator()(int a, int b) const { return a - b; }
};
/// Elements that nobody has in memory.
struct remainders {
    int divisor;
    tw::offset position;
    TILEWISE_PORTABLE int operator[](tw::offset i) const { return static_cast<int>((position + i) * 77 % divisor); }
    TILEWISE_PORTABLE remainders operator+(tw::offset i) const { return {divisor, position + i}; }
};

} // namespace partition_test

namespace {

using namespace partition_test;
using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

/// What is known of samples: a number that changes little by little, in one way or another.
enum class kind { uniform, one_value, sorted, mostly_one, few, clustered, dropped };
constexpr kind all_kinds[] = {kind::uniform, kind::one_value, kind::sorted, kind::mostly_one,
                              kind::few,     kind::clustered, kind::dropped};

std::vector<int> samples_of(kind what, std::size_t count, int cells)
{
    std::vector<int> result(count);
    std::uint32_t state = 12345 + static_cast<std::uint32_t>(what);
    auto const below = [&](int limit) {
        state = state * 1664525 + 1013904223;
        return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(limit));
    };
    for (std::size_t i = 0; i < count; ++i) {
        int const any = below(cells + cells / 8 + 3) - cells / 16 - 1;
        switch (what) {
        case kind::uniform:
            result[i] = any;
            break;
        case kind::one_value:
            result[i] = cells / 3;
            break;
        case kind::sorted:
            result[i] = static_cast<int>(i * static_cast<std::size_t>(cells) / count);
            break;
        case kind::mostly_one:
            result[i] = below(10) == 0 ? any : cells - 1;
            break;
        case kind::few:
            result[i] = below(32) == 0 ? any : INT_MAX;
            break;
        case kind::clustered:
            result[i] = static_cast<int>(i / 300 * 7919 + i % 5) % cells;
            break;
        case kind::dropped:
            result[i] = below(2) == 0 ? -1 - below(INT_MAX) : cells + below(INT_MAX - cells);
            break;
        }
    }
    result.resize(count);
    return result;
}

/// Counters that had something before.
template <class Counter>
std::vector<Counter> some_counts(std::size_t cells)
{
    std::vector<Counter> result(cells);
    for (std::size_t i = 0; i < cells; ++i)
        result[i] = static_cast<Counter>(i * 3 % 17);
    return result;
}

/// With the samples counted one after the other.
template <class Counter, class Samples, class Bins>
std::vector<Counter> counted(Samples const& samples, std::size_t count, Bins const& bins)
{
    auto result = some_counts<Counter>(static_cast<std::size_t>(bins.extent()));
    for (std::size_t i = 0; i < count; ++i)
        if (tw::offset const cell = bins.index(samples[i]); cell >= 0 && cell < bins.extent())
            ++result[static_cast<std::size_t>(cell)];
    return result;
}

template <class Tuning, class Counter, class Policy, class View, class Bins>
void start(Policy const& policy, View const& samples, std::size_t count, Bins const& bins, Counter* counts)
{
    auto const n = static_cast<tw::offset>(count);
    gpu::device_call call("histogram", n, policy);
    gpu::count_by_partition<Tuning>(call, samples, n, bins, counts);
    call.finish();
}

template <class Tuning, class Counter, class View, class Samples, class Bins>
void expect_counted(View const& view, Samples const& samples, std::size_t count, Bins const& bins)
{
    auto const cells = static_cast<std::size_t>(bins.extent());
    device_array<Counter> const counts(some_counts<Counter>(cells));
    start<Tuning>(tw::device, view, count, bins, counts.data());
    expect_success(cudaStreamSynchronize(nullptr));
    EXPECT_EQ(counts.values(cells), (counted<Counter>(samples, count, bins))) << count << " in " << cells;
}

template <class E>
auto view_of(device_array<E> const& device_copy)
{
    return gpu::view_of(static_cast<E const*>(device_copy.data()), static_cast<tw::offset>(device_copy.size()));
}

/// Samples that are cells, in memory.
template <class Tuning, class Counter = unsigned>
void expect_kind(kind what, std::size_t count, int cells, std::size_t misalignment = 0)
{
    SCOPED_TRACE(static_cast<int>(what));
    auto const samples = samples_of(what, count, cells);
    device_array<int> const device_copy(samples, misalignment);
    expect_counted<Tuning, Counter>(view_of(device_copy), samples, count, numbers{cells});
}

DEVICE_TEST(HistogramPartition, CountsNothingTooFewTilesAndChunks)
{
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{31}, tile - 1, tile, tile + 1,
                                    7 * tile - 1, 7 * tile, 7 * tile + 1, 15 * tile + 77})
        expect_kind<tiny>(kind::uniform, count, 1 + static_cast<int>(count / 19));
}

DEVICE_TEST(HistogramPartition, CountsWhateverIsMostFrequent)
{
    for (kind const what : all_kinds) {
        expect_kind<tiny>(what, 9 * tile + 5, 480);
        expect_kind<tiny, unsigned long long>(what, 5 * tile + 133, 1201);
        expect_kind<many_buckets>(what, 3 * tile + 11, 505);
    }
}

DEVICE_TEST(HistogramPartition, CountsWithOneBucketMoreOrLess)
{
    for (int const cells : {1, 2, 31, 32, 33, 63, 64, 65, 255, 257, 511, 512, 513, 1023, 1025, 1535, 1536, 1537})
        expect_kind<tiny>(cells % 2 == 0 ? kind::sorted : kind::uniform, 3 * tile + 300, cells);
}

DEVICE_TEST(HistogramPartition, OfFewSamplesIsAddedToMemory)
{
    for (kind const what : all_kinds) {
        expect_kind<adding>(what, 7 * tile + 5, 2000);
        expect_kind<adding, unsigned long long>(what, tile + 1, 100000);
    }
    expect_kind<tiny>(kind::uniform, 3 * tile, 100000);
    expect_kind<adding>(kind::uniform, 4 * tile - 3, 30, 4);
}

DEVICE_TEST(HistogramPartition, DoesNotDependOnTheAddress)
{
    for (std::size_t const misalignment : {4u, 8u, 12u})
        expect_kind<tiny>(kind::uniform, 4 * tile + 7, 300, misalignment);
    std::vector<std::uint16_t> halves;
    std::vector<unsigned char> bytes;
    std::vector<double> doubles;
    for (int const sample : samples_of(kind::uniform, 4 * tile + 9, 500)) {
        halves.push_back(static_cast<std::uint16_t>(sample));
        bytes.push_back(static_cast<unsigned char>(sample));
        doubles.push_back(sample / 8.0);
    }
    auto const check = [](auto const& samples, std::size_t misalignment) {
        using E = typename std::remove_cvref_t<decltype(samples)>::value_type;
        device_array<E> const device_copy(samples, misalignment);
        expect_counted<tiny, unsigned>(view_of(device_copy), samples, samples.size(), found{1100});
    };
    for (std::size_t const misalignment : {0u, 2u, 14u})
        check(halves, misalignment);
    for (std::size_t const misalignment : {0u, 1u, 7u})
        check(bytes, misalignment);
    for (std::size_t const misalignment : {0u, 8u})
        check(doubles, misalignment);
}

DEVICE_TEST(HistogramPartition, ReadsWhatIsWrappedOrComputed)
{
    constexpr std::size_t count = 4 * tile + 100;
    auto const samples = samples_of(kind::uniform, count, 700);
    std::vector<twelve_bytes> structures;
    std::vector<int> minuends;
    for (std::size_t i = 0; i < count; ++i) {
        structures.push_back({{0, 1, samples[i]}});
        minuends.push_back(samples[i] + static_cast<int>(i % 100));
    }
    std::vector<int> subtrahends;
    for (std::size_t i = 0; i < count; ++i)
        subtrahends.push_back(static_cast<int>(i % 100));
    device_array<twelve_bytes> const device_copy(structures);
    expect_counted<tiny, unsigned>(gpu::view_of_function(last_number(), view_of(device_copy)), samples, count,
                                   numbers{700});
    device_array<int> const a(minuends), b(subtrahends, 4);
    expect_counted<tiny, unsigned>(gpu::view_of_function(difference(), view_of(a), view_of(b)), samples, count,
                                   numbers{700});
    remainders const computed = {1009, 0};
    expect_counted<tiny, unsigned>(gpu::iterator_view<remainders>{computed}, computed, count, numbers{999});
}

/// Numbers of cells that nobody has, of all widths.
DEVICE_TEST(HistogramPartition, LeavesOutWhatIsNoCell)
{
    std::vector<std::int64_t> wide;
    std::vector<std::int16_t> narrow;
    std::vector<std::uint32_t> positive;
    for (int i = 0; i < 1500; ++i) {
        std::int64_t const odd[] = {-1,
                                    INT64_MIN,
                                    INT64_MAX,
                                    (std::int64_t{1} << 32) + i,
                                    -(std::int64_t{1} << 32) + i,
                                    std::int64_t{INT_MIN} + i,
                                    std::int64_t{INT_MAX} - i,
                                    600 + i};
        wide.push_back(i % 2 == 0 ? odd[i / 2 % 8] : i % 600);
        narrow.push_back(static_cast<std::int16_t>(i % 3 == 0 ? -1 - i % 600 : i));
        positive.push_back(i % 3 == 0 ? 0U - static_cast<unsigned>(i) : static_cast<unsigned>(i));
    }
    auto const check = [](auto const& samples) {
        using E = typename std::remove_cvref_t<decltype(samples)>::value_type;
        device_array<E> const device_copy(samples);
        expect_counted<tiny, unsigned>(view_of(device_copy), samples, samples.size(), numbers{600});
        expect_counted<adding, unsigned>(view_of(device_copy), samples, samples.size(), numbers{600});
    };
    check(wide);
    check(narrow);
    check(positive);
}

DEVICE_TEST(HistogramPartition, CountsInTheLibrarysSizes)
{
    auto const few = amount<std::size_t>(1 << 22, 1 << 18, 70000);
    expect_kind<eager>(kind::uniform, few, 65537);
    expect_kind<eager>(kind::mostly_one, few, 65537);
#ifdef __CUDACC__
    for (kind const what : all_kinds) {
        expect_kind<gpu::partition_tuning>(what, amount<std::size_t>((1 << 26) + 12345, 1 << 22, 0), 1 << 20);
        expect_kind<gpu::partition_tuning, unsigned long long>(what, amount<std::size_t>(1 << 25, 1 << 22, 0), 3000001,
                                                               4);
    }
    expect_kind<gpu::partition_tuning>(kind::uniform, amount<std::size_t>(1 << 25, 1 << 22, 0), 20000000);
    expect_kind<gpu::partition_tuning>(kind::uniform, 1 << 22, 50000000);
#endif
}

/// Counts, and passes on to the stream's pool.
struct counting_pool {
    int allocations = 0;
    std::size_t bytes = 0, most = 0;

    void* allocate(std::size_t wanted, cudaStream_t where)
    {
        void* memory = nullptr;
        expect_success(cudaMallocAsync(&memory, wanted, where));
        ++allocations;
        bytes += wanted;
        most = std::max(most, bytes);
        return memory;
    }
    void deallocate(void* memory, std::size_t returned, cudaStream_t where)
    {
        expect_success(cudaFreeAsync(memory, where));
        bytes -= returned;
    }
};

DEVICE_TEST_WITH_STREAMS(HistogramPartition, TakesBoundedScratchFromAResource)
{
    stream const where;
    for (int const cells : {65, 512, 1200}) {
        auto const samples = samples_of(kind::uniform, 20 * tile + 3, cells);
        device_array<int> const device_copy(samples);
        device_array<unsigned> const counts(some_counts<unsigned>(static_cast<std::size_t>(cells)));
        counting_pool pool;
        start<tiny>(tw::device.on(where).with(pool), view_of(device_copy), samples.size(), numbers{cells},
                    counts.data());
        where.wait();
        EXPECT_EQ(counts.values(counts.size()), (counted<unsigned>(samples, samples.size(), numbers{cells})));
        EXPECT_EQ(pool.allocations, 1);
        EXPECT_EQ(pool.bytes, 0u);
        EXPECT_GT(pool.most, 0u);
        EXPECT_LE(pool.most, tiny::scratch_bytes + 8 * std::size_t(cells));
    }
}

/// Of the library's sizes, too, whatever the device has room for.
TEST(HistogramPartitionPlan, BoundsScratch)
{
    for (int const log2_cells : {12, 13, 14, 15})
        for (tw::offset const cells : {tw::offset{1}, tw::offset{113000}, tw::offset{1} << 20,
                                       (tw::offset{1} << 24) + 1, (tw::offset{1} << 27) - 1, (tw::offset{1} << 31) - 2})
            for (tw::offset const samples : {tw::offset{1}, tw::offset{1} << 22, tw::offset{1} << 28,
                                             tw::offset{10000000000}, tw::offset{1} << 40}) {
                gpu::partition_plan<gpu::partition_tuning> const plan({log2_cells, 132}, samples, cells);
                EXPECT_LE(plan.bytes(), 64000000 + 8 * cells - 65536);
                EXPECT_GE(plan.ranges * plan.cells_per_range, cells);
                EXPECT_LE(plan.buckets, gpu::partition_tuning::most_buckets);
                EXPECT_GE(plan.tiles_per_chunk, 1);
                EXPECT_LE(plan.tiles_per_chunk, 65535);
                EXPECT_GE(plan.tiles * plan.tile, samples);
                if (samples >= tw::offset{1} << 28) {
                    EXPECT_GE(plan.tiles_per_chunk, 2000); // else tables cost more than samples
                }
            }
}

TEST(HistogramPartitionPlan, PartsManySamplesInMoreCellsThanTablesHave)
{
    using plan = gpu::partition_plan<gpu::partition_tuning>;
    constexpr tw::offset million = 1 << 20;
    auto const pays = [](tw::offset samples, tw::offset cells) {
        return plan({15, 132}, samples, cells).pays(samples, cells);
    };
    EXPECT_TRUE(pays(256 * million, million));
    EXPECT_TRUE(pays(4 * million, million));
    EXPECT_TRUE(pays(256 * million, 128 * million));
    EXPECT_FALSE(pays(2 * million, million));
    EXPECT_FALSE(pays(63 * million, 64 * million));
    EXPECT_FALSE(pays(10000 * million, 128 * million + 1));
}

/// Every part of the order has tiles from everywhere: gaps are hardly longer than they have to be.
TEST(HistogramPartitionPlan, ScattersTiles)
{
    for (int const tiles : {1, 2, 3, 5, 8, 100, 3970, 4096, 65535}) {
        gpu::scattered_tiles const scattered(tiles);
        EXPECT_LT(std::uint64_t{scattered.stride} * scattered.count, std::uint64_t{1} << 32);
        std::vector<int> order;
        for (int i = 0; i < tiles; ++i)
            order.push_back(static_cast<int>(static_cast<unsigned>(i) * scattered.stride % scattered.count));
        int const part = (tiles + 31) / 32;
        for (int first = 0; first + part <= tiles; first += part) {
            std::vector<int> own(order.begin() + first, order.begin() + first + part);
            std::sort(own.begin(), own.end());
            for (std::size_t i = 0; i + 1 < own.size(); ++i)
                EXPECT_LE(own[i + 1] - own[i], 3 * 32) << i << " of " << tiles;
        }
        std::sort(order.begin(), order.end());
        for (int i = 0; i < tiles; ++i)
            ASSERT_EQ(order[static_cast<std::size_t>(i)], i) << tiles;
    }
}

/// Samples, and what their counts have to be.
class workload {
public:
    static constexpr int cells = 700;
    static constexpr std::size_t count = 9 * tile + 100;

    template <class Tuning, class Policy>
    void start(Policy const& policy, unsigned* counts) const
    {
        ::start<Tuning>(policy, view_of(device_copy_), count, numbers{cells}, counts);
    }
    template <class Tuning>
    void expect_right(cudaStream_t where = nullptr) const
    {
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        device_array<unsigned> const counts(before);
        start<Tuning>(tw::device.on(where), counts.data());
        expect_success(cudaStreamSynchronize(where));
        EXPECT_EQ(counts.values(cells), expected);
    }

private:
    std::vector<int> samples_ = samples_of(kind::mostly_one, count, cells);
    device_array<int> device_copy_{samples_};

public:
    std::vector<unsigned> before = some_counts<unsigned>(cells);
    std::vector<unsigned> expected = counted<unsigned>(samples_, count, numbers{cells});
};

DEVICE_TEST_WITH_STREAMS(HistogramPartition, SharesNothingBetweenStreamsAndCalls)
{
    workload const work;
    std::vector<stream> const streams(2);
    std::vector<device_array<unsigned>> counts;
    for (int i = 0; i < 6; ++i)
        counts.emplace_back(work.before);
    for (std::size_t i = 0; i < counts.size(); ++i)
        work.start<tiny>(tw::device.on(streams[i % 2]).nosync(), counts[i].data());
    for (auto const& each : streams)
        each.wait();
    for (auto const& each : counts)
        EXPECT_EQ(each.values(workload::cells), work.expected);
}

DEVICE_TEST_WITH_STREAMS(HistogramPartition, IsReplayedByGraphs)
{
    workload const work;
    stream const where;
    device_array<unsigned> const counts(work.before);
    graph const captured(where, [&] { work.start<tiny>(tw::device.on(where).nosync(), counts.data()); });
    for (int i = 0; i < 3; ++i) {
        counts.assign(work.before);
        captured.launch(where);
        where.wait();
        EXPECT_EQ(counts.values(workload::cells), work.expected);
    }
}

DEVICE_TEST_WITH_STREAMS(HistogramPartition, TellsATraceOfEveryLaunch)
{
    workload const work;
    stream const where;
    device_array<unsigned> const counts(work.before);
    std::vector<std::string> names;
    auto sink = [&](tw::launch_record const& record) {
        EXPECT_STREQ(record.algorithm, "histogram");
        EXPECT_EQ(record.items, static_cast<tw::offset>(workload::count));
        names.emplace_back(record.kernel);
    };
    auto const policy = tw::device.on(where).trace(sink);
    work.start<tiny>(policy, counts.data()); // two ranges of two chunks of five tiles
    std::vector<std::string> expected;
    for (int i = 0; i < 4; ++i)
        expected.insert(expected.end(), {"partition_samples", "count_buckets"});
    EXPECT_EQ(names, expected);
    names.clear();
    work.start<adding>(policy, counts.data());
    EXPECT_EQ(names, std::vector<std::string>(4, "add_samples")); // of three tiles
    where.wait();
}

#ifndef __CUDACC__

struct never_used : tiny {};
struct never_used_either : tiny {};

/// Each call of the runtime fails in its turn, until a call of the library makes none of them. Those that ask what the
/// device can do are made once.
DEVICE_TEST_WITH_STREAMS(HistogramPartition, SurvivesErrors)
{
    workload const work;
    stream const where;
    device_array<unsigned> const counts(work.before);
    int failed = 0;
    for (bool fails = true; fails; ++failed) {
        auto const before = simt::runtime::live();
        simt::runtime::fail("*", failed, cudaErrorUnknown);
        try {
            work.start<never_used>(tw::device.on(where), counts.data());
            fails = false;
            EXPECT_TRUE(simt::runtime::failure_is_due());
        } catch (tw::cuda_error const&) {
            EXPECT_FALSE(simt::runtime::failure_is_due());
        }
        simt::runtime::forget_failures();
        where.wait();
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        EXPECT_LE(simt::runtime::live().device_blocks, before.device_blocks + 1); // the stream's scratch
        work.expect_right<tiny>(where);
    }
    EXPECT_GE(failed, 10);
    stream const fresh;
    simt::runtime::fail("allocation", 0, cudaErrorMemoryAllocation);
    simt::runtime::fail("allocation", 0, cudaErrorMemoryAllocation); // again, with empty caches
    EXPECT_THROW(work.start<tiny>(tw::device.on(fresh), counts.data()), std::bad_alloc);
    simt::runtime::forget_failures();
    work.expect_right<tiny>(fresh);
}

DEVICE_TEST_WITH_STREAMS(HistogramPartition, TakesSmallerTablesWhereThereIsNoRoom)
{
    workload const work;
    simt::runtime::fail("cudaFuncSetAttribute", 0, cudaErrorInvalidValue);
    work.expect_right<never_used_either>();
    simt::runtime::forget_failures();
    constexpr auto kernel = &gpu::count_buckets<never_used_either, unsigned>;
    EXPECT_EQ((gpu::fit_tables<kernel, never_used_either>(gpu::current_device(nullptr)).log2_cells),
              tiny::log2_most_cells - 1);
    work.expect_right<never_used_either>();
}

#endif

} // namespace
