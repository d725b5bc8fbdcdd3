// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the library promises for an NVIDIA H200, and whether a run keeps it. All but the wall time is cold.
///
/// Ratios are rounded to two decimals before they are compared, as they are written.

#include "results.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The figure of a measurement that a bar is about; none if its counterpart was not measured.
using figure = std::function<std::optional<double>(results const&, measurement const&)>;

inline std::optional<double> speed_over(measurement const& ours, measurement const* other)
{
    return other ? std::optional(other->microseconds.median / ours.microseconds.median) : std::nullopt;
}
inline figure speed_over_peer(std::string who)
{
    return [=](results const& all, measurement const& ours) { return speed_over(ours, all.find(ours, who)); };
}
inline figure speed_over_aligned()
{
    return [](results const& all, measurement const& ours) {
        return ours.offset == 0 ? std::nullopt : speed_over(ours, all.find(ours, ours.who, 0));
    };
}
inline figure speed()
{
    return [](results const&, measurement const& ours) { return std::optional(ours.gigabytes_per_second()); };
}
inline figure microseconds_behind(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const* other = all.find(ours, who);
        return other ? std::optional(ours.microseconds.median - other->microseconds.median) : std::nullopt;
    };
}
/// The share of a peer's time that ours takes.
inline figure time_over_peer(std::string who)
{
    return [=](results const& all, measurement const& ours) -> std::optional<double> {
        measurement const* other = all.find(ours, who);
        return other ? std::optional(ours.microseconds.median / other->microseconds.median) : std::nullopt;
    };
}

struct bar {
    std::string claim;
    std::string part;
    std::vector<std::string_view> what;
    std::function<bool(measurement const&)> covers;
    figure value;
    bool at_least; ///< or at most
    double limit;
};

/// What became of a bar.
struct verdict {
    bool measured = false, pass = true;
    double worst = 0;
    measurement where;
};

inline verdict judge(bar const& bar, results const& all)
{
    verdict result;
    for (auto const& one : all.all()) {
        if (one.part != bar.part || !one.who.starts_with("tilewise") || one.who == "tilewise_pointer" ||
            one.cold != (bar.part != "wall") || std::ranges::find(bar.what, one.what) == bar.what.end() ||
            !bar.covers(one))
            continue;
        auto const value = bar.value(all, one);
        if (!value)
            continue;
        double const rounded = std::round(*value * 100) / 100;
        result.pass &= bar.at_least ? rounded >= bar.limit : rounded <= bar.limit;
        if (!result.measured || (bar.at_least ? *value < result.worst : *value > result.worst)) {
            result.worst = *value;
            result.where = one;
        }
        result.measured = true;
    }
    return result;
}

inline std::vector<bar> bars()
{
    auto const sizes = [](int least, int most) {
        return [=](measurement const& one) { return least <= one.log2_count() && one.log2_count() <= most; };
    };
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
    auto const cub = speed_over_peer("cub");
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
        {"all but u8: >= 0.98 x reading, 1 GiB and more", "types", all_but_u8, bytes(30, any), speed_over_peer("read"),
         true, 0.98},
        {"matrices: >= 0.98 x CUB, which reorders, 2^13 and more", "types", matrix, sizes(13, any), cub, true, 0.98},
        {"matrices: within 0.2 us of CUB, up to 2^12", "types", matrix, sizes(0, 12), microseconds_behind("cub"), false,
         0.2},
        {"4 bytes and more, one off: >= 0.97 x aligned, 2^13 and more", "types", four_bytes_and_more, sizes(13, any),
         speed_over_aligned(), true, 0.97},
        {"narrower, one off: >= 0.85 x aligned, 2^22 and more", "types", narrow_and_transforms, sizes(22, any),
         speed_over_aligned(), true, 0.85},
        {"behind iterators: >= 0.98 x raw pointer",
         "wrappings",
         {"device_vector", "span", "transform_iterator"},
         sizes(0, any),
         speed_over_peer("tilewise_pointer"),
         true,
         0.98},
        {"call to value: <= 0.60 x thrust::reduce, up to 2^20", "wall", floats, sizes(0, 20), time_over_peer("thrust"),
         false, 0.60},
        {"call to value: <= 1.05 x CUB and a wait, up to 2^20", "wall", floats, sizes(0, 20), time_over_peer("cub"),
         false, 1.05},
    };
}

/// Prints whether each bar is kept, and writes it to the results.
inline void report_bars(results& all)
{
    std::printf("\nThe bars for an NVIDIA H200: worst figure, and where\n");
    for (auto const& one : bars()) {
        verdict const found = judge(one, all);
        char const* const word = !found.measured ? "none" : found.pass ? "pass" : "MISS";
        char worst[96] = "not measured";
        if (found.measured)
            std::snprintf(worst, sizeof worst, "%.*f  %s 2^%d + %d%s", found.worst < 100 ? 3 : 0, found.worst,
                          found.where.what.c_str(), found.where.log2_count(), found.where.offset,
                          found.where.who == "tilewise" ? "" : " on a stream");
        std::printf("%s  %-61s %s\n", word, one.claim.c_str(), worst);
        all.write(
            json_line().text("record", "bar").text("claim", one.claim).text("verdict", word).text("worst", worst));
    }
}

} // namespace bench
