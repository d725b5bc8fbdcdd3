// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Golden values: results whose bits may change only together with tilewise::order_version.
///
/// They are made by the specification (`test_golden --write FILE`), and the library must reproduce them.

#include "../backend.hpp"
#include "../order_specification.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// The bytes of a value as hexadecimal digits, the most significant first, member by member.
template <class Number>
std::string hex(Number const& value)
{
    std::uint64_t bits = 0;
    static_assert(sizeof(value) <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    std::ostringstream digits;
    digits << std::hex << std::setfill('0') << std::setw(2 * sizeof value) << bits;
    return digits.str();
}

struct matrix {
    float a, b, c, d;
};
std::string hex(matrix const& m)
{
    return hex(m.a) + "," + hex(m.b) + "," + hex(m.c) + "," + hex(m.d);
}
struct matrix_product {
    TILEWISE_PORTABLE matrix operator()(matrix const& x, matrix const& y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

struct same {
    template <class T>
    TILEWISE_PORTABLE T operator()(T const& value) const
    {
        return value;
    }
};
struct square {
    template <class T>
    TILEWISE_PORTABLE T operator()(T value) const
    {
        return value * value;
    }
};
struct squared_byte {
    TILEWISE_PORTABLE float operator()(std::uint8_t value) const
    {
        return static_cast<float>(value) * static_cast<float>(value);
    }
};

/// The i-th of the pseudo-random numbers (SplitMix64) that all inputs are made of.
std::uint64_t random_bits(std::uint64_t i)
{
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Exact in both types: 24 bits, of magnitudes over twelve orders of two.
template <class Float>
Float number(std::uint64_t i)
{
    std::uint64_t const bits = random_bits(i);
    Float const value = static_cast<Float>(static_cast<std::int32_t>(bits >> 40)) * static_cast<Float>(0x1p-24);
    return (bits & 1 ? value : -value) * static_cast<Float>(1 << (bits >> 1) % 12);
}
template <class Float>
Float near_one(std::uint64_t i)
{
    return 1 + static_cast<Float>(static_cast<std::int32_t>(random_bits(i))) * static_cast<Float>(0x1p-45);
}
matrix near_identity(std::uint64_t i)
{
    float const turn = static_cast<float>(static_cast<std::int32_t>(random_bits(i) >> 40)) * 0x1p-38f;
    return {1, -turn, turn, 1};
}

/// One row of the table: made by the specification, or by the library under a policy.
template <class T, class Op, class Element, class Transform>
std::string specified(std::uint64_t count, T init, Op op, Element element, Transform transform)
{
    std::vector<T> x;
    for (std::uint64_t i = 0; i < count; ++i)
        x.push_back(static_cast<T>(transform(element(i))));
    return hex(specification::reduce(x, init, op));
}
template <class T, class Op, class Element, class Transform>
std::vector<std::string> computed(std::uint64_t count, T init, Op op, Element element, Transform transform)
{
    std::vector<decltype(element(0))> x;
    for (std::uint64_t i = 0; i < count; ++i)
        x.push_back(element(i));
    std::vector<std::string> results;
    backend::under_all_policies(x, [&](auto policy, auto const& range) {
        results.push_back(hex(tilewise::transform_reduce(policy, range, init, op, transform)));
    });
    return results;
}

/// The most elements of a row that is computed.
#ifdef TILEWISE_DEVICE_ENGINE
std::uint64_t const most = on_device::amount<std::uint64_t>(~0u, 100003, 8193);
#else
constexpr std::uint64_t most = ~0u;
#endif

/// Calls `row(name, count, result)` for every row; `how` makes the result from count, init, op, element and transform.
template <class How, class Row>
void for_each_row(How how, Row row)
{
    auto const byte = [](std::uint64_t i) { return static_cast<std::uint8_t>(random_bits(i) >> 56); };
    auto const integer = [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) >> 32); };
    for (std::uint64_t const count : {1u, 5u, 127u, 128u, 1000u, 1025u, 8192u, 8193u, 100003u, 262144u, 300000u}) {
        if (count > most)
            continue;
        row("f32_plus", count, how(count, 0.5f, std::plus<>(), number<float>, same()));
        row("f64_plus", count, how(count, 0.5, std::plus<>(), number<double>, same()));
        row("f32_to_f64_plus", count, how(count, 0.5, std::plus<>(), number<float>, same()));
        row("f64_to_f32_plus", count, how(count, 0.5f, std::plus<>(), near_one<double>, same()));
        row("f32_multiplies", count, how(count, 1.0f, std::multiplies<>(), near_one<float>, same()));
        row("f64_minimum", count, how(count, 0.5, tilewise::minimum<>(), number<double>, same()));
        row("f32_squares_plus", count, how(count, 0.5f, std::plus<>(), number<float>, square()));
        row("u8_to_f32_squares_plus", count, how(count, 0.5f, std::plus<>(), byte, squared_byte()));
        row("i32_plus", count, how(count, 7, std::plus<>(), integer, same()));
        row("matrix_product", count, how(count, matrix{1, 0, 0, 1}, matrix_product(), near_identity, same()));
    }
    if (std::uint64_t const count = 8388608u + 300000u; count <= most)
        row("f32_plus", count, how(count, 0.5f, std::plus<>(), number<float>, same()));
}

/// Where the golden values are: beside the program, if it is to run on another machine.
std::string golden_file()
{
#ifdef TILEWISE_GOLDEN_DIR
    return TILEWISE_GOLDEN_DIR "/reduce.txt";
#else
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "golden" / "reduce.txt";
#endif
}

void expect_golden_values()
{
    std::map<std::string, std::string> golden;
    std::ifstream file(golden_file());
    ASSERT_TRUE(file) << "no golden values in " << golden_file();
    std::string name, count, value, comment;
    while (file.peek() == '#')
        std::getline(file, comment);
    while (file >> name >> count >> value)
        if (std::stoull(count) <= most)
            golden[name + " " + count] = value;

    std::size_t rows = 0;
    for_each_row([](auto... arguments) { return computed(arguments...); },
                 [&](std::string const& row_name, std::uint64_t row_count, std::vector<std::string> const& results) {
                     auto const row = golden.find(row_name + " " + std::to_string(row_count));
                     ASSERT_NE(row, golden.end()) << row_name << ' ' << row_count;
                     EXPECT_FALSE(results.empty());
                     for (std::string const& result : results)
                         EXPECT_EQ(result, row->second) << row_name << ' ' << row_count;
                     ++rows;
                 });
    EXPECT_EQ(rows, golden.size());
    EXPECT_GT(rows, 0u);
}

TEST(Golden, ValuesAreReproducedByEveryPolicy)
{
    backend::run(expect_golden_values);
}

} // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (argc == 3 && std::string(argv[1]) == "--write") {
        std::ofstream file(argv[2]);
        file << "# Results of version " << tilewise::order_version << " of the order, made by the specification: name, "
             << "number of elements, bits.\n";
        for_each_row([](auto... arguments) { return specified(arguments...); },
                     [&](char const* name, std::uint64_t count, std::string const& value) {
                         file << name << ' ' << count << ' ' << value << '\n';
                     });
        return file.flush() ? 0 : 1;
    }
    return RUN_ALL_TESTS();
}
