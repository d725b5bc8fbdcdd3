// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the figures are measured on.

#include "cuda.cuh"
#include "results.hpp"

#include <cub/version.cuh>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

namespace bench {

/// What a command prints, or nothing.
inline std::string output_of(char const* command)
{
    std::FILE* const pipe = popen(command, "r");
    if (!pipe)
        return {};
    std::string text;
    char some[256];
    while (std::fgets(some, sizeof some, pipe))
        text += some;
    pclose(pipe);
    return text;
}

inline std::string version(int number) // of the CUDA runtime: 13000 is 13.0
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Prints the machine of the current device and returns it as a line of the results.
inline json_line describe_machine(std::string const& commit, bool cold)
{
    cudaDeviceProp properties = {};
    int device = 0, runtime = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    auto driver = output_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null");
    driver.resize(std::min(driver.find('\n'), driver.size())); // of the first GPU
    if (driver.empty())
        driver = "unknown";
    std::string const cub = std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                            std::to_string(CUB_SUBMINOR_VERSION);
    char date[32] = "";
    std::time_t const now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));

    std::printf("%s, %d multiprocessors, driver %s, CUDA %s, CUB %s, %s, commit %s\n", properties.name,
                properties.multiProcessorCount, driver.c_str(), version(runtime).c_str(), cub.c_str(), date,
                commit.c_str());
    return json_line()
        .text("kind", "machine")
        .text("gpu", properties.name)
        .number("multiprocessors", properties.multiProcessorCount)
        .number("l2_bytes", properties.l2CacheSize)
        .text("driver", driver)
        .text("runtime", version(runtime))
        .text("cub", cub)
        .text("date", date)
        .text("commit", commit)
        .truth("cold", cold);
}

} // namespace bench
