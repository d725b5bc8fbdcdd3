// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes one column of numbers: how many there are, their sum, mean, standard deviation, minimum and maximum; or
// writes its running totals, or draws its histogram.

#include "describe.hpp"

#include "bad_input.hpp"
#include "csv.hpp"
#include "gpu.hpp"
#include "histogram.hpp"
#include "input_file.hpp"
#include "npy.hpp"
#include "options.hpp"
#include "policies.hpp"
#include "raw.hpp"
#include "running.hpp"
#include "text.hpp"

#include <tilewise/core/config.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace example;

constexpr char const* help = R"(Usage: describe [options] FILE

Describes one column of numbers: count, missing (NaNs, fields without a number),
sum, mean, sample standard deviation (divisor n - 1), minimum and maximum, and
how fast. FILE may be -, which is standard input.

  --column NAME|NUMBER  which column, by name or counted from 1; default: the
                        first that holds numbers
  --format csv|npy|raw  what the file is; default: raw where there is a --type,
                        else by its ending (.csv, .tsv, .npy, .bin, .raw), else
                        by its first bytes: npy or csv
  --type TYPE           what a raw file holds: f16 f32 f64 i8 i16 i32 i64
                        u8 u16 u32 u64 bool
  --policy POLICY       where to compute: %s; default: device
                        where there is a GPU that this was compiled for, else par
  --running             write each number with the total of all up to it, in
                        place of the description; what is missing adds nothing
  --histogram           draw how many numbers lie where, in place of the
                        description
  --bins N              about how many bins; default: by the count, up to 40
  --svg FILE            draw the histogram to this file, too; it is replaced,
                        and cannot be the file that is read
  --repeat N            compute N times and report the median time; default: 1
  --help                show this
  --version             show the version

csv  fields separated by , or ; or tabs, quoted or not, in UTF-8; a first line
     that holds no number is a header; numbers have decimal points. Missing are
     empty fields and -, NA, N/A, nan, none, null, in capitals or not. Blank
     lines are skipped, and lines that begin with #, but after the first line of
     fields not those with as many fields, two or more, as it has
npy  a little-endian NumPy array of up to two dimensions, in C order
raw  little-endian numbers and nothing else

Numbers are computed with as f64: whole numbers beyond 2^53 lose their last
digits. The time is that of the computation alone, without opening, parsing or
copying to the GPU; npy and raw files are mapped, so under seq and par it
includes reading what memory does not hold yet. GB/s counts the bytes of the
column; with --running 16 bytes for each number, which is read as f64, and its
total; with --histogram 8 bytes for each, and the time is that of counting, once
the extremes are known.

Edges of bins are round numbers. A bin has what is at its lower edge, and not
what is at its upper.

Exit status: 0, 1 when the file is bad or a computation fails, 2 when the command
line is bad.
)";

file_format format_of(input_file const& file)
{
    return file.text().starts_with("\x93NUMPY") ? file_format::npy : file_format::csv;
}

number_column read_column(input_file const& file, options const& chosen)
{
    switch (chosen.format ? *chosen.format : format_of(file)) {
    case file_format::csv:
        return read_csv(file.text(), chosen.column);
    case file_format::npy:
        return read_npy(file.bytes(), chosen.column);
    case file_format::raw:
        return read_raw(file.bytes(), chosen.type, chosen.column);
    }
    throw std::logic_error("unreachable");
}

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

void print_line(char const* name, double value)
{
    std::printf("%-10s %.10g\n", name, std::isnan(value) ? std::fabs(value) : value); // a NaN's sign says nothing
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

std::string shown_name(std::string const& file)
{
    return file == "-" ? "standard input" : file;
}

std::string title(options const& chosen, number_column const& column)
{
    auto const label = column.label.empty() ? "" : ", " + shortened(column.label, 200);
    return printable(shown_name(chosen.file) + label + " (" + std::string(column.type) + ')');
}

void print_time(double seconds, double bytes, options const& chosen)
{
    std::printf("%.3f ms, %.2f GB/s, %s\n", seconds * 1e3, seconds > 0 ? bytes / seconds * 1e-9 : 0.0,
                chosen.policy.c_str());
}

template <class Policy>
void describe_column(options const& chosen, Policy const& policy, input_file const& file, number_column const& column)
{
    auto const measure = [&](auto const& numbers) {
        return median_of_runs(chosen.repeat, [&] { return describe(policy, numbers); });
    };
    auto const [result, seconds] =
        std::visit([&](auto const& numbers) { return with_readable_numbers(policy, numbers, measure); }, column.values);
    file.expect_not_truncated();
    std::printf("%s\n", title(chosen, column).c_str());
    print(result);
    auto const type = find_element_type(&named_element_type::name, column.type);
    print_time(seconds, static_cast<double>(result.count + result.nans) * static_cast<double>(size_of(type->type)),
               chosen);
}

shared_vector<double> as_doubles(number_column const& column)
{
    shared_vector<double> numbers;
    std::visit(
        [&](auto const& elements) {
            for (auto const& element : elements) {
                numbers.push_back(static_cast<double>(element));
            }
        },
        column.values);
    return numbers;
}

template <class Policy>
void total_column(options const& chosen, Policy const& policy, input_file const& file, number_column const& column)
{
    auto const numbers = as_doubles(column);
    file.expect_not_truncated();
    shared_vector<double> totals(numbers.size());
    auto const [end, seconds] =
        median_of_runs(chosen.repeat, [&] { return running_totals(policy, numbers, totals.begin()); });
    std::printf("%s\n", title(chosen, column).c_str());
    for (std::size_t i = 0; i < totals.size(); ++i) {
        std::printf("%-10zu %-16.10g %.10g\n", i + 1, std::isnan(numbers[i]) ? std::fabs(numbers[i]) : numbers[i],
                    totals[i]);
    }
    print_time(seconds, static_cast<double>(end - totals.begin()) * 2 * sizeof(double), chosen);
}

void print_bins(std::vector<double> const& edges, shared_vector<std::uint64_t> const& counts)
{
    auto const most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    std::printf("%-16s %-16s count\n", "from", "to below");
    for (std::size_t i = 0; i < counts.size(); ++i) {
        auto const of_bin = static_cast<double>(counts[i]);
        std::printf("%-16.10g %-16.10g %-10.0f %s\n", edges[i], edges[i + 1], of_bin, bar(40 * of_bin / most).c_str());
    }
}

template <class Policy>
void draw_column(options const& chosen, Policy const& policy, input_file const& file, number_column const& column)
{
    auto const numbers = as_doubles(column);
    file.expect_not_truncated();
    auto const m = describe(policy, numbers);
    auto const name = title(chosen, column);
    if (m.count == 0) {
        std::printf("%s\n", name.c_str());
        print_counts(m);
        std::printf("nothing to draw\n");
        print_time(0, 0, chosen);
        return;
    }
    auto const axis = round_axis(m, chosen.bins.value_or(usual_bins(m.count)));
    auto const [counts, seconds] = median_of_runs(chosen.repeat, [&] { return bin_counts(policy, numbers, axis); });
    if (chosen.svg) {
        drawing_of(axis.edges(), counts, name).write(*chosen.svg);
    }
    std::printf("%s\n", name.c_str());
    print_counts(m);
    print_bins(axis.edges(), counts);
    print_time(seconds, static_cast<double>(numbers.size()) * sizeof(double), chosen);
}

template <class Policy>
void describe_file(options const& chosen, Policy const& policy)
{
    input_file const file(chosen.file);
    if (file.is_standard_output()) {
        throw usage_error("standard output is " + example::quoted(shown_name(chosen.file)) + ", the file to read");
    }
    if (chosen.svg && file.is_same_as(*chosen.svg)) {
        throw usage_error("--svg would replace " + example::quoted(shown_name(chosen.file)) + ", the file to read");
    }
    auto const column = read_column(file, chosen);
    if (chosen.running) {
        total_column(chosen, policy, file, column);
    } else if (chosen.histogram) {
        draw_column(chosen, policy, file, column);
    } else {
        describe_column(chosen, policy, file, column);
    }
}

int report(std::string const& message, int status)
{
    std::fprintf(stderr, "describe: %s\n", printable(shortened(message, 1000)).c_str());
    return status;
}

std::string with_place(std::string const& file, bad_input const& error)
{
    auto const place = error.place();
    auto const where = place ? ':' + std::to_string(place->line) + ':' + std::to_string(place->column) : "";
    return shown_name(file) + where + ": " + error.what();
}

void run(options& chosen)
{
    if (chosen.help) {
        std::printf(help, policy_names().c_str());
    } else if (chosen.version) {
        std::printf("describe, of tilewise %d.%d.%d\n", TILEWISE_VERSION_MAJOR, TILEWISE_VERSION_MINOR,
                    TILEWISE_VERSION_PATCH);
    } else {
        if (chosen.policy.empty()) {
            chosen.policy = default_policy();
        }
        with_policy(chosen.policy, [&](auto const& policy) { describe_file(chosen, policy); });
    }
}

} // namespace

int main(int argc, char** argv)
{
    options chosen;
    try {
        chosen = parse_options({argv + 1, argv + argc});
        run(chosen);
    } catch (usage_error const& error) {
        return report(std::string(error.what()) + "; see describe --help", 2);
    } catch (bad_input const& error) {
        return report(with_place(chosen.file, error), 1);
    } catch (std::bad_alloc const&) {
        return report("not enough memory", 1);
    } catch (std::exception const& error) {
        return report(error.what(), 1);
    }
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : report("standard output: cannot write", 1);
}
