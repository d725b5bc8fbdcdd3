// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A scan that threads share.

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

/// A scan that threads share. A block of tiles is reduced by one thread, and scanned as soon as all blocks before it
/// are reduced, most often by the same thread, from its cache. The first block that nobody has begun is scanned at once
/// if nothing is missing before it. No thread ever waits for another, so `op` may be parallel itself.
template <class Order, scan_form form, class T, class Op, class At>
class shared_scan {
public:
    /// Of `count` elements; `at(tile)` is the place of a tile in the input and in the output.
    shared_scan(offset count, std::optional<T> init, Op const& op, At const& at, offset tiles_per_block)
        : count_(count), tiles_per_block_(tiles_per_block), before_(std::move(init)), op_(op), at_(at),
          blocks_(static_cast<std::size_t>((Order::tiles_before_last(count) + tiles_per_block) / tiles_per_block)),
          tiles_(static_cast<std::size_t>(Order::tiles_before_last(count) + 1))
    {}

    offset blocks() const { return static_cast<offset>(blocks_.size()); }

    /// What each thread does, until nothing is left.
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
                if (is_next) // or else whoever carries on reads it, and not even the same value may be written
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
            if (i + 1 < static_cast<offset>(tiles_.size())) // nothing comes after the last tile
                tile(i).emplace(reader.tile());
    }

    /// What comes before the block is known and nobody else is at it.
    void scan_at_once(Op& op, offset block)
    {
        auto scan = scanner(op, block);
        for (offset i = first_tile(block); i < last_tile(block); ++i)
            scan.tile(before_, size_of(i));
    }

    /// What comes before each of the block's tiles has taken the place of its total.
    void scan_later(Op& op, offset block)
    {
        auto scan = scanner(op, block);
        for (offset i = first_tile(block); i < last_tile(block); ++i) {
            carry_for<Order, T, Op> before(std::move(tile(i)));
            scan.tile(before, size_of(i));
        }
    }

    /// Appends the blocks that are reduced to what comes before the next, unless another thread is about to. They are
    /// ready to be scanned then. (Unlocked, since it calls `op`.)
    void carry_on(Op& op, std::unique_lock<std::mutex>& lock)
    {
        if (std::exchange(is_carrying_, true))
            return;
        while (carried_ < blocks() && blocks_[static_cast<std::size_t>(carried_)]) {
            lock.unlock();
            for (offset i = first_tile(carried_); i < last_tile(carried_); ++i) {
                std::optional<T> total(std::move(tile(i)));
                tile(i).reset();
                if (auto before = before_.before_next(op))
                    tile(i).emplace(std::move(*before));
                if (total)
                    before_.append(op, std::move(*total));
            }
            lock.lock();
            ready_.push_back(carried_++);
        }
        is_carrying_ = false;
    }

    offset const count_, tiles_per_block_;
    carry_for<Order, T, Op> before_; ///< the next block
    Op const& op_;
    At const& at_;

    std::mutex mutex_;               ///< guards what follows
    std::vector<char> blocks_;       ///< whether each is reduced, or scanned at once
    totals<T> tiles_;                ///< of each that is not scanned at once: its total, then what comes before it
    offset begun_ = 0, carried_ = 0; ///< blocks that somebody has begun, that `before_` contains
    bool is_carrying_ = false;
    std::deque<offset> ready_; ///< blocks to scan
};

/// The bytes of T in a block: two of them, of input and output, fit a core's second-level cache.
inline constexpr offset bytes_per_block = 1 << 18;

/// Scans `count` elements on all cores; `at(tile)` is the place of a tile in the input and in the output.
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
