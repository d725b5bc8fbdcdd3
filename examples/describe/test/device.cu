// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program that lies beside this one: on a GPU it says what the calling thread says, byte for byte.

#include "../../guide/gpu.cuh"
#include "command.hpp"
#include "npy_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

std::string example::describe_program()
{
    return std::filesystem::canonical("/proc/self/exe").parent_path() / "describe";
}

namespace {

using namespace example;

class on_device : public command {
protected:
    /// All but the times, and `policy` in place of the policy.
    std::string described(std::string const& arguments, std::string const& policy) const
    {
        auto const actual = describe(arguments + " --policy " + policy);
        EXPECT_EQ(actual.status, 0) << arguments << ' ' << policy << ": " << actual.errors;
        EXPECT_TRUE(actual.output.ends_with(", " + policy + '\n')) << actual.output;
        return actual.status == 0 ? without_last_line(actual.output) : actual.errors;
    }

    void expect_same(std::string const& arguments) const
    {
        EXPECT_EQ(described(arguments, "device"), described(arguments, "seq")) << arguments;
    }
};

/// Random bits: for floating-point types NaNs and infinities are among them.
std::string random_bytes(std::size_t count)
{
    std::mt19937 random(20240229);
    std::string bytes(count, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(random());
    }
    return bytes;
}

TEST_F(on_device, is_the_default)
{
    write("one.csv", "a\n1\n");
    auto const actual = describe("one.csv");
    EXPECT_TRUE(actual.output.ends_with(", device\n")) << actual.output << actual.errors;
}

TEST_F(on_device, says_the_same_of_every_type)
{
    for (std::string const type : {"f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"}) {
        auto const size = type == "bool" ? 1 : std::stoul(type.substr(1)) / 8;
        for (std::size_t const count : {2049, 300'007}) {
            write("x.bin", random_bytes(count * size));
            expect_same("x.bin --type " + type);
        }
    }
}

TEST_F(on_device, says_the_same_of_a_column_of_two_dimensions)
{
    // on both sides of the kernels' limits: a tile of moments is 2048 numbers
    for (std::size_t const count : {0, 1, 2047, 2048, 2049, 20'000, 300'007}) {
        std::vector<float> numbers(3 * count);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            numbers[i] = std::sin(static_cast<float>(i)) * 1e3F;
        }
        std::string shape = "(";
        shape += std::to_string(count) + ", 3)";
        write("x.npy", npy_file(npy_dictionary("<f4", shape), bytes_of(numbers)));
        expect_same("x.npy --column 2");
    }
}

TEST_F(on_device, says_the_same_of_text)
{
    std::string text = "a,b\n";
    for (int i = 0; i < 10'000; ++i) {
        text += std::to_string(i) + ',' + (i % 7 == 0 ? "NA" : std::to_string(std::sqrt(i))) + '\n';
    }
    write("x.csv", text);
    expect_same("x.csv --column b --repeat 3");
    expect_same("x.csv --column b --running");
    expect_same("x.csv --column b --histogram");
}

/// Threads that share the GPUs of the machine.
TEST_F(on_device, says_the_same_over_ranks)
{
    std::vector<double> numbers(300'007);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = std::sin(static_cast<double>(i)) * 1e3;
    }
    write("x.bin", bytes_of(numbers));
    for (std::string const what : {"", " --running", " --histogram"}) {
        auto const one = describe("x.bin --type f64 --policy seq" + what);
        for (std::string const ranks : {"1", "2", "5"}) {
            auto const several = describe("x.bin --type f64 --policy device --ranks " + ranks + what);
            EXPECT_EQ(several.status, 0) << several.errors;
            EXPECT_EQ(without_last_line(several.output), without_last_line(one.output)) << ranks << what;
        }
    }
}

TEST_F(on_device, draws_the_same_histogram)
{
    for (std::string const type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"}) {
        auto const size = type == "bool" ? 1 : std::stoul(type.substr(1)) / 8;
        write("x.bin", random_bytes(300'007 * size));
        expect_same("x.bin --histogram --type " + type);
        expect_same("x.bin --bins 5000 --type " + type);
    }
    std::vector<float> numbers(300'007);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = std::round(std::sin(static_cast<float>(i)) * 1e3F) / 1e3F;
    }
    write("x.bin", bytes_of(numbers));
    expect_same("x.bin --bins 200 --type f32");
}

} // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    leave_without_a_gpu();
    return RUN_ALL_TESTS();
}
