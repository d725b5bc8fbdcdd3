// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program over ranks, which says the same as alone: threads, and the processes of DESCRIBE_MPIRUN.

#include "command.hpp"
#include "npy_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace example;

std::string without_first_line(std::string const& text)
{
    return text.substr(text.find('\n') + 1);
}

/// Large numbers that cancel and small ones that stay, so that the digits of sums depend on the order of additions.
template <class T>
std::vector<T> cancelling_numbers(std::size_t count)
{
    std::mt19937_64 random(count);
    std::vector<T> numbers;
    while (numbers.size() < count) {
        auto const number = std::uniform_real_distribution<T>(0, 1)(random);
        bool const is_large = numbers.size() % 3 != 2 && numbers.size() + 1 < count;
        numbers.push_back(is_large ? number * T(1e15) : number);
        if (is_large) {
            numbers.push_back(-numbers.back());
        }
    }
    std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
}

std::string lines_of(std::vector<double> const& numbers)
{
    std::ostringstream text;
    text.precision(17);
    for (double const number : numbers) {
        text << number << '\n';
    }
    return text.str();
}

class over_ranks : public command {
protected:
    void expect_as_alone(std::string const& arguments)
    {
        auto const alone = describe(arguments);
        for (std::string const ranks : {"1", "2", "3", "7"}) {
            auto const actual = describe(arguments + " --ranks " + ranks);
            EXPECT_EQ(actual.status, alone.status) << arguments << ", " << ranks;
            EXPECT_EQ(actual.errors, alone.errors) << arguments << ", " << ranks;
            // (For long texts EXPECT_EQ takes minutes to find the differences.)
            EXPECT_TRUE(without_last_line(actual.output) == without_last_line(alone.output))
                << arguments << ", " << ranks << '\n'
                << actual.output.substr(0, 500) << alone.output.substr(0, 500);
        }
    }

    void expect_error_over_ranks(std::string const& arguments, int status, std::string const& message)
    {
        for (std::string const ranks : {"1", "2", "3", "7"}) {
            expect_error(arguments + " --ranks " + ranks, status, message);
        }
    }
};

TEST_F(over_ranks, says_of_the_data_what_it_says_alone)
{
    for (std::string const data :
         {DESCRIBE_DATA "/old_faithful.csv --column waiting", DESCRIBE_DATA "/mauna_loa_co2.csv --column ppm"}) {
        for (std::string const job : {"", " --histogram", " --running --policy seq", " --policy seq", " --bins 7"}) {
            EXPECT_EQ(describe(data + job).status, 0);
            expect_as_alone(data + job);
        }
    }
    auto const output = describe(DESCRIBE_DATA "/old_faithful.csv --ranks 3 --repeat 3").output;
    EXPECT_TRUE(output.ends_with(" GB/s, par, 3 ranks\n")) << output;
}

TEST_F(over_ranks, combines_numbers_of_every_format_in_the_same_order)
{
    auto const numbers = cancelling_numbers<double>(10'007);
    auto const floats = cancelling_numbers<float>(20'011);
    write("x.csv", "x\n" + lines_of(numbers));
    write("x.npy", npy_file(npy_dictionary("<f4", "(20011,)"), bytes_of(floats)));
    write("table.npy", npy_file(npy_dictionary("<f8", "(1429, 7)"), bytes_of(numbers).substr(0, 1429 * 56)));
    write("unaligned.npy", npy_file(npy_dictionary("<f8", "(10007,)"), bytes_of(numbers), 1, 1));
    write("x.bin", bytes_of(numbers));
    for (std::string const file : {"x.csv", "x.npy", "table.npy --column 5", "unaligned.npy", "x.bin --type f64",
                                   "x.npy --format raw --type i16", "x.npy --format raw --type bool"}) {
        EXPECT_EQ(describe(file).status, 0) << file;
        for (std::string const job : {"", " --policy seq", " --running", " --histogram"}) {
            expect_as_alone(file + job);
        }
    }
    write("reversed.bin", bytes_of(std::vector<double>(numbers.rbegin(), numbers.rend())));
    EXPECT_NE(without_first_line(without_last_line(describe("reversed.bin --type f64").output)),
              without_first_line(without_last_line(describe("x.bin --type f64").output)))
        << "another order goes unnoticed";
}

TEST_F(over_ranks, reads_files_with_few_records)
{
    write("empty.csv", "");
    write("header.csv", "a,b\n");
    write("one.csv", "a\n7");
    write("two.csv", "1\n2");
    write("missing.csv", "a,b\n,\n,\n");
    write("long.csv", "n,x\n\"" + repeated("1,1\n", 100) + "\",1\n2,2\n\"" + repeated("\n", 100) + "\",3");
    write("empty.npy", npy_file(npy_dictionary("<f8", "(0,)"), ""));
    write("scalar.npy", npy_file(npy_dictionary("<f8", "()"), bytes_of<double>({3})));
    write("two.npy", npy_file(npy_dictionary("<i2", "(2, 3)"), bytes_of<std::int16_t>({1, 2, 3, 4, 5, 6})) + "more");
    write("one.bin", "\x2A");
    for (std::string const file :
         {"empty.csv", "header.csv", "one.csv", "two.csv", "missing.csv", "long.csv --column x", "empty.npy",
          "scalar.npy", "two.npy", "two.npy --column 3", "one.bin --type u8", "empty.csv --type f64", "- <two.csv"}) {
        EXPECT_EQ(describe(file).status, 0) << file;
        for (std::string const job : {"", " --running", " --histogram"}) {
            expect_as_alone(job + ' ' + file);
        }
    }
}

TEST_F(over_ranks, takes_several_files_for_one_sequence)
{
    auto const numbers = cancelling_numbers<double>(5003);
    auto const bytes = bytes_of(numbers);
    write("all.bin", bytes);
    write("1.bin", bytes.substr(0, 8 * 1000));
    write("2.bin", "");
    write("3.bin", bytes.substr(8 * 1000, 8));
    write("4.bin", bytes.substr(8 * 1001));
    write("1.npy", npy_file(npy_dictionary("<f8", "(1000,)"), bytes.substr(0, 8 * 1000)));
    write("2.csv", "");
    write("3.csv", "x\n" + lines_of({numbers[1000]}));
    write("4.csv", "x\n" + lines_of({numbers.begin() + 1001, numbers.end()}));
    for (std::string const job : {"", " --running", " --histogram"}) {
        auto const all = describe("all.bin --type f64" + job).output;
        for (std::string const files : {"1.bin 2.bin 3.bin 4.bin --type f64", "1.npy 2.csv 3.csv 4.csv"}) {
            auto const parts = describe(files + job).output;
            EXPECT_TRUE(without_first_line(without_last_line(parts)) == without_first_line(without_last_line(all)))
                << files << job;
            expect_as_alone(files + job);
        }
    }
    EXPECT_TRUE(begins_with(describe("1.npy 2.csv 3.csv 4.csv").output, "1.npy and 3 more, column \"x\" (f64)\n"));
}

TEST_F(over_ranks, explains_why_files_are_no_sequence)
{
    write("x.csv", "x\n1\n");
    write("y.csv", "y\n1\n");
    write("bad.csv", "x\n1\nz\n");
    write("x.npy", npy_file(npy_dictionary("<f4", "(1,)"), bytes_of<float>({1})));
    auto const check = [&](std::string const& arguments, std::string const& message) {
        expect_error(arguments, 1, message);
        expect_error_over_ranks(arguments, 1, message);
    };
    check("x.csv y.csv", "y.csv: has column \"y\", f64, but the files before it column \"x\", f64");
    check("x.csv x.npy", "x.npy: has f32, but the files before it column \"x\", f64");
    check("x.csv bad.csv none.csv", "none.csv: cannot open: No such file or directory");
    check("x.csv bad.csv y.csv", "bad.csv:3:1: 'z' is not a number");
    EXPECT_EQ(describe("x.csv y.csv --column 1 --ranks 2").status, 0);
}

TEST_F(over_ranks, prints_an_error_once_and_as_alone)
{
    auto const numbers = repeated("1\n", 40);
    auto const array = npy_file(npy_dictionary("<f8", "(2,)"), bytes_of<double>({1, 2}));
    write("early.csv", "x\nz\n" + numbers + "1,2\n");
    write("middle.csv", "x\n" + numbers + "z\n" + numbers + "y\n");
    write("late.csv", "x\n" + numbers + "1,2\n");
    write("quote.csv", "x,y\n1,\"2\n" + repeated("3,4\n", 50));
    write("zero.csv", "x\nz\n" + numbers + std::string("1\0", 2));
    write("infinite.csv", "x\n" + numbers + "inf\n");
    write("short.npy", array.substr(0, array.size() - 1));
    write("odd.bin", "123456789");
    expect_error_over_ranks("early.csv", 1, "early.csv:2:1: no column holds numbers; this is not a number");
    expect_error_over_ranks("middle.csv", 1, "middle.csv:42:1: 'z' is not a number");
    expect_error_over_ranks("late.csv", 1, "late.csv:42:1: fields in this line: 2, in the first: 1");
    expect_error_over_ranks("quote.csv", 1, "quote.csv:2:3: this quote is never closed");
    expect_error_over_ranks("zero.csv", 1, "zero.csv:43:2: is not text in UTF-8: it has a zero byte");
    expect_error_over_ranks("infinite.csv --histogram", 1, "infinite.csv: there is no histogram of infinite numbers");
    expect_error_over_ranks("late.csv --column y", 1, "late.csv: no column \"y\"; the columns are \"x\"");
    expect_error_over_ranks("short.npy", 1, "short.npy: truncated: 16 bytes of numbers announced, 15 found");
    expect_error_over_ranks("odd.bin --type f64", 1,
                            "odd.bin: the size, 9 bytes, is not a multiple of the 8 bytes of f64");
    expect_error_over_ranks("none.csv", 1, "none.csv: cannot open: No such file or directory");
    write("x.csv", "x\n" + numbers);
    expect_error_over_ranks("x.csv --svg none/x.svg", 1, "x.csv: cannot write none/x.svg");
    expect_error_over_ranks("x.csv --svg ./x.csv", 2,
                            "--svg would replace 'x.csv', the file to read; see describe --help");
    expect_error("x.csv --ranks 0", 2, "--ranks needs a whole number from 1 to 1024, not '0'; see describe --help");
}

TEST_F(over_ranks, draws_one_picture)
{
    ASSERT_EQ(describe(DESCRIBE_DATA "/old_faithful.csv --svg alone.svg").status, 0);
    ASSERT_EQ(describe(DESCRIBE_DATA "/old_faithful.csv --svg ranks.svg --ranks 3").status, 0);
    EXPECT_EQ(read("ranks.svg"), read("alone.svg"));
}

#ifdef DESCRIBE_MPIRUN

class under_mpi : public command {
protected:
    outcome describe_by_processes(std::string const& processes, std::string const& arguments)
    {
        return run(DESCRIBE_MPIRUN " " + processes + " '" + describe_program() + "' " + arguments);
    }
    /// (The launcher has something to say, too.)
    void expect_error_once(std::string const& arguments, int status, std::string const& message)
    {
        auto const actual = describe_by_processes("4", arguments);
        auto const line = "describe: " + message + '\n';
        auto const first = actual.errors.find(line);
        EXPECT_EQ(actual.status, status) << arguments;
        EXPECT_EQ(actual.output, "") << arguments;
        EXPECT_NE(first, std::string::npos) << actual.errors;
        EXPECT_EQ(actual.errors.find("describe: ", first + 1), std::string::npos) << actual.errors;
    }
};

TEST_F(under_mpi, says_what_it_says_alone)
{
    auto const numbers = cancelling_numbers<double>(10'007);
    write("x.csv", "n,x\n\"" + repeated("1,1\n", 100) + "\",1\n2,2\n3,3");
    write("1.bin", bytes_of(numbers).substr(0, 8 * 1000));
    write("2.bin", bytes_of(numbers).substr(8 * 1000));
    for (std::string const arguments :
         {"x.csv --column x --running", "1.bin 2.bin --type f64", "1.bin 2.bin --type f64 --histogram"}) {
        auto const alone = describe(arguments);
        EXPECT_EQ(alone.status, 0) << alone.errors;
        for (std::string const processes : {"2", "4"}) {
            auto const actual = describe_by_processes(processes, arguments);
            EXPECT_EQ(actual.status, 0) << actual.errors;
            EXPECT_EQ(actual.errors, "");
            EXPECT_EQ(without_last_line(actual.output), without_last_line(alone.output));
            EXPECT_TRUE(actual.output.ends_with(", par, " + processes + " ranks\n")) << actual.output;
        }
    }
}

TEST_F(under_mpi, prints_an_error_once)
{
    write("x.csv", "x\n" + repeated("1\n", 40) + "z\n" + repeated("1\n", 10));
    std::string const see = "; see describe --help";
    expect_error_once("x.csv", 1, "x.csv:42:1: 'z' is not a number");
    expect_error_once("none.csv", 1, "none.csv: cannot open: No such file or directory");
    expect_error_once("--colour", 2, "unknown option '--colour'" + see);
    expect_error_once("x.csv --ranks 2", 2, "--ranks, or several processes: one at a time" + see);
    expect_error_once("- <x.csv", 2, "standard input cannot be read by several processes" + see);
    EXPECT_EQ(describe_by_processes("2", "--version").output, describe("--version").output);
}

#elif !defined(DESCRIBE_MPI)

TEST_F(command, says_that_it_was_compiled_without_mpi)
{
    auto const as_rank = [&](std::string const& rank) {
        return run("OMPI_COMM_WORLD_RANK=" + rank + " OMPI_COMM_WORLD_SIZE=3 '" + describe_program() +
                   "' " DESCRIBE_DATA "/old_faithful.csv");
    };
    EXPECT_EQ(as_rank("0").status, 2);
    EXPECT_EQ(as_rank("0").errors, "describe: started by MPI as several processes, but compiled without it; "
                                   "--ranks N works with threads; see describe --help\n");
    EXPECT_EQ(as_rank("1").errors + as_rank("2").output, "");
}

#endif

} // namespace
