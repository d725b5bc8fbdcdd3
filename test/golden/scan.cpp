// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Golden values of scans, as in golden.cpp: bits of some of the results. A scan of a prefix is the prefix of the scan,
/// so one scan gives them all.

#include "values.hpp"

#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace golden;

/// The results that are written down, of a scan of so many elements.
std::vector<std::size_t> positions(std::size_t count)
{
    std::vector<std::size_t> some;
    for (std::size_t const position : {0u,      1u,       4u,       126u,     127u,      128u,      1000u,    1024u,
                                       4099u,   8191u,    8192u,    8193u,    70001u,    131072u,   262143u,  262144u,
                                       299999u, 8388607u, 8388608u, 8688607u, 16777215u, 16777216u, 17077215u})
        if (position < count)
            some.push_back(position);
    return some;
}

/// The inclusive scan without init, the inclusive and the exclusive one with it; made by the specification, or by the
/// library under every policy.
template <class T>
using scans = std::vector<std::pair<std::string, std::vector<T>>>;

struct specified {
    template <class T, class Op, class Element>
    static std::vector<scans<T>> of(std::vector<Element> const& elements, T init, Op op, auto transform)
    {
        std::vector<T> x;
        for (Element const& element : elements)
            x.push_back(static_cast<T>(transform(element)));
        specification::order<T, Op> const order(op);
        return {{{"inclusive", order.inclusive_scan(x, {})},
                 {"inclusive_after", order.inclusive_scan(x, init)},
                 {"exclusive_after", order.exclusive_scan(x, init)}}};
    }
};

struct computed {
    template <class T, class Op, class Element>
    static std::vector<scans<T>> of(std::vector<Element> const& elements, T init, Op op, auto transform)
    {
        std::vector<scans<T>> results;
        auto const to_accumulator = converted<T, decltype(transform)>{transform};
        backend::under_all_policies(elements, [&](auto policy, auto const& range) {
            auto const scan = [&](auto call) { return backend::written_by<T>(call, policy, range); };
            results.push_back({{"inclusive", scan([&](auto on, auto const& x, auto out) {
                                    return tilewise::transform_inclusive_scan(on, x, out, op, to_accumulator);
                                })},
                               {"inclusive_after", scan([&](auto on, auto const& x, auto out) {
                                    return tilewise::transform_inclusive_scan(on, x, out, op, transform, init);
                                })},
                               {"exclusive_after", scan([&](auto on, auto const& x, auto out) {
                                    return tilewise::transform_exclusive_scan(on, x, out, init, op, transform);
                                })}});
        });
        return results;
    }

private:
    /// A transform whose results have the accumulator's type, which is theirs where there is no init.
    template <class T, class Transform>
    struct converted {
        Transform transform;
        template <class Element>
        TILEWISE_PORTABLE T operator()(Element element) const
        {
            return static_cast<T>(transform(element));
        }
    };
};

/// Calls `row(name, bits)` for every value that is written down.
template <class How, class Row>
void for_each_row(Row row)
{
    auto const scan = [&](std::string const& name, std::size_t count, auto init, auto op, auto element,
                          auto transform) {
        if (count > most)
            count = static_cast<std::size_t>(most);
        std::vector<decltype(element(0))> x;
        for (std::uint64_t i = 0; i < count; ++i)
            x.push_back(element(i));
        for (auto const& results : How::of(x, init, op, transform))
            for (auto const& [form, out] : results)
                for (std::size_t const position : positions(count))
                    row(name + ' ' + form + ' ' + std::to_string(position), hex(out.at(position)));
    };
    auto const byte = [](std::uint64_t i) { return static_cast<std::uint8_t>(random_bits(i) >> 56); };
    auto const integer = [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) >> 32); };
    std::size_t const count = 300000;
    scan("f32_plus", 2 * 8388608 + count, 0.5f, std::plus<>(), number<float>, same());
    scan("f64_plus", count, 0.5, std::plus<>(), number<double>, same());
    scan("f32_to_f64_plus", count, 0.5, std::plus<>(), number<float>, same());
    scan("f64_to_f32_plus", count, 0.5f, std::plus<>(), near_one<double>, same());
    scan("f32_multiplies", count, 1.0f, std::multiplies<>(), near_one<float>, same());
    scan("f64_minimum", count, 0.5, tilewise::minimum<>(), number<double>, same());
    scan("f32_squares_plus", count, 0.5f, std::plus<>(), number<float>, square());
    scan("u8_to_f32_squares_plus", count, 0.5f, std::plus<>(), byte, squared_byte());
    scan("i32_plus", count, 7, std::plus<>(), integer, same());
    scan("matrix_product", count, matrix{1, 0, 0, 1}, matrix_product(), near_identity, same());
}

void expect_golden_values()
{
    std::map<std::string, std::string> expected;
    std::ifstream file(golden::file("scan.txt"));
    ASSERT_TRUE(file) << "no golden values in " << golden::file("scan.txt");
    std::string name, form, position, value, comment;
    while (file.peek() == '#')
        std::getline(file, comment);
    while (file >> name >> form >> position >> value)
        if (std::stoull(position) < most)
            expected[name + ' ' + form + ' ' + position] = value;

    std::map<std::string, int> rows;
    for_each_row<computed>([&](std::string const& row, std::string const& bits) {
        auto const found = expected.find(row);
        ASSERT_NE(found, expected.end()) << row;
        EXPECT_EQ(bits, found->second) << row;
        ++rows[row];
    });
    EXPECT_EQ(rows.size(), expected.size());
    EXPECT_GT(rows.size(), 0u);
}

TEST(GoldenScans, AreReproducedByEveryPolicy)
{
    backend::run(expect_golden_values);
}

} // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (argc == 3 && std::string(argv[1]) == "--write") {
        std::ofstream file(argv[2]);
        file << "# Results of scans by version " << tilewise::order_version << " of the order, made by the "
             << "specification: name, form, place, bits.\n";
        for_each_row<specified>(
            [&](std::string const& row, std::string const& bits) { file << row << ' ' << bits << '\n'; });
        return file.flush() ? 0 : 1;
    }
    return RUN_ALL_TESTS();
}
