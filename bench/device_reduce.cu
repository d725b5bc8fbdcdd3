// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// reduce on the GPU beside CUB, Thrust and a kernel that only reads, in one run and on the same data.
///
/// Every result is checked before it is timed. `scripts/gpu report` turns the output into the tables of
/// docs/benchmarks.

#include "device/bars.hpp"
#include "device/session.cuh"
#include "device/tables.hpp"

#include <cub/version.cuh>

#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>

namespace {

/// The first line that a command prints, or nothing.
std::string output_of(char const* command)
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

std::string version(int number) // of the CUDA runtime: 13000 is 13.0
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// What the figures are measured on.
void describe_machine(bench::session& run)
{
    cudaDeviceProp properties = {};
    int device = 0, runtime = 0;
    bench::check(cudaGetDevice(&device), "cudaGetDevice");
    bench::check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    bench::check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
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
    run.measured.write(bench::json_line()
                           .text("record", "machine")
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

} // namespace

int main(int argc, char** argv)
{
    try {
        bench::session run(bench::parse(argc, argv));
        describe_machine(run);
        if (run.chosen.wants_part("types")) {
            compare_floats_and_integers(run);
            compare_narrow(run);
            compare_transforms(run);
            compare_matrices(run);
        }
        if (run.chosen.wants_part("wrappings"))
            compare_wrappings(run);
        if (run.chosen.wants_part("wall"))
            compare_wall_time(run);
        print_tables(run.measured);
        report_bars(run.measured);
    } catch (std::invalid_argument const& wrong) {
        std::fprintf(stderr, "%s\n%s", wrong.what(), bench::usage);
        return 2;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "bench_device_reduce: %s\n", error.what());
        return 1;
    }
}
