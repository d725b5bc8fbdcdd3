// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Climbs the ladders of reductions, scans and histograms on this machine, on its GPU if it has one, and prints what
/// every version takes. docs/ladders.md says what they are.
///
///     example_ladder [reductions|scans|histograms] [--log2-size 25] [--runs 21] [--json FILE]
///
/// Ends with 1 if a version is wrong.

#include "measure.hpp"

#include <tilewise/tilewise.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include "device_versions.hpp"
#endif

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace tw = tilewise;

struct options {
    std::string ladder = "all";
    int log2_size = 25, runs = 21;
    std::string json;

    bool wants(std::string_view name) const { return ladder == "all" || ladder == name; }
};

int number(std::string_view text, int least, int most)
{
    int value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        throw std::invalid_argument("a number from " + std::to_string(least) + " to " + std::to_string(most) +
                                    " is wanted, not `" + std::string(text) + "`");
    return value;
}

options options_of(std::vector<std::string> const& arguments)
{
    options chosen;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string const& word = arguments[i];
        if (word == "reductions" || word == "scans" || word == "histograms") {
            chosen.ladder = word;
            continue;
        }
        if (i + 1 == arguments.size() || (word != "--log2-size" && word != "--runs" && word != "--json"))
            throw std::invalid_argument("unknown, or without a value: `" + word + "`");
        std::string const& value = arguments[++i];
        if (word == "--log2-size")
            chosen.log2_size = number(value, 4, 30);
        else if (word == "--runs")
            chosen.runs = number(value, 1, 1001);
        else
            chosen.json = value;
    }
    return chosen;
}

/// Small numbers of both signs: any order of adding them up is exact, in float as well.
template <class T>
std::vector<T> small_numbers(std::size_t count)
{
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> one(-4, 4);
    std::vector<T> values(count);
    for (T& value : values)
        value = static_cast<T>(one(generator));
    return values;
}

enum class shape { uniform, skewed, one_value };

std::vector<unsigned char> some_bytes(std::size_t count, shape wanted)
{
    std::mt19937 generator(2);
    std::geometric_distribution<int> few(0.2);
    std::vector<unsigned char> values(count);
    for (unsigned char& value : values)
        value = wanted == shape::uniform  ? static_cast<unsigned char>(generator())
                : wanted == shape::skewed ? static_cast<unsigned char>(std::min(few(generator), 255))
                                          : static_cast<unsigned char>(42);
    return values;
}

/// Reads 8 bytes at a time with all cores: the ceiling of what the processor's memory gives.
double read_ceiling_of_host(void const* memory, std::size_t bytes)
{
    auto const* const words = static_cast<std::uint64_t const*>(memory);
    std::size_t const count = bytes / sizeof *words;
    std::uint64_t volatile result = 0;
    auto const run = [&] { result = tw::reduce(tw::par, words, words + count, std::uint64_t{}, std::bit_xor<>{}); };
    return static_cast<double>(count * sizeof *words) / ladder::median_microseconds(run, ladder::seconds_on_host, 5);
}

/// @name The versions that run on the processor
/// @{
template <class T>
ladder::report climb_reductions_on_host(std::vector<T> const& values, std::string const& name, int runs)
{
    T const expected = std::accumulate(values.begin(), values.end(), T{});
    T sum{};
    std::vector<ladder::version> versions;
    auto const add = [&](char const* what, std::function<void()> run) {
        versions.push_back(
            {what, std::move(run), [&] { return sum == expected; }, static_cast<double>(values.size() * sizeof(T))});
    };
    add("a loop", [&] { sum = std::accumulate(values.begin(), values.end(), T{}); });
    add("std::reduce", [&] { sum = std::reduce(values.begin(), values.end()); });
    add("tilewise::reduce, seq", [&] { sum = tw::reduce(tw::seq, values); });
    add("tilewise::reduce, par", [&] { sum = tw::reduce(tw::par, values); });
    double const ceiling = read_ceiling_of_host(values.data(), values.size() * sizeof(T));
    return ladder::climb("Reductions on the processor: the sum of " + std::to_string(values.size()) + " " + name,
                         versions, "read bandwidth", ceiling, ladder::seconds_on_host, runs);
}

template <class T>
ladder::report climb_scans_on_host(std::vector<T> const& values, std::string const& name, int runs)
{
    std::vector<T> expected(values.size()), sums(values.size());
    std::partial_sum(values.begin(), values.end(), expected.begin());
    std::vector<ladder::version> versions;
    auto const add = [&](char const* what, std::function<void()> run) {
        versions.push_back({what, std::move(run), [&] { return sums == expected; },
                            2.0 * static_cast<double>(values.size() * sizeof(T))});
    };
    add("a loop", [&] { std::partial_sum(values.begin(), values.end(), sums.begin()); });
    add("tilewise::inclusive_scan, seq", [&] { tw::inclusive_scan(tw::seq, values, sums.begin()); });
    add("tilewise::inclusive_scan, par", [&] { tw::inclusive_scan(tw::par, values, sums.begin()); });
    auto const copy = [&] { std::memcpy(sums.data(), values.data(), values.size() * sizeof(T)); };
    double const ceiling = 2.0 * static_cast<double>(values.size() * sizeof(T)) /
                           ladder::median_microseconds(copy, ladder::seconds_on_host, 5);
    return ladder::climb("Scans on the processor: the running sums of " + std::to_string(values.size()) + " " + name,
                         versions, "copy bandwidth", ceiling, ladder::seconds_on_host, runs);
}

ladder::report climb_histograms_on_host(std::vector<unsigned char> const& values, std::string const& name, int runs)
{
    std::vector<unsigned> expected(256), counts(256);
    for (unsigned char const value : values)
        ++expected[value];
    std::vector<ladder::version> versions;
    auto const add = [&](char const* what, std::function<void()> run) {
        versions.push_back(
            {what, std::move(run), [&] { return counts == expected; }, static_cast<double>(values.size())});
    };
    add("a loop", [&] {
        std::fill(counts.begin(), counts.end(), 0);
        for (unsigned char const value : values)
            ++counts[value];
    });
    add("tilewise::histogram, seq", [&] { tw::histogram(tw::seq, values, tw::integer_axis(0, 256), counts.begin()); });
    add("tilewise::histogram, par", [&] { tw::histogram(tw::par, values, tw::integer_axis(0, 256), counts.begin()); });
    double const ceiling = read_ceiling_of_host(values.data(), values.size());
    return ladder::climb("Histograms on the processor: " + std::to_string(values.size()) + " bytes, " + name, versions,
                         "read bandwidth", ceiling, ladder::seconds_on_host, runs);
}
/// @}

/// The name of the GPU, if there is one.
std::optional<std::string> gpu_name()
{
#if defined(__CUDACC__)
    int count = 0, device = 0;
    cudaDeviceProp properties;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0 && cudaGetDevice(&device) == cudaSuccess &&
        cudaGetDeviceProperties(&properties, device) == cudaSuccess)
        return properties.name;
    cudaGetLastError();
    return std::nullopt;
#elif defined(TILEWISE_DEVICE_ENGINE)
    return "the interpreter of kernels";
#else
    return std::nullopt;
#endif
}

std::vector<ladder::report> climb_all(options const& chosen, [[maybe_unused]] bool on_gpu)
{
    auto const size = std::size_t{1} << chosen.log2_size;
    std::vector<ladder::report> reports;
    auto const done = [&](ladder::report one) {
        ladder::print(one);
        reports.push_back(std::move(one));
    };
#ifdef TILEWISE_DEVICE_ENGINE
    std::optional<ladder::device_clock> clock;
    if (on_gpu)
        clock.emplace();
    int const log2_counted = std::min(chosen.log2_size, 16);
#endif
    if (chosen.wants("reductions")) {
        auto const integers = small_numbers<int>(size);
        auto const floats = small_numbers<float>(size);
        done(climb_reductions_on_host(integers, "int", chosen.runs));
        done(climb_reductions_on_host(floats, "float", chosen.runs));
#ifdef TILEWISE_DEVICE_ENGINE
        if (clock) {
            done(ladder::climb_reductions(integers, "int", *clock, chosen.runs));
            done(ladder::climb_reductions(floats, "float", *clock, chosen.runs));
        }
#endif
    }
    if (chosen.wants("scans")) {
        auto const integers = small_numbers<int>(size);
        done(climb_scans_on_host(integers, "int", chosen.runs));
#ifdef TILEWISE_DEVICE_ENGINE
        if (clock) {
            done(ladder::climb_scans(integers, "int", *clock, chosen.runs, log2_counted));
            done(ladder::climb_scans(small_numbers<float>(size), "float", *clock, chosen.runs, log2_counted));
        }
#endif
    }
    if (chosen.wants("histograms"))
        for (auto const& [name, wanted] : {std::pair("uniform", shape::uniform), std::pair("skewed", shape::skewed),
                                           std::pair("of one value", shape::one_value)}) {
            auto const bytes = some_bytes(size, wanted);
            done(climb_histograms_on_host(bytes, name, chosen.runs));
#ifdef TILEWISE_DEVICE_ENGINE
            if (clock)
                done(ladder::climb_histograms(bytes, name, *clock, chosen.runs));
#endif
        }
    return reports;
}

} // namespace

int main(int argc, char** argv)
try {
    options const chosen = options_of({argv + 1, argv + argc});
    auto const gpu = gpu_name();
    std::printf("%s\n\n", gpu ? gpu->c_str() : "Without a GPU: the versions of the processor");
    auto const reports = climb_all(chosen, gpu.has_value());
    if (!chosen.json.empty()) {
        std::ofstream file(chosen.json);
        file << ladder::as_json(reports, gpu.value_or("processor"));
        if (!file.flush())
            throw std::runtime_error("cannot write " + chosen.json);
    }
    for (ladder::report const& one : reports)
        for (ladder::measured const& version : one.versions)
            if (!version.is_right)
                return 1;
    return 0;
} catch (std::exception const& error) {
    std::fprintf(stderr, "ladder: %s\n", error.what());
    return 2;
}
