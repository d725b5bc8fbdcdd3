// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The slow executable specification of histograms: what a bin is, by comparison with every edge. Written for
/// readability; it shares no code with the library but the names of options.

#include <tilewise/axis/bounds.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace specification {

/// Any number of any arithmetic type of at most 64 bits, and those of long double, exactly: x86's has 64 bits of
/// fraction. Elsewhere it may be as narrow as double, so that integers are kept apart.
struct number {
    bool is_integer, is_negative;
    std::uint64_t magnitude;
    long double real;
};

template <class X>
number exact(X x)
{
    if constexpr (std::is_integral_v<X>) {
        bool const is_negative = x < X{};
        auto const bits = static_cast<std::uint64_t>(x); // sign-extended
        return {true, is_negative, is_negative ? 0 - bits : bits, 0};
    } else {
        return {false, false, 0, static_cast<long double>(x)};
    }
}

/// a <= b of an integer and a real number that is not NaN.
inline bool integer_not_above(number a, long double b)
{
    if (!a.is_negative)
        return b >= 0x1p64L || (b >= 0 && a.magnitude <= static_cast<std::uint64_t>(b)); // a <= b means a <= floor(b)
    if (b >= 0 || b <= -0x1p64L)
        return b >= 0;
    auto const whole = static_cast<std::uint64_t>(-b);
    return a.magnitude > whole || (a.magnitude == whole && static_cast<long double>(whole) == -b);
}

/// -a of an integer; of 0, a negative zero, which compares as 0 does.
inline number negated(number a)
{
    return {true, !a.is_negative, a.magnitude, 0};
}

/// a <= b, exactly; false for NaN.
inline bool not_above(number a, number b)
{
    if (a.is_integer && b.is_integer) {
        if (a.is_negative != b.is_negative)
            return a.is_negative;
        return a.is_negative ? a.magnitude >= b.magnitude : a.magnitude <= b.magnitude;
    }
    if (!a.is_integer && !b.is_integer)
        return a.real <= b.real;
    if (a.is_integer)
        return !std::isnan(b.real) && integer_not_above(a, b.real);
    return !std::isnan(a.real) && integer_not_above(negated(b), -a.real); // a <= b means -b <= -a
}

inline bool equal(number a, number b)
{
    if (a.is_integer == b.is_integer)
        return not_above(a, b) && not_above(b, a);
    if (!a.is_integer)
        return equal(b, a);
    if (std::isnan(b.real) || b.real != std::floor(b.real) || std::fabs(b.real) >= 0x1p64L)
        return false;
    auto const magnitude = static_cast<std::uint64_t>(std::fabs(b.real));
    return magnitude == a.magnitude && (magnitude == 0 || std::signbit(b.real) == a.is_negative);
}

/// The cell of a sample between edges, or -1.
template <class X, class Edge>
long long cell(X x, std::vector<Edge> const& edges, tilewise::axis_options options)
{
    auto const bins = static_cast<long long>(edges.size()) - 1;
    number const sample = exact(x);
    if (!sample.is_integer && std::isnan(sample.real))
        return options.flow == tilewise::flow::bins ? bins + 2 : -1;
    long long not_above_sample = 0; // of the edges
    for (Edge const& edge : edges)
        not_above_sample += not_above(exact(edge), sample);
    if (options.closed_upper && equal(sample, exact(edges.back())))
        return bins - 1;
    if (not_above_sample == 0)
        return options.flow == tilewise::flow::bins ? bins : options.flow == tilewise::flow::clamp ? 0 : -1;
    if (not_above_sample == bins + 1)
        return options.flow == tilewise::flow::bins ? bins + 1 : options.flow == tilewise::flow::clamp ? bins - 1 : -1;
    return not_above_sample - 1;
}

/// How many cells there are for so many edges.
inline std::size_t cells(std::size_t edges, tilewise::axis_options options)
{
    return edges - 1 + (options.flow == tilewise::flow::bins ? 3 : 0);
}

/// The counts of samples.
template <class Samples, class Edge>
std::vector<std::uint64_t> histogram(Samples const& samples, std::vector<Edge> const& edges,
                                     tilewise::axis_options options)
{
    std::vector<std::uint64_t> counts(cells(edges.size(), options));
    for (auto const& x : samples)
        if (long long const own = cell(x, edges, options); own >= 0)
            ++counts[static_cast<std::size_t>(own)];
    return counts;
}

} // namespace specification
