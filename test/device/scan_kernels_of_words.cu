// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace {

using namespace scan_kernels;

DEVICE_TEST(scan_kernels, of_words)
{
    expect_specified_order<std::uint32_t>();
    expect_specified_order<std::uint64_t>();
}

DEVICE_TEST(scan_kernels, fill_their_stages_again)
{
    expect_stages_filled_again<std::uint32_t>();
}

DEVICE_TEST(scan_kernels, of_a_few_rows)
{
    expect_few_rows_scanned<std::uint32_t>();
    expect_few_rows_scanned<std::array<std::uint64_t, 3>>();
}

/// Tiles of a row, eight to a group, and two units to each unit above: dozens of tiles cross five levels.
struct binary_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 1, chunks_per_tile = 1,
                         tiles_per_group = 8, groups_per_super_group = 2;
};
/// Pass 2 in rounds of so many super-groups: one is half of a unit of the next level, two are all of it. (A block has
/// more tiles than a group, so there are no clusters.)
template <int super_groups>
struct in_rounds : tw::gpu::reduce_tuning {
    static constexpr bool one_launch = false;
    static constexpr int iterations(tw::offset) { return 1; }
    template <class, class>
    static constexpr int fold_super_groups = super_groups;
};

/// Whether units of a level share a digit with what follows them depends on how pass 2 and the look-back are cut: so
/// here every number of tiles is tried, or every few.
DEVICE_TEST(scan_kernels, fold_any_number_of_tiles)
{
    using T = std::uint32_t;
    using order = tw::order<T, binary_geometry>;
    shape::non_associative<T> const op;
    auto const x = shape::some_values<T>(static_cast<std::size_t>(order::tile * 140 + 3));
    scanned<T> const expected(binary_geometry(), x, x[7], op);
    device_array<T> const device_copy(x);
    guarded<T> const out(x.size(), 0);
    auto const step = order::tile * on_device::amount<tw::offset>(1, 5, 3);
    for (tw::offset count = order::tile + 1 + order::tile * static_cast<tw::offset>(on_device::variation() % 3);
         count <= static_cast<tw::offset>(x.size()); count += step) {
        auto const reduced = [&](auto tuning) {
            return tw::gpu::reduce<binary_geometry, decltype(tuning)>(tw::device, device_copy.data(), count, x[7], op);
        };
        auto const size = static_cast<std::size_t>(count);
        EXPECT_EQ(reduced(in_rounds<1>()), expected.with_init[size - 1]) << count;
        EXPECT_EQ(reduced(in_rounds<2>()), expected.with_init[size - 1]) << count;
        by_every_kernel<binary_geometry>([&](auto tuning) {
            scan<binary_geometry, decltype(tuning), inclusive, T>(tw::device, device_copy.data(), size, out.data(),
                                                                  std::optional<T>(x[7]), op);
            auto const results = out.take();
            EXPECT_TRUE(std::equal(results.begin(), results.begin() + count, expected.with_init.begin())) << count;
        });
    }
}

} // namespace
