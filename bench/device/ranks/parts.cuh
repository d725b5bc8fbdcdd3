// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What is measured of several ranks: sums, scans and histograms, and the latency of calls.

#include "session.cuh"

#include <tilewise/histogram.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One number of elements on one number of ranks.
class rank_workload {
public:
    rank_workload(rank_session& run, rank_group& group, std::string kind, std::uint64_t total)
        : run(run), group(group), name(std::move(kind)), part(run.fill(total, group)),
          waits(tilewise::device.on(run.queue)), among(tilewise::distributed(group.ranks, waits)),
          placed(among.at(static_cast<std::ptrdiff_t>(part.begin), static_cast<std::ptrdiff_t>(total))),
          first(run.input->data()), last(first + part.size), out(run.output->data())
    {}

    void measure()
    {
        measure_reduce();
        measure_scan();
        measure_histogram(256);
        measure_histogram(65536);
    }

private:
    /// The sum has the same bits on all ranks and for every number of ranks. CUB's is about the same.
    void measure_reduce()
    {
        float value = 0;
        auto const verify = [&](char const* who) {
            rank_session::expect_same(group, title("reduce") + ", " + who, bits_of(value));
            run.expect_as_before("reduce" + count(), bits_of(value));
            sum = value;
        };
        std::vector<rank_call> calls;
        calls.push_back({"tilewise", [&] { value = tilewise::reduce(among, first, last); }});
        calls.push_back({"tilewise_at", [&] { value = tilewise::reduce(placed, first, last); }});
        for (rank_call const& ours : calls) {
            value = -1;
            ours.run();
            verify(ours.who.c_str());
        }
        value = tilewise::reduce(waits, first, last);
        if (group.size() == 1)
            verify("device");
        float theirs = run.baselines->sum(group, first, part.size);
        expect_about("reduce", theirs);
        float ignored = 0;
        calls.push_back({"device", [&] { ignored = tilewise::reduce(waits, first, last); }});
        calls.push_back({"cub_nccl", [&] { theirs = run.baselines->sum(group, first, part.size); }});
        time("reduce", calls, sizeof(float));
        verify("after it was timed");
        expect_about("reduce", theirs);
    }

    /// A digest of all results is the same for every number of ranks, and the last one is the sum.
    void measure_scan()
    {
        auto const verify = [&](char const* who) {
            auto const own = digest(out, part.size, part.begin, run.sum_of_hashes, run.queue);
            auto const digests = group.gather(std::vector{own});
            auto const lasts = group.gather(std::vector{last_result()});
            run.expect_as_before("inclusive_scan" + count(),
                                 std::accumulate(digests.begin(), digests.end(), own - own));
            if (bits_of(lasts.back()) != bits_of(sum))
                throw std::runtime_error("wrong result: the last is not the sum: " + title("inclusive_scan") + ", " +
                                         who);
        };
        auto const clear = [&] {
            check(cudaMemsetAsync(out, 0xff, part.size * sizeof(float), run.queue), "cudaMemsetAsync");
        };
        std::vector<rank_call> calls;
        calls.push_back({"tilewise", [&] { tilewise::inclusive_scan(among, first, last, out); }});
        calls.push_back({"tilewise_at", [&] { tilewise::inclusive_scan(placed, first, last, out); }});
        auto local = calls;
        if (group.size() == 1)
            local.push_back({"device", [&] { tilewise::inclusive_scan(waits, first, last, out); }});
        for (rank_call const& ours : local) {
            clear();
            ours.run();
            verify(ours.who.c_str());
        }
        clear();
        run.baselines->scan(group, first, part.size, out);
        expect_about("inclusive_scan", group.gather(std::vector{last_result()}).back());
        calls.push_back({"device", [&] { tilewise::inclusive_scan(waits, first, last, out); }});
        calls.push_back({"cub_nccl", [&] { run.baselines->scan(group, first, part.size, out); }});
        time("inclusive_scan", calls, 2 * sizeof(float));
        clear();
        calls.front().run();
        verify("after it was timed");
    }

    /// The counts are the same on all ranks and for every number of ranks. Their sum is the number of samples, and
    /// those of 65536 bins have sums that are those of 256.
    void measure_histogram(int bins)
    {
        std::string const what = "histogram_" + std::to_string(bins);
        tilewise::regular_axis const axis(bins, 0.0f, 1.0f);
        unsigned* const counts = run.counts.data();
        auto const fetched = [&] { return fetch_all(counts, static_cast<std::size_t>(bins), run.queue); };
        auto const verify = [&](char const* who) {
            auto const values = fetched();
            rank_session::expect_same(group, title(what) + ", " + who, digest(values));
            run.expect_as_before(what + count(), digest(values));
            run.expect_as_before("histogram_256" + count(), digest(sums_of(values, bins / 256)));
            if (std::accumulate(values.begin(), values.end(), std::uint64_t{0}) != part.total)
                throw std::runtime_error("wrong counts: " + title(what) + ", " + who);
        };
        auto const clear = [&] {
            check(cudaMemsetAsync(counts, 0xff, static_cast<std::size_t>(bins) * sizeof(unsigned), run.queue),
                  "cudaMemsetAsync");
        };
        std::vector<rank_call> calls;
        calls.push_back({"tilewise", [&] { tilewise::histogram(among, first, last, axis, counts); }});
        calls.push_back({"device", [&] { tilewise::histogram(waits, first, last, axis, counts); }});
        auto const count_and_verify = [&](rank_call const& ours) {
            clear();
            ours.run();
            verify(ours.who.c_str());
        };
        count_and_verify(calls.front());
        if (group.size() == 1)
            count_and_verify(calls.back());
        if (bins == 256) {
            auto const expected = fetched();
            run.baselines->histogram(group, first, part.size, counts, bins);
            if (fetched() != expected && run.is_first())
                std::printf("  CUB counts some samples in another bin: %s\n", title(what).c_str());
            calls.push_back(
                {"cub_nccl", [&, bins] { run.baselines->histogram(group, first, part.size, counts, bins); }});
        }
        time(what, calls, sizeof(float));
        clear();
        calls.front().run();
        verify("after it was timed");
    }

    void time(std::string const& what, std::vector<rank_call> calls, std::uint64_t bytes_per_element)
    {
        bool const is_latency = name == "latency";
        if (is_latency)
            calls.push_back({"all_reduce", [this] { run.baselines->all_reduce(group); }});
        int const runs = run.chosen.is_quick ? 7 : is_latency ? 101 : part.total <= std::uint64_t{1} << 31 ? 31 : 15;
        measurement const setting{
            name, with_ranks(what), {}, part.total, 0, !is_latency, part.total * bytes_per_element, {}};
        run.time(group, setting, calls, runs);
        if (run.is_first()) {
            std::printf("%-8s %-26s 2^%-4.4g", name.c_str(), with_ranks(what).c_str(), std::log2(double(part.total)));
            for (rank_call const& one : calls)
                if (measurement const* found = run.measured.find(setting, one.who))
                    std::printf("  %s %.1f us", one.who.c_str(), found->microseconds.median);
            std::printf("\n");
            std::fflush(stdout);
        }
    }

    float last_result() const { return part.size == 0 ? 0 : fetch(out + (part.size - 1), run.queue); }

    void expect_about(char const* what, float theirs) const
    {
        if (!(std::abs(theirs - sum) <= 1e-2f * sum))
            throw std::runtime_error("wrong result: CUB's sum is " + std::to_string(theirs) + ", not " +
                                     std::to_string(sum) + ": " + title(what));
    }

    /// The sums of so many neighboring counts.
    static std::vector<unsigned> sums_of(std::vector<unsigned> const& counts, int neighbors)
    {
        std::vector<unsigned> sums(counts.size() / static_cast<std::size_t>(neighbors));
        for (std::size_t i = 0; i < counts.size(); ++i)
            sums[i / static_cast<std::size_t>(neighbors)] += counts[i];
        return sums;
    }

    std::string with_ranks(std::string const& what) const
    {
        return what + ", " + std::to_string(group.size()) + (group.size() == 1 ? " rank" : " ranks");
    }
    std::string count() const { return ", " + std::to_string(part.total) + " elements"; }
    std::string title(std::string const& what) const { return with_ranks(what) + count(); }

    using waiting = decltype(tilewise::device.on(cudaStream_t{}));
    using ranks_policy = decltype(tilewise::distributed(std::declval<rank_group&>().ranks, std::declval<waiting>()));

    rank_session& run;
    rank_group& group;
    std::string name;
    rank_part part;
    waiting waits;              ///< on the own GPU alone
    ranks_policy among, placed; ///< over the ranks, which gather the sizes of their parts or state their positions
    float const *first, *last;
    float* out;
    float sum = 0;
};

/// Measures everything on one number of ranks, when all of them are there.
inline void measure_ranks(rank_session& run, rank_group& group)
{
    group.barrier(); // without a limit: fewer ranks are measured before
    auto const measure = [&](char const* part, std::uint64_t total) {
        if (!run.chosen.wants_part(part))
            return;
        if (!run.fits(total, group.size())) {
            if (run.is_first())
                std::printf("%-8s %d of the GPUs: 2^%.4g elements and as many results do not fit in their memory\n",
                            part, group.size(), std::log2(double(total)));
            return;
        }
        rank_workload(run, group, part, total).measure();
    };
    auto const ranks = static_cast<std::uint64_t>(group.size());
    measure("latency", ranks << run.chosen.size_of_call);
    for (int const size : run.chosen.sizes)
        measure("strong", std::uint64_t{1} << size);
    measure("weak", ranks << run.chosen.size_of_each);
}

} // namespace bench
