// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The exclusive prefix of a tile, computed from the aggregates of whole tiles, groups, super-groups and so on: one
/// tree for each digit of the tile's number, appended from the highest level to the lowest.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Appends the tree over the values of the first `valid` lanes, at most `lanes`, to `carry`; every lane has the result.
template <int lanes = warp_size, class T, class Op>
TILEWISE_DEVICE void append_tree(Op& op, optional_value<T>& carry, T const& own, int valid)
{
    carry.append(op, gpu::shuffle(gpu::warp_tree_of_valid<1, lanes>(op, T(own), valid), 0));
}

/// Appends the whole units before tile `tiles` to `carry`, from the highest level down to `lowest`. `aggregates(level)`
/// points to the aggregates of all whole units of a level.
template <class Order, class T, class Op, class Aggregates>
TILEWISE_DEVICE void append_units(Op& op, optional_value<T>& carry, offset tiles, int lowest,
                                  Aggregates const& aggregates)
{
    TILEWISE_NO_UNROLL
    for (int level = Order::digits(tiles) - 1; level >= lowest; --level)
        if (int const units = Order::digit(tiles, level); units > 0) {
            offset const first = (tiles >> Order::log2_tiles(level)) - units;
            gpu::append_tree(op, carry, T(aggregates(level)[first + min_of(lane_index(), units - 1)]), units);
        }
}

/// The running carry of a warp that appends units of 2^log2_unit tiles one by one.
///
/// Whole units of every level are whole binary trees: lane b keeps the tree over 2^b units if bit b of the number of
/// units is set. More than 2^32 units need a second register per lane.
template <class Order, class T, int log2_unit, int registers_per_lane = 1>
class running_carry {
public:
    /// Appends a unit, whose aggregate every lane passes.
    template <class Op>
    TILEWISE_DEVICE void append(Op& op, T const& aggregate)
    {
        registers<T, 1> whole;
        gpu::put(whole[0], aggregate);
        int bit = 0;
        TILEWISE_NO_UNROLL
        for (; (units_ >> bit & 1) != 0; ++bit)
            gpu::put(whole[0], gpu::combine(op, tree(bit), T(whole[0])));
        TILEWISE_UNROLL
        for (int i = 0; i < registers_per_lane; ++i)
            if (units_ == 0 || bit == i * warp_size + lane_index())
                gpu::put(trees_[i], whole[0]);
        ++units_;
    }

    /// Removes all units.
    TILEWISE_DEVICE void clear() { units_ = 0; }

    /// Appends all units so far to `carry`, and `rest`: the tree over smaller whole units that follow the last of them.
    /// If a unit consists of several units of a level, `rest` has units of that level, and joins the tree of their
    /// digit. Every lane passes `carry` and `rest`, and has the result.
    template <class Op>
    TILEWISE_DEVICE void append_to(Op& op, optional_value<T>& carry, optional_value<T> const& rest) const
    {
        constexpr int lowest = Order::digits(offset{1} << log2_unit) - 1;
        constexpr bool rest_is_in_digit = Order::log2_tiles(lowest) < log2_unit;
        if (units_ == 0) { // as in most calls
            if (rest.has_value)
                carry.append(op, T(rest.value[0]));
            return;
        }
        TILEWISE_NO_UNROLL
        for (int level = Order::digits(units_ << log2_unit) - 1; level >= lowest; --level) {
            optional_value<T> units = level == lowest && rest_is_in_digit ? rest : gpu::no_value<T>();
            TILEWISE_NO_UNROLL
            for (int bit = gpu::max_of(0, Order::log2_tiles(level) - log2_unit);
                 bit < Order::log2_tiles(level + 1) - log2_unit; ++bit)
                if ((units_ >> bit & 1) != 0)
                    units.prepend(op, tree(bit));
            if (units.has_value)
                carry.append(op, T(units.value[0]));
        }
        if (!rest_is_in_digit && rest.has_value)
            carry.append(op, T(rest.value[0]));
    }
    template <class Op>
    TILEWISE_DEVICE optional_value<T> before_next(Op& op, optional_value<T> const& init) const
    {
        optional_value<T> carry(init);
        append_to(op, carry, gpu::no_value<T>());
        return carry;
    }

    /// Returns the tree over 2^bit units, if that bit of their number is set; every lane has it.
    TILEWISE_DEVICE T tree(int bit) const
    {
        if constexpr (registers_per_lane == 1)
            return gpu::shuffle(trees_[0], bit);
        else
            return gpu::shuffle(gpu::select(bit < warp_size, trees_[0], trees_[1]), bit % warp_size);
    }

private:
    registers<T, registers_per_lane> trees_;
    offset units_ = 0;
};

} // namespace gpu
TILEWISE_NAMESPACE_END
