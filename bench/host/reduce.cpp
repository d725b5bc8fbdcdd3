// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce beside its baselines in one run, on the same data: the standard's (sequential, and parallel on oneTBB), a
/// plain left fold, and a loop that only reads memory.
///
/// Every benchmark is named reduce/<type>/<who>/<n>. `scripts/bench` turns the output into the tables of
/// docs/benchmarks.

#include "../suites.hpp"
#include "elements.hpp"

#include <tilewise/reduce.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using bench::host::matrix;
using bench::host::matrix_product;
using bench::host::random_elements;

constexpr std::size_t most = 1 << 26;

/// What is reduced: elements, the value to start from, the operator.
template <class Element, class Accumulator, class Op>
struct reduction {
    using element = Element;
    static constexpr Accumulator init{};
    static constexpr Op op{};
};
using f32 = reduction<float, float, std::plus<>>;
using f64 = reduction<double, double, std::plus<>>;
using i32 = reduction<std::int32_t, std::int32_t, std::plus<>>;
using i64 = reduction<std::int64_t, std::int64_t, std::plus<>>;
using u8_to_f32 = reduction<std::uint8_t, float, std::plus<>>;
struct matrices {
    using element = matrix;
    static constexpr matrix init{1, 0, 0, 1};
    static constexpr matrix_product op{};
};

template <class Reduction>
struct tilewise_seq {
    static auto run(auto first, auto last)
    {
        return tilewise::reduce(tilewise::seq, first, last, Reduction::init, Reduction::op);
    }
};
template <class Reduction>
struct tilewise_par {
    static auto run(auto first, auto last)
    {
        return tilewise::reduce(tilewise::par, first, last, Reduction::init, Reduction::op);
    }
};
template <class Reduction>
struct std_reduce {
    static auto run(auto first, auto last) { return std::reduce(first, last, Reduction::init, Reduction::op); }
};
template <class Reduction>
struct std_reduce_par {
    static auto run(auto first, auto last)
    {
        return std::reduce(std::execution::par, first, last, Reduction::init, Reduction::op);
    }
};
template <class Reduction>
struct left_fold {
    static auto run(auto first, auto last) { return std::accumulate(first, last, Reduction::init, Reduction::op); }
};

/// The ceiling: a loop that reads every byte and does next to nothing with it.
template <class Reduction>
struct read_only {
    static auto run(auto first, auto last)
    {
        using block = std::uint64_t __attribute__((vector_size(16), aligned(1), may_alias));
        block sums[8] = {};
        auto const* next = reinterpret_cast<block const*>(first);
        auto const* const end = next + static_cast<std::size_t>(last - first) * sizeof(*first) / sizeof(block);
        for (; end - next >= 8; next += 8)
            for (int i = 0; i < 8; ++i)
                sums[i] ^= next[i];
        for (int i = 1; i < 8; ++i)
            sums[0] ^= sums[i];
        return sums[0][0] ^ sums[0][1];
    }
};

template <class Reduction, template <class> class Who>
void run(benchmark::State& state)
{
    using element = typename Reduction::element;
    auto const count = static_cast<std::size_t>(state.range(0));
    auto const* first = random_elements<element>(most).data();
    for (auto _ : state) {
        benchmark::DoNotOptimize(first);
        benchmark::DoNotOptimize(Who<Reduction>::run(first, first + count));
    }
    state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(sizeof(element)));
}

template <class Reduction>
void add(std::string const& type)
{
    auto const add_one = [&](char const* who, void (*function)(benchmark::State&)) {
        benchmark::RegisterBenchmark(("reduce/" + type + "/" + who).c_str(), function)
            ->RangeMultiplier(4)
            ->Range(1 << 4, most)
            ->UseRealTime();
    };
    add_one("tilewise_seq", run<Reduction, tilewise_seq>);
    add_one("std_reduce", run<Reduction, std_reduce>);
    add_one("left_fold", run<Reduction, left_fold>);
    add_one("read_only", run<Reduction, read_only>);
    add_one("tilewise_par", run<Reduction, tilewise_par>);
    add_one("std_reduce_par", run<Reduction, std_reduce_par>);
}

} // namespace

int bench::host::reduce(int argc, char** argv)
{
    add<f32>("f32");
    add<f64>("f64");
    add<i32>("i32");
    add<i64>("i64");
    add<u8_to_f32>("u8_to_f32");
    add<matrices>("matrix");
    return run_registered(argc, argv);
}
