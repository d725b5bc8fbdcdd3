// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A scan that several threads share.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/scanner.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// A scan that several threads share. One thread reduces a block of tiles. The block is scanned as soon as all blocks
/// before it are reduced, most often by the same thread, from its cache. If those are already reduced when a thread
/// starts the block, the thread scans it at once. No thread waits for another, so `op` itself may be parallel.
template <class Order, scan_form form, class T, class Op, class At>
class shared_scan {
public:
    /// Prepares a scan of `count` elements. `at(tile)` returns the position of a tile in the input and in the output.
    shared_scan(offset count, std::optional<T> init, Op const& op, At const& at, offset tiles_per_block)
        : count_(count), tiles_per_block_(tiles_per_block), before_(std::move(init)), op_(op), at_(at),
          blocks_(static_cast<std::size_t>((Order::tiles_before_last(count) + tiles_per_block) / tiles_per_block)),
          tiles_(static_cast<std::size_t>(Order::tiles_before_last(count) + 1))
    {}

    offset blocks() const { return static_cast<offset>(blocks_.size()); }

    /// Reduces and scans blocks until none is left. Every thread calls this function.
    void work(first_exception const& thrown)
    {
        Op op = op_;
        std::unique_lock lock(mutex_);
        while (!thrown.is_thrown()) {
            if (!ready_.empty()) {
                offset const block = ready_.front();
                ready_.pop_front();
                lock.unlock();
                scan_later(op, block);
                lock.lock();
            } else if (begun_ < blocks()) {
                offset const block = begun_++;
                bool const is_next = block == carried_;
                lock.unlock();
                if (is_next)
                    scan_at_once(op, block);
                else
                    reduce(op, block);
                lock.lock();
                if (is_next) // else carry_on() may be reading it unlocked: no write, not even of the same value
                    ++carried_;
                blocks_[static_cast<std::size_t>(block)] = true;
                carry_on(op, lock);
            } else {
                return;
            }
        }
    }

private:
    offset first_tile(offset block) const { return block * tiles_per_block_; }
    offset last_tile(offset block) const { return std::min(first_tile(block + 1), static_cast<offset>(tiles_.size())); }
    std::optional<T>& tile(offset index) { return tiles_[static_cast<std::size_t>(index)]; }
    auto scanner(Op& op, offset block) const
    {
        auto const [input, out] = at_(first_tile(block));
        return host::scanner_at<Order, form, T>(input, out, op);
    }
    offset size_of(offset tile) const { return std::min(Order::tile, count_ - tile * Order::tile); }

    void reduce(Op& op, offset block)
    {
        auto reader = host::reader_at<Order, T>(at_(first_tile(block)).first, op);
        for (offset i = first_tile(block); i < last_tile(block); ++i)
            if (i + 1 < static_cast<offset>(tiles_.size())) // no tile needs the aggregate of the last
                tile(i).emplace(reader.tile());
    }

    /// Scans a block without reducing it first. `before_` is its carry-in, and no other thread uses `before_`.
    void scan_at_once(Op& op, offset block)
    {
        auto scan = scanner(op, block);
        for (offset i = first_tile(block); i < last_tile(block); ++i)
            scan.tile(before_, size_of(i));
    }

    /// Scans a block. The exclusive prefix of each of its tiles has replaced the aggregate of the tile.
    void scan_later(Op& op, offset block)
    {
        auto scan = scanner(op, block);
        for (offset i = first_tile(block); i < last_tile(block); ++i) {
            carry_for<Order, T, Op> before(std::move(tile(i)));
            scan.tile(before, size_of(i));
        }
    }

    /// Appends the blocks that are reduced to `before_`, unless another thread is doing so, and marks them ready to be
    /// scanned. Releases the lock while it calls `op`.
    void carry_on(Op& op, std::unique_lock<std::mutex>& lock)
    {
        if (std::exchange(is_carrying_, true))
            return;
        while (carried_ < blocks() && blocks_[static_cast<std::size_t>(carried_)]) {
            lock.unlock();
            for (offset i = first_tile(carried_); i < last_tile(carried_); ++i) {
                std::optional<T> aggregate(std::move(tile(i)));
                tile(i).reset();
                if (auto before = before_.before_next(op))
                    tile(i).emplace(std::move(*before));
                if (aggregate)
                    before_.append(op, std::move(*aggregate));
            }
            lock.lock();
            ready_.push_back(carried_++);
        }
        is_carrying_ = false;
    }

    offset const count_, tiles_per_block_;
    carry_for<Order, T, Op> before_; ///< the exclusive prefix of the next block
    Op const& op_;
    At const& at_;

    std::mutex mutex_;               ///< guards the members below
    std::vector<char> blocks_;       ///< whether each block is reduced, or scanned at once
    aggregates<T> tiles_;            ///< if not scanned at once: the aggregate, then the exclusive prefix
    offset begun_ = 0, carried_ = 0; ///< numbers of blocks begun, and contained in `before_`
    bool is_carrying_ = false;
    std::deque<offset> ready_; ///< blocks that are ready to be scanned
};

/// The bytes of T in a block. Two blocks, of input and output, fit in the L2 cache of a core.
inline constexpr offset bytes_per_block = 1 << 18;

/// Scans `count` elements on all cores. `at(tile)` returns the position of a tile in the input and in the output.
template <class Order, scan_form form, class T, class Op, class At>
void scan_shared(offset count, std::optional<T> init, Op const& op, At const& at)
{
    constexpr offset tiles = std::max(offset{1}, bytes_per_block / (Order::tile * offset{sizeof(T)}));
    shared_scan<Order, form, T, Op, At> shared(count, std::move(init), op, at, tiles);
    host::work_together(std::min(concurrency(), shared.blocks()),
                        [&](first_exception const& thrown) { shared.work(thrown); });
}

} // namespace host
TILEWISE_NAMESPACE_END
