// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <array>
#include <functional>

namespace {

using namespace scan_kernels;

/// The number of elements that cross the levels above the tile.
template <class T>
constexpr tw::offset most = 5 * tw::order<T, steep_geometry>::tile + 7;

/// Elements and results that begin at every place where they can.
template <class T, class O, class E, class Op>
void expect_specified_at_every_alignment(std::vector<E> const& x, T const& init, Op op)
{
    auto const counts = sizes<T, steep_geometry>(most<T>);
    std::size_t const every = on_device::amount<std::size_t>(1, 5, alignof(E) * alignof(O) == 1 ? 5 : 2);
    std::size_t index = on_device::variation();
    for (std::size_t input = 0; input < 16; input += alignof(E))
        for (std::size_t output = 0; output < 16; output += alignof(O)) {
            std::vector<std::size_t> const some{counts[index * 7 % counts.size()],
                                                counts[counts.size() - 1 - index % 5]};
            ++index;
            if (on_device::leaves_to_other_schedule(index / 2) || index % every != 0)
                continue;
            expect_scanned<steep_geometry, T, O>(x, init, some, op, {input, output});
        }
}

template <class T, class O = T, class E = T, class Op = shape::non_associative<T>>
void expect_specified_at_every_alignment(Op op = {})
{
    expect_specified_at_every_alignment<T, O>(shape::some_values<E>(static_cast<std::size_t>(most<T>)),
                                              shape::some_values<T>(3).back(), op);
}

/// Bytes that have some bits in common, which every result keeps if `op` is the right one.
template <class T, class Op>
void expect_specified_with(int bits, Op op)
{
    auto x = shape::some_values<T>(static_cast<std::size_t>(most<T>));
    for (T& each : x)
        each = static_cast<T>(each | bits);
    expect_specified_at_every_alignment<T, T>(x, x.back(), op);
}

DEVICE_TEST(scan_alignments, of_bytes)
{
    expect_specified_at_every_alignment<std::uint8_t>();
}

DEVICE_TEST(scan_alignments, of_bytes_that_are_added)
{
    expect_specified_at_every_alignment<std::int8_t>(std::plus<>());
}

/// @name Operators whose identity is not zero
/// Several tests, since racecheck takes minutes for each.
/// @{
DEVICE_TEST(scan_alignments, of_bytes_that_are_multiplied)
{
    expect_specified_with<std::int8_t>(1, std::multiplies<>());
}

DEVICE_TEST(scan_alignments, of_bytes_that_are_masked)
{
    expect_specified_with<std::uint8_t>(0x40, std::bit_and<>());
}

DEVICE_TEST(scan_alignments, of_the_least_and_largest_bytes)
{
    expect_specified_with<std::uint8_t>(0x40, tw::minimum<>());
    expect_specified_with<std::int8_t>(0x80, tw::maximum<>());
}
/// @}

#ifdef __CUDACC__ // for the interpreter they are bytes and words with other sizes
DEVICE_TEST(scan_alignments, of_halfwords)
{
    expect_specified_at_every_alignment<std::uint16_t>();
}

DEVICE_TEST(scan_alignments, of_words_of_two)
{
    expect_specified_at_every_alignment<std::uint64_t>();
}

DEVICE_TEST(scan_alignments, of_words_that_are_added)
{
    expect_specified_at_every_alignment<std::int32_t>(std::plus<>());
}
#endif

DEVICE_TEST(scan_alignments, of_words)
{
    expect_specified_at_every_alignment<std::uint32_t>();
}

DEVICE_TEST(scan_alignments, of_bytes_that_are_added_to_words)
{
    expect_specified_at_every_alignment<std::int32_t, std::int32_t, std::uint8_t>(std::plus<>());
    expect_specified_at_every_alignment<std::int32_t, std::int16_t, std::uint8_t>(std::plus<>());
}

DEVICE_TEST(scan_alignments, of_3_bytes)
{
    expect_specified_at_every_alignment<shape::bytes<3>>();
}

DEVICE_TEST(scan_alignments, of_12_bytes)
{
    expect_specified_at_every_alignment<std::array<std::uint32_t, 3>>();
}

DEVICE_TEST(scan_alignments, of_24_bytes)
{
    expect_specified_at_every_alignment<std::array<std::uint64_t, 3>>();
}

} // namespace
