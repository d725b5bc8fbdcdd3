// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "on_device.hpp"

#include <tilewise/scan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tw = tilewise;

namespace {

class scan_large : public testing::Test {
protected:
    void SetUp() override
    {
        std::size_t free = 0, total = 0;
        on_device::expect_success(cudaMemGetInfo(&free, &total));
        if (on_device::is_small() || free < (std::size_t{11} << 30))
            GTEST_SKIP() << "would take long, or more memory than there is";
    }
};

/// Results at the beginning, where an index does not fit 31 or 32 bits, and at the end.
template <class Expected>
void expect_results(std::uint8_t const* results, std::size_t size, Expected expected)
{
    std::vector<std::uint8_t> piece(80000);
    for (std::size_t const position : {std::size_t{40000}, std::size_t{1} << 31, std::size_t{1} << 32, size - 40000}) {
        std::size_t const first = position - 40000;
        on_device::expect_success(cudaMemcpy(piece.data(), results + first, piece.size(), cudaMemcpyDefault));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < piece.size(); ++i)
            wrong += piece[i] != static_cast<std::uint8_t>(expected(first + i));
        EXPECT_EQ(wrong, 0u) << "around " << position;
    }
}

TEST_F(scan_large, sums_of_bytes_are_exact)
{
    constexpr std::size_t size = (std::size_t{1} << 32) + 100003;
    on_device::device_array<std::uint8_t> const ones(size + 1), out(size + 1);
    on_device::expect_success(cudaMemset(ones.data(), 3, size + 1));
    for (std::size_t const off : {0u, 1u}) {
        std::uint8_t const* const first = ones.data() + off;
        EXPECT_EQ(tw::inclusive_scan(tw::device, first, first + size, out.data() + 1), out.data() + 1 + size);
        expect_results(out.data() + 1, size, [](std::size_t i) { return 3 * (i + 1); });
        tw::exclusive_scan(tw::device, first, first + size, out.data(), std::uint8_t{9});
        expect_results(out.data(), size, [](std::size_t i) { return 9 + 3 * i; });
    }
    tw::inclusive_scan(tw::device, ones.data(), ones.data() + size, ones.data(), std::plus<>{}, std::uint8_t{5});
    expect_results(ones.data(), size, [](std::size_t i) { return 5 + 3 * (i + 1); });
}

/// Keeps the larger: results change where the elements do.
TEST_F(scan_large, maxima_are_exact)
{
    constexpr std::size_t size = (std::size_t{1} << 32) + 100003, step = (std::size_t{1} << 32) + 11;
    on_device::device_array<std::uint8_t> const x(size);
    on_device::expect_success(cudaMemset(x.data(), 1, size));
    on_device::expect_success(cudaMemset(x.data() + (std::size_t{1} << 31), 5, 1));
    on_device::expect_success(cudaMemset(x.data() + step, 9, 1));
    tw::inclusive_scan(tw::device, x.data(), x.data() + size, x.data(), tw::maximum<>{});
    expect_results(x.data(), size, [](std::size_t i) { return i >= step ? 9 : i >= std::size_t{1} << 31 ? 5 : 1; });
}

} // namespace
