// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the suites on the processor share: elements, random ones of each type, and running what was registered.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace bench::host {

/// A 2 x 2 matrix, for an operator that is associative and not commutative.
struct matrix {
    float a, b, c, d;
};

struct matrix_product {
    matrix operator()(matrix const& x, matrix const& y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

/// The neutral element of sums, and of products of matrices.
template <class Element>
inline constexpr Element neutral{};
template <>
inline constexpr matrix neutral<matrix>{1, 0, 0, 1};

/// Numbers of 64 random bits.
class generator {
public:
    std::uint64_t operator()()
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }

private:
    std::uint64_t state_ = 88172645463325252u;
};

template <class Element>
Element element_from(std::uint64_t bits)
{
    if constexpr (std::is_same_v<Element, matrix>) {
        float const turn = static_cast<float>(bits >> 40) * 0x1p-26f; // near a rotation, so that products stay finite
        return {1 - turn * turn / 2, -turn, turn, 1 - turn * turn / 2};
    } else if constexpr (std::is_floating_point_v<Element>) {
        return static_cast<Element>(static_cast<std::int64_t>(bits)) * static_cast<Element>(0x1p-63);
    } else {
        return static_cast<Element>(bits >> 33);
    }
}

/// As many random elements as the largest benchmark takes.
template <class Element>
std::vector<Element> const& random_elements(std::size_t most)
{
    static std::vector<Element> const elements = [&] {
        std::vector<Element> result(most);
        generator next;
        for (Element& element : result)
            element = element_from<Element>(next());
        return result;
    }();
    return elements;
}

/// Runs the benchmarks that the command line asks for; the status for main.
inline int run_registered(int argc, char** argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

} // namespace bench::host
