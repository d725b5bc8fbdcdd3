// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every algorithm over GPUs that are connected by NCCL: the bits that one rank gives under seq.
#include "ranks_of_nccl.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;
using on_device::part_of;

constexpr int cells = 37;

struct halved {
    TILEWISE_PORTABLE float operator()(float value) const { return value / 2; }
};
struct is_positive {
    TILEWISE_PORTABLE bool operator()(float value) const { return value > 0; }
};

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Some elements, cut anywhere into a part for each GPU.
class every_algorithm_over_nccl : public on_device::ranks_of_nccl {
protected:
    void use(std::size_t count)
    {
        x.resize(count);
        cell.resize(count);
        run.resize(count);
        offsets = {0};
        std::int32_t key = 0;
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<float>(random() % 20'000) / 10'000 - 1;
            cell[i] = static_cast<std::int32_t>(random() % (cells + 2)) - 1; // or none
            run[i] = key += random() % 1000 == 0;
            if (random() % 5000 == 0)
                offsets.push_back(static_cast<std::int64_t>(i));
        }
        offsets.push_back(static_cast<std::int64_t>(count));
        cuts = cuts_of(count);
    }

    /// The elements of a rank on its GPU, or all of them.
    struct part {
        float const *first, *last, *weights;
        std::int32_t const *cell, *run;
    };
    part all() const { return {x.data(), x.data() + x.size(), x.data(), cell.data(), run.data()}; }

    /// Calls `work(policy, part, rank)` on each GPU. The policy states the position of the part.
    template <class Work>
    void on_each_part(Work const& work)
    {
        on_each_gpu([&](auto& communicator, cudaStream_t stream) {
            int const rank = communicator.rank();
            device_array<float> const own(part_of(x, cuts, rank));
            device_array<std::int32_t> const own_cells(part_of(cell, cuts, rank)), own_runs(part_of(run, cuts, rank));
            auto const on = tw::distributed(communicator, tw::device.on(stream))
                                .at(static_cast<tw::offset>(cuts[static_cast<std::size_t>(rank)]),
                                    static_cast<tw::offset>(x.size()));
            work(on, part{own.begin(), own.end(), own.begin(), own_cells.begin(), own_runs.begin()}, rank);
        });
    }

    /// Expects that `run_it(policy, part, out)` writes a result for each element of a part.
    template <class Run>
    void expect_result_per_element(char const* name, Run const& run_it)
    {
        std::vector<float> expected(x.size());
        run_it(tw::seq, all(), expected.data());
        on_each_part([&](auto const& on, part const& own, int rank) {
            device_array<float> const out(static_cast<std::size_t>(own.last - own.first));
            run_it(on, own, out.data());
            EXPECT_TRUE(same_bytes(out.values(out.size()), part_of(expected, cuts, rank))) << name << ", rank " << rank;
        });
    }
    /// Expects that it writes `results` results on every rank.
    template <class T, class Run>
    void expect_results(char const* name, std::size_t results, Run const& run_it)
    {
        std::vector<T> expected(results, T(3));
        run_it(tw::seq, all(), expected.data());
        on_each_part([&](auto const& on, part const& own, int rank) {
            device_array<T> const out(std::vector<T>(results, T(3)));
            run_it(on, own, out.data());
            EXPECT_TRUE(same_bytes(out.values(results), expected)) << name << ", rank " << rank;
        });
    }
    /// Expects that it returns a value on every rank.
    template <class Run>
    void expect_value(char const* name, Run const& run_it)
    {
        auto const expected = run_it(tw::seq, all());
        on_each_part([&](auto const& on, part const& own, int rank) {
            EXPECT_TRUE(same_bytes(std::vector{run_it(on, own)}, std::vector{expected})) << name << ", rank " << rank;
        });
    }
    /// Expects that `run_it(policy, part, keys, values)` writes the runs that begin in a part, and returns the ends.
    template <class T, class Run>
    void expect_runs(char const* name, Run const& run_it)
    {
        std::vector<std::int32_t> keys(x.size()), found_keys;
        std::vector<T> values(x.size()), found;
        auto const runs = run_it(tw::seq, all(), keys.data(), values.data()).first - keys.data();
        keys.resize(static_cast<std::size_t>(runs));
        values.resize(static_cast<std::size_t>(runs));
        std::vector<std::vector<std::int32_t>> keys_of(gpus());
        std::vector<std::vector<T>> values_of(gpus());
        on_each_part([&](auto const& on, part const& own, int rank) {
            auto const count = static_cast<std::size_t>(own.last - own.first);
            device_array<std::int32_t> const own_keys(count);
            device_array<T> const own_values(count);
            auto const ends = run_it(on, own, own_keys.data(), own_values.data());
            auto const own_runs = static_cast<std::size_t>(ends.first - own_keys.data());
            EXPECT_EQ(static_cast<std::size_t>(ends.second - own_values.data()), own_runs);
            keys_of[static_cast<std::size_t>(rank)] = own_keys.values(own_runs);
            values_of[static_cast<std::size_t>(rank)] = own_values.values(own_runs);
        });
        for (std::size_t rank = 0; rank < gpus(); ++rank) {
            found_keys.insert(found_keys.end(), keys_of[rank].begin(), keys_of[rank].end());
            found.insert(found.end(), values_of[rank].begin(), values_of[rank].end());
        }
        EXPECT_TRUE(same_bytes(found_keys, keys)) << name;
        EXPECT_TRUE(same_bytes(found, values)) << name;
    }

    /// With sizes around nothing, and in the middle of a tile.
    template <class Test>
    void for_each_size(Test const& test)
    {
        for (std::size_t const count :
             {std::size_t{0}, std::size_t{5}, on_device::amount<std::size_t>(1 << 22, 100'003, 100'003)}) {
            use(count);
            test();
        }
    }

    std::vector<float> x;
    std::vector<std::int32_t> cell, run;
    std::vector<std::int64_t> offsets; ///< of segments, in the whole
    std::vector<std::size_t> cuts;
};

TEST_F(every_algorithm_over_nccl, reduces)
{
    for_each_size([&] {
        expect_value("reduce", [](auto const& on, part const& in) { return tw::reduce(on, in.first, in.last, 0.5f); });
        expect_results<float>("reduce_into", 1, [](auto const& on, part const& in, float* out) {
            tw::reduce_into(on, in.first, in.last, out, 0.5f);
        });
        expect_value("transform_reduce", [](auto const& on, part const& in) {
            return tw::transform_reduce(on, in.first, in.last, 0.5f, std::plus<>{}, halved{});
        });
        expect_value("transform_reduce of two ranges", [](auto const& on, part const& in) {
            return tw::transform_reduce(on, in.first, in.last, in.weights, 0.5f);
        });
        expect_results<float>("transform_reduce_into", 1, [](auto const& on, part const& in, float* out) {
            tw::transform_reduce_into(on, in.first, in.last, out, 0.5f, std::plus<>{}, halved{});
        });
        expect_value("count", [](auto const& on, part const& in) {
            return tw::count(on, in.cell, in.cell + (in.last - in.first), 4);
        });
        expect_value("count_if",
                     [](auto const& on, part const& in) { return tw::count_if(on, in.first, in.last, is_positive{}); });
    });
}

TEST_F(every_algorithm_over_nccl, scans)
{
    for_each_size([&] {
        expect_result_per_element("inclusive_scan", [](auto const& on, part const& in, float* out) {
            tw::inclusive_scan(on, in.first, in.last, out, std::plus<>{}, 0.5f);
        });
        expect_result_per_element("exclusive_scan", [](auto const& on, part const& in, float* out) {
            tw::exclusive_scan(on, in.first, in.last, out, 0.5f);
        });
        expect_result_per_element("transform_inclusive_scan", [](auto const& on, part const& in, float* out) {
            tw::transform_inclusive_scan(on, in.first, in.last, out, std::plus<>{}, halved{});
        });
        expect_result_per_element("transform_exclusive_scan", [](auto const& on, part const& in, float* out) {
            tw::transform_exclusive_scan(on, in.first, in.last, out, 0.5f, std::plus<>{}, halved{});
        });
    });
}

TEST_F(every_algorithm_over_nccl, finds_extremes)
{
    for (std::size_t const count : {std::size_t{1}, on_device::amount<std::size_t>(1 << 22, 100'003, 100'003)}) {
        use(count);
        auto const lowest = std::min_element(x.begin(), x.end()) - x.begin(),
                   highest = std::max_element(x.begin(), x.end()) - x.begin();
        auto const [low, high] = std::minmax_element(x.begin(), x.end()); // the last of the largest ones
        on_each_part([&](auto const& on, part const& own, int) {
            EXPECT_EQ(tw::min_element(on, own.first, own.last).index, lowest);
            EXPECT_EQ(tw::max_element(on, own.first, own.last).index, highest);
            auto const found = tw::minmax_element(on, own.first, own.last);
            EXPECT_EQ(found.first.index, low - x.begin());
            EXPECT_EQ(found.second.index, high - x.begin());
        });
    }
}

TEST_F(every_algorithm_over_nccl, combines_segments)
{
    for_each_size([&] {
        std::size_t const count = offsets.size() - 1;
        std::int64_t const *begins = offsets.data(), *last = begins + count, *ends = begins + 1;
        expect_results<float>("segmented_reduce", count, [=](auto const& on, part const& in, float* out) {
            tw::segmented_reduce(on, in.first, begins, last, ends, out, 0.5f);
        });
        expect_result_per_element("segmented_inclusive_scan", [=](auto const& on, part const& in, float* out) {
            tw::segmented_inclusive_scan(on, in.first, begins, last, ends, out);
        });
        expect_result_per_element("segmented_exclusive_scan", [=](auto const& on, part const& in, float* out) {
            tw::segmented_exclusive_scan(on, in.first, begins, last, ends, out, 0.5f);
        });
    });
}

TEST_F(every_algorithm_over_nccl, combines_runs_of_keys)
{
    for_each_size([&] {
        expect_runs<float>("reduce_by_key", [](auto const& on, part const& in, auto* keys, float* values) {
            return tw::reduce_by_key(on, in.run, in.run + (in.last - in.first), in.first, keys, values);
        });
        expect_runs<std::uint32_t>("count_by_key", [](auto const& on, part const& in, auto* keys, auto* lengths) {
            return tw::count_by_key(on, in.run, in.run + (in.last - in.first), keys, lengths);
        });
        expect_result_per_element("inclusive_scan_by_key", [](auto const& on, part const& in, float* out) {
            tw::inclusive_scan_by_key(on, in.run, in.run + (in.last - in.first), in.first, out);
        });
        expect_result_per_element("exclusive_scan_by_key", [](auto const& on, part const& in, float* out) {
            tw::exclusive_scan_by_key(on, in.run, in.run + (in.last - in.first), in.first, out, 0.5f);
        });
    });
}

TEST_F(every_algorithm_over_nccl, counts_in_cells)
{
    tw::regular_axis const bins(100, -0.5f, 0.75f, {.flow = tw::flow::bins});
    auto const extent = static_cast<std::size_t>(bins.extent());
    for_each_size([&] {
        expect_results<std::uint32_t>("histogram", extent, [&](auto const& on, part const& in, auto* out) {
            tw::histogram(on, in.first, in.last, bins, out);
        });
        expect_results<std::uint64_t>("histogram_add", extent, [&](auto const& on, part const& in, auto* out) {
            tw::histogram_add(on, in.first, in.last, bins, out);
        });
        expect_results<float>("weighted_histogram", extent, [&](auto const& on, part const& in, float* out) {
            tw::weighted_histogram(on, in.first, in.last, in.weights, bins, out);
        });
        expect_results<float>("reduce_by_index", cells, [](auto const& on, part const& in, float* out) {
            tw::reduce_by_index(on, in.cell, in.cell + (in.last - in.first), in.first, cells, out, 0.5f);
        });
        expect_results<std::int64_t>(
            "reduce_by_index of integers", cells, [](auto const& on, part const& in, auto* out) {
                tw::reduce_by_index(on, in.cell, in.cell + (in.last - in.first), in.run, cells, out, std::int64_t{5});
            });
    });
}

TEST_F(every_algorithm_over_nccl, scatters_counts)
{
    tw::regular_axis const bins(1000, -0.5f, 0.75f);
    for_each_size([&] {
        std::vector<std::uint32_t> expected(1000);
        tw::histogram(x, bins, expected);
        auto const owned = tw::even_partition<std::uint64_t>(tw::offset{1000}, static_cast<int>(gpus()));
        on_each_part([&](auto const& on, part const& own, int rank) {
            auto const first = owned[static_cast<std::size_t>(rank)], last = owned[static_cast<std::size_t>(rank) + 1];
            device_array<std::uint32_t> const counts(static_cast<std::size_t>(last - first));
            tw::histogram(on.scattered(), own.first, own.last, bins, counts.data());
            EXPECT_EQ(counts.values(counts.size()),
                      std::vector<std::uint32_t>(expected.begin() + first, expected.begin() + last));
        });
    });
}

} // namespace
