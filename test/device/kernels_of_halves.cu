// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before the library, which then knows the type's addition.
#include <cuda_fp16.h>

#include "same_bits.hpp"

#include <functional>

namespace {

/// Small numbers, so that sums stay finite.
std::vector<__half> some_halves(std::size_t count)
{
    std::vector<__half> result;
    for (unsigned const seed : values::seeds(count))
        result.push_back(__float2half(static_cast<float>(static_cast<int>(seed >> 20) - 2048) / 8192));
    return result;
}

struct square {
    TILEWISE_PORTABLE float operator()(__half value) const
    {
        float const wide = __half2float(value);
        return wide * wide;
    }
};

DEVICE_TEST(kernels_of_halves, add)
{
    auto const counts = on_device::sizes<__half>();
    auto const x = some_halves(counts.back());
    on_device::device_array<__half> const device_copy(x);
    __half const init = __float2half(0.5f);
    for (std::size_t const count : counts) {
        __half const result = tw::reduce(tw::device, device_copy.begin(), device_copy.begin() + count, init);
        __half const expected = tw::reduce(tw::seq, x.data(), x.data() + count, init);
        EXPECT_EQ(std::memcmp(&result, &expected, sizeof result), 0) << "n = " << count;
    }
}

DEVICE_TEST(kernels_of_halves, add_squares_as_floats)
{
    auto const counts = on_device::sizes<float>();
    auto const x = some_halves(counts.back() + 1);
    on_device::device_array<__half> const device_copy(x);
    for (std::size_t const off : {0u, 1u}) // aligned and not
        for (std::size_t const count : counts) {
            auto const* const first = device_copy.begin() + off;
            EXPECT_TRUE(on_device::same_bits(
                tw::transform_reduce(tw::device, first, first + count, 0.5f, std::plus<>{}, square{}),
                tw::transform_reduce(tw::seq, x.data() + off, x.data() + off + count, 0.5f, std::plus<>{}, square{})))
                << "n = " << count;
        }
}

} // namespace
