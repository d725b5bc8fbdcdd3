// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Golden values: results whose bits may change only together with tilewise::order_version.
///
/// They are made by the specification (`test_golden --write FILE`), and the library must reproduce them.

#include "values.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace golden;

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
    for (std::uint64_t const super_groups : {1u, 2u, 3u}) // of 2^23 floats
        if (std::uint64_t const count = super_groups * 8388608u + 300000u; count <= most)
            row("f32_plus", count, how(count, 0.5f, std::plus<>(), number<float>, same()));
}

void expect_golden_values()
{
    std::map<std::string, std::string> expected;
    std::ifstream file(golden::file("reduce.txt"));
    ASSERT_TRUE(file) << "no golden values in " << golden::file("reduce.txt");
    std::string name, count, value, comment;
    while (file.peek() == '#')
        std::getline(file, comment);
    while (file >> name >> count >> value)
        if (std::stoull(count) <= most)
            expected[name + " " + count] = value;

    std::size_t rows = 0;
    for_each_row([](auto... arguments) { return computed(arguments...); },
                 [&](std::string const& row_name, std::uint64_t row_count, std::vector<std::string> const& results) {
                     auto const row = expected.find(row_name + " " + std::to_string(row_count));
                     ASSERT_NE(row, expected.end()) << row_name << ' ' << row_count;
                     EXPECT_FALSE(results.empty());
                     for (std::string const& result : results)
                         EXPECT_EQ(result, row->second) << row_name << ' ' << row_count;
                     ++rows;
                 });
    EXPECT_EQ(rows, expected.size());
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
