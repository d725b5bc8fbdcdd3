// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"
#include "describe.hpp"
#include "gpu.hpp"
#include "histogram.hpp"
#include "input.hpp"
#include "on_all_ranks.hpp"
#include "options.hpp"
#include "printing.hpp"
#include "progress.hpp"
#include "running.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <unistd.h>
#include <variant>
#include <vector>

namespace example {

template <class Result>
struct timed {
    Result result;
    double seconds;
};

template <class Compute>
auto median_of_runs(int repeat, Compute compute)
{
    using clock = std::chrono::steady_clock;
    timed<decltype(compute())> last{};
    std::vector<double> seconds;
    for (int run = 0; run < repeat; ++run) {
        auto const start = clock::now();
        last.result = compute();
        seconds.push_back(std::chrono::duration<double>(clock::now() - start).count());
    }
    auto const middle = seconds.begin() + repeat / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    last.seconds = *middle;
    return last;
}

inline void expect_not_truncated(input_files const& files)
{
    for (auto const& file : files) {
        file.expect_not_truncated();
    }
}

/// One rank's part of a job: `policy` computes over all ranks, each with its part of the column. Rank 0 prints.
template <class Policy>
struct job {
    any_communicator& ranks;
    options const& chosen;
    Policy const& policy;
    input_files const& files;

    std::optional<progress_line> shown = std::nullopt; ///< until something is printed

    void run()
    {
        if (ranks.rank() == 0 && is_terminal(STDERR_FILENO)) {
            shown.emplace(STDERR_FILENO);
        }
        auto const column = read_column(ranks, chosen, files);
        if (chosen.running) {
            total(column);
        } else if (chosen.histogram) {
            draw(column);
        } else {
            describe(column);
        }
    }

private:
    void describe(number_column const& column)
    {
        auto const measure = [&]<class Numbers>(Numbers const& numbers) {
            std::optional<readable_numbers<Policy, Numbers>> readable;
            on_all_ranks(ranks, [&] { readable.emplace(numbers); });
            return median_of_runs(chosen.repeat, [&] { return example::describe(policy, readable->get()); });
        };
        auto const [result, seconds] = std::visit(measure, column.values);
        on_all_ranks(ranks, [&] { expect_not_truncated(files); });
        shown.reset();
        if (ranks.rank() == 0) {
            std::printf("%s\n", title(chosen, column).c_str());
            print(result);
            auto const type = find_element_type(&named_element_type::name, column.type);
            print_time(seconds,
                       static_cast<double>(result.count + result.nans) * static_cast<double>(size_of(type->type)));
        }
    }

    void total(number_column const& column)
    {
        std::vector<double> numbers, totals;
        on_all_ranks(ranks, [&] {
            numbers = as_doubles(column);
            totals.resize(numbers.size());
        });
        auto const [end, seconds] =
            median_of_runs(chosen.repeat, [&] { return running_totals(policy, numbers, totals.begin()); });
        auto const counts = all_gathered(ranks, numbers.size());
        auto const before = std::accumulate(counts.begin(), counts.begin() + ranks.rank(), std::size_t{0});
        shown.reset();
        if (ranks.rank() == 0) {
            std::printf("%s\n", title(chosen, column).c_str());
        }
        print_in_order(ranks, numbers.size(),
                       [&](std::size_t i) { return line_of_total(before + i + 1, numbers[i], totals[i]); });
        if (ranks.rank() == 0) {
            auto const count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
            print_time(seconds, static_cast<double>(count) * 2 * sizeof(double));
        }
    }

    void draw(number_column const& column)
    {
        std::vector<double> numbers;
        on_all_ranks(ranks, [&] { numbers = as_doubles(column); });
        auto const m = example::describe(policy, numbers);
        auto const name = title(chosen, column);
        if (m.count == 0) {
            shown.reset();
            if (ranks.rank() == 0) {
                std::printf("%s\n", name.c_str());
                print_counts(m);
                std::printf("nothing to draw\n");
                print_time(0, 0);
            }
            return;
        }
        std::optional<tilewise::variable_axis<double>> axis;
        on_all_ranks(ranks, [&] { axis = round_axis(m, chosen.bins.value_or(usual_bins(m.count))); });
        auto const binned = median_of_runs(chosen.repeat, [&] { return bin_counts(policy, numbers, *axis); });
        on_all_ranks(ranks, [&] {
            if (ranks.rank() == 0 && chosen.svg) {
                drawing_of(axis->edges(), binned.result, name).write(*chosen.svg);
            }
        });
        shown.reset();
        if (ranks.rank() == 0) {
            std::printf("%s\n", name.c_str());
            print_counts(m);
            print_bins(axis->edges(), binned.result);
            print_time(binned.seconds, static_cast<double>(m.count + m.nans) * sizeof(double));
        }
    }

    std::vector<double> as_doubles(number_column const& column) const
    {
        std::vector<double> numbers;
        std::visit(
            [&](auto const& elements) {
                for (auto const& element : elements) {
                    numbers.push_back(static_cast<double>(element));
                }
            },
            column.values);
        expect_not_truncated(files);
        return numbers;
    }

    void print_time(double seconds, double bytes) const
    {
        example::print_time(seconds, bytes, chosen.policy, ranks.size());
    }
};

template <class Policy>
void run_job(any_communicator& ranks, options const& chosen, Policy const& policy, input_files const& files)
{
    job<Policy>{ranks, chosen, policy, files}.run();
}

} // namespace example
