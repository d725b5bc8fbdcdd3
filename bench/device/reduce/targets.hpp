// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The targets for reduce on an NVIDIA H200.

#include "../target.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace bench::reductions {

inline std::vector<target> targets()
{
    auto const bytes = [](int log2_least, int log2_most) {
        return [=](measurement const& one) {
            return one.bytes >> log2_least != 0 && one.bytes <= std::uint64_t{1} << log2_most;
        };
    };
    constexpr int any = 63;
    std::vector<std::string_view> const wide{"f32", "f64", "i32"}, narrow{"i8_to_i32", "i8", "f16"},
        transforms{"u8_to_f32_squares", "f16_to_f32_squares"}, u8{"u8_to_f32_squares"}, f16{"f16_to_f32_squares"},
        matrix{"matrix"}, floats{"f32"};
    auto narrow_and_transforms = narrow;
    narrow_and_transforms.insert(narrow_and_transforms.end(), transforms.begin(), transforms.end());
    auto four_bytes_and_more = wide;
    four_bytes_and_more.push_back("matrix");
    auto all_but_u8 = four_bytes_and_more;
    all_but_u8.insert(all_but_u8.end(), {"i8_to_i32", "i8", "f16", "f16_to_f32_squares"});
    auto const cub = speed_over_baseline("cub");
    auto const middle = [](measurement const& one) {
        int const size = one.log2_count();
        return size >= 13 && size != 20 && size != 21;
    };

    return {
        {"f32 f64 i32: >= 1.00 x CUB, 2^13..2^26", "types", wide, sizes(13, 26), cub, true, 1.00},
        {"f32 f64 i32: >= 0.99 x CUB, 2^27 and more", "types", wide, sizes(27, any), cub, true, 0.99},
        {"f32 f64 i32: >= 1.20 x CUB, 2^14..2^17", "types", wide, sizes(14, 17), cub, true, 1.20},
        {"f32 f64 i32: >= 1.08 x CUB, 2^22..2^24", "types", wide, sizes(22, 24), cub, true, 1.08},
        {"f32 f64 i32: within 0.2 us of CUB, up to 2^12", "types", wide, sizes(0, 12), microseconds_behind("cub"),
         false, 0.2},
        {"i8 f16 transforms: >= 1.00 x CUB, 2^13 and more", "types", narrow_and_transforms, middle, cub, true, 1.00},
        {"i8 f16 transforms: >= 0.96 x CUB, 2^20..2^21", "types", narrow_and_transforms, sizes(20, 21), cub, true,
         0.96},
        {"i8 f16: >= 1.08 x CUB, 2^22..2^26", "types", narrow, sizes(22, 26), cub, true, 1.08},
        {"i8 f16: >= 1.05 x CUB, 2^28", "types", narrow, sizes(28, 28), cub, true, 1.05},
        {"transforms: >= 1.10 x CUB, 2^22..2^28", "types", transforms, sizes(22, 28), cub, true, 1.10},
        {"i8 f16 transforms: within 0.2 us of CUB, up to 2^12", "types", narrow_and_transforms, sizes(0, 12),
         microseconds_behind("cub"), false, 0.2},
        {"u8 -> f32 squares: >= 4000 GB/s, 2^30", "types", u8, sizes(30, 30), speed(), true, 4000},
        {"f16 -> f32 squares: >= 4100 GB/s, 2^28", "types", f16, sizes(28, 28), speed(), true, 4100},
        {"all but u8: >= 4500 GB/s, 4 GiB", "types", all_but_u8, bytes(32, 32), speed(), true, 4500},
        {"all but u8: >= 0.98 x read bandwidth, 1 GiB and more", "types", all_but_u8, bytes(30, any),
         speed_over_baseline("read"), true, 0.98},
        {"matrices: >= 0.98 x CUB, which reorders, 2^13 and more", "types", matrix, sizes(13, any), cub, true, 0.98},
        {"matrices: within 0.2 us of CUB, up to 2^12", "types", matrix, sizes(0, 12), microseconds_behind("cub"), false,
         0.2},
        {"4 bytes and more, misaligned by one: >= 0.97 x aligned, 2^13 and more", "types", four_bytes_and_more,
         sizes(13, any), speed_over_aligned(), true, 0.97},
        {"narrower, misaligned by one: >= 0.85 x aligned, 2^22 and more", "types", narrow_and_transforms,
         sizes(22, any), speed_over_aligned(), true, 0.85},
        {"behind iterators: >= 0.98 x raw pointer",
         "wrappings",
         {"device_vector", "span", "transform_iterator"},
         sizes(0, any),
         speed_over_baseline("tilewise_pointer"),
         true,
         0.98},
        {"ten common iterators: >= 0.90 x raw pointer, 2^28",
         "wrappings",
         {"device_vector", "span", "device_ptr", "transform_iterator", "transform of transform", "zip_iterator",
          "transform of zip", "offset_iterator", "reverse_iterator", "transform of counting"},
         sizes(28, 28),
         rate_over_baseline("tilewise_pointer"),
         true,
         0.90},
        {"min_element and its like, count_if: >= 0.95 x reduce, 2^28 and more",
         "extremes",
         {},
         sizes(28, any),
         speed_over_baseline("reduce"),
         true,
         0.95},
        {"pageable host memory: >= 3 x a copy, 1 GiB and more",
         "host",
         {"pageable"},
         bytes(30, any),
         speed_over_baseline("copy"),
         true,
         3.0},
        {"pinned host memory: >= 0.85 x a copy, 1 GiB and more",
         "host",
         {"pinned"},
         bytes(30, any),
         speed_over_baseline("copy"),
         true,
         0.85},
        {"call to value: <= 0.60 x thrust::reduce, up to 2^20", "wall", floats, sizes(0, 20),
         time_over_baseline("thrust"), false, 0.60},
        {"a call that does not wait: <= 1.20 x CUB and a launch",
         "call",
         {},
         sizes(0),
         time_without_launch_over_baseline("cub"),
         false,
         1.20},
        {"call to value: <= 1.05 x CUB and a wait, up to 2^20", "wall", floats, sizes(0, 20), time_over_baseline("cub"),
         false, 1.05},
    };
}

} // namespace bench::reductions
