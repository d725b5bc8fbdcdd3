// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The command line of the benchmark of several GPUs.

#include "../options.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct rank_options {
    std::vector<int> sizes{28, 30, 32, 33}; ///< binary logarithms of the elements of all ranks
    int size_of_each = 30;                  ///< the same for a rank, in weak scaling
    int size_of_call = 20;                  ///< the same for a rank, in calls whose latency is measured
    std::vector<std::string> parts{"latency", "strong", "weak"};
    int gpus = 0;          ///< or 0: all
    bool threads = false;  ///< one process with a thread for each GPU
    int rank = -1;         ///< of this process, or -1: it starts one for each rank
    std::string id;        ///< the file through which processes receive NCCL's identifiers
    int limit = 300;       ///< seconds
    bool is_quick = false; ///< few runs
    std::string out, commit = "unknown commit";

    bool wants_part(std::string_view part) const { return std::ranges::find(parts, part) != parts.end(); }
};

inline constexpr char const* rank_usage =
    "Usage: tilewise_bench_ranks [options]\n"
    "Runs on 1, 2, 4, ... GPUs, with a process for each.\n"
    "  --threads            one process with a thread for each GPU\n"
    "  --gpus N             uses N GPUs (all)\n"
    "  --parts A,B          what to measure: latency,strong,weak (all)\n"
    "  --sizes 28,30,32-33  binary logarithms of the numbers of elements of all ranks, for strong scaling\n"
    "  --quick              measures small sizes, with few runs\n"
    "  --limit SECONDS      ends the program after that time (300)\n"
    "  --out FILE           writes JSON lines to FILE\n"
    "  --commit TEXT        the commit to write to FILE\n"
    "To start the processes in another way, start one for each rank with\n"
    "  --rank R --gpus N --id FILE\n"
    "in addition. Rank 0 creates FILE, which must not exist, and leaves it.\n";

inline rank_options parse_rank_options(int argc, char** argv)
{
    rank_options result;
    bool sizes_given = false;
    for (int i = 1; i < argc; ++i) {
        std::string_view const name = argv[i];
        auto const value = [&]() -> std::string_view {
            if (++i == argc)
                throw std::invalid_argument("no value after " + std::string(name));
            return argv[i];
        };
        if (name == "--threads") {
            result.threads = true;
        } else if (name == "--gpus") {
            result.gpus = number(value(), 1, 64);
        } else if (name == "--rank") {
            result.rank = number(value(), 0, 63);
        } else if (name == "--id") {
            result.id = value();
        } else if (name == "--parts") {
            result.parts = names(value(), "latency,strong,weak");
        } else if (name == "--sizes") {
            result.sizes = numbers(value(), 10, 36);
            sizes_given = true;
        } else if (name == "--quick") {
            result.is_quick = true;
        } else if (name == "--limit") {
            result.limit = number(value(), 1, 3600);
        } else if (name == "--out") {
            result.out = value();
        } else if (name == "--commit") {
            result.commit = value();
        } else {
            throw std::invalid_argument("unknown option " + std::string(name));
        }
    }
    if (result.rank >= 0 && (result.id.empty() || result.rank >= result.gpus || result.threads))
        throw std::invalid_argument("--rank needs --gpus, of which there are more, and --id, and no --threads");
    if (result.is_quick) {
        result.size_of_each = 22;
        if (!sizes_given)
            result.sizes = {20, 24};
    }
    return result;
}

} // namespace bench
