// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The runs of equal keys, and what is written about them as they are found.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/by_key/key_tile.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/order.hpp>

#include <cstdint>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Where the runs begin, and how many there are.
struct run_list {
    void* starts;         ///< of each run, and the number of keys after the last one
    bool is_wide;         ///< whether they take 8 bytes each, not 4
    offset const* number; ///< of runs
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
    TILEWISE_DEVICE offset existing(offset first, offset count) const { return gpu::at_most(count, *number - first); }
};

/// A sink that ignores what is written.
template <class Sink>
inline constexpr bool discards = std::is_same_v<Sink, iterator_sink<discard_iterator>>;

/// @name What is written about each run
/// For each run, `load(loaded, j, keys, start)` is called, then `begin(i, start, loaded, j)`, and `end(i, start, end)`
/// where the next one begins or the keys end; `finish(runs, count)` for all runs of so many keys.
/// @{

/// The first key.
template <class Key, class Sink>
struct first_keys {
    using key = Key;
    Sink to;

    template <int count, class Keys>
    TILEWISE_DEVICE void load(registers<Key, count>& loaded, int j, Keys& keys, offset start) const
    {
        if constexpr (!discards<Sink>)
            gpu::put(loaded[j], static_cast<Key>(gpu::key_at(keys, start)));
    }
    template <int count>
    TILEWISE_DEVICE void write(offset index, registers<Key, count> const& loaded, int j) const
    {
        if constexpr (!discards<Sink>) {
            Sink own_to(to);
            gpu::store_one(own_to, index, Key(loaded[j]));
        }
    }
};

/// The first key, and where the run begins.
template <class FirstKeys>
struct starts_of_runs : FirstKeys {
    run_list list;

    template <class Loaded>
    TILEWISE_DEVICE void begin(offset index, offset start, Loaded const& loaded, int j) const
    {
        list.put(index, start);
        this->write(index, loaded, j);
    }
    TILEWISE_DEVICE void end(offset, offset, offset) const {}
    TILEWISE_DEVICE void finish(offset runs, offset count) const { list.put(runs, count); }
};

/// The first key, and the number of keys.
template <class FirstKeys, class Sink>
struct lengths_of_runs : FirstKeys {
    Sink lengths;

    template <class Loaded>
    TILEWISE_DEVICE void begin(offset index, offset, Loaded const& loaded, int j) const
    {
        this->write(index, loaded, j);
    }
    TILEWISE_DEVICE void end(offset index, offset start, offset end) const
    {
        Sink own_to(lengths);
        gpu::store_one(own_to, index, end - start);
    }
    TILEWISE_DEVICE void finish(offset, offset) const {}
};
/// @}

} // namespace gpu
TILEWISE_NAMESPACE_END
