// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// histogram beside its baselines in one run, on the same data: Boost.Histogram's fill, with its default storage and
/// with one of plain 32-bit counters (where Boost is installed), and the loop that one would write, by the scaling
/// formula, which misses edges.
///
/// Every benchmark is named histogram/<kind>/<who>/<n>. `scripts/bench` turns the output into the tables of
/// docs/benchmarks.

#include "../suites.hpp"
#include "elements.hpp"

#include <tilewise/histogram.hpp>

#include <benchmark/benchmark.h>
#if __has_include(<boost/histogram.hpp>) && !defined(__CUDACC__) // nvcc does not compile its variants
#include <boost/histogram.hpp>
#define TILEWISE_BENCH_BOOST
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using counters = std::vector<std::uint32_t>;

constexpr std::size_t most = 1 << 22;

/// Samples, uniform in [0, 1) or over all of an integral type.
template <class Sample>
std::vector<Sample> const& random_samples()
{
    static std::vector<Sample> const samples = [] {
        std::vector<Sample> result(2 * most);
        bench::host::generator next;
        for (Sample& sample : result)
            if constexpr (std::is_floating_point_v<Sample>)
                sample = static_cast<Sample>(next() >> 40) * Sample(0x1p-24);
            else
                sample = static_cast<Sample>(next() >> 33);
        return result;
    }();
    return samples;
}

/// What all kinds of one dimension share.
template <class Sample>
struct one_dimension {
    using sample = Sample;
    static auto samples(std::size_t count) { return std::span(random_samples<Sample>().data(), count); }
    [[maybe_unused]] static auto columns(std::size_t count) { return samples(count); }
};

/// float in bins of equal width
template <int bins>
struct regular : one_dimension<float> {
    static constexpr std::size_t cells = bins;
    static auto axis() { return tilewise::regular_axis(bins, 0.0f, 1.0f); }
    static void count(auto const& input, counters& counts)
    {
        for (float const x : input)
            if (auto const bin = static_cast<std::uint32_t>(static_cast<int>(x * bins)); bin < bins)
                ++counts[bin];
    }
};

/// bytes
struct bytes : one_dimension<std::uint8_t> {
    static constexpr std::size_t cells = 256;
    static auto axis() { return tilewise::integer_axis(0, 256); }
    static void count(auto const& input, counters& counts)
    {
        for (std::uint8_t const x : input)
            ++counts[x];
    }
};

/// float between edges that lie at random
template <int bins>
struct variable : one_dimension<float> {
    static constexpr std::size_t cells = bins;
    static std::vector<float> edges()
    {
        std::vector<float> result{0, 1};
        for (std::size_t i = 0; result.size() < bins + 1; ++i) {
            float const edge = random_samples<float>()[2 * most - 1 - i];
            if (std::find(result.begin(), result.end(), edge) == result.end())
                result.push_back(edge);
        }
        std::sort(result.begin(), result.end());
        return result;
    }
    static auto axis() { return tilewise::variable_axis(edges()); }
    static void count(auto const& input, counters& counts)
    {
        static std::vector<float> const all = edges();
        for (float const x : input)
            if (auto const above = std::upper_bound(all.begin(), all.end(), x);
                above != all.begin() && above != all.end())
                ++counts[static_cast<std::size_t>(above - all.begin()) - 1];
    }
};

/// pairs of float in a grid; for Boost, two columns
struct grid : one_dimension<float> {
    static constexpr int bins = 256;
    static constexpr std::size_t cells = std::size_t{bins} * bins;
    static auto samples(std::size_t count)
    {
        static std::vector<std::pair<float, float>> const pairs = [] {
            std::vector<std::pair<float, float>> result(most);
            for (std::size_t i = 0; i < most; ++i)
                result[i] = {random_samples<float>()[i], random_samples<float>()[most + i]};
            return result;
        }();
        return std::span(pairs.data(), count);
    }
#ifdef TILEWISE_BENCH_BOOST
    static auto columns(std::size_t count)
    {
        return std::array{std::span(random_samples<float>().data(), count),
                          std::span(random_samples<float>().data() + most, count)};
    }
#endif
    static auto axis()
    {
        return tilewise::product_axis(tilewise::regular_axis(bins, 0.0f, 1.0f),
                                      tilewise::regular_axis(bins, 0.0f, 1.0f));
    }
    static void count(auto const& input, counters& counts)
    {
        for (auto const& [x, y] : input) {
            auto const i = static_cast<std::uint32_t>(static_cast<int>(x * bins));
            auto const j = static_cast<std::uint32_t>(static_cast<int>(y * bins));
            if (i < bins && j < bins)
                ++counts[i * bins + j];
        }
    }
};

template <class Kind>
void tilewise_histogram(benchmark::State& state, auto policy)
{
    auto const samples = Kind::samples(static_cast<std::size_t>(state.range(0)));
    auto const axis = Kind::axis();
    counters counts(Kind::cells);
    for (auto _ : state) {
        tilewise::histogram(policy, samples, axis, counts.data());
        benchmark::ClobberMemory();
    }
}

template <class Kind>
void tilewise_seq(benchmark::State& state)
{
    tilewise_histogram<Kind>(state, tilewise::seq);
}

template <class Kind>
void tilewise_par(benchmark::State& state)
{
    tilewise_histogram<Kind>(state, tilewise::par);
}

template <class Kind>
void plain_loop(benchmark::State& state)
{
    auto const samples = Kind::samples(static_cast<std::size_t>(state.range(0)));
    counters counts(Kind::cells);
    for (auto _ : state) {
        std::fill(counts.begin(), counts.end(), 0);
        Kind::count(samples, counts);
        benchmark::ClobberMemory();
    }
}

#ifdef TILEWISE_BENCH_BOOST
namespace bh = boost::histogram;

template <int bins>
auto boost_axes(regular<bins>)
{
    return std::tuple(bh::axis::regular<float>(bins, 0.0f, 1.0f));
}
auto boost_axes(bytes)
{
    return std::tuple(bh::axis::integer<int>(0, 256));
}
template <int bins>
auto boost_axes(variable<bins>)
{
    return std::tuple(bh::axis::variable<float>(variable<bins>::edges()));
}
auto boost_axes(grid)
{
    bh::axis::regular<float> const axis(grid::bins, 0.0f, 1.0f);
    return std::tuple(axis, axis);
}

template <class Kind>
void fill(benchmark::State& state, auto histogram)
{
    auto const columns = Kind::columns(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        histogram.reset();
        histogram.fill(columns);
        benchmark::ClobberMemory();
    }
}

template <class Kind>
void boost_default(benchmark::State& state)
{
    std::apply([&](auto const&... axes) { fill<Kind>(state, bh::make_histogram(axes...)); }, boost_axes(Kind()));
}

template <class Kind>
void boost_unsigned(benchmark::State& state)
{
    std::apply(
        [&](auto const&... axes) { fill<Kind>(state, bh::make_histogram_with(std::vector<unsigned>(), axes...)); },
        boost_axes(Kind()));
}
#endif

template <class Kind>
void add(std::string const& kind)
{
    auto const add_one = [&](char const* who, void (*function)(benchmark::State&)) {
        auto const run = [function](benchmark::State& state) {
            function(state);
            constexpr std::size_t bytes = sizeof(typename Kind::sample) * (std::is_same_v<Kind, grid> ? 2 : 1);
            state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(bytes));
        };
        auto* const benchmark = benchmark::RegisterBenchmark(("histogram/" + kind + "/" + who).c_str(), run);
        for (std::int64_t const count : {1 << 12, 1 << 16, 1 << 22})
            benchmark->Arg(count);
        benchmark->UseRealTime();
    };
    add_one("tilewise_seq", tilewise_seq<Kind>);
#ifdef TILEWISE_BENCH_BOOST
    add_one("boost", boost_default<Kind>);
    add_one("boost_unsigned", boost_unsigned<Kind>);
#endif
    add_one("plain_loop", plain_loop<Kind>);
    add_one("tilewise_par", tilewise_par<Kind>);
}

} // namespace

int bench::host::histogram(int argc, char** argv)
{
    add<regular<256>>("f32_256_bins");
    add<regular<65536>>("f32_65536_bins");
    add<bytes>("u8_256_bins");
    add<variable<100>>("f32_100_edges");
    add<variable<5000>>("f32_5000_edges");
    add<grid>("f32_256x256_bins");
    return run_registered(argc, argv);
}
