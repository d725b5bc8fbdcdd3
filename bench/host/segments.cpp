// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Algorithms for segments and for runs of equal keys, beside a plain loop over these in the same run, on the same
/// data: 2^22 floats, and segments and runs whose lengths are all the same or exponentially distributed.
///
/// Every benchmark is named <suite>/<algorithm>_<lengths>/<who>/<mean length>. `scripts/bench` turns the output into
/// the tables of docs/benchmarks.

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
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t count = std::size_t{1} << 22;

/// Where segments of a mean length begin, and `count`. Lengths that are exponentially distributed may be 0.
std::vector<std::int32_t> offsets_of(std::size_t mean, bool exponential)
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

/// What every algorithm here reads and writes.
struct arrays {
    std::vector<std::int32_t> offsets, keys;
    std::vector<float> const& values;
    std::vector<float> results;
    std::vector<std::int32_t> first_keys, lengths;

    arrays(std::size_t mean, bool exponential)
        : offsets(offsets_of(mean, exponential)), keys(count), values(bench::host::random_elements<float>(count)),
          results(count), first_keys(count), lengths(count)
    {
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
            std::fill(keys.begin() + offsets[i], keys.begin() + offsets[i + 1], static_cast<std::int32_t>(i));
    }
};

/// Each algorithm: the library's call, the same in a plain loop, and the bytes of values and keys that it reads, and of
/// results per value that it writes.
/// @{
struct segmented_reduce {
    static constexpr int bytes = sizeof(float);
    static void run(auto policy, arrays& of)
    {
        tilewise::segmented_reduce(policy, of.values.begin(), of.offsets.begin(), of.offsets.end() - 1,
                                   of.offsets.begin() + 1, of.results.begin());
    }
    static void run_loop(arrays& of)
    {
        for (std::size_t i = 0; i + 1 < of.offsets.size(); ++i) {
            float sum = 0;
            for (auto j = of.offsets[i]; j < of.offsets[i + 1]; ++j)
                sum += of.values[static_cast<std::size_t>(j)];
            of.results[i] = sum;
        }
    }
};
struct segmented_scan {
    static constexpr int bytes = 2 * sizeof(float);
    static void run(auto policy, arrays& of)
    {
        tilewise::segmented_inclusive_scan(policy, of.values.begin(), of.offsets.begin(), of.offsets.end() - 1,
                                           of.offsets.begin() + 1, of.results.begin());
    }
    static void run_loop(arrays& of)
    {
        for (std::size_t i = 0; i + 1 < of.offsets.size(); ++i) {
            float sum = 0;
            for (auto j = of.offsets[i]; j < of.offsets[i + 1]; ++j)
                of.results[static_cast<std::size_t>(j)] = sum += of.values[static_cast<std::size_t>(j)];
        }
    }
};
struct reduce_by_key {
    static constexpr int bytes = sizeof(float) + sizeof(std::int32_t);
    static void run(auto policy, arrays& of)
    {
        tilewise::reduce_by_key(policy, of.keys.begin(), of.keys.end(), of.values.begin(), of.first_keys.begin(),
                                of.results.begin());
    }
    static void run_loop(arrays& of)
    {
        std::size_t runs = 0;
        for (std::size_t i = 0; i < count; ++runs) {
            auto const key = of.keys[i];
            float sum = of.values[i];
            for (++i; i < count && of.keys[i] == key; ++i)
                sum += of.values[i];
            of.first_keys[runs] = key;
            of.results[runs] = sum;
        }
    }
};
struct scan_by_key {
    static constexpr int bytes = 2 * sizeof(float) + sizeof(std::int32_t);
    static void run(auto policy, arrays& of)
    {
        tilewise::inclusive_scan_by_key(policy, of.keys.begin(), of.keys.end(), of.values.begin(), of.results.begin());
    }
    static void run_loop(arrays& of)
    {
        float sum = of.values[0];
        of.results[0] = sum;
        for (std::size_t i = 1; i < count; ++i) {
            sum = of.keys[i] == of.keys[i - 1] ? sum + of.values[i] : of.values[i];
            of.results[i] = sum;
        }
    }
};
struct count_by_key {
    static constexpr int bytes = sizeof(std::int32_t);
    static void run(auto policy, arrays& of)
    {
        tilewise::count_by_key(policy, of.keys.begin(), of.keys.end(), of.first_keys.begin(), of.lengths.begin());
    }
    static void run_loop(arrays& of)
    {
        std::size_t runs = 0;
        for (std::size_t i = 0; i < count; ++runs) {
            auto const begin = i;
            for (++i; i < count && of.keys[i] == of.keys[begin]; ++i)
                ;
            of.first_keys[runs] = of.keys[begin];
            of.lengths[runs] = static_cast<std::int32_t>(i - begin);
        }
    }
};
/// @}

template <class Algorithm, class Call>
void add_one(std::string const& name, bool exponential, Call call)
{
    auto const run = [=](benchmark::State& state) {
        arrays of(static_cast<std::size_t>(state.range(0)), exponential);
        for (auto _ : state) {
            benchmark::DoNotOptimize(of.values.data());
            call(of);
            benchmark::ClobberMemory();
        }
        state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(count) * Algorithm::bytes);
    };
    auto* const added = benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime();
    for (std::int64_t mean = 2; mean < std::int64_t{count}; mean *= 8)
        added->Arg(mean);
    added->Arg(count);
}

template <class Algorithm>
void add(std::string const& name)
{
    for (bool const exponential : {false, true}) {
        auto const lengths = name + (exponential ? "_exponential/" : "_constant/");
        add_one<Algorithm>(lengths + "tilewise_seq", exponential,
                           [](arrays& of) { Algorithm::run(tilewise::seq, of); });
        add_one<Algorithm>(lengths + "plain_loop", exponential, [](arrays& of) { Algorithm::run_loop(of); });
        add_one<Algorithm>(lengths + "tilewise_par", exponential,
                           [](arrays& of) { Algorithm::run(tilewise::par, of); });
    }
}

} // namespace

int bench::host::segmented(int argc, char** argv)
{
    add<segmented_reduce>("segmented/reduce");
    add<segmented_scan>("segmented/inclusive_scan");
    return run_registered(argc, argv);
}

int bench::host::by_key(int argc, char** argv)
{
    add<reduce_by_key>("by_key/reduce");
    add<scan_by_key>("by_key/inclusive_scan");
    add<count_by_key>("by_key/count");
    return run_registered(argc, argv);
}
