// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "computed.hpp"
#include "same_bits.hpp"

#include <cstdint>
#include <functional>

namespace {

struct itself {
    TILEWISE_PORTABLE std::int64_t operator()(std::int64_t i) const { return i; }
};
using numbers = values::computed<itself>;

struct is_multiple_of_5 {
    TILEWISE_PORTABLE bool operator()(std::int64_t value) const { return value % 5 == 0; }
};

class large : public testing::Test {
protected:
    void SetUp() override
    {
        if (on_device::is_small())
            GTEST_SKIP() << "would take long";
    }
};

constexpr std::int64_t sizes[] = {(std::int64_t{1} << 31) - 1,     std::int64_t{1} << 31,
                                  (std::int64_t{1} << 31) + 1,     (std::int64_t{1} << 32) - 1,
                                  std::int64_t{1} << 32,           (std::int64_t{1} << 32) + 8191,
                                  3 * (std::int64_t{1} << 32) + 77};

TEST(Numbers, CountUp)
{
    numbers at{1};
    EXPECT_EQ(*at++, 1);
    EXPECT_EQ(*++at, 3);
    EXPECT_TRUE(at == numbers{3});
}

TEST_F(large, sums_of_numbers_are_exact)
{
    for (std::int64_t const size : sizes)
        for (std::int64_t const first : {std::int64_t{0}, std::int64_t{-5}}) {
            auto const n = static_cast<std::uint64_t>(size); // wraps in 64 bits as the sum does
            std::uint64_t const pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
            EXPECT_EQ(static_cast<std::uint64_t>(tw::reduce(tw::device, numbers{first}, numbers{first + size})),
                      pairs + n * static_cast<std::uint64_t>(first))
                << size;
        }
}

TEST_F(large, counts_are_exact)
{
    for (std::int64_t const size : sizes) {
        EXPECT_EQ(tw::count_if(tw::device, numbers{0}, numbers{size}, is_multiple_of_5{}), (size + 4) / 5) << size;
        EXPECT_EQ(tw::count(tw::device, numbers{0}, numbers{size}, size - 1), 1) << size;
    }
}

TEST_F(large, positions_are_exact)
{
    for (std::int64_t const size : sizes)
        EXPECT_EQ(tw::max_element(tw::device, numbers{-5}, numbers{size - 5}) - numbers{0}, size - 6) << size;
}

TEST_F(large, memory_is_read_to_its_last_byte)
{
    constexpr std::size_t size = (std::size_t{1} << 32) + 5;
    on_device::device_array<std::uint8_t> const ones(size + 15);
    on_device::expect_success(cudaMemset(ones.data(), 1, size + 15));
    for (std::size_t const off : {0u, 1u, 15u})
        for (std::size_t const count : {size, size - 5, std::size_t{1} << 31}) {
            std::uint8_t const *const first = ones.data() + off, *const last = first + count;
            EXPECT_EQ(tw::reduce(tw::device, first, last, std::int64_t{3}), static_cast<std::int64_t>(count) + 3);
            EXPECT_EQ(tw::reduce(tw::device, first, last, std::uint8_t{3}), static_cast<std::uint8_t>(count + 3));
        }
    for (std::size_t const position : {size - 1, std::size_t{1} << 31, (std::size_t{1} << 32) - 1}) {
        on_device::expect_success(cudaMemset(ones.data() + position, 9, 1));
        EXPECT_EQ(tw::max_element(tw::device, ones.data(), ones.data() + size), ones.data() + position);
        on_device::expect_success(cudaMemset(ones.data() + position, 1, 1));
    }
}

} // namespace
