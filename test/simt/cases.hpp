// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Programs that run the kernels of kernels/. Each generates its input from the schedule's seed, and returns whether
/// the result is right.

#include "device_memory.hpp"
#include "kernels/exchange.hpp"
#include "kernels/reduce.hpp"
#include "kernels/scan.hpp"
#include "kernels/small.hpp"

#include <simt/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace cases {

using kernels::affine;
using kernels::bug;
using simt::device_array;
using simt::expect_success;
using tilewise::gpu::start;

inline int random_int(std::mt19937_64& random, int least, int most)
{
    return std::uniform_int_distribution<int>(least, most)(random);
}

/// Returns a random size up to `most`, as often small as large.
inline int random_size(std::mt19937_64& random, int most)
{
    return random_int(random, 1, std::min(most, 1 << random_int(random, 0, 16)));
}

template <class T>
std::vector<T> random_values(std::mt19937_64& random, int count)
{
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values)
        if constexpr (std::is_same_v<T, affine>)
            value = {static_cast<unsigned>(random()) | 1, static_cast<unsigned>(random())};
        else
            value = static_cast<T>(random());
    return values;
}

template <class T, class Op>
T fold(std::vector<T> const& values, Op op)
{
    return std::accumulate(values.begin() + 1, values.end(), values.front(), op);
}

/// Runs two kernels, of which the second, a dependent launch (PDL), may begin before the first ends.
template <bug planted, class T, class Op>
bool reduce(Op op)
{
    constexpr int threads = 64;
    std::mt19937_64 random(simt::schedule_seed());
    int const size = random_size(random, 3000), blocks = random_int(random, 1, 9);
    auto const values = random_values<T>(random, size);
    int const tiles = (size + threads - 1) / threads, share = (tiles + blocks - 1) / blocks;
    int const totals_used = (tiles + share - 1) / share;
    device_array<T> const input =
        planted == bug::unwritten_input ? device_array<T>(values.size()) : device_array<T>(values);
    device_array<T> const totals(static_cast<std::size_t>(blocks)), result(1);
    expect_success(start(kernels::reduce_shares<threads, planted, T, Op>, {blocks, threads}, nullptr, input.data(),
                         size, totals.data(), op));
    expect_success(start(kernels::reduce_totals<threads, planted, T, Op>, {1, threads, 1, true}, nullptr, totals.data(),
                         totals_used, result.data(), op));
    return result.values()[0] == fold(values, op);
}

template <bug planted, kernels::order how, class T, class Op>
bool scan(Op op)
{
    constexpr int threads = 32;
    std::mt19937_64 random(simt::schedule_seed());
    int const size = random_size(random, 700), tiles = (size + threads - 1) / threads;
    auto const values = random_values<T>(random, size);
    device_array<T> const input(values), output(values.size()), totals(static_cast<std::size_t>(tiles));
    device_array<unsigned> const flags(std::vector<unsigned>(static_cast<std::size_t>(tiles)));
    device_array<unsigned> const ticket(std::vector<unsigned>{0});
    kernels::scan_state<T> const state = {ticket.data(), flags.data(), totals.data()};
    expect_success(start(kernels::scan<threads, how, planted, T, Op>, {tiles, threads}, nullptr, input.data(),
                         output.data(), size, state, op));
    std::vector<T> expected(values.size());
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), op);
    return output.values() == expected;
}

template <bug planted>
bool histogram()
{
    constexpr int threads = 64, bins = 64;
    std::mt19937_64 random(simt::schedule_seed());
    int const size = random_size(random, 2000);
    std::vector<unsigned char> values(static_cast<std::size_t>(size));
    std::vector<unsigned> expected(bins);
    for (auto& value : values)
        ++expected[value =
                       static_cast<unsigned char>(random_int(random, 0, 3) == 0 ? random_int(random, 0, bins - 1) : 5)];
    device_array<unsigned char> const input(values);
    device_array<unsigned> const counts(bins);
    expect_success(cudaMemsetAsync(counts.data(), 0, bins * sizeof(unsigned)));
    expect_success(start(kernels::histogram<threads, bins, planted>, {random_int(random, 1, 5), threads}, nullptr,
                         input.data(), size, counts.data()));
    return counts.values() == expected;
}

template <bug planted>
bool reverse()
{
    constexpr int warps = 4, lanes = 32;
    std::mt19937_64 random(simt::schedule_seed());
    auto const values = random_values<int>(random, warps * lanes);
    device_array<int> const input(values), output(values.size());
    expect_success(start(kernels::reverse<planted>, {warps, lanes}, nullptr, input.data(), output.data()));
    auto const found = output.values();
    bool right = true;
    for (std::size_t i = 0; i < values.size(); ++i)
        right = right && found[i] == values[i / lanes * lanes + lanes - 1 - i % lanes];
    return right;
}

/// A dependent launch that needs nothing of its primary kernel.
template <bug planted>
bool add_to_others()
{
    constexpr int count = 32;
    std::vector<int> const zeros(count), ones(count, 1);
    device_array<int> const first(zeros), second(zeros);
    expect_success(start(kernels::add<count>, {1, count}, nullptr, first.data(), count, 1));
    expect_success(start(kernels::add<count, planted>, {1, count, 1, true}, nullptr, second.data(), count, 1));
    return first.values() == ones && second.values() == ones;
}

template <bug planted>
bool gather_in_cluster()
{
    constexpr int blocks = 4;
    device_array<int> const output(std::vector<int>(blocks, -2));
    expect_success(start(kernels::gather_in_cluster<planted>, {blocks, 32, blocks}, nullptr, output.data()));
    return output.values() == std::vector<int>{0, 1, 2, 3};
}

template <bug planted>
bool sum_of_copies()
{
    constexpr int threads = 32;
    std::mt19937_64 random(simt::schedule_seed());
    int const tiles = random_int(random, 2, 6);
    auto const values = random_values<unsigned>(random, tiles * threads);
    device_array<unsigned> const input(values), sums(threads);
    expect_success(
        start(kernels::sum_of_copies<threads, planted>, {1, threads}, nullptr, input.data(), tiles, sums.data()));
    std::vector<unsigned> expected(threads);
    for (std::size_t i = 0; i < values.size(); ++i)
        expected[(i + threads - 1) % threads] += values[i];
    return sums.values() == expected;
}

} // namespace cases
