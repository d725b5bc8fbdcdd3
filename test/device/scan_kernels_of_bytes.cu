// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <functional>

namespace {

using namespace scan_kernels;

/// Sums, which have ways of their own.
template <class T, class O, class E>
void expect_sums()
{
    tw::offset const most = tw::order<T, steep_geometry>::super_group + tw::order<T, steep_geometry>::tile + 7;
    auto const x = shape::some_values<E>(static_cast<std::size_t>(most));
    auto const counts = some_of(sizes<T, steep_geometry>(most));
    expect_scanned<steep_geometry, T, O>(x, T{77}, counts, std::plus<>());
    std::size_t const seed = on_device::variation();
    expect_scanned<steep_geometry, T, O>(x, T{77}, counts, std::plus<>(),
                                         {seed * alignof(E) % 16, seed / 3 * alignof(O) % 16});
}

DEVICE_TEST(scan_kernels, of_bytes)
{
    expect_specified_order<std::uint8_t>();
}

#ifdef __CUDACC__ // for the interpreter they are bytes with other sizes
DEVICE_TEST(scan_kernels, of_halfwords)
{
    expect_specified_order<std::uint16_t>();
}

DEVICE_TEST(scan_kernels, add_unsigned_bytes)
{
    expect_sums<std::uint8_t, std::uint8_t, std::uint8_t>();
}

DEVICE_TEST(scan_kernels, add_halfwords)
{
    expect_sums<std::int16_t, std::int16_t, std::int16_t>();
}
#endif

DEVICE_TEST(scan_kernels, add_bytes)
{
    expect_sums<std::int8_t, std::int8_t, std::int8_t>();
}

DEVICE_TEST(scan_kernels, add_bytes_to_words)
{
    expect_sums<std::int32_t, std::int32_t, std::uint8_t>();
}

DEVICE_TEST(scan_kernels, add_words_as_bytes)
{
    expect_sums<std::uint8_t, std::int16_t, std::int32_t>();
}

} // namespace
