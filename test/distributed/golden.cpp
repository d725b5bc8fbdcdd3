// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Ranks reproduce the golden values that the library reproduces on one machine, wherever the range is cut.

#include "../golden/values.hpp"
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace golden;
namespace tw = tilewise;

/// The lines of a file, by all but their last word, which is the value.
std::map<std::string, std::string> values_in(std::string const& name)
{
    std::map<std::string, std::string> values;
    std::ifstream file(golden::file(name));
    for (std::string line; std::getline(file, line);)
        if (auto const space = line.rfind(' '); !line.starts_with('#'))
            values[line.substr(0, space)] = line.substr(space + 1);
    return values;
}

template <class T, class Op, class Element, class Transform>
void expect_golden(std::string const& name, T init, Op op, Element element, Transform transform)
{
    SCOPED_TRACE(name);
    static auto const reductions = values_in("reduce.txt"), scans = values_in("scan.txt");
    std::size_t const count = 300'000;
    std::vector<decltype(element(0))> x;
    for (std::uint64_t i = 0; i < count; ++i)
        x.push_back(element(i));
    for (std::size_t const parts : {2u, 3u, 7u, 64u}) {
        std::vector<std::size_t> cuts;
        for (std::size_t part = 0; part <= parts; ++part)
            cuts.push_back(count * part / parts);
        std::vector<T> inclusive(count, init), exclusive(count, init);
        ranks::on_each_rank(cuts, [&](auto& communicator, std::size_t begin, std::size_t end) {
            std::span const own(x.data() + begin, end - begin);
            auto const to = static_cast<std::ptrdiff_t>(begin);
            auto const on = tw::distributed(communicator, tw::par);
            EXPECT_EQ(hex(tw::transform_reduce(on, own, init, op, transform)), reductions.at(name + " 300000"));
            tw::transform_inclusive_scan(on, own, inclusive.begin() + to, op, transform, init);
            tw::transform_exclusive_scan(on, own, exclusive.begin() + to, init, op, transform);
        });
        int compared = 0;
        for (std::size_t const position : {0u, 1u, 126u, 128u, 1000u, 4099u, 8191u, 8192u, 70001u, 262144u, 299999u}) {
            auto const at = std::to_string(position);
            EXPECT_EQ(hex(inclusive[position]), scans.at(name + " inclusive_after " + at)) << parts << " ranks";
            EXPECT_EQ(hex(exclusive[position]), scans.at(name + " exclusive_after " + at)) << parts << " ranks";
            ++compared;
        }
        EXPECT_EQ(compared, 11);
    }
}

TEST(golden_values, are_reproduced_by_ranks)
{
    auto const byte = [](std::uint64_t i) { return static_cast<std::uint8_t>(random_bits(i) >> 56); };
    auto const integer = [](std::uint64_t i) { return static_cast<std::int32_t>(random_bits(i) >> 32); };
    expect_golden("f32_plus", 0.5f, std::plus<>(), number<float>, same());
    expect_golden("f64_plus", 0.5, std::plus<>(), number<double>, same());
    expect_golden("f32_to_f64_plus", 0.5, std::plus<>(), number<float>, same());
    expect_golden("u8_to_f32_squares_plus", 0.5f, std::plus<>(), byte, squared_byte());
    expect_golden("i32_plus", 7, std::plus<>(), integer, same());
    expect_golden("matrix_product", matrix{1, 0, 0, 1}, matrix_product(), near_identity, same());
}

} // namespace
