// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program as a user would: DESCRIBE_PROGRAM on files of DESCRIBE_DATA and on files written here.

#include "command.hpp"
#include "npy_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

std::string example::describe_program()
{
    return DESCRIBE_PROGRAM;
}

namespace {

using namespace example;

TEST_F(command, describes_old_faithful)
{
    auto const actual = describe(DESCRIBE_DATA "/old_faithful.csv");
    EXPECT_EQ(actual.status, 0);
    EXPECT_EQ(actual.errors, "");
    EXPECT_EQ(without_last_line(actual.output), DESCRIBE_DATA "/old_faithful.csv, column \"eruptions\" (f64)\n"
                                                              "count      272\n"
                                                              "missing    0\n"
                                                              "sum        948.677\n"
                                                              "mean       3.487783088\n"
                                                              "sample sd  1.141371251\n"
                                                              "min        1.6\n"
                                                              "max        5.1\n");
    double milliseconds = -1;
    double speed = -1;
    auto const last_line = actual.output.substr(without_last_line(actual.output).size());
    EXPECT_EQ(std::sscanf(last_line.c_str(), "%lf ms, %lf GB/s, ", &milliseconds, &speed), 2) << last_line;
    EXPECT_TRUE(last_line.ends_with(", par\n") || last_line.ends_with(", device\n")) << last_line;
    EXPECT_GE(milliseconds, 0);
    EXPECT_GE(speed, 0);
}

TEST_F(command, says_the_same_under_every_policy)
{
    for (std::string const arguments : {DESCRIBE_DATA "/old_faithful.csv --column waiting",
                                        DESCRIBE_DATA "/mauna_loa_co2.csv --column ppm --repeat 3"}) {
        auto const one = describe(arguments + " --policy seq");
        auto const all = describe(arguments + " --policy=par");
        EXPECT_EQ(one.status, 0);
        EXPECT_EQ(all.status, 0);
        EXPECT_EQ(without_last_line(one.output), without_last_line(all.output));
        EXPECT_TRUE(one.output.ends_with(" seq\n")) << one.output;
        EXPECT_TRUE(all.output.ends_with(" par\n")) << all.output;
    }
}

TEST_F(command, without_a_gpu_says_so)
{
    auto const actual = describe(DESCRIBE_DATA "/old_faithful.csv --policy device");
    if (actual.status != 0) {
        EXPECT_EQ(actual.status, 2);
        EXPECT_EQ(actual.output, "");
        EXPECT_TRUE(begins_with(actual.errors, "describe: --policy device: this program was compiled without CUDA;") ||
                    begins_with(actual.errors, "describe: --policy device: there is no GPU that this program can use;"))
            << actual.errors;
    } else { // there is one
        auto const one = describe(DESCRIBE_DATA "/old_faithful.csv --policy seq");
        EXPECT_EQ(without_last_line(actual.output), without_last_line(one.output));
        EXPECT_TRUE(actual.output.ends_with(" device\n")) << actual.output;
    }
}

TEST_F(command, describes_binary_files)
{
    auto const numbers = bytes_of<float>({1, 2, 3, 6});
    write("x.npy", npy_file(npy_dictionary("<f4", "(2, 2)"), numbers));
    write("x.bin", numbers);
    auto const array = describe("--column=2 x.npy");
    EXPECT_TRUE(begins_with(array.output, "x.npy, column 2 (f32)\ncount      2\nmissing    0\nsum        8\n"))
        << array.output;
    auto const raw = describe("x.bin --type f32");
    EXPECT_TRUE(begins_with(raw.output, "x.bin (f32)\ncount      4\nmissing    0\nsum        12\n")) << raw.output;
    auto const bytes = describe("x.npy --format raw --type=u8");
    EXPECT_TRUE(begins_with(bytes.output, "x.npy (u8)\ncount      144\n")) << bytes.output;
}

TEST_F(command, writes_running_totals)
{
    std::istringstream data(contents(DESCRIBE_DATA "/old_faithful.csv"));
    std::string line;
    std::getline(data, line);
    std::string expected = DESCRIBE_DATA "/old_faithful.csv, column \"waiting\" (f64)\n";
    int minutes = 0;
    for (int eruption = 1; std::getline(data, line); ++eruption) {
        int const waiting = std::stoi(line.substr(line.find(',') + 1));
        char text[64];
        std::snprintf(text, sizeof text, "%-10d %-16d %d\n", eruption, waiting, minutes += waiting);
        expected += text;
    }
    for (std::string const policy : {"seq", "par"}) {
        auto const actual = describe(DESCRIBE_DATA "/old_faithful.csv --column waiting --running --policy " + policy);
        EXPECT_EQ(actual.status, 0) << actual.errors;
        EXPECT_EQ(without_last_line(actual.output), expected);
        EXPECT_TRUE(actual.output.ends_with(", " + policy + "\n")) << actual.output;
    }
}

TEST_F(command, writes_running_totals_past_what_is_missing)
{
    write("x.csv", "a\n1\nNA\n2\n");
    write("empty.csv", "");
    EXPECT_EQ(without_last_line(describe("x.csv --running").output), "x.csv, column \"a\" (f64)\n"
                                                                     "1          1                1\n"
                                                                     "2          nan              1\n"
                                                                     "3          2                3\n");
    EXPECT_EQ(describe("empty.csv --running --repeat 2").status, 0);
}

TEST_F(command, draws_a_histogram)
{
    write("x.csv", "a,\"<b>\"\n0.1,1\n0.3,2\n0.7,3\n0.30000000000000004,4\n0.29999999999999993,5\nNA,6\n");
    for (std::string const policy : {"seq", "par"}) {
        auto const actual = describe("x.csv --bins 7 --svg x.svg --policy " + policy);
        EXPECT_EQ(actual.status, 0) << actual.errors;
        EXPECT_EQ(without_last_line(actual.output),
                  "x.csv, column \"a\" (f64)\n"
                  "count      5\n"
                  "missing    1\n"
                  "lower            upper            count\n"
                  "0.1              0.2              1          " +
                      repeated("█", 20) + "\n0.2              0.3              1          " + repeated("█", 20) +
                      "\n0.3              0.4              2          " + repeated("█", 40) +
                      "\n0.4              0.5              0          \n"
                      "0.5              0.6              0          \n"
                      "0.6              0.7              0          \n"
                      "0.7              0.8              1          " +
                      repeated("█", 20) + '\n');
        EXPECT_TRUE(actual.output.ends_with(", " + policy + "\n")) << actual.output;
        auto const drawn = read("x.svg");
        EXPECT_TRUE(begins_with(drawn, "<svg ") && drawn.ends_with("</svg>\n")) << drawn;
        EXPECT_NE(drawn.find("<title>0.3 to 0.4: 2</title>"), std::string::npos) << drawn;
    }
    EXPECT_EQ(describe("x.csv --svg x.svg --column '<b>'").status, 0);
    EXPECT_NE(read("x.svg").find("column &quot;&lt;b&gt;&quot;"), std::string::npos);
}

TEST_F(command, counts_every_number_of_every_type_in_a_histogram)
{
    write("x.bin", std::string("\0\x01\x02\x03\xFC\xFD\xFE\x40", 8));
    for (std::string const type : {"f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"}) {
        std::istringstream lines(describe("x.bin --histogram --type " + type).output);
        std::string line;
        int count = 0, sum = 0, of_bin = 0;
        while (std::getline(lines, line)) {
            std::sscanf(line.c_str(), "count %d", &count);
            if (std::sscanf(line.c_str(), "%*f %*f %d ", &of_bin) == 1) {
                sum += of_bin;
            }
        }
        EXPECT_TRUE(count > 0 && sum == count) << type << ": " << sum << " of " << count;
    }
}

TEST_F(command, draws_no_histogram_of_nothing_or_of_infinite_numbers)
{
    write("missing.csv", "a,b\n1,\n2,NA\n");
    write("infinite.csv", "a\n1\ninf\n");
    auto const nothing = describe("missing.csv --column b --histogram");
    EXPECT_EQ(nothing.status, 0);
    EXPECT_EQ(without_last_line(nothing.output), "missing.csv, column \"b\" (f64)\n"
                                                 "count      0\n"
                                                 "missing    2\n"
                                                 "nothing to draw\n");
    expect_error("infinite.csv --histogram", 1, "infinite.csv: there is no histogram of infinite numbers");
    expect_error("infinite.csv --bins 3 --svg none/x.svg", 1,
                 "infinite.csv: there is no histogram of infinite numbers");
    expect_error("missing.csv --svg none/x.svg", 1, "missing.csv: cannot write none/x.svg");
}

TEST_F(command, says_when_there_is_nothing_to_describe)
{
    auto const nothing = std::string("count      0\nmissing    0\nsum        0\nnothing to describe\n");
    write("empty.csv", "");
    write("header.csv", "a,b\n");
    write("missing.csv", "a,b\n,\n,\n");
    for (std::string const arguments : {"empty.csv", "header.csv", "empty.csv --type f64"}) {
        auto const actual = describe(arguments);
        EXPECT_EQ(actual.status, 0) << arguments;
        EXPECT_NE(actual.output.find(nothing), std::string::npos) << actual.output;
    }
    EXPECT_NE(describe("missing.csv").output.find("count      0\nmissing    2\nsum        0\nnothing"),
              std::string::npos);
}

TEST_F(command, never_replaces_what_it_reads)
{
    std::string const data = "a\n1\n2\n", see = "; see describe --help";
    write("x.csv", data);
    ASSERT_EQ(describe("x.csv >x.txt; ln x.csv hard.csv; ln -s x.csv symbolic.csv").status, 0);
    for (std::string const name : {"x.csv", "./x.csv", "hard.csv", "symbolic.csv"}) {
        expect_error("x.csv --svg " + name, 2, "--svg would replace 'x.csv', the file to read" + see);
        expect_error(name + " --svg=x.csv", 2, "--svg would replace '" + name + "', the file to read" + see);
        EXPECT_EQ(read("x.csv"), data);
    }
    expect_error("- --svg x.csv <x.csv", 2, "--svg would replace 'standard input', the file to read" + see);
    for (std::string const arguments : {"x.csv --running", "hard.csv", "symbolic.csv --histogram", "- <x.csv"}) {
        auto const actual = describe(arguments + " >>x.csv 2>errors #");
        EXPECT_EQ(actual.status, 2) << arguments;
        EXPECT_TRUE(begins_with(actual.errors, "describe: standard output is '")) << actual.errors;
        EXPECT_EQ(read("x.csv"), data) << arguments;
    }
    EXPECT_EQ(describe("x.csv --svg x.svg").status, 0);
    EXPECT_EQ(describe("x.csv --bins 3 --svg x.svg").status, 0);
}

TEST_F(command, reads_every_name_and_standard_input)
{
    std::string const expected = "count      3\nmissing    0\nsum        6\n";
    write("numbers", "1\n2\n3\n");
    write("fields", "a\tb\nx\t1\ny\t2\nz\t3\n");
    write("array", npy_file(npy_dictionary("<f4", "(3,)"), bytes_of<float>({1, 2, 3})));
    std::string program = describe_program();
    program.insert(program.begin(), '\'');
    program.push_back('\'');
    for (std::string const arguments :
         {"numbers", "fields", "array", "- <numbers", "- <array", "- --format npy <array", "-- -.csv", "-- --x=1.tsv",
          "x.txt", "x.dat", "/dev/stdin <numbers", "- --type f32 <raw"}) {
        auto const actual =
            describe("--version >/dev/null; cp numbers x.txt; cp numbers ./-.csv; cp fields ./--x=1.tsv;"
                     "cp fields x.dat; tail -c 12 array >raw; " +
                     program + ' ' + arguments);
        EXPECT_EQ(actual.status, 0) << arguments << ": " << actual.errors;
        EXPECT_NE(actual.output.find(expected), std::string::npos) << arguments << ": " << actual.output;
    }
    EXPECT_TRUE(begins_with(describe("- <numbers").output, "standard input, column 1 (f64)\n"));
    EXPECT_NE(describe("numbers | cat numbers - numbers | tail -n 3 | " + program + " -").output.find(expected),
              std::string::npos);
    expect_error("- <fields --column c", 1, "standard input: no column \"c\"; the columns are \"a\", \"b\"");
}

TEST_F(command, shows_control_characters_as_codes)
{
    write("x.csv", "\"a\x1B[31m\nb\"\n1\n2\n");
    auto const actual = describe("x.csv --svg x.svg");
    EXPECT_TRUE(begins_with(actual.output, "x.csv, column \"a\\x1B[31m\\nb\" (f64)\n")) << actual.output;
    EXPECT_EQ(actual.output.find('\x1B'), std::string::npos);
    EXPECT_EQ(read("x.svg").find('\x1B'), std::string::npos);
    expect_error("x.csv --column c", 1, "x.csv: no column \"c\"; the columns are \"a\\x1B[31m\\nb\"");
}

TEST_F(command, shows_its_version)
{
    auto const actual = describe("--version");
    EXPECT_EQ(actual.status, 0);
    EXPECT_EQ(actual.output, "describe, of tilewise " DESCRIBE_VERSION "\n");
}

TEST_F(command, shows_help)
{
    auto const actual = describe("--help");
    EXPECT_EQ(actual.status, 0);
    EXPECT_TRUE(begins_with(actual.output, "Usage: describe [options] FILE...\n"));
    EXPECT_NE(actual.output.find("seq, par, device; default: device"), std::string::npos);
}

TEST_F(command, explains_bad_usage)
{
    auto const see = std::string("; see describe --help");
    expect_error("", 2, "which file?" + see);
    expect_error("--colour=1 x.csv", 2, "unknown option '--colour'" + see);
    expect_error("-h", 2, "unknown option '-h'" + see);
    expect_error("--running=1 x.csv", 2, "unknown option '--running'" + see);
    expect_error("--histogram=1 x.csv", 2, "unknown option '--histogram'" + see);
    expect_error("--running --histogram x.csv", 2, "--running or a histogram: one at a time" + see);
    expect_error("--bins 0 x.csv", 2, "--bins needs a whole number from 1 to 10000, not '0'" + see);
    expect_error("--bins 10001 x.csv", 2, "--bins needs a whole number from 1 to 10000, not '10001'" + see);
    expect_error("x.csv --column", 2, "--column needs a value" + see);
    expect_error("x.csv --ranks none", 2, "--ranks needs a whole number from 1 to 1024, not 'none'" + see);
    expect_error("x.csv --policy cluster", 2, "unknown policy 'cluster'; there are seq, par, device" + see);
    expect_error("x.csv --format xls", 2, "unknown format 'xls'; there are csv, npy, raw" + see);
    expect_error("x.csv --format csv --type f64", 2, "--type is for raw files; other formats contain their type" + see);
    expect_error("x.bin", 2, "a raw file needs --type" + see);
    expect_error("x.bin --type f65", 2,
                 "unknown type 'f65'; there are f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool" + see);
    for (std::string const number : {"0", "-1", "many", "1.5", "''"}) {
        auto const unquoted = number == "''" ? "" : number;
        expect_error("x.csv --repeat " + number, 2,
                     "--repeat needs a whole number from 1, not '" + unquoted + "'" + see);
    }
}

TEST_F(command, explains_bad_files)
{
    auto const array = npy_file(npy_dictionary("<f8", "(2,)"), bytes_of<double>({1, 2}));
    write("bad.csv", "a,b\n1,2\n3,x\n");
    write("short.npy", array.substr(0, array.size() - 1));
    write("big.npy", npy_file(npy_dictionary(">f8", "(2,)"), bytes_of<double>({1, 2})));
    write("odd.bin", "123456789");
    expect_error("none.csv", 1, "none.csv: cannot open: No such file or directory");
    expect_error(". --format csv", 1, ".: cannot read: Is a directory");
    expect_error("bad.csv --column b", 1, "bad.csv:3:3: 'x' is not a number");
    expect_error("bad.csv --column c", 1, "bad.csv: no column \"c\"; the columns are \"a\", \"b\"");
    expect_error("short.npy", 1, "short.npy: truncated: 16 bytes of numbers announced, 15 found");
    expect_error("big.npy", 1, "big.npy: big-endian type '>f8': only little-endian numbers can be described");
    expect_error("odd.bin --type f64", 1, "odd.bin: the size, 9 bytes, is not a multiple of the 8 bytes of f64");
    expect_error("odd.bin --type u8 --column 2", 1, "odd.bin: no column \"2\"; there is one column");
    expect_error("odd.bin --format npy", 1, "odd.bin: is not an .npy file: it does not begin with \\x93NUMPY");
}

} // namespace
