// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Finds the runs of equal keys: a scan counts the keys that begin a run, and its output is a list of their positions
/// in place of the counts.

#include <tilewise/core/config.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/starts.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/scan.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/order.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Where the runs begin, and how many there are.
struct run_list {
    void* starts;         ///< of each run, and the number of keys after the last one
    bool is_wide;         ///< whether they take 8 bytes each, not 4
    offset const* number; ///< of runs; null if the host knows it
    offset elements;      ///< of all runs

    static constexpr bool counts_on_device = true;

    TILEWISE_DEVICE void put(offset index, offset start) const
    {
        if (is_wide)
            static_cast<offset*>(starts)[index] = start;
        else
            static_cast<std::uint32_t*>(starts)[index] = static_cast<std::uint32_t>(start);
    }
    TILEWISE_DEVICE offset start(offset index) const
    {
        return is_wide ? static_cast<offset const*>(starts)[index]
                       : offset{static_cast<std::uint32_t const*>(starts)[index]};
    }
    TILEWISE_DEVICE segment_span at(offset index) const
    {
        offset const begin = start(index);
        return {begin, start(index + 1) - begin};
    }
    /// Returns how many of the `count` runs from `first` on exist.
    TILEWISE_DEVICE offset existing(offset first, offset count) const
    {
        return number == nullptr ? count : gpu::at_most(count, *number - first);
    }
};

/// The result of the scan for a key: written where its run begins, if it does there.
struct run_result {
    run_list runs;
    offset const* before; ///< the number of runs that begin before those keys that are scanned at once
    offset* after;        ///< the number of runs up to the last of these keys
    offset last, count;   ///< the last of these keys, and the number of all keys
    offset key;

    TILEWISE_DEVICE void operator=(run_count up_to_here) const
    {
        offset const number = *before + static_cast<offset>(up_to_here >> 1);
        if ((up_to_here & 1) != 0)
            runs.put(number - 1, key);
        if (key == last) {
            *after = number;
            if (key == count - 1)
                runs.put(number, count);
        }
    }
};

/// The output of the scan.
struct run_writer {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using reference = void;
    using pointer = void;
    using difference_type = offset;

    run_result next;

    TILEWISE_DEVICE run_result operator*() const { return next; }
    TILEWISE_PORTABLE run_writer operator+(offset n) const
    {
        run_writer later = *this;
        later.next.key += n;
        return later;
    }
};

/// Finds the runs of the keys of a call, and owns the list of them.
template <class Geometry, class Tuning>
class run_finder {
public:
    /// Launches the kernels for at least one key. If the call waits, waits for the number of runs.
    template <class Keys, class Pred>
    run_finder(device_call& call, Keys const& keys, offset count, Pred const& is_same)
        : starts_(call, (count + 1) * (is_wide(count) ? 8 : 4)), numbers_(call, pieces(count) + 1), count_(count),
          runs_{starts_.begin(), is_wide(count), nullptr, count}
    {
        auto const starts = gpu::view_of_starts(keys, is_same);
        using scan = scan_of<std::remove_const_t<decltype(starts)>, iterator_sink<run_writer>, run_count, add_runs,
                             scan_form::inclusive, order<run_count, Geometry>>;
        call.clear(numbers_.begin(), sizeof(offset));
        offset* const number = call.waits() ? call.line<offset>() : numbers_.begin() + pieces(count);
        for (offset begin = 0, piece = 0; begin < count; begin += Tuning::keys_per_piece, (void)++piece) {
            offset const end = std::min(count, begin + Tuning::keys_per_piece);
            run_writer const to = {{runs_, numbers_.begin() + piece,
                                    end == count ? number : numbers_.begin() + piece + 1, end - 1, count, begin}};
            scanner<scan, typename Tuning::scan>{call,
                                                 starts.from(begin),
                                                 iterator_sink<run_writer>{to},
                                                 end - begin,
                                                 initial<run_count>(std::nullopt),
                                                 add_runs{}}
                .start();
        }
        if (call.waits()) {
            call.finish();
            count_ = *number;
        } else {
            runs_.number = number;
        }
    }

    run_list const& list() const { return runs_; }
    /// Returns the number of runs, or of keys if the host does not know that of runs.
    offset count() const { return count_; }
    /// Returns whether the host knows the number of runs.
    bool is_known() const { return runs_.number == nullptr; }

private:
    static bool is_wide(offset count) { return count > offset{std::numeric_limits<std::uint32_t>::max()}; }
    static offset pieces(offset count) { return (count + Tuning::keys_per_piece - 1) / Tuning::keys_per_piece; }

    scratch<unsigned char> starts_;
    scratch<offset> numbers_; ///< of runs before each piece
    offset count_;
    run_list runs_;
};

/// A sink that ignores what is written.
template <class Sink>
inline constexpr bool discards = std::is_same_v<Sink, iterator_sink<discard_iterator>>;

/// A result for every run, and its first key.
template <class Keys, class Key, class KeysSink, class Sink>
struct result_per_run : result_per_segment<Sink> {
    Keys keys;
    KeysSink keys_to;

    TILEWISE_DEVICE void write_key(offset index, segment_span run) const
    {
        if constexpr (!discards<KeysSink>) {
            Keys own_keys(keys);
            KeysSink own_to(keys_to);
            gpu::store_one(own_to, index, static_cast<Key>(gpu::key_at(own_keys, run.begin)));
        }
    }
};

/// Writes the first key and the number of keys of each run.
template <class Results, int threads>
TILEWISE_KERNEL(threads, 1)
write_lengths_of_runs(Results results, run_list runs, offset count)
{
    count = runs.existing(0, count);
    for (offset i = offset{block_index()} * threads + thread_index(); i < count; i += offset{block_count()} * threads) {
        segment_span const run = runs.at(i);
        results.write_key(i, run);
        gpu::store_one(results.to, i, run.count);
    }
}

/// Writes the number of runs: `count`, or what is at `number` unless that is null.
template <class Sink>
TILEWISE_KERNEL(1, 1)
write_number_of_runs(Sink to, offset const* number, offset count)
{
    gpu::store_one(to, 0, number != nullptr ? *number : count);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
