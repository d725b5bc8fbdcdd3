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

Describes one column of numbers: count, missing (NaNs, fields without a number),
sum, mean, sample standard deviation (divisor n - 1), minimum and maximum, and
how fast. FILE may be -, which is standard input. The numbers of several files
are one sequence; without --column their columns have the same name.

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
  --ranks N             N threads, each with its part of the files, in place of
                        one; by default under par. Under device they use the
                        GPUs of the machine in turn
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

Under mpirun -n N each of N processes works on its part, as with --ranks, and
the first prints. The output is the same to the last bit, whatever the number of
ranks. Under device process i uses GPU i modulo the number of GPUs.

Edges of bins are round numbers. A bin has what is at its lower edge, and not
what is at its upper.

A job of more than two seconds shows its progress, if standard error is a
terminal. Ctrl-C ends it and leaves the file of --svg as it was.

Exit status: 0, 1 when the file is bad or a computation fails, 2 when the command
line is bad, 130 after Ctrl-C.
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
