// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// tilewise_bench SUITE [options]: every algorithm beside its baselines, in one run and on the same data.

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
    {"reduce", "sums and products on the processor, beside the standard's and a left fold", bench::host::reduce},
    {"scan", "running sums on the processor, beside the standard's and a copy", bench::host::scan},
    {"histogram", "histograms on the processor, beside Boost.Histogram and a loop", bench::host::histogram},
#ifdef TILEWISE_BENCH_DEVICE
    {"device_reduce", "sums and products on the GPU, beside CUB, Thrust and the read bandwidth", bench::device::reduce},
    {"device_scan", "running sums on the GPU, beside CUB, Thrust and a copy", bench::device::scan},
    {"device_segmented", "reductions and scans of segments on the GPU, beside CUB and a copy",
     bench::device::segmented},
    {"device_by_key", "reductions, scans and lengths of runs of keys on the GPU, beside CUB", bench::device::by_key},
    {"device_histogram", "histograms on the GPU, beside CUB and the read bandwidth", bench::device::histogram},
#endif
};

int usage()
{
    std::fputs("tilewise_bench SUITE [options]\n", stderr);
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
