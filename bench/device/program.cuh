// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suites have in common: options, the parts, tables, targets.

#include "machine.cuh"
#include "session.cuh"
#include "target.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace bench {

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
        run.measured.write(describe_machine(run.chosen.commit, !run.chosen.warm));
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
