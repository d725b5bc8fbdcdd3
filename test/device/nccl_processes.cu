// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Ranks that are processes, one for each GPU of this machine, connected by NCCL. A test starts this program once for
/// each rank, with the test as filter and the rank in the environment.
#include "../on_device.hpp"

#include <device/ranks/group.cuh>
#include <device/ranks/processes.hpp>

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace tw = tilewise;

namespace {

using on_device::device_array;
using on_device::expect_success;

/// What a process finds in its environment.
struct place {
    int rank, ranks;
    std::string identifiers;
};

/// Nothing in the process that starts the others.
std::optional<place> own_place()
{
    char const *rank = std::getenv("TILEWISE_TEST_RANK"), *ranks = std::getenv("TILEWISE_TEST_RANKS"),
               *identifiers = std::getenv("TILEWISE_TEST_IDENTIFIERS");
    if (rank == nullptr || ranks == nullptr || identifiers == nullptr)
        return std::nullopt;
    return place{std::stoi(rank), std::stoi(ranks), identifiers};
}

/// Runs the current test in a process for each rank. Returns why one of them failed, if one did.
std::optional<std::string> run_in_processes(int ranks, std::chrono::seconds limit)
{
    auto const& test = *testing::UnitTest::GetInstance()->current_test_info();
    bench::temporary_folder const folder;
    std::vector<bench::started_program> programs;
    for (int rank = 0; rank < ranks; ++rank)
        programs.push_back(
            {{std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name(), "--gtest_brief=1"},
             {"TILEWISE_TEST_RANK=" + std::to_string(rank), "TILEWISE_TEST_RANKS=" + std::to_string(ranks),
              "TILEWISE_TEST_IDENTIFIERS=" + (folder.path() / "id").string()}});
    bench::process_group processes(programs);
    return processes.wait(limit);
}

/// A rotation by a multiple of an angle, or a reflection: products depend on the order and stay finite.
struct matrix {
    float a, b, c, d;
};
struct product {
    TILEWISE_PORTABLE matrix operator()(matrix const& x, matrix const& y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
bool same_bytes(T const& a, T const& b)
{
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The whole sequence, the same in every process, and where it is cut.
struct sequence {
    std::vector<float> x;
    std::vector<matrix> matrices;
    std::vector<std::int32_t> keys;
    std::vector<std::size_t> cuts;

    sequence(std::size_t count, int ranks) : x(count), matrices(count), keys(count), cuts{0, count}
    {
        std::mt19937 random(static_cast<unsigned>(count));
        std::int32_t key = 0;
        for (std::size_t i = 0; i < count; ++i) {
            x[i] = static_cast<float>(random() % 10'000) / 10'000;
            float const sign = random() % 2 == 0 ? 1.0f : -1.0f;
            matrices[i] =
                random() % 2 == 0 ? matrix{0.6f, 0.8f * sign, -0.8f * sign, 0.6f} : matrix{sign, 0.0f, 0.0f, -sign};
            keys[i] = key += random() % 1000 == 0;
        }
        while (cuts.size() <= static_cast<std::size_t>(ranks))
            cuts.push_back(random() % (count + 1));
        std::ranges::sort(cuts);
    }

    template <class T>
    std::vector<T> part_of(std::vector<T> const& all, int rank) const
    {
        auto const at = [&](int r) {
            return all.begin() + static_cast<std::ptrdiff_t>(cuts[static_cast<std::size_t>(r)]);
        };
        return std::vector<T>(at(rank), at(rank + 1));
    }
};

/// Whether the results of this rank are those of `seq` for the whole sequence.
void expect_results_of_one_range(bench::rank_group& group, cudaStream_t stream, std::size_t count)
{
    int const rank = group.rank();
    sequence const all(count, group.size());
    device_array<float> const x(all.part_of(all.x, rank)), scanned(x.size()), sums(x.size());
    device_array<matrix> const matrices(all.part_of(all.matrices, rank));
    device_array<std::int32_t> const keys(all.part_of(all.keys, rank)), run_keys(x.size());
    auto const on = tw::distributed(group.ranks, tw::device.on(stream));
    auto const begin = all.cuts[static_cast<std::size_t>(rank)];

    EXPECT_TRUE(same_bytes(tw::reduce(on, x.begin(), x.end()), tw::reduce(tw::seq, all.x)));
    EXPECT_TRUE(same_bytes(
        tw::reduce(on.at(static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(count)), x.begin(), x.end()),
        tw::reduce(tw::seq, all.x)));
    matrix const one{1, 0, 0, 1};
    EXPECT_TRUE(same_bytes(tw::reduce(on, matrices.begin(), matrices.end(), one, product()),
                           tw::reduce(tw::seq, all.matrices, one, product())));

    std::vector<float> expected(count);
    tw::inclusive_scan(tw::seq, all.x, expected);
    tw::inclusive_scan(on, x.begin(), x.end(), scanned.data());
    EXPECT_TRUE(same_bytes(scanned.values(scanned.size()), all.part_of(expected, rank)));

    tw::regular_axis const axis(100, 0.0f, 1.0f);
    auto const bins = static_cast<std::size_t>(axis.extent());
    std::vector<std::uint32_t> expected_counts(bins);
    device_array<std::uint32_t> const counts(bins);
    tw::histogram(tw::seq, all.x, axis, expected_counts);
    tw::histogram(on, x.begin(), x.end(), axis, counts.data());
    EXPECT_EQ(counts.values(bins), expected_counts);

    auto const smallest = tw::min_element(on, x.begin(), x.end());
    EXPECT_EQ(smallest.index, std::ranges::min_element(all.x) - all.x.begin());

    // The runs that begin on this rank
    std::vector<std::int32_t> all_keys(count), own_keys;
    std::vector<float> all_sums(count), own_sums;
    tw::reduce_by_key(tw::seq, all.keys, all.x, all_keys, all_sums);
    for (std::size_t i = 0, run = 0; i < count; ++i)
        if (i == 0 || all.keys[i] != all.keys[i - 1]) {
            if (begin <= i && i < begin + x.size()) {
                own_keys.push_back(all_keys[run]);
                own_sums.push_back(all_sums[run]);
            }
            ++run;
        }
    auto const [end, end_of_sums] =
        tw::reduce_by_key(on, keys.begin(), keys.end(), x.begin(), run_keys.data(), sums.data());
    auto const runs = static_cast<std::size_t>(end - run_keys.data());
    EXPECT_EQ(end_of_sums - sums.data(), end - run_keys.data());
    EXPECT_TRUE(same_bytes(run_keys.values(runs), own_keys));
    EXPECT_TRUE(same_bytes(sums.values(runs), own_sums));
}

TEST(ranks_as_processes, have_the_values_of_one_range)
{
    constexpr std::chrono::seconds limit(240);
    auto const place = own_place();
    if (!place) {
        int const gpus = bench::count_gpus();
        if (gpus < 2)
            GTEST_SKIP() << "needs two GPUs; there are " << gpus;
        EXPECT_EQ(run_in_processes(std::min(gpus, 8), limit).value_or("none failed"), "none failed");
        return;
    }
    bench::limit_process(static_cast<int>(limit.count()));
    expect_success(cudaSetDevice(place->rank));
    if (place->rank == 0)
        bench::write_identifiers(place->identifiers, bench::make_identifiers(1));
    on_device::stream const stream;
    bench::rank_group group(bench::read_identifiers(place->identifiers, 1).front(), place->ranks, place->rank, stream);
    for (std::size_t const count :
         {std::size_t{3}, std::size_t{100'003}, std::size_t{1} << (on_device::is_small() ? 18 : 22)})
        expect_results_of_one_range(group, stream, count);
}

// What the test above relies on, without a GPU

TEST(ranks_as_processes, that_fail_are_reported)
{
    if (auto const place = own_place()) {
        bench::limit_process(60);
        std::_Exit(place->rank == 1 ? 3 : 0);
    }
    EXPECT_EQ(run_in_processes(3, std::chrono::seconds(50)), "the process of rank 1 ended with status 3");
}

TEST(ranks_as_processes, that_wait_for_ever_are_ended)
{
    if (auto const place = own_place()) {
        bench::limit_process(60);
        if (place->rank == 1)
            std::this_thread::sleep_for(std::chrono::seconds(50));
        std::_Exit(0);
    }
    EXPECT_EQ(run_in_processes(2, std::chrono::seconds(1)), "not finished after 1 s");
}

} // namespace
