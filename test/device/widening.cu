// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace {

using on_device::expect_the_bits_of_seq;
using on_device::sizes;

struct square {
    template <class T>
    TILEWISE_PORTABLE float operator()(T value) const
    {
        return static_cast<float>(value) * static_cast<float>(value);
    }
};

DEVICE_TEST(widening, of_bytes_to_words)
{
    expect_the_bits_of_seq<std::int8_t>(sizes<int>(), -7, std::plus<>{});
}

/// Minima and maxima of bytes of every value, as accumulators of type T. The last tile, of which bytes are read one by
/// one, does not contain them.
template <class T, class E>
void expect_bounds_of_bytes()
{
    std::size_t const tiles = 2 * values::tile_of(sizeof(T));
    std::vector<E> x;
    for (unsigned const seed : values::seeds(tiles + 700))
        x.push_back(x.size() < tiles ? static_cast<E>(seed >> 16) : E{50});
    on_device::device_array<E> const device_copy(x);
    auto const check = [&](auto op) {
        EXPECT_EQ(tw::reduce(tw::device, device_copy.begin(), device_copy.end(), T{50}, op),
                  tw::reduce(tw::seq, x, T{50}, op));
    };
    check(tw::minimum<>{});
    check(tw::maximum<>{});
}

DEVICE_TEST(widening, of_bytes_to_the_types_that_have_all_of_them_keeps_their_bounds)
{
    expect_bounds_of_bytes<int, std::int8_t>();
    expect_bounds_of_bytes<int, std::uint8_t>();
    expect_bounds_of_bytes<unsigned, std::uint8_t>();
    expect_bounds_of_bytes<std::int8_t, std::int8_t>();
    expect_bounds_of_bytes<std::uint8_t, std::uint8_t>();
}

DEVICE_TEST(widening, of_bytes_to_types_that_order_them_otherwise_compares_what_they_become)
{
    expect_bounds_of_bytes<unsigned, std::int8_t>();
    expect_bounds_of_bytes<std::int8_t, std::uint8_t>();
    expect_bounds_of_bytes<float, std::int8_t>();
}

DEVICE_TEST(widening, of_truth_values_to_words)
{
    std::vector<unsigned char> bytes(20000);
    int expected = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        expected += bytes[i] = i * i % 7 < 2;
    on_device::device_array<unsigned char> const device_copy(bytes);
    auto const* const first = reinterpret_cast<bool const*>(device_copy.data());
    EXPECT_EQ(tw::reduce(tw::device, first, first + bytes.size(), 0), expected);
    EXPECT_EQ(tw::reduce(tw::device, first + 1, first + bytes.size(), 0), expected - bytes[0]);
}

DEVICE_TEST(widening, of_squares_of_bytes_to_floats)
{
    expect_the_bits_of_seq<std::uint8_t>(sizes<float>(), 0.5f, std::plus<>{}, square{});
}

DEVICE_TEST(widening, of_floats_to_doubles)
{
    expect_the_bits_of_seq<float>(sizes<double>(), 0.5, std::plus<>{});
}

#ifdef __CUDACC__ // for the interpreter they are the others with other sizes
DEVICE_TEST(widening, of_bytes_to_words_of_two)
{
    expect_the_bits_of_seq<std::uint8_t>(sizes<std::int64_t>(), std::int64_t{-7}, std::plus<>{});
}

DEVICE_TEST(widening, of_halfwords_to_doubles)
{
    expect_the_bits_of_seq<std::int16_t>(sizes<double>(), 0.5, std::plus<>{});
}
#endif

DEVICE_TEST(narrowing, of_doubles_to_floats)
{
    expect_the_bits_of_seq<double>(sizes<float>(), 0.5f, std::plus<>{});
}

DEVICE_TEST(narrowing, of_words_to_bytes)
{
    expect_the_bits_of_seq<int>(sizes<std::uint8_t>(), std::uint8_t{7}, std::plus<>{});
}

} // namespace
