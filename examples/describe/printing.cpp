// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "printing.hpp"

#include "input.hpp"
#include "on_all_ranks.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

namespace example {
namespace {

double without_sign_of_nan(double value)
{
    return std::isnan(value) ? std::fabs(value) : value; // that sign says nothing
}

void print_line(char const* name, double value)
{
    std::printf("%-10s %.10g\n", name, without_sign_of_nan(value));
}

} // namespace

std::string title(options const& chosen, number_column const& column)
{
    auto const label = column.label.empty() ? "" : ", " + shortened(column.label, 200);
    return printable(shown_names(chosen) + label + " (" + std::string(column.type) + ')');
}

void print_counts(moments const& m)
{
    std::printf("count      %lld\n", static_cast<long long>(m.count));
    std::printf("missing    %lld\n", static_cast<long long>(m.nans));
}

void print(moments const& m)
{
    print_counts(m);
    print_line("sum", m.sum);
    if (m.count == 0) {
        std::printf("nothing to describe\n");
        return;
    }
    print_line("mean", mean(m));
    print_line("sample sd", sample_standard_deviation(m));
    print_line("min", m.min);
    print_line("max", m.max);
}

void print_time(double seconds, double bytes, std::string const& policy, int ranks)
{
    auto const on_ranks = ranks > 1 ? ", " + std::to_string(ranks) + " ranks" : "";
    std::printf("%.3f ms, %.2f GB/s, %s%s\n", seconds * 1e3, seconds > 0 ? bytes / seconds * 1e-9 : 0.0, policy.c_str(),
                on_ranks.c_str());
}

std::string line_of_total(std::size_t number, double value, double total)
{
    char line[80];
    std::snprintf(line, sizeof line, "%-10zu %-16.10g %.10g\n", number, without_sign_of_nan(value), total);
    return line;
}

void print_in_order(any_communicator& ranks, std::size_t lines, std::function<std::string(std::size_t)> const& line)
{
    bool const prints = ranks.rank() == 0;
    std::string text;
    on_all_ranks(ranks, [&] {
        for (std::size_t i = 0; i < lines; ++i) {
            if (prints) {
                std::fputs(line(i).c_str(), stdout);
            } else {
                text += line(i);
            }
        }
    });
    auto const sizes = all_gathered(ranks, text.size());
    std::string received;
    on_all_ranks(ranks, [&] { received.reserve(prints ? *std::max_element(sizes.begin(), sizes.end()) : 0); });
    for (int rank = 1; rank < ranks.size(); ++rank) {
        tilewise::outgoing const out{0, text.data(), text.size()};
        received.resize(prints ? sizes[static_cast<std::size_t>(rank)] : 0);
        tilewise::incoming const in{rank, received.data(), received.size()};
        ranks.exchange(std::span(&out, ranks.rank() == rank ? 1u : 0u), std::span(&in, prints ? 1u : 0u));
        std::fwrite(received.data(), 1, received.size(), stdout);
    }
}

} // namespace example
