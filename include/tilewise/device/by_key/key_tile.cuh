// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A tile of keys: which of them begin a run.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/scan/types.cuh>
#include <tilewise/order.hpp>

#include <cstdint>
#include <numeric>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns one key. Neighbors read the same keys, so memory is read through the L1 cache.
template <class View>
TILEWISE_DEVICE decltype(auto) key_at(View& keys, offset index)
{
    if constexpr (calls_no_function<View>) {
        return (keys.first[index]); // in parentheses: a reference
    } else {
        auto const loaded = keys.template fetch<access::elementwise, 1>(index);
        using key = std::remove_cvref_t<decltype(keys.element(loaded, 0))>;
        return key(keys.element(loaded, 0));
    }
}

/// How keys are read: keys of up to 16 bytes in memory in 16-byte loads, as few keys at a time as take whole ones;
/// other keys one by one.
template <class View>
struct key_layout {
    static constexpr bool loads_vectors = false;
    static constexpr int vector = 1, bytes = 8; ///< keys at a time, and bytes that they count as
    static constexpr bool can_be_misaligned = false;
    static constexpr int keys_before(View const&, offset) { return 0; }
};
template <class Key>
    requires(sizeof(Key) <= vector_bytes)
struct key_layout<memory_view<Key>> {
    static constexpr bool loads_vectors = true;
    static constexpr int shared_factor = std::gcd(int{sizeof(Key)}, vector_bytes);
    static constexpr int vector = vector_bytes / shared_factor, bytes = vector * int{sizeof(Key)};
    /// Whether the keys may be at addresses where no vector begins at a 16-byte boundary.
    static constexpr bool can_be_misaligned = alignof(Key) % shared_factor != 0;
    /// Returns how many keys before key `begin` a vector begins at a 16-byte boundary; -1 if none does.
    static int keys_before(memory_view<Key> const& keys, offset begin)
    {
        auto const address = reinterpret_cast<std::uintptr_t>(keys.first + begin);
        for (int before = 0; before < vector; ++before)
            if ((address - static_cast<unsigned>(before) * sizeof(Key)) % vector_bytes == 0)
                return before;
        return -1;
    }
};

/// The keys in which a launch looks for runs.
struct key_range {
    offset origin;     ///< where the first tile begins: up to a vector before `begin`, and perhaps before all keys
    offset begin, end; ///< the keys of the launch
    offset count;      ///< all keys of the call
};

/// A warp reads `rows` rows of 32 vectors, which are neighbors. Each lane keeps a bit for each of its keys that begins
/// a run; the keys themselves are not needed any more.
template <class Keys, class Tuning, bool loads_vectors>
class key_tile {
    using layout = key_layout<Keys>;
    static constexpr int vector = loads_vectors ? layout::vector : 1;
    static constexpr int bytes = loads_vectors ? layout::bytes : 8;
    static constexpr int rows =
        std::clamp(Tuning::bytes_per_thread / bytes, 1, std::max(1, Tuning::most_keys_per_thread / vector));
    static constexpr int row = warp_size * vector, chunk = rows * row, last_lane = warp_size - 1;

    // The numbers of runs in the rows are summed over the lanes in fields of a word, which they cannot exceed.
    static constexpr int bits = row < 256 ? 8 : 16, per_word = 32 / bits, words = (rows + per_word - 1) / per_word;

public:
    static constexpr int keys = chunk * (Tuning::threads / warp_size); ///< of the tile
    static constexpr int blocks_per_multiprocessor = Tuning::template blocks_per_multiprocessor<rows * bytes>;

    /// Reads the keys of the warp. The tile begins at key `first` of all.
    template <class Pred>
    TILEWISE_DEVICE void read(Keys const& all, Pred const& is_same, offset first, key_range const& range)
    {
        int const warp_begin = warp_index() * chunk;
        first_ = warp_begin + lane_index() * vector;
        offset const begin = first + warp_begin;
        Pred own_pred(is_same);
        if (begin >= range.begin && begin + chunk <= range.end)
            find<true>(all, own_pred, begin, range);
        else
            find<false>(all, own_pred, begin, range);
        sum_over_lanes();
    }

    /// Returns the number of runs that begin in the warp's part.
    TILEWISE_DEVICE int runs() const
    {
        int sum = 0;
        TILEWISE_UNROLL
        for (int r = 0; r < rows; ++r)
            sum += of_row(totals_, r);
        return sum;
    }
    /// Returns the position in the tile of the last key of the warp's part that begins a run, or -1 if none does.
    TILEWISE_DEVICE int last() const
    {
        int own = -1;
        TILEWISE_UNROLL
        for (int r = 0; r < rows; ++r) {
            unsigned up_to_last = begins_[r];
            TILEWISE_UNROLL
            for (int distance = 1; distance < vector; distance *= 2)
                up_to_last |= up_to_last >> distance;
            if (up_to_last != 0)
                own = position(r) + gpu::count_bits(up_to_last) - 1;
        }
        return gpu::warp_max(own);
    }
    /// Calls `visit(rank, position)` for each of the lane's keys that begins a run: of how many runs in the tile it is
    /// the last so far, counted from `before` on, and where it is in the tile.
    template <class Visit>
    TILEWISE_DEVICE void for_each_start(int before, Visit const& visit) const
    {
        TILEWISE_UNROLL
        for (int r = 0; r < rows; ++r) {
            int rank = before + of_row(sums_, r) - gpu::count_bits(begins_[r]);
            TILEWISE_UNROLL
            for (int i = 0; i < vector; ++i)
                if ((begins_[r] >> i & 1) != 0)
                    visit(rank++, position(r) + i);
            before += of_row(totals_, r);
        }
    }

private:
    TILEWISE_DEVICE int position(int r) const { return first_ + r * row; }
    TILEWISE_DEVICE static int of_row(unsigned const (&sums)[words], int r)
    {
        return static_cast<int>(sums[r / per_word] >> r % per_word * bits & ((1u << bits) - 1));
    }

    template <bool whole, class Pred>
    TILEWISE_DEVICE void find(Keys const& all, Pred& is_same, offset begin, key_range const& range)
    {
        if constexpr (loads_vectors)
            find_in_vectors<whole>(all, is_same, begin + lane_index() * vector, range);
        else
            find_one_by_one(all, is_same, begin + lane_index(), range);
    }

    /// Each lane passes its last key on to the next lane, the last one to the first one of the next row.
    template <bool whole, class Pred>
    TILEWISE_DEVICE void find_in_vectors(Keys const& all, Pred& is_same, offset first, key_range const& range)
    {
        using Key = std::remove_cvref_t<decltype(all.first[0])>;
        constexpr int last = vector - 1;
        int const next_lane = (lane_index() + 1) % warp_size, previous_lane = (lane_index() + last_lane) % warp_size;
        // relative to the lane's first key, in 32 bits
        int const begin = first < range.begin ? static_cast<int>(range.begin - first) : 0,
                  end = static_cast<int>(gpu::at_most(range.end - first, chunk)),
                  key_0 = first <= 0 && first > -vector ? static_cast<int>(-first) : -1;
        typename Keys::template vector<vector> loaded[rows];
        TILEWISE_UNROLL
        for (int r = 0; r < rows; ++r)
            if (whole || (first + r * row >= 0 && first + r * row + vector <= range.count))
                loaded[r] = all.template fetch<access::aligned, vector>(first + r * row);
        if constexpr (!whole) {
            TILEWISE_UNROLL
            for (int r = 0; r < rows; ++r)
                load_part(all, loaded[r], first + r * row, range.count);
        }
        registers<Key, 1> before_row;
        gpu::put(before_row[0], Key(all.element(loaded[0], last)));
        if (next_lane == 0) {
            offset const before_warp = first - (row - vector) - 1;
            gpu::put(before_row[0], all.first[before_warp < 0 ? 0 : gpu::at_most(before_warp, range.count - 1)]);
        }
        TILEWISE_UNROLL
        for (int r = 0; r < rows; ++r) {
            Key const own_last(all.element(loaded[r], last));
            Key const before = gpu::shuffle(gpu::select(next_lane == 0, Key(before_row[0]), own_last), previous_lane);
            gpu::put(before_row[0], own_last);
            begins_[r] = 0;
            TILEWISE_UNROLL
            for (int i = 0; i < vector; ++i) {
                int const at = r * row + i;
                bool const exists = whole || (at >= begin && at < end), is_first = (!whole || at == 0) && at == key_0;
                if (exists && (is_first || !is_same_as(is_same, all, loaded[r], before, i)))
                    begins_[r] |= 1u << i;
            }
        }
    }
    template <class Pred, class Vector, class Key>
    TILEWISE_DEVICE static bool is_same_as(Pred& is_same, Keys const& all, Vector const& loaded, Key const& before,
                                           int i)
    {
        return i == 0 ? static_cast<bool>(is_same(before, all.element(loaded, 0)))
                      : static_cast<bool>(is_same(all.element(loaded, i - 1), all.element(loaded, i)));
    }
    /// Loads the keys of a vector at the beginning or at the end of all keys.
    template <class Vector>
    TILEWISE_DEVICE static void load_part(Keys const& all, Vector& loaded, offset index, offset count)
    {
        if ((index < 0 && index + vector > 0) || (index < count && index + vector > count)) {
            TILEWISE_UNROLL
            for (int i = 0; i < vector; ++i)
                if (index + i >= 0 && index + i < count)
                    gpu::put(loaded.element[i], all.first[index + i]);
        }
    }

    template <class Pred>
    TILEWISE_DEVICE void find_one_by_one(Keys const& all, Pred& is_same, offset first, key_range const& range)
    {
        Keys own_keys(all);
        TILEWISE_UNROLL
        for (int r = 0; r < rows; ++r) {
            offset const index = first + r * row;
            begins_[r] = index >= range.begin && index < range.end &&
                                 (index == 0 || !static_cast<bool>(is_same(gpu::key_at(own_keys, index - 1),
                                                                           gpu::key_at(own_keys, index))))
                             ? 1
                             : 0;
        }
    }

    TILEWISE_DEVICE void sum_over_lanes()
    {
        TILEWISE_UNROLL
        for (int w = 0; w < words; ++w) {
            unsigned sum = 0;
            TILEWISE_UNROLL
            for (int r = w * per_word; r < rows && r < (w + 1) * per_word; ++r)
                sum |= static_cast<unsigned>(gpu::count_bits(begins_[r])) << r % per_word * bits;
            sums_[w] = gpu::warp_sums(sum);
            totals_[w] = gpu::shuffle(sums_[w], last_lane);
        }
    }

    int first_;             ///< the position of the lane's first key in the tile
    unsigned begins_[rows]; ///< a bit for each key of a vector
    unsigned sums_[words];  ///< of each row, how many runs begin up to this lane
    unsigned totals_[words];
};

} // namespace gpu
TILEWISE_NAMESPACE_END
