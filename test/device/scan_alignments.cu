// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <array>
#include <functional>

namespace {

using namespace scan_kernels;

/// Elements and results that begin at every place where they can.
template <class T, class O = T, class E = T, class Op = shape::non_associative<T>>
void expect_specified_at_every_alignment(Op op = {})
{
    tw::offset const most = 5 * tw::order<T, steep_geometry>::tile + 7;
    auto const x = shape::some_values<E>(static_cast<std::size_t>(most));
    auto const init = shape::some_values<T>(3).back();
    auto const counts = sizes<T, steep_geometry>(most);
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

DEVICE_TEST(scan_alignments, of_bytes)
{
    expect_specified_at_every_alignment<std::uint8_t>();
}

DEVICE_TEST(scan_alignments, of_bytes_that_are_added)
{
    expect_specified_at_every_alignment<std::int8_t>(std::plus<>());
}

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

} // namespace
