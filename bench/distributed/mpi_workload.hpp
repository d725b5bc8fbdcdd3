// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sums and scans of floats on the ranks of an MPI communicator, timed and checked.

#include "../device/results.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/distributed/mpi.hpp>
#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline std::uint64_t scramble(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// The floats from `begin` to `end` of the range: uniform in [-1, 1), multiples of 2^-23.
inline std::vector<float> elements(std::uint64_t begin, std::uint64_t end)
{
    std::vector<float> result(end - begin);
    for (std::uint64_t i = begin; i < end; ++i)
        result[i - begin] = static_cast<float>(static_cast<std::int64_t>(scramble(i + 1)) >> 40) * 0x1p-23f;
    return result;
}

/// A sum of hashes of bits and positions. It does not depend on where the values are cut.
inline std::uint64_t digest(std::vector<float> const& values, std::uint64_t begin)
{
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < values.size(); ++i)
        sum += scramble((begin + i) * 0x9e3779b97f4a7c15u + std::bit_cast<std::uint32_t>(values[i]));
    return sum;
}

/// What all workloads share. Rank 0 alone has measurements and digests.
struct mpi_session {
    results measured;
    int runs;                                         ///< of each call
    std::map<std::string, std::uint64_t> of_one = {}; ///< digests of one process, by algorithm and size
    /// Digests of baselines, by their name, then by size
    std::map<std::string, std::map<std::uint64_t, std::set<std::uint64_t>>> of_baselines = {};
};

/// An algorithm on all ranks of a communicator, whose results are in `out`.
struct mpi_call {
    std::string who;
    std::function<void()> run;
};

/// One number of elements on one number of ranks.
class mpi_workload {
public:
    mpi_workload(mpi_session& session, MPI_Comm members, std::string part, std::uint64_t count)
        : run(session), handle(members), ranks(members), scaling(std::move(part)), total(count)
    {
        auto const cuts = tilewise::even_partition<float>(static_cast<tilewise::offset>(total), ranks.size());
        auto const rank = static_cast<std::size_t>(ranks.rank());
        begin = static_cast<std::uint64_t>(cuts[rank]);
        x = elements(begin, static_cast<std::uint64_t>(cuts[rank + 1]));
    }

    void measure_reduce()
    {
        auto const all_reduced = [this](float sum) {
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_FLOAT, MPI_SUM, handle);
            return sum;
        };
        out.resize(1);
        compare("reduce", sizeof(float),
                {{"tilewise", [&] { out[0] = tilewise::reduce(tilewise::distributed(ranks, tilewise::seq), x); }},
                 {"seq_mpi", [&] { out[0] = all_reduced(tilewise::reduce(tilewise::seq, x)); }},
                 {"std_mpi", [&] { out[0] = all_reduced(std::reduce(x.begin(), x.end())); }},
                 {"local", [&] { out[0] = tilewise::reduce(tilewise::seq, x); }}});
    }

    /// By hand, it is a local sum, the sum of the ranks before, and a local scan that begins with it.
    void measure_scan()
    {
        auto const sum_before = [this](float sum) {
            float before = 0;
            MPI_Exscan(&sum, &before, 1, MPI_FLOAT, MPI_SUM, handle);
            return ranks.rank() == 0 ? 0 : before; // MPI does not define it on rank 0
        };
        std::plus<> const op;
        out.resize(x.size());
        compare("inclusive_scan", 2 * sizeof(float),
                {{"tilewise", [&] { tilewise::inclusive_scan(tilewise::distributed(ranks, tilewise::seq), x, out); }},
                 {"seq_mpi",
                  [&] {
                      tilewise::inclusive_scan(tilewise::seq, x, out, op,
                                               sum_before(tilewise::reduce(tilewise::seq, x)));
                  }},
                 {"std_mpi",
                  [&] {
                      float const before = sum_before(std::reduce(x.begin(), x.end()));
                      std::inclusive_scan(x.begin(), x.end(), out.begin(), op, before);
                  }},
                 {"local", [&] { tilewise::inclusive_scan(tilewise::seq, x, out); }}});
    }

private:
    /// Checks the results of all calls, times them, and checks those of the first one, tilewise, again.
    void compare(std::string const& what, std::uint64_t bytes_per_element, std::vector<mpi_call> const& calls)
    {
        std::uint64_t const expected = digest_of_one_process(what);
        auto const digest_after = [&](mpi_call const& one) {
            std::ranges::fill(out, -1.0f);
            one.run();
            return digest_of_all(what);
        };
        expect(digest_after(calls.front()) == expected, what, "the bits are not those of one process");
        auto const ours = out;
        float const tolerance = 1e-6f * static_cast<float>(total); // the sum of half of 2^20 elements is about 400
        auto const is_close = [=](float a, float b) { return std::abs(a - b) <= tolerance; };
        for (mpi_call const& one : calls)
            if (one.who.ends_with("_mpi")) {
                auto const found = digest_after(one);
                expect(std::ranges::equal(out, ours, is_close), what, one.who + " has other results");
                if (scaling == "strong")
                    run.of_baselines[one.who + ", " + what][total].insert(found);
            }
        time(what, bytes_per_element, calls);
        expect(digest_after(calls.front()) == expected, what, "other bits after it was timed");
    }

    /// The digest of the results of a call under `seq` for the whole range, which rank 0 makes.
    std::uint64_t digest_of_one_process(std::string const& what)
    {
        auto const key = what + std::to_string(total);
        if (ranks.rank() == 0 && !run.of_one.contains(key)) {
            auto whole = elements(0, total);
            if (what == "reduce")
                whole = {tilewise::reduce(tilewise::seq, whole)};
            else
                tilewise::inclusive_scan(tilewise::seq, whole, whole);
            run.of_one[key] = digest(whole, 0);
        }
        std::uint64_t value = ranks.rank() == 0 ? run.of_one[key] : 0;
        MPI_Bcast(&value, 1, MPI_UINT64_T, 0, handle);
        return value;
    }

    /// The digest of the results of all ranks. A sum is on every rank, and each rank compares its own.
    std::uint64_t digest_of_all(std::string const& what) const
    {
        if (what == "reduce")
            return digest(out, 0);
        std::uint64_t value = digest(out, begin);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, handle);
        return value;
    }

    /// A run lasts from a barrier until the slowest rank's call has returned. Calls are shuffled, in the same order on
    /// all ranks. Rank 0 prints a row of the table.
    void time(std::string const& what, std::uint64_t bytes_per_element, std::vector<mpi_call> const& calls)
    {
        auto const runs = static_cast<std::size_t>(run.runs) * (total <= std::uint64_t{1} << 22 ? 3 : 1);
        std::vector<std::vector<double>> times(calls.size(), std::vector<double>(runs)); // microseconds
        std::vector<std::size_t> order(calls.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::mt19937 random(7);
        for (std::size_t i = 0; i < runs; ++i) {
            std::ranges::shuffle(order, random);
            for (std::size_t const call : order) {
                MPI_Barrier(handle);
                auto const start = std::chrono::steady_clock::now();
                calls[call].run();
                std::chrono::duration<double, std::micro> const time = std::chrono::steady_clock::now() - start;
                times[call][i] = time.count();
            }
        }
        for (auto& of_call : times)
            MPI_Allreduce(MPI_IN_PLACE, of_call.data(), static_cast<int>(runs), MPI_DOUBLE, MPI_MAX, handle);
        if (ranks.rank() != 0)
            return;
        std::printf("| %s | `%s` | 2^%.4g | %d |", scaling.c_str(), what.c_str(), std::log2(double(total)),
                    ranks.size());
        for (std::size_t call = 0; call < calls.size(); ++call) {
            summary const all = summarise(times[call]);
            run.measured.add({scaling, title(what), calls[call].who, total, 0, false, total * bytes_per_element, all});
            std::printf(" %.4g (%.4g to %.4g) |", all.median, all.quartile1, all.quartile3);
        }
        std::printf("\n");
        std::fflush(stdout);
    }

    void expect(bool is_right, std::string const& what, std::string const& reason) const
    {
        if (!is_right)
            throw std::runtime_error("wrong result: " + title(what) + ", " + std::to_string(total) +
                                     " elements: " + reason);
    }

    std::string title(std::string const& what) const
    {
        return what + ", " + std::to_string(ranks.size()) + (ranks.size() == 1 ? " rank" : " ranks");
    }

    mpi_session& run;
    MPI_Comm handle;
    tilewise::mpi_communicator ranks;
    std::string scaling;
    std::uint64_t total, begin = 0; ///< elements of all ranks, and before this one
    std::vector<float> x, out;
};

} // namespace bench
