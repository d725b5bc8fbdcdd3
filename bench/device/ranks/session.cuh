// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A rank of the benchmark: its groups, memory and elements, and how calls of all ranks are timed and checked.

#include "../cuda.cuh"
#include "../results.hpp"
#include "baselines.cuh"
#include "data.cuh"
#include "group.cuh"
#include "options.hpp"

#include <tilewise/distributed.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// The numbers of ranks that are measured: the powers of two, and all GPUs.
inline std::vector<int> numbers_of_ranks(int gpus)
{
    std::vector<int> numbers;
    for (int ranks = 1; ranks < gpus; ranks *= 2)
        numbers.push_back(ranks);
    numbers.push_back(gpus);
    return numbers;
}

/// A call by all ranks, whose time is measured.
struct rank_call {
    std::string who;
    std::function<void()> run; ///< returns when it is complete
};

/// The part of a range that a rank has.
struct rank_part {
    std::uint64_t begin, size, total;
};

class rank_session {
public:
    /// Connects this rank, on the current device, to the others: one identifier for each number of ranks.
    rank_session(rank_options const& chosen, int gpus, int rank, std::vector<identifier> const& identifiers)
        : chosen(chosen), rank(rank), measured(rank == 0 ? chosen.out : std::string())
    {
        auto const numbers = numbers_of_ranks(gpus);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (rank < numbers[i])
                groups.push_back(std::make_unique<rank_group>(identifiers.at(i), numbers[i], rank, queue));
        baselines = std::make_unique<cub_and_nccl>(queue);
        reserve(numbers);
    }

    bool is_first() const { return rank == 0; }
    rank_group const& all() const { return *groups.back(); }

    /// This rank's part, as `even_partition` divides a range.
    static rank_part part_of(std::uint64_t total, int ranks, int rank)
    {
        auto const cuts = tilewise::even_partition<float>(static_cast<std::ptrdiff_t>(total), ranks);
        auto const begin = static_cast<std::uint64_t>(cuts[static_cast<std::size_t>(rank)]),
                   end = static_cast<std::uint64_t>(cuts[static_cast<std::size_t>(rank) + 1]);
        return {begin, end - begin, total};
    }

    /// Whether the parts of all ranks, input and output, fit in their memory.
    bool fits(std::uint64_t total, int ranks) const
    {
        std::uint64_t largest = 0;
        for (int other = 0; other < ranks; ++other)
            largest = std::max(largest, part_of(total, ranks, other).size);
        return largest <= most_elements;
    }

    /// Writes the elements of this rank's part.
    rank_part fill(std::uint64_t total, rank_group const& group)
    {
        rank_part const part = part_of(total, group.size(), rank);
        launch(write_uniform, 4096, 256, queue, input->data(), part.size, part.begin);
        queue.wait();
        return part;
    }

    /// Times calls of all ranks in shuffled order. A run lasts from a barrier until the last rank's call returns. Rank
    /// 0 keeps the results under `setting`.
    void time(rank_group& group, measurement setting, std::vector<rank_call> const& calls, int runs)
    {
        for (int warm_up = 0; warm_up < 2; ++warm_up)
            for (rank_call const& one : calls) {
                group.barrier();
                one.run();
            }
        std::vector<double> own(calls.size() * static_cast<std::size_t>(runs)); // microseconds, call by call
        std::vector<std::size_t> order(calls.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::mt19937 random(7); // the same order on all ranks
        for (int run = 0; run < runs; ++run) {
            std::ranges::shuffle(order, random);
            for (std::size_t const call : order) {
                group.barrier();
                auto const start = std::chrono::steady_clock::now();
                calls[call].run();
                std::chrono::duration<double, std::micro> const time = std::chrono::steady_clock::now() - start;
                own[call * static_cast<std::size_t>(runs) + static_cast<std::size_t>(run)] = time.count();
            }
        }
        auto const times = group.gather(own);
        if (!is_first())
            return;
        for (std::size_t call = 0; call < calls.size(); ++call) {
            std::vector<double> slowest(static_cast<std::size_t>(runs));
            for (std::size_t i = 0; i < times.size(); ++i)
                if (auto const place = i % own.size(); place / slowest.size() == call) {
                    double& time = slowest[place % slowest.size()];
                    time = std::max(time, times[i]);
                }
            setting.who = calls[call].who;
            setting.microseconds = summarise(slowest);
            measured.add(setting);
        }
    }

    /// Throws on all ranks if they do not have the same value.
    static void expect_same(rank_group const& group, std::string const& what, std::uint64_t value)
    {
        for (std::uint64_t const other : group.gather(std::vector{value}))
            if (other != value)
                throw std::runtime_error("wrong result: ranks have different values: " + what);
    }

    /// Throws if `value` is not the one with which this was called before, for another number of ranks.
    void expect_as_before(std::string const& what, std::uint64_t value)
    {
        if (auto const known = results_.try_emplace(what, value).first->second; known != value)
            throw std::runtime_error("wrong result: it depends on the number of ranks: " + what);
    }

    rank_options chosen;
    int rank;
    results measured;
    stream queue;
    std::vector<std::unique_ptr<rank_group>> groups; ///< by size; this rank is in all of them
    std::unique_ptr<cub_and_nccl> baselines;
    std::unique_ptr<device_array<float>> input, output;
    device_array<unsigned> counts{65536};
    device_array<unsigned long long> sum_of_hashes{1};
    std::uint64_t most_elements = 0; ///< of a part, on every rank

private:
    /// Allocates input and output for the largest part that is measured and fits on every GPU.
    void reserve(std::vector<int> const& numbers)
    {
        std::size_t free = 0, total = 0;
        check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        auto const all_free = all().gather(std::vector{static_cast<std::uint64_t>(free)});
        std::uint64_t const left_free = std::uint64_t{3} << 30, // for scratch memory
            least = *std::ranges::min_element(all_free);
        most_elements = least > left_free ? (least - left_free) / (2 * sizeof(float)) : 0;
        std::uint64_t own = 1;
        for (int const ranks : numbers) {
            std::vector<std::uint64_t> totals{static_cast<std::uint64_t>(ranks) << chosen.size_of_each,
                                              static_cast<std::uint64_t>(ranks) << chosen.size_of_call};
            for (int const size : chosen.sizes)
                totals.push_back(std::uint64_t{1} << size);
            for (std::uint64_t const count : totals)
                if (rank < ranks && fits(count, ranks))
                    own = std::max(own, part_of(count, ranks, rank).size);
        }
        input = std::make_unique<device_array<float>>(own);
        output = std::make_unique<device_array<float>>(own);
    }

    std::map<std::string, std::uint64_t> results_;
};

} // namespace bench
