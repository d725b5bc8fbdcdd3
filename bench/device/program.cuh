// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suites have in common: options, what is measured on, the parts, tables, targets.

#include "session.cuh"
#include "target.hpp"

#include <cub/version.cuh>

#include <cstdio>
#include <ctime>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The first line that a command prints, or nothing.
inline std::string output_of(char const* command)
{
    std::string line(128, '\0');
    std::FILE* const pipe = popen(command, "r");
    if (!pipe)
        return {};
    if (!std::fgets(line.data(), static_cast<int>(line.size()), pipe))
        line.clear();
    pclose(pipe);
    return line.substr(0, line.find_first_of(std::string_view("\n\0", 2)));
}

inline std::string version(int number) // of the CUDA runtime: 13000 is 13.0
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// What the figures are measured on.
inline void describe_machine(session& run)
{
    cudaDeviceProp properties = {};
    int device = 0, runtime = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    auto driver = output_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null");
    if (driver.empty())
        driver = "unknown";
    std::string const cub = std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
                            std::to_string(CUB_SUBMINOR_VERSION);
    char date[32] = "";
    std::time_t const now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));

    std::printf("%s, %d multiprocessors, driver %s, CUDA %s, CUB %s, %s, commit %s\n", properties.name,
                properties.multiProcessorCount, driver.c_str(), version(runtime).c_str(), cub.c_str(), date,
                run.chosen.commit.c_str());
    run.measured.write(json_line()
                           .text("kind", "machine")
                           .text("gpu", properties.name)
                           .number("multiprocessors", properties.multiProcessorCount)
                           .number("l2_bytes", properties.l2CacheSize)
                           .text("driver", driver)
                           .text("runtime", version(runtime))
                           .text("cub", cub)
                           .text("date", date)
                           .text("commit", run.chosen.commit)
                           .truth("cold", !run.chosen.warm));
}

/// What a suite measures and what it says of that.
struct program {
    bench::command command;
    void (*measure)(session&);
    void (*print_tables)(results const&);
    std::vector<target> targets;
};

/// The status for main.
inline int run_program(program const& one, int argc, char** argv)
{
    try {
        if (argc == 2 && argv[1] == std::string_view("--help")) {
            std::printf("%s", usage(one.command).c_str());
            return 0;
        }
        session run(parse(one.command, argc, argv));
        describe_machine(run);
        one.measure(run);
        one.print_tables(run.measured);
        report_targets(run.measured, one.targets);
        return 0;
    } catch (std::invalid_argument const& wrong) {
        std::fprintf(stderr, "%s\n%s", wrong.what(), usage(one.command).c_str());
        return 2;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "%s: %s\n", one.command.name.c_str(), error.what());
        return 1;
    }
}

} // namespace bench
