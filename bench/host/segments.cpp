// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Algorithms for segments and for runs of equal keys, beside a plain loop over these in the same run, on the same
/// data: 16 MiB of floats, in segments also of integers and of 2 x 2 matrices; segments and runs whose lengths are
/// all the same or exponentially distributed.
///
/// Every benchmark is named <suite>/<algorithm>_<type>_<lengths>/<who>/<mean length>; floats are not named.
/// `scripts/bench` turns the output into the tables of docs/benchmarks.

#include "../suites.hpp"
#include "elements.hpp"

#include <tilewise/count_by_key.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/scan_by_key.hpp>
#include <tilewise/segmented.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using bench::host::matrix;

template <class T>
constexpr std::size_t count_of = (std::size_t{1} << 24) / sizeof(T);

/// Where segments of `count` elements and of a mean length begin, and `count`. Lengths that are exponentially
/// distributed may be 0.
std::vector<std::int32_t> offsets_of(std::size_t count, std::size_t mean, bool exponential)
{
    bench::host::generator random;
    std::vector<std::int32_t> offsets{0};
    for (std::size_t at = 0; at < count;) {
        double const uniform = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
        auto const length =
            exponential ? static_cast<std::size_t>(std::llround(-std::log(uniform) * static_cast<double>(mean))) : mean;
        at = std::min(count, at + length);
        offsets.push_back(static_cast<std::int32_t>(at));
    }
    return offsets;
}

/// What the segmented algorithms read and write.
template <class T>
struct segments_of {
    static constexpr std::size_t count = count_of<T>;
    std::vector<std::int32_t> offsets;
    std::vector<T> const& values = bench::host::random_elements<T>(count);
    std::vector<T> results = std::vector<T>(count);

    segments_of(std::size_t mean, bool exponential) : offsets(offsets_of(count, mean, exponential)) {}
};

/// What the algorithms by key read and write.
struct runs : segments_of<float> {
    std::vector<std::int32_t> keys, first_keys, lengths;

    runs(std::size_t mean, bool exponential)
        : segments_of(mean, exponential), keys(count), first_keys(count), lengths(count)
    {
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
            std::fill(keys.begin() + offsets[i], keys.begin() + offsets[i + 1], static_cast<std::int32_t>(i));
    }
};

/// Each algorithm: the library's call, the same in a plain loop, and the bytes of values and keys that it reads, and of
/// results per value that it writes.
/// @{
template <class T, class Op = std::plus<>>
struct segmented_reduce {
    using data = segments_of<T>;
    static constexpr int bytes = sizeof(T);
    static constexpr T init = bench::host::neutral<T>;
    static void run(auto policy, data& of)
    {
        tilewise::segmented_reduce(policy, of.values.begin(), of.offsets.begin(), of.offsets.end() - 1,
                                   of.offsets.begin() + 1, of.results.begin(), init, Op());
    }
    static void run_loop(data& of)
    {
        for (std::size_t i = 0; i + 1 < of.offsets.size(); ++i) {
            T sum = init;
            for (auto j = of.offsets[i]; j < of.offsets[i + 1]; ++j)
                sum = Op()(sum, of.values[static_cast<std::size_t>(j)]);
            of.results[i] = sum;
        }
    }
};
template <class T, class Op = std::plus<>>
struct segmented_scan {
    using data = segments_of<T>;
    static constexpr int bytes = 2 * sizeof(T);
    static void run(auto policy, data& of)
    {
        tilewise::segmented_inclusive_scan(policy, of.values.begin(), of.offsets.begin(), of.offsets.end() - 1,
                                           of.offsets.begin() + 1, of.results.begin(), Op());
    }
    static void run_loop(data& of)
    {
        for (std::size_t i = 0; i + 1 < of.offsets.size(); ++i) {
            T sum = bench::host::neutral<T>;
            for (auto j = of.offsets[i]; j < of.offsets[i + 1]; ++j)
                of.results[static_cast<std::size_t>(j)] = sum = Op()(sum, of.values[static_cast<std::size_t>(j)]);
        }
    }
};
struct reduce_by_key {
    using data = runs;
    static constexpr int bytes = sizeof(float) + sizeof(std::int32_t);
    static void run(auto policy, runs& of)
    {
        tilewise::reduce_by_key(policy, of.keys.begin(), of.keys.end(), of.values.begin(), of.first_keys.begin(),
                                of.results.begin());
    }
    static void run_loop(runs& of)
    {
        std::size_t found = 0;
        for (std::size_t i = 0; i < runs::count; ++found) {
            auto const key = of.keys[i];
            float sum = of.values[i];
            for (++i; i < runs::count && of.keys[i] == key; ++i)
                sum += of.values[i];
            of.first_keys[found] = key;
            of.results[found] = sum;
        }
    }
};
struct scan_by_key {
    using data = runs;
    static constexpr int bytes = 2 * sizeof(float) + sizeof(std::int32_t);
    static void run(auto policy, runs& of)
    {
        tilewise::inclusive_scan_by_key(policy, of.keys.begin(), of.keys.end(), of.values.begin(), of.results.begin());
    }
    static void run_loop(runs& of)
    {
        float sum = of.values[0];
        of.results[0] = sum;
        for (std::size_t i = 1; i < runs::count; ++i) {
            sum = of.keys[i] == of.keys[i - 1] ? sum + of.values[i] : of.values[i];
            of.results[i] = sum;
        }
    }
};
struct count_by_key {
    using data = runs;
    static constexpr int bytes = sizeof(std::int32_t);
    static void run(auto policy, runs& of)
    {
        tilewise::count_by_key(policy, of.keys.begin(), of.keys.end(), of.first_keys.begin(), of.lengths.begin());
    }
    static void run_loop(runs& of)
    {
        std::size_t found = 0;
        for (std::size_t i = 0; i < runs::count; ++found) {
            auto const begin = i;
            for (++i; i < runs::count && of.keys[i] == of.keys[begin]; ++i)
                ;
            of.first_keys[found] = of.keys[begin];
            of.lengths[found] = static_cast<std::int32_t>(i - begin);
        }
    }
};
/// @}

constexpr std::int64_t short_ones = 128; // where the kind of element matters most

template <class Algorithm, class Call>
void add_one(std::string const& name, bool exponential, std::int64_t longest, Call call)
{
    using data = typename Algorithm::data;
    auto const run = [=](benchmark::State& state) {
        data of(static_cast<std::size_t>(state.range(0)), exponential);
        for (auto _ : state) {
            benchmark::DoNotOptimize(of.values.data());
            call(of);
            benchmark::ClobberMemory();
        }
        state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(data::count) * Algorithm::bytes);
    };
    auto* const added = benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime();
    for (std::int64_t mean = 2; mean < longest; mean *= 8)
        added->Arg(mean);
    added->Arg(longest);
}

template <class Algorithm>
void add(std::string const& name, std::int64_t longest = Algorithm::data::count)
{
    using data = typename Algorithm::data;
    for (bool const exponential : {false, true}) {
        auto const lengths = name + (exponential ? "_exponential/" : "_constant/");
        add_one<Algorithm>(lengths + "tilewise_seq", exponential, longest,
                           [](data& of) { Algorithm::run(tilewise::seq, of); });
        add_one<Algorithm>(lengths + "plain_loop", exponential, longest, [](data& of) { Algorithm::run_loop(of); });
        add_one<Algorithm>(lengths + "tilewise_par", exponential, longest,
                           [](data& of) { Algorithm::run(tilewise::par, of); });
    }
}

} // namespace

int bench::host::segmented(int argc, char** argv)
{
    using bench::host::matrix_product;
    add<segmented_reduce<float>>("segmented/reduce");
    add<segmented_reduce<std::uint32_t>>("segmented/reduce_u32", short_ones);
    add<segmented_reduce<matrix, matrix_product>>("segmented/reduce_matrix", short_ones);
    add<segmented_scan<float>>("segmented/inclusive_scan");
    add<segmented_scan<std::uint32_t>>("segmented/inclusive_scan_u32", short_ones);
    add<segmented_scan<matrix, matrix_product>>("segmented/inclusive_scan_matrix", short_ones);
    return run_registered(argc, argv);
}

int bench::host::by_key(int argc, char** argv)
{
    add<reduce_by_key>("by_key/reduce");
    add<scan_by_key>("by_key/inclusive_scan");
    add<count_by_key>("by_key/count");
    return run_registered(argc, argv);
}
