// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../distributed/ranks.hpp"
#include "../on_device.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/tilewise.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace tw = tilewise;

namespace {

struct is_odd {
    TILEWISE_PORTABLE bool operator()(std::int32_t x) const { return x % 2 != 0; }
};

/// What ranks that each use the GPU make of integers, which may be combined in any order.
DEVICE_TEST(ranks_on_a_gpu, have_the_values_of_one_range)
{
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    for (std::size_t const count :
         {std::size_t{0}, std::size_t{5}, on_device::amount<std::size_t>(1 << 20, 30'000, 9000)}) {
        std::vector<std::int32_t> x(count), scanned(count), expected(count);
        for (auto& value : x)
            value = static_cast<std::int32_t>(random() % 2000) - 1000;
        auto const sum = tw::reduce(x, std::int64_t{7});
        auto const largest = tw::reduce(x, -2000, tw::maximum<>());
        auto const odd = tw::count_if(x, is_odd());
        tw::inclusive_scan(x, expected, std::plus<>(), 3);
        ranks::on_each_rank(ranks::cuts_of(count, 1024, random), [&](auto& communicator, std::size_t begin,
                                                                     std::size_t end) {
            std::vector<std::int32_t> const own(x.data() + begin, x.data() + end);
            on_device::device_array<std::int32_t> const there(own), out(own.size());
            std::span<std::int32_t const> const elements(there.data(), own.size());
            auto const on = tw::distributed(communicator, tw::device);
            std::int32_t const other = communicator.rank() == 0 ? 3 : 100; // rank 0's init counts
            EXPECT_EQ(tw::reduce(on, elements, std::int64_t{7}), sum);
            EXPECT_EQ(tw::reduce(on, elements, -2000, tw::maximum<>()), largest);
            EXPECT_EQ(tw::count_if(on, elements, is_odd()), odd);
            EXPECT_EQ(tw::inclusive_scan(on, there.data(), there.data() + own.size(), out.data(), std::plus<>(), other),
                      out.data() + own.size());
            auto const results = out.values(own.size());
            std::copy(results.begin(), results.end(), scanned.begin() + static_cast<std::ptrdiff_t>(begin));
        });
        EXPECT_EQ(scanned, expected);
    }
}

DEVICE_TEST(ranks_on_a_gpu, all_throw_what_one_throws)
{
    ranks::on_each_rank({0, 100, 200}, [&](auto& communicator, std::size_t, std::size_t) {
        on_device::device_array<std::int32_t> const there(100);
        std::vector<std::int32_t> few(communicator.rank() == 1 ? 99 : 100);
        auto const on = tw::distributed(communicator, tw::device);
        try {
            tw::inclusive_scan(on, std::span<std::int32_t const>(there.data(), 100), few);
            ADD_FAILURE() << "no exception";
        } catch (tw::distributed_error const& error) {
            EXPECT_EQ(error.rank(), 1);
        }
        EXPECT_EQ(tw::count_if(on, std::vector<std::int32_t>(10, 1), is_odd()), 20); // host memory, in step again
    });
}

} // namespace
