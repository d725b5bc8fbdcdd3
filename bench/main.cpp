// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// tilewise_bench SUITE [options]: every algorithm and its baselines, in one run and on the same data.

#include "suites.hpp"

#include <cstdio>
#include <string_view>

namespace {

struct suite {
    std::string_view name;
    char const* description;
    int (*run)(int argc, char** argv);
};

constexpr suite suites[] = {
    {"reduce", "reductions on the CPU, compared with the standard library and a left fold", bench::host::reduce},
    {"scan", "scans on the CPU, compared with the standard library and a copy", bench::host::scan},
    {"segmented", "segmented reductions and scans on the CPU, compared with a plain loop", bench::host::segmented},
    {"by_key", "reductions, scans and run-length encoding by key on the CPU, compared with a plain loop",
     bench::host::by_key},
    {"histogram", "histograms on the CPU, compared with Boost.Histogram and a plain loop", bench::host::histogram},
#ifdef TILEWISE_BENCH_DEVICE
    {"device_reduce", "reductions on the GPU, compared with CUB, Thrust and the read bandwidth", bench::device::reduce},
    {"device_scan", "scans on the GPU, compared with CUB, Thrust and a copy", bench::device::scan},
    {"device_segmented", "segmented reductions and scans on the GPU, compared with CUB and a copy",
     bench::device::segmented},
    {"device_by_key", "reductions, scans and run-length encoding by key on the GPU, compared with CUB",
     bench::device::by_key},
    {"device_histogram", "histograms on the GPU, compared with CUB and the read bandwidth", bench::device::histogram},
#endif
};

int usage()
{
    std::fputs("Usage: tilewise_bench SUITE [options]\n", stderr);
    for (suite const& one : suites)
        std::fprintf(stderr, "  %-17s %s\n", one.name.data(), one.description);
    std::fputs("tilewise_bench SUITE --help lists its options\n", stderr);
    return 2;
}

} // namespace

int main(int argc, char** argv)
{
    for (suite const& one : suites)
        if (argc > 1 && argv[1] == one.name)
            return one.run(argc - 1, argv + 1);
    return usage();
}
