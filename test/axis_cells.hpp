// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The cells of an axis against the specification: for samples of every type, on edges, beside them and anywhere.

#include "histogram_specification.hpp"

#include <tilewise/axis.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace axes {

using tilewise::axis_options, tilewise::flow;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every combination of options.
inline std::vector<axis_options> const all_options{{flow::drop, false}, {flow::bins, false}, {flow::clamp, false},
                                                   {flow::drop, true},  {flow::bins, true},  {flow::clamp, true}};

/// The upper half of a float: bfloat16, of two bytes, which is not an arithmetic type.
struct half_like {
    std::uint16_t bits;

    half_like() = default;
    explicit half_like(float x)
    {
        std::uint32_t all;
        std::memcpy(&all, &x, sizeof x);
        bits = static_cast<std::uint16_t>(all >> 16);
    }
    explicit operator float() const
    {
        std::uint32_t const all = std::uint32_t{bits} << 16;
        float x;
        std::memcpy(&x, &all, sizeof x);
        return x;
    }
};

auto specified(auto x)
{
    return x;
}
inline float specified(half_like x)
{
    return static_cast<float>(x);
}

/// Samples of a type around a number, and some of its extremes.
template <class X, class Edge>
void add_samples_around(std::vector<X>& samples, Edge edge)
{
    using limits = std::numeric_limits<X>;
    if constexpr (std::is_same_v<X, half_like>) {
        std::vector<float> floats;
        add_samples_around(floats, edge);
        for (float const x : floats) {
            half_like const down(x);
            samples.push_back(down);
            half_like up = down;
            ++up.bits;
            samples.push_back(up);
        }
    } else if constexpr (std::is_integral_v<X>) {
        long double const real = std::floor(static_cast<long double>(edge));
        for (int const step : {-1, 0, 1, 2}) {
            long double const near = real + step;
            if (near >= static_cast<long double>(limits::min()) && near <= static_cast<long double>(limits::max()))
                samples.push_back(static_cast<X>(near));
        }
        if constexpr (std::is_integral_v<Edge>) { // exact where long double is narrow
            for (Edge const near : {edge, static_cast<Edge>(edge - (edge > std::numeric_limits<Edge>::min()))})
                if (specification::equal(specification::exact(static_cast<X>(near)), specification::exact(near)))
                    samples.push_back(static_cast<X>(near));
        }
    } else {
        auto const x = static_cast<X>(edge);
        samples.insert(samples.end(), {x, std::nextafter(x, -limits::infinity()), std::nextafter(x, limits::infinity()),
                                       x + x / 1000, x - x / 1000});
    }
}

template <class X, class Edge>
std::vector<X> samples_around(std::vector<Edge> const& edges)
{
    using limits = std::numeric_limits<X>;
    std::vector<X> samples;
    std::size_t const step = edges.size() / 50 + 1;
    for (std::size_t i = 0; i < edges.size(); i += step)
        add_samples_around(samples, edges[i]);
    add_samples_around(samples, edges.back());
    if constexpr (std::is_same_v<X, half_like>) {
        for (unsigned bits = 0; bits < 0x10000; bits += 97)
            samples.emplace_back().bits = static_cast<std::uint16_t>(bits);
        for (float const x : {NAN, -NAN, HUGE_VALF, -HUGE_VALF, 0.0f, -0.0f})
            samples.emplace_back(x);
    } else if constexpr (std::is_integral_v<X>) {
        if constexpr (std::is_same_v<X, bool>)
            samples = {false, true};
        else if constexpr (sizeof(X) == 1)
            for (int x = limits::min(); x <= limits::max(); ++x)
                samples.push_back(static_cast<X>(x));
        else
            for (int shift = 0; shift < limits::digits; ++shift)
                for (X const x : {static_cast<X>(limits::max() >> shift), static_cast<X>(limits::min() >> shift),
                                  static_cast<X>((limits::max() >> shift) - 1)})
                    samples.push_back(x);
    } else {
        for (X const x : {X(0), limits::denorm_min(), limits::min(), limits::max(), limits::infinity(),
                          limits::quiet_NaN(), X(0.5), X(127.5), X(9223372036854775808.0), X(18446744073709551616.0)})
            for (X const signed_x : {x, -x})
                samples.insert(samples.end(), {signed_x, std::nextafter(signed_x, X(0))});
    }
    return samples;
}

template <class X>
std::string text(X x)
{
    std::ostringstream out;
    out.precision(24);
    out << +x;
    return out.str();
}

/// Expects the same cells of a form of a view.
template <class Form, class X>
void expect_cells_of_form(Form const& form, std::vector<X> const& samples, std::vector<int> const& expected)
{
    static_assert(std::is_trivially_copyable_v<Form>);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        tilewise::binning::located const found = form.locate(samples[i]);
        ASSERT_EQ(found.inside ? static_cast<int>(found.cell) : tilewise::no_cell, expected[i])
            << text(specified(samples[i]));
    }
}

/// Expects the cells that the specification says, for samples of one type, of `index`, of the view and of its forms.
template <class X, class Axis, class Edge>
void expect_cells_of(Axis const& axis, std::vector<Edge> const& edges, axis_options options)
{
    auto const samples = samples_around<X>(edges);
    auto const view = tilewise::axis_view(axis);
    static_assert(std::is_trivially_copyable_v<decltype(tilewise::axis_view(axis))>);
    std::vector<int> expected;
    for (X const x : samples) {
        expected.push_back(static_cast<int>(specification::cell(specified(x), edges, options)));
        ASSERT_EQ(axis.index(x), expected.back()) << text(specified(x)) << " in " << edges.size() - 1 << " bins from "
                                                  << text(edges.front()) << " to " << text(edges.back());
        ASSERT_EQ(view.index(x), expected.back());
    }
    if constexpr (tilewise::binning::has_branchless_form<decltype(view)>) {
        if (view.is_branchless())
            expect_cells_of_form(view.branchless_form(), samples, expected);
        if (view.is_simple())
            expect_cells_of_form(view.simple_form(), samples, expected);
        bool const is_counted_out_of_range = options.flow != flow::drop;
        ASSERT_FALSE(view.is_simple() && is_counted_out_of_range);
    }
    if constexpr (requires(int* cells) { view.index_all(0, samples.data(), cells); }) {
        for (std::size_t const count : {samples.size(), std::size_t{1}, std::size_t{7}, std::size_t{0}}) {
            std::vector<int> cells(samples.size(), -7);
            view.index_all(static_cast<int>(count), samples.data(), cells.data());
            for (std::size_t i = 0; i < samples.size(); ++i)
                ASSERT_EQ(cells[i], i < count ? expected[i] : -7) << text(specified(samples[i]));
        }
        for (std::size_t i = 0; i < samples.size(); ++i) { // alone, when none is outside but perhaps this one
            int cell = -7;
            view.index_all(1, &samples[i], &cell);
            ASSERT_EQ(cell, expected[i]) << text(specified(samples[i]));
        }
    }
}

template <class Axis, class Edge>
void expect_cells(Axis const& axis, std::vector<Edge> const& edges, axis_options options)
{
    ASSERT_EQ(axis.size(), static_cast<tilewise::offset>(edges.size()) - 1);
    ASSERT_EQ(axis.extent(), static_cast<tilewise::offset>(specification::cells(edges.size(), options)));
    ASSERT_EQ(static_cast<tilewise::offset>(tilewise::axis_view(axis).extent()), axis.extent());
    for (std::size_t i = 0; i < edges.size(); ++i)
        ASSERT_EQ(axis.edge(static_cast<tilewise::offset>(i)), edges[i]);
    ASSERT_EQ(axis.edges(), edges);
    expect_cells_of<float>(axis, edges, options);
    expect_cells_of<double>(axis, edges, options);
    expect_cells_of<long double>(axis, edges, options);
    expect_cells_of<half_like>(axis, edges, options);
    expect_cells_of<bool>(axis, edges, options);
    expect_cells_of<char>(axis, edges, options);
    expect_cells_of<std::int8_t>(axis, edges, options);
    expect_cells_of<std::uint8_t>(axis, edges, options);
    expect_cells_of<std::int16_t>(axis, edges, options);
    expect_cells_of<std::uint16_t>(axis, edges, options);
    expect_cells_of<std::int32_t>(axis, edges, options);
    expect_cells_of<std::uint32_t>(axis, edges, options);
    expect_cells_of<std::int64_t>(axis, edges, options);
    expect_cells_of<std::uint64_t>(axis, edges, options);
}

/// Expects that a constructor throws `std::invalid_argument`, with these words in its message.
template <class Make>
void expect_rejected(Make make, std::vector<std::string> const& words)
{
    try {
        make();
        ADD_FAILURE() << "accepted: " << testing::PrintToString(words);
    } catch (std::invalid_argument const& error) {
        for (std::string const& word : words)
            EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
}

} // namespace axes
