// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of histogram for seq and par: each thread counts in its own sub-histogram, and the sums of the
/// sub-histograms are written at the end.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/cells.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/sub_histogram.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Whether samples are one-byte integers.
template <class Sample>
inline constexpr bool is_byte = std::integral<Sample> && sizeof(Sample) == 1;

/// Counts each byte value, and then looks up the cell of each value once.
template <class Axis, class Input>
void count_bytes(sub_histogram& counted, Axis const& axis, Input& input, offset count)
{
    using sample = sample_of<Input>;
    sub_histogram of_byte(256, count);
    if constexpr (contiguous_of<Input, sample>) {
        of_byte.count(reinterpret_cast<unsigned char const*>(std::to_address(input)), count);
        input += count;
    } else {
        unsigned char bytes[samples_per_block];
        for (offset part; count > 0; count -= part) {
            part = std::min(count, offset{samples_per_block});
            for (offset i = 0; i < part; ++i, (void)++input)
                bytes[i] = static_cast<unsigned char>(*input);
            of_byte.count(bytes, part);
        }
    }
    offset const cells = axis.extent();
    for (int byte = 0; byte < 256; ++byte)
        if (auto const number = of_byte.number_of(byte); number != 0)
            counted.add(host::cell_of(axis, cells, static_cast<sample>(byte)), number);
}

/// Counts the next `count` samples of an input, and advances the input past them.
template <class Axis, class Input>
void count_samples(sub_histogram& counted, Axis const& axis, Input& input, offset count)
{
    constexpr offset bytes_that_pay = 2048;
    if constexpr (is_byte<sample_of<Input>>) {
        if (count >= bytes_that_pay)
            return host::count_bytes(counted, axis, input, count);
    }
    host::for_each_block(axis, axis.extent(), input, count,
                         [&](int samples, int const* numbers) { counted.count(numbers, samples); });
}

/// Counts samples up to `end`, which is their number or the end of their range, on the calling thread.
template <class Input, class Extent, class Axis>
sub_histograms count_all(sequenced_policy, Input input, Extent const& end, Axis const& axis)
{
    offset const cells = axis.extent();
    sub_histograms all;
    if constexpr (std::same_as<Extent, offset>) {
        sub_histogram counted(cells, end);
        host::count_samples(counted, axis, input, end);
        all.push_back(std::move(counted));
    } else {
        sub_histogram counted(cells, cells);
        while (!(input == end)) {
            int numbers[samples_per_block], samples = 0;
            for (; samples < samples_per_block && !(input == end); ++input)
                numbers[samples++] = host::cell_of(axis, cells, *input);
            counted.count(numbers, samples);
        }
        all.push_back(std::move(counted));
    }
    return all;
}

/// Counts `count` samples on several threads. Each thread creates its table when it gets its first samples. `at(i)`
/// returns the position of sample i in the input, for each i that is a multiple of `samples_per_unit`.
template <class Axis, class At>
sub_histograms count_shared(offset threads, offset count, offset samples_per_unit, Axis const& axis, At const& at)
{
    std::atomic<offset> begun = 0;
    std::mutex mutex;
    sub_histograms all;
    host::work_together(threads, [&](first_exception const& thrown) {
        std::optional<sub_histogram> own;
        for (offset first; !thrown.is_thrown() && (first = begun.fetch_add(samples_per_unit)) < count;) {
            if (!own)
                own.emplace(axis.extent(), count);
            auto input = at(first);
            host::count_samples(*own, axis, input, std::min(samples_per_unit, count - first));
        }
        std::lock_guard const lock(mutex);
        if (own)
            all.push_back(std::move(*own));
    });
    return all;
}

/// Returns whether samples are so slow that several threads pay off even for a few.
template <class Input, class Axis>
bool is_slow(Input input, offset count, Axis const& axis)
{
    if constexpr (is_read_once<Input> || (contiguous_of<Input, sample_of<Input>> && binning::is_quick<Axis>))
        return false;
    else
        return count > 1 && host::takes_long(count, [&] { return axis.index(*input); });
}

/// Counts samples up to `end` on all cores.
///
/// Clearing a thread's table and adding it up takes about as long as counting as many samples as it has counters. So
/// several tables together have at most as many counters as there are samples. (f32, 65536 samples in as many bins: one
/// thread takes 1.34 ns each, two take 2.37.)
template <class Input, class Extent, class Axis>
sub_histograms count_all(parallel_policy, Input const& input, Extent const& end, Axis const& axis)
{
    constexpr offset samples_that_pay = 1 << 16, samples_per_unit = 1 << 15, step = 1 << 8;
    offset const cells = axis.extent();
    auto const threads_for = [&](offset samples) {
        return std::min(concurrency(), samples / std::max(samples_that_pay / 2, cells));
    };
    if constexpr (std::same_as<Extent, offset>) {
        auto const at = [&](offset i) { return tilewise::advanced(input, i); };
        if (std::max(end, cells) < samples_that_pay && host::is_slow(input, end, axis)) {
            offset const threads = std::min(concurrency(), end);
            return host::count_shared(threads, end, std::max(offset{1}, end / (8 * threads)), axis, at);
        }
        if (threads_for(end) > 1)
            return host::count_shared(threads_for(end), end, samples_per_unit, axis, at);
        return host::count_all(seq, input, end, axis);
    } else {
        std::vector<Input> checkpoints;
        offset count = 0;
        for (Input it = input; !(it == end); ++it, (void)++count)
            if (count % step == 0)
                checkpoints.push_back(it);
        auto const at = [&](offset i) { return checkpoints[static_cast<std::size_t>(i / step)]; };
        return host::count_shared(std::max(offset{1}, threads_for(count)), count, step, axis, at);
    }
}

/// Adds to a counter. Integers wrap; other types use their own operator+, if they have one.
template <class Out>
void add_to_counter(Out& counts, std::uint64_t number)
{
    using counter = std::remove_cvref_t<decltype(*counts)>;
    if constexpr (std::integral<counter> && sizeof(counter) <= sizeof(number))
        tilewise::store(counts, static_cast<std::uint64_t>(*counts) + number);
    else if constexpr (binning::integer<counter>)
        *counts = static_cast<counter>(static_cast<binning::wide_unsigned>(*counts) + number);
    else if constexpr (requires { *counts = *counts + number; })
        *counts = *counts + number;
    else
        tilewise::store(counts, static_cast<std::uint64_t>(*counts) + number);
}

/// Writes the counters, or adds to them. Returns their end.
template <bool adds, class Out>
Out write_counters(Out counts, offset first, offset last, sub_histograms const& counted)
{
    for (offset cell = first; cell < last; ++cell, (void)++counts) {
        if constexpr (adds)
            host::add_to_counter(counts, counted.number_of(cell));
        else
            tilewise::store(counts, counted.number_of(cell));
    }
    return counts;
}

/// Counts samples up to `end`, and writes the counters or adds to them. Returns their end.
template <bool adds, class Policy, class Input, class Extent, class Axis, class Out>
Out histogram(Policy policy, Input input, Extent const& end, Axis const& axis, Out counts)
{
    offset const cells = axis.extent();
    auto const counted = host::count_all(policy, tilewise::unwrap_input(std::move(input), end), end, axis);
    if constexpr (random_access<Out> && !shares_words<Out>) {
        constexpr offset cells_that_pay = 1 << 14;
        auto const to = tilewise::memory_behind(counts);
        if (cells >= cells_that_pay && counted.are_several())
            host::parallel_for(cells, [&](offset first, offset last) {
                host::write_counters<adds>(tilewise::advanced(to, first), first, last, counted);
            });
        else
            host::write_counters<adds>(to, 0, cells, counted);
        return tilewise::advanced(counts, cells);
    } else {
        return host::write_counters<adds>(std::move(counts), 0, cells, counted);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
