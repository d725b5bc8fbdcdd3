// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What comes before a tile: from the totals of all tiles before it, which blocks tell each other through shared or
/// global memory. Every block folds the totals itself, in the order's shape; nobody waits for anybody's result.

#include <tilewise/config.hpp>
#include <tilewise/device/arch.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/warp.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Where the blocks of one launch tell each other the totals of tiles: words of 32 bits of a total and a tag of 32 bits.
/// A word is there once it has the launch's tag, which no word had before, so that nobody has to clear them.
struct total_board {
    unsigned long long* drawn; ///< how many tiles all launches together have drawn
    unsigned long long* words;
    unsigned long long drawn_before; ///< by the launches before this one
    unsigned tag;

    template <class T>
    static constexpr int words_of = (static_cast<int>(sizeof(T)) + 3) / 4;

    /// The number of a tile that nobody else has. Whoever has a tile with a smaller number is running already, so it may
    /// be waited for.
    TILEWISE_DEVICE offset draw_tile() const { return static_cast<offset>(draw(drawn) - drawn_before); }

    template <class T>
    TILEWISE_DEVICE void tell(offset tile, T const& total) const
    {
        constexpr int count = words_of<T>;
        unsigned parts[count] = {};
        std::memcpy(parts, &total, sizeof(T));
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            publish(words + tile * count + i, static_cast<unsigned long long>(tag) << 32 | parts[i]);
    }

    /// The totals of `count` tiles `stride` apart, those of them that are `wanted`; waits until they are there.
    template <int count, class T>
    TILEWISE_DEVICE void hear(offset tile, int stride, unsigned wanted, registers<T, count>& totals) const
    {
        constexpr int parts = words_of<T>;
        unsigned heard[count][parts] = {};
        while (wanted != 0) {
            unsigned long long word[count][parts];
            TILEWISE_UNROLL
            for (int k = 0; k < count; ++k) { // without a branch, which would wait for the load before it
                offset const which = wanted >> k & 1 ? tile + k * stride : tile;
                TILEWISE_UNROLL
                for (int i = 0; i < parts; ++i)
                    word[k][i] = observe(words + which * parts + i);
            }
            TILEWISE_UNROLL
            for (int k = 0; k < count; ++k) {
                bool complete = wanted >> k & 1;
                TILEWISE_UNROLL
                for (int i = 0; i < parts; ++i)
                    complete = complete && word[k][i] >> 32 == tag;
                TILEWISE_UNROLL
                for (int i = 0; i < parts; ++i)
                    heard[k][i] = complete ? static_cast<unsigned>(word[k][i]) : heard[k][i];
                wanted &= ~(unsigned{complete} << k);
            }
        }
        TILEWISE_UNROLL
        for (int k = 0; k < count; ++k)
            std::memcpy(static_cast<void*>(&totals[k]), heard[k], sizeof(T));
    }
};

/// What comes before the tiles of one super, one after the other: `init` and all supers before it, and the totals of its
/// groups, each in a lane of the warp.
template <class Scan>
class running_carry {
    using T = typename Scan::value;
    using Op = typename Scan::op;
    using geometry = typename Scan::geometry;
    static_assert(geometry::tiles_per_group <= warp_size && geometry::groups_per_super <= warp_size);

public:
    TILEWISE_DEVICE explicit running_carry(maybe<T> const& init) : supers_(init) {}

    /// Adds the next group.
    TILEWISE_DEVICE void add_group(Op& op, T const& total)
    {
        int const own = groups_ % geometry::groups_per_super;
        if (lane_index() == own || own == 0)
            put(group_total_[0], total);
        ++groups_;
        if (own == geometry::groups_per_super - 1)
            supers_.append(op, shuffle(warp_tree<1, geometry::groups_per_super>(op, T(group_total_[0])), 0));
    }
    /// How many groups were added.
    TILEWISE_DEVICE int groups() const { return groups_; }

    /// What comes before the next group. Every lane has it.
    TILEWISE_DEVICE maybe<T> before_group(Op& op)
    {
        maybe<T> carry(supers_);
        if (int const own = groups_ % geometry::groups_per_super; own > 0)
            carry.append(op, shuffle(warp_tree_of_valid<1, geometry::groups_per_super>(op, T(group_total_[0]), own), 0));
        return carry;
    }

private:
    maybe<T> supers_;
    registers<T, 1> group_total_;
    int groups_ = 0;
};

/// The order's trees over the chunks of a tile, of which `whole` are whole, given their totals in the lanes: before each
/// chunk (`before`, in the lane of the chunk), and the total of the tile (in every lane, if all are whole).
template <class Scan>
TILEWISE_DEVICE auto join_chunks(typename Scan::op& op, typename Scan::value const& chunk_total, int whole,
                                 registers<typename Scan::value, 1>& before) -> typename Scan::value
{
    using T = typename Scan::value;
    T const trees = warp_right_aligned_trees<Scan::chunks>(op, T(chunk_total), whole);
    put(before[0], shuffle_up(trees, 1));
    return shuffle(trees, Scan::chunks - 1);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
