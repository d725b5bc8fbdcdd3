// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <functional>

namespace {

using on_device::expect_the_bits_of_seq_at_every_alignment;

/// One for each kernel, with ends of the range that are no end of anything else.
template <class T>
std::vector<std::size_t> sizes()
{
    std::size_t const tile = values::tile_of(sizeof(T));
    std::vector<std::size_t> result{1, 2, 31, tile / 64 + 3, tile - 1, tile, tile + 1, 3 * tile + 5};
    if (!on_device::interpreted)
        result.insert(result.end(), {40 * tile, 40 * tile + 1, 70 * tile + 13});
    return result;
}

DEVICE_TEST(alignments, of_bytes)
{
    expect_the_bits_of_seq_at_every_alignment<std::uint8_t>(sizes<std::uint8_t>(), std::uint8_t{3}, tw::maximum<>{});
}

DEVICE_TEST(alignments, of_bytes_that_are_added_to_words)
{
    expect_the_bits_of_seq_at_every_alignment<std::int8_t>(sizes<int>(), 7, std::plus<>{});
}

#ifdef __CUDACC__ // for the interpreter they are bytes and floats with other sizes
DEVICE_TEST(alignments, of_halfwords)
{
    expect_the_bits_of_seq_at_every_alignment<std::int16_t>(sizes<std::int16_t>(), std::int16_t{7}, std::plus<>{});
}

DEVICE_TEST(alignments, of_doubles)
{
    expect_the_bits_of_seq_at_every_alignment<double>(sizes<double>(), 0.5, std::plus<>{});
}
#endif

DEVICE_TEST(alignments, of_floats)
{
    expect_the_bits_of_seq_at_every_alignment<float>(sizes<float>(), 0.5f, std::plus<>{});
}

DEVICE_TEST(alignments, of_3_bytes)
{
    using words = values::words<std::uint8_t, 3>;
    expect_the_bits_of_seq_at_every_alignment<words>(sizes<words>(), words(77), values::compose{});
}

DEVICE_TEST(alignments, of_12_bytes)
{
    using words = values::words<std::uint32_t, 3>;
    expect_the_bits_of_seq_at_every_alignment<words>(sizes<words>(), words(77), values::compose{});
}

} // namespace
