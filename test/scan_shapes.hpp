// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The order of combination of the scans, seen as in order_shapes.hpp.

#include "order_shapes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

namespace shape {

template <class T>
std::size_t first_difference(std::vector<T> const& a, std::vector<T> const& b)
{
    std::size_t i = 0;
    while (i < a.size() &&
           std::memcmp(static_cast<void const*>(&a[i]), static_cast<void const*>(&b[i]), sizeof(T)) == 0)
        ++i;
    return i;
}

/// Compares the engines with the specification for the given numbers of elements.
template <class Geometry, class T, class Op>
void expect_scans_specified(std::vector<T> const& x, std::vector<std::size_t> const& counts, Op op)
{
    constexpr auto inclusive = tilewise::scan_form::inclusive, exclusive = tilewise::scan_form::exclusive;
    std::optional<T> const none, init = x.back();
    specification::order<T, Op> const order(op, backend::units_of<Geometry>());
    auto const without_init = order.inclusive_scan(x, none), with_init = order.inclusive_scan(x, init),
               excluding = order.exclusive_scan(x, *init);
    for (std::size_t const count : counts) {
        std::vector<T> const part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
        backend::on_all_for_scans<Geometry>([&](auto on) {
            auto const expect = [&](std::vector<T> const& result, std::vector<T> const& expected, char const* what) {
                EXPECT_EQ(first_difference(result, expected), count) << what << ", " << sizeof(T) << " bytes";
            };
            expect(on.template scan<inclusive>(part, none, op), without_init, "inclusive");
            expect(on.template scan<inclusive>(part, init, op), with_init, "inclusive with init");
            expect(on.template scan<exclusive>(part, init, op), excluding, "exclusive");
            expect(on.template scan_in_place<inclusive>(part, init, op), with_init, "in place");
        });
    }
}

template <class T>
class ScanShape : public testing::Test {};
TYPED_TEST_SUITE_P(ScanShape);

TYPED_TEST_P(ScanShape, IsTheSpecifiedOneAcrossEveryLevel)
{
    backend::run([] {
        using order = tilewise::order<TypeParam, backend::tiny_geometry>;
        auto const x = some_values<TypeParam>(backend::most_super_groups * order::super_group + 5);
        std::vector<std::size_t> counts{x.size()};
        for (std::size_t i = 0; i <= 2 * static_cast<std::size_t>(order::tile) + 2; ++i)
            counts.push_back(i);
        for (tilewise::offset const unit : {order::tile, order::group, order::super_group})
            for (tilewise::offset const multiple : {1, 2, 3})
                for (tilewise::offset const difference : {-1, 0, 1})
                    if (auto const count = static_cast<std::size_t>(unit * multiple + difference); count <= x.size())
                        counts.push_back(count);
        expect_scans_specified<backend::tiny_geometry>(x, backend::chosen(counts), non_associative<TypeParam>());
    });
}

TYPED_TEST_P(ScanShape, IsTheSpecifiedOneAroundTheUnits)
{
    backend::run([] {
        using order = tilewise::order<TypeParam>;
        auto const x = some_values<TypeParam>(std::min(order::group + 2 * order::tile + 3, tilewise::offset{70000}));
        std::vector<std::size_t> counts;
        for (tilewise::offset const unit : {order::lane_vector, order::row, order::chunk, order::tile, order::group})
            for (tilewise::offset const multiple : {1, 2, 7, 8})
                for (tilewise::offset const difference : {-1, 0, 1})
                    if (auto const count = static_cast<std::size_t>(unit * multiple + difference); count <= x.size())
                        counts.push_back(count);
        expect_scans_specified<tilewise::standard_geometry>(x, backend::chosen(counts), non_associative<TypeParam>());
    });
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScanShape);
REGISTER_TYPED_TEST_SUITE_P(ScanShape, IsTheSpecifiedOneAcrossEveryLevel, IsTheSpecifiedOneAroundTheUnits);

} // namespace shape
