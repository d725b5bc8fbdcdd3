// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// inclusive_scan beside its baselines in one run, on the same data: the standard's (sequential, and parallel on
/// oneTBB), and a copy of the input, converted to the type of the results, which is the ceiling.
///
/// Every benchmark is named scan/<type>/<who>/<n>. `scripts/bench` turns the output into the tables of
/// docs/benchmarks.

#include "../suites.hpp"
#include "elements.hpp"

#include <tilewise/scan.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// What is scanned: elements, what the transform makes of them, the operator.
template <class Element, class Result>
struct scan {
    using element = Element;
    using result = Result;
    static constexpr std::plus<> op{};
    struct convert {
        Result operator()(Element value) const { return static_cast<Result>(value); }
    };
};
using f32 = scan<float, float>;
using f64 = scan<double, double>;
using i32 = scan<std::int32_t, std::int32_t>;
using i64 = scan<std::int64_t, std::int64_t>;
using u8_to_f32 = scan<std::uint8_t, float>;
struct matrices {
    using element = matrix;
    using result = matrix;
    static constexpr matrix_product op{};
};

template <class Result>
std::vector<Result>& room_for_results()
{
    static std::vector<Result> results(most);
    return results;
}

/// Calls `plain` or, where elements and results differ, `transformed`.
template <class Scan, class Plain, class Transformed>
void call(Plain plain, Transformed transformed)
{
    if constexpr (std::is_same_v<typename Scan::element, typename Scan::result>)
        plain();
    else
        transformed(typename Scan::convert());
}

template <class Scan>
struct tilewise_seq {
    static void run(auto first, auto last, auto out)
    {
        call<Scan>([&] { tilewise::inclusive_scan(tilewise::seq, first, last, out, Scan::op); },
                   [&](auto convert) {
                       tilewise::transform_inclusive_scan(tilewise::seq, first, last, out, Scan::op, convert);
                   });
    }
};
template <class Scan>
struct tilewise_par {
    static void run(auto first, auto last, auto out)
    {
        call<Scan>([&] { tilewise::inclusive_scan(tilewise::par, first, last, out, Scan::op); },
                   [&](auto convert) {
                       tilewise::transform_inclusive_scan(tilewise::par, first, last, out, Scan::op, convert);
                   });
    }
};
template <class Scan>
struct std_scan {
    static void run(auto first, auto last, auto out)
    {
        call<Scan>([&] { std::inclusive_scan(first, last, out, Scan::op); },
                   [&](auto convert) { std::transform_inclusive_scan(first, last, out, Scan::op, convert); });
    }
};
template <class Scan>
struct std_scan_par {
    static void run(auto first, auto last, auto out)
    {
        call<Scan>([&] { std::inclusive_scan(std::execution::par, first, last, out, Scan::op); },
                   [&](auto convert) {
                       std::transform_inclusive_scan(std::execution::par, first, last, out, Scan::op, convert);
                   });
    }
};
template <class Scan>
struct copy {
    static void run(auto first, auto last, auto out)
    {
        call<Scan>([&] { std::copy(first, last, out); },
                   [&](auto convert) { std::transform(first, last, out, convert); });
    }
};

template <class Scan, template <class> class Who>
void run(benchmark::State& state)
{
    auto const count = static_cast<std::size_t>(state.range(0));
    auto const* first = random_elements<typename Scan::element>(most).data();
    auto* out = room_for_results<typename Scan::result>().data();
    for (auto _ : state) {
        benchmark::DoNotOptimize(first);
        benchmark::DoNotOptimize(out);
        Who<Scan>::run(first, first + count, out);
        benchmark::ClobberMemory();
    }
    constexpr std::size_t bytes = sizeof(typename Scan::element) + sizeof(typename Scan::result);
    state.SetBytesProcessed(state.iterations() * state.range(0) * static_cast<std::int64_t>(bytes));
}

template <class Scan>
void add(std::string const& type)
{
    auto const add_one = [&](char const* who, void (*function)(benchmark::State&)) {
        benchmark::RegisterBenchmark(("scan/" + type + "/" + who).c_str(), function)
            ->RangeMultiplier(4)
            ->Range(1 << 4, most)
            ->UseRealTime();
    };
    add_one("tilewise_seq", run<Scan, tilewise_seq>);
    add_one("std_scan", run<Scan, std_scan>);
    add_one("copy", run<Scan, copy>);
    add_one("tilewise_par", run<Scan, tilewise_par>);
    add_one("std_scan_par", run<Scan, std_scan_par>);
}

} // namespace

int bench::host::scan(int argc, char** argv)
{
    add<f32>("f32");
    add<f64>("f64");
    add<i32>("i32");
    add<i64>("i64");
    add<u8_to_f32>("u8_to_f32");
    add<matrices>("matrix");
    return run_registered(argc, argv);
}
