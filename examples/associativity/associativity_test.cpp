// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is an operator associative? A property to copy, and what it finds. RapidCheck makes up the operands.

#include <tilewise/functional.hpp>
#include <tilewise/reduce.hpp>

//! [includes]
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
//! [includes]

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <vector>

namespace {

//! [operators]
// The map x -> scale * x + shift, modulo 2^32.
struct affine {
    std::uint32_t scale, shift;
    friend bool operator==(affine const&, affine const&) = default;
    friend std::ostream& operator<<(std::ostream& out, affine const& map)
    {
        return out << map.scale << " x + " << map.shift;
    }
};
// First `a`, then `b`.
struct then {
    affine operator()(affine const& a, affine const& b) const
    {
        return {a.scale * b.scale, a.shift * b.scale + b.shift};
    }
};

// The sum, or the nearest value that the type has.
template <class T>
struct saturating_plus {
    T operator()(T a, T b) const
    {
        using limits = std::numeric_limits<T>;
        return static_cast<T>(std::clamp<std::int64_t>(std::int64_t{a} + b, limits::min(), limits::max()));
    }
};
//! [operators]

} // namespace

//! [generator]
template <>
struct rc::Arbitrary<affine> {
    static rc::Gen<affine> arbitrary()
    {
        return rc::gen::build<affine>(rc::gen::set(&affine::scale), rc::gen::set(&affine::shift));
    }
};
//! [generator]

namespace {

//! [property]
// To be called in a property: fails it where `op` is not associative.
template <class T, class Op>
void expect_associative(Op op)
{
    T const a = *rc::gen::arbitrary<T>();
    T const b = *rc::gen::arbitrary<T>();
    T const c = *rc::gen::arbitrary<T>();
    RC_ASSERT(op(op(a, b), c) == op(a, op(b, c)));
}

RC_GTEST_PROP(affine_maps, compose_associatively, ())
{
    expect_associative<affine>(then{});
}

RC_GTEST_PROP(saturating_plus, is_associative_for_unsigned_integers, ())
{
    expect_associative<std::uint8_t>(saturating_plus<std::uint8_t>{});
}
//! [property]

//! [counterexample]
// Three values of one byte that `op` combines to different results from the left and from the right.
template <class T, class Op>
std::optional<std::array<T, 3>> counterexample(Op op)
{
    static_assert(sizeof(T) == 1, "tries 2^24 triples");
    for (int i = 0; i < 1 << 24; ++i) {
        auto const a = static_cast<T>(i), b = static_cast<T>(i >> 8), c = static_cast<T>(i >> 16);
        if (op(op(a, b), c) != op(a, op(b, c)))
            return std::array{a, b, c};
    }
    return std::nullopt;
}

TEST(saturating_plus, is_not_associative_for_signed_integers)
{
    EXPECT_TRUE(counterexample<std::int8_t>(saturating_plus<std::int8_t>{}));
    EXPECT_FALSE(counterexample<std::uint8_t>(saturating_plus<std::uint8_t>{}));

    // One of them: 100 + 100 saturates at 127, so that 73 are lost.
    saturating_plus<std::int8_t> const op;
    EXPECT_EQ(op(op(100, 100), -100), 27);
    EXPECT_EQ(op(100, op(100, -100)), 100);
}
//! [counterexample]

//! [not_associative]
TEST(the_mean_of_two, is_not_associative)
{
    auto const mean = [](double a, double b) { return (a + b) / 2; };
    EXPECT_NE(mean(mean(0, 0), 1), mean(0, mean(0, 1)));
}

TEST(minimum, is_not_associative_with_nans)
{
    double const nan = std::nan("");
    tilewise::minimum<double> const op;
    EXPECT_EQ(op(op(2, nan), 1), 1);
    EXPECT_EQ(op(2, op(nan, 1)), 2);
}
//! [not_associative]

//! [reduce]
// An associative operator reduces to the same bits as a plain loop.
RC_GTEST_PROP(affine_maps, reduce_as_in_a_loop, (std::vector<affine> const& maps))
{
    affine expected{1, 0};
    for (affine const& map : maps)
        expected = then{}(expected, map);
    RC_ASSERT(tilewise::reduce(tilewise::par, maps, affine{1, 0}, then{}) == expected);
}
//! [reduce]

} // namespace
