// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes one column of numbers: how many there are, their sum, mean, standard deviation, minimum and maximum; or
// writes its running totals, or draws its histogram.

#include "any_communicator.hpp"
#include "bad_input.hpp"
#include "input.hpp"
#include "mpi.hpp"
#include "on_all_ranks.hpp"
#include "options.hpp"
#include "over_ranks.hpp"
#include "policies.hpp"
#include "progress.hpp"
#include "reports.hpp"
#include "text.hpp"

#include <tilewise/core/config.hpp>
#include <tilewise/distributed/self.hpp>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>

namespace {

using namespace example;

constexpr char const* help = R"(Usage: describe [options] FILE...

Describes one column of numbers: the count, the number of missing values (NaNs,
fields without a number), the sum, the mean, the sample standard deviation
(divisor n - 1), the minimum, the maximum, and the time. FILE may be -, for
standard input. The numbers of several files form one sequence; without
--column, their columns must have the same name.

  --column NAME|NUMBER  the column, by its name or counted from 1; default: the
                        first one with numbers
  --format csv|npy|raw  the format of the files; default: raw if there is a
                        --type, otherwise by the extension (.csv, .tsv, .npy,
                        .bin, .raw), otherwise npy or csv by the first bytes
  --type TYPE           the type of the numbers in raw files: f16 f32 f64 i8 i16
                        i32 i64 u8 u16 u32 u64 bool
  --policy POLICY       where to compute: %s; default: device if
                        there is a GPU for which this was compiled, else par
  --running             write each number and the running sum up to it, instead
                        of the description; missing values add nothing
  --histogram           draw a histogram instead of the description
  --bins N              the approximate number of bins; default: up to 40,
                        depending on the count
  --svg FILE            also draw the histogram to FILE, which is replaced; an
                        input file is rejected
  --ranks N             run N threads as ranks, each with a part of the files;
                        the default policy is then par. Under device, they are
                        assigned to the GPUs of the machine in turn
  --repeat N            compute N times and report the median time; default: 1
  --help                show this help
  --version             show the version

csv  Fields are separated by commas, semicolons or tabs, quoted or not, in
     UTF-8. A first line without a number is a header. Numbers have decimal
     points. Missing values are empty fields and -, NA, N/A, nan, none, null, in
     upper or lower case. Blank lines are skipped, and lines that begin with #,
     unless they have as many fields, two or more, as the first line of fields.
npy  A little-endian NumPy array of up to two dimensions, in C order.
raw  Little-endian numbers without a header.

Numbers are converted to f64, so integers beyond 2^53 are rounded. The time does
not include opening and parsing. Files in the formats npy and raw are mapped, so
it includes reading from disk what is not in memory. Under device it includes
copying to the GPU, which takes most of the time. GB/s counts the bytes of the
column; with --running, 16 bytes for each number and its sum; with --histogram,
8 bytes for each number, and the time is that of counting, without that of
finding the extremes.

Under mpirun -n N, each of N processes computes its part, as with --ranks, and
the first one prints. The output has the same bits for any number of ranks.
Under device, process i uses GPU i modulo the number of GPUs.

The edges of bins are round numbers. A bin includes its lower edge, and excludes
its upper edge.

After two seconds, the progress is shown if standard error is a terminal. Ctrl-C
ends the program and leaves the file of --svg as it was.

Exit status: 0; 1 if a file is invalid or a computation fails; 2 if the command
line is invalid; 130 after Ctrl-C.
)";

int report(std::string const& message, int status)
{
    std::fprintf(stderr, "describe: %s\n", printable(shortened(message, 1000)).c_str());
    return status;
}

void describe_alone(options const& chosen)
{
    with_policy(chosen.policy, [&](auto const& policy) {
        auto const files = open_files(chosen);
        tilewise::self_communicator self;
        communicator_reference alone(self);
        run_job(alone, chosen, policy, files);
    });
}

void print_about(options const& chosen)
{
    if (chosen.help) {
        std::printf(help, policy_names().c_str());
    } else {
        std::printf("describe, of tilewise %d.%d.%d\n", TILEWISE_VERSION_MAJOR, TILEWISE_VERSION_MINOR,
                    TILEWISE_VERSION_PATCH);
    }
}

void run(options& chosen, std::optional<mpi_process> const& launched)
{
    bool const is_one_of_many = launched && launched->size > 1;
    if (chosen.help || chosen.version) {
        if (!launched || launched->rank == 0) {
            print_about(chosen);
        }
        return;
    }
    if (is_one_of_many && chosen.ranks) {
        throw usage_error("--ranks, or several processes: one at a time");
    }
    if (chosen.policy.empty()) {
        chosen.policy = is_one_of_many || chosen.ranks ? "par" : default_policy();
    }
    try {
        if (is_one_of_many) {
            describe_under_mpi(chosen);
        } else if (chosen.ranks) {
            describe_with_threads(chosen);
        } else {
            describe_alone(chosen);
        }
    } catch (failed_on_a_rank const& failed) {
        std::rethrow_exception(failed.error());
    }
}

} // namespace

int main(int argc, char** argv)
{
    // Of several processes one prints. It alone fails, too: a launcher ends all once one has, if they have printed or
    // not.
    auto const launched = launched_by_mpi();
    auto const report_once = [&](std::string const& message, int status) {
        return !launched || launched->rank == 0 ? report(message, status) : 0;
    };
    end_cleanly_on_interrupt();
    options chosen;
    try {
        chosen = parse_options({argv + 1, argv + argc});
        run(chosen, launched);
    } catch (usage_error const& error) {
        return report_once(std::string(error.what()) + "; see describe --help", 2);
    } catch (bad_input const& error) {
        return report_once(with_position(shown_names(chosen), error), 1);
    } catch (std::bad_alloc const&) {
        return report_once("not enough memory", 1);
    } catch (std::exception const& error) {
        return report_once(error.what(), 1);
    }
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : report("standard output: cannot write", 1);
}
