// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The targets for scans on an NVIDIA H200. GB/s are read and written.

#include "../target.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace bench::scans {

inline std::vector<target> targets()
{
    auto const aligned = [](int least, int most = 63) -> std::function<bool(measurement const&)> {
        return [=](measurement const& one) { return one.offset == 0 && sizes(least, most)(one); };
    };
    std::vector<std::string_view> const any, words{"f32", "i32"}, bytes{"i8", "u8"}, wider{"u8_to_i32", "f16_to_f32"},
        operators{"affine", "matrix"}, floats{"f32"}, doubles{"f64"};
    auto const cub = speed_over_baseline("cub"), copy = speed_over_baseline("copy");

    return {
        {"f32 i32: >= 4000 GB/s, 2^28 and more", "types", words, aligned(28), speed(), true, 4000},
        {"f32 i32: >= 0.95 x copy, 2^28 and more", "types", words, aligned(28), copy, true, 0.95},
        {"f32 i32: >= 1.30 x CUB, 2^28 and more", "types", words, aligned(28), cub, true, 1.30},
        {"f64: >= 4100 GB/s, 2^28 and more", "types", doubles, aligned(28), speed(), true, 4100},
        {"i8 u8: >= 3600 GB/s, 2^28", "types", bytes, aligned(28, 28), speed(), true, 3600},
        {"i8 u8: >= 3900 GB/s, 2^30", "types", bytes, aligned(30, 30), speed(), true, 3900},
        {"i8 u8: >= 3.50 x CUB, 2^28 and more", "types", bytes, aligned(28), cub, true, 3.50},
        {"u8 -> i32, f16 -> f32: >= 0.90 x copy, 2^28 and more", "types", wider, aligned(28), copy, true, 0.90},
        {"f32: ahead of CUB, 2^10..2^25", "types", floats, aligned(10, 25), cub, true, 1.01},
        {"every type: ahead of CUB, 2^10..2^25", "types", any, aligned(10, 25), cub, true, 1.01},
        {"f32: >= 1.12 x CUB, 2^18..2^23", "types", floats, aligned(18, 23), cub, true, 1.12},
        {"f32: >= 1.25 x CUB, 2^24", "types", floats, aligned(24, 24), cub, true, 1.25},
        {"f32, a stretch: >= 0.90 x copy, 2^22", "types", floats, aligned(22, 22), copy, true, 0.90},
        {"affine, matrices: >= 1.20 x CUB, 2^26 and more", "types", operators, aligned(26), cub, true, 1.20},
        {"affine, matrices: >= 1.00 x CUB", "types", operators, aligned(0), cub, true, 1.00},
        {"misaligned by one: >= 0.90 x aligned", "alignments", any, sizes(0), speed_over_baseline("tilewise_aligned"),
         true, 0.90},
        {"misaligned by one, both: >= 0.90 x aligned, 2^13 and more", "types", any, sizes(13), speed_over_aligned(),
         true, 0.90},
        {"behind iterators: >= 0.95 x raw pointer", "wrappings", any, sizes(0), rate_over_baseline("tilewise_pointer"),
         true, 0.95},
        {"a call that does not wait: <= 1.20 x CUB and a launch", "call", any, sizes(0),
         time_without_launch_over_baseline("cub"), false, 1.20},
        {"call to completion: <= 0.50 x Thrust, up to 2^16", "wall", floats, sizes(0, 16), time_over_baseline("thrust"),
         false, 0.50},
        {"call to completion: <= 0.50 x its par_nosync and a wait", "wall", floats, sizes(0, 16),
         time_over_baseline("thrust_nosync"), false, 0.50},
    };
}

} // namespace bench::scans
