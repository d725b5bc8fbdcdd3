// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of the scans for seq and par.
///
/// A scanner reads an input and writes what becomes of it, tile by tile. There are three, as there are readers: one for
/// any type and operator, one for floating-point values in vector registers, one for integers in any order.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/host/fold.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/prefix.hpp>
#include <tilewise/host/reader.hpp>
#include <tilewise/host/simd_scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <deque>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Writes a value, and a step. Values that go to memory as they are need no barrier each, but one forget_memory() when
/// all are there.
template <class T, class Out>
TILEWISE_INLINE void put(Out& out, T value)
{
    if constexpr (!contiguous_of<Out, T>)
        host::make_opaque(value);
    if constexpr (is_box<T>)
        tilewise::store(out, std::move(*value));
    else
        tilewise::store(out, std::move(value));
    ++out;
}

/// Room for values that are not there yet, and that nobody needs to destroy.
template <class T, offset count>
union array_of {
    array_of() {}
    TILEWISE_INLINE void set(offset i, T by) { std::construct_at(value + i, by); }
    T value[static_cast<std::size_t>(count)];
};

/// Scans `count` elements of a row, at most all. `before` is what comes before the chunk, `run` what comes before the
/// row in the chunk. Returns the total of the row, if it is whole. With `op` compiled into it, which the compiler may
/// then run for several lane vectors at once.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
[[gnu::flatten]] T scan_row_in_place(Op& op, std::optional<T> const& before, std::optional<T> const& run, offset count,
                                     Input& input, Out& out)
{
    constexpr offset n = Order::lane_vector;
    count = std::min(count, Order::row); // so that g++ knows, too
    offset const lanes = (count + n - 1) / n;
    array_of<T, Order::row> k;
    array_of<T, Order::row / n> sums, base;
    auto const for_each_lane = [&](offset first, auto visit) { // visit(lane, its elements), of a known number if whole
        for (offset lane = first; lane < count / n; ++lane)
            visit(lane, std::integral_constant<offset, n>());
        if (count % n != 0 && first < lanes)
            visit(lanes - 1, count % n);
    };

    for_each_lane(0, [&](offset lane, auto elements) {
        T* const k_of_lane = k.value + lane * n;
        std::construct_at(k_of_lane, host::take<T>(input));
        for (offset j = 1; j < elements; ++j)
            std::construct_at(k_of_lane + j, host::combine_copies<T>(op, k_of_lane[j - 1], host::take<T>(input)));
        sums.set(lane, k_of_lane[elements - 1]);
    });
    for (offset distance = 1; distance < lanes; distance *= 2)
        for (offset lane = lanes - 1; lane >= distance; --lane)
            sums.set(lane, host::combine_copies<T>(op, sums.value[lane - distance], sums.value[lane]));

    for (offset lane = 1; lane < lanes; ++lane)
        base.set(lane, run ? host::combine_copies<T>(op, *run, sums.value[lane - 1]) : sums.value[lane - 1]);
    if (before)
        for (offset lane = 1; lane < lanes; ++lane)
            base.set(lane, host::combine_copies<T>(op, *before, base.value[lane]));
    auto const base_of_first = host::combine_copies<T>(op, before, run);
    if (base_of_first)
        base.set(0, *base_of_first);
    else // without init, which an exclusive scan has
        for (offset i = 0; i < std::min(count, n); ++i)
            host::put<T>(out, k.value[i]);
    for_each_lane(base_of_first ? 0 : 1, [&](offset lane, auto elements) {
        T const* const k_of_lane = k.value + lane * n;
        if constexpr (form == scan_form::exclusive)
            host::put<T>(out, base.value[lane]);
        for (offset j = form == scan_form::exclusive ? 1 : 0; j < elements; ++j)
            host::put<T>(out, host::combine_copies<T>(op, base.value[lane],
                                                      k_of_lane[form == scan_form::exclusive ? j - 1 : j]));
    });
    return sums.value[lanes - 1];
}

/// The same element by element, for types that have to be destroyed.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
T scan_row_by_elements(Op& op, std::optional<T> const& before, std::optional<T> const& run, offset count, Input& input,
                       Out& out)
{
    doubling_scan<T, Order::geometry::lanes_per_row> lanes;
    std::optional<T> e;
    for (; count > 0; count -= Order::lane_vector) {
        std::optional<T> const base = host::combine_copies<T>(op, before, host::combine_copies<T>(op, run, e));
        std::optional<T> k;
        for (offset j = std::min(count, Order::lane_vector); j > 0; --j) {
            if constexpr (form == scan_form::inclusive) {
                host::append<T>(op, k, host::take<T>(input));
                host::put<T>(out, base ? host::combine_copies<T>(op, *base, *k) : T(*k));
            } else {
                T value = host::take<T>(input);
                host::put<T>(out, k ? host::combine_copies<T>(op, *base, *k) : T(*base));
                host::append<T>(op, k, std::move(value));
            }
        }
        e.emplace(lanes.push(op, std::move(*k)));
    }
    return std::move(*e);
}

template <class Order, scan_form form, class T, class Op, class Input, class Out>
T scan_row(Op& op, std::optional<T> const& before, std::optional<T> const& run, offset count, Input& input, Out& out)
{
    if constexpr (std::is_trivially_copyable_v<T>)
        return host::scan_row_in_place<Order, form, T>(op, before, run, count, input, out);
    else
        return host::scan_row_by_elements<Order, form, T>(op, before, run, count, input, out);
}

/// Scans `count` elements of a tile, at most all, and appends the tile to what comes before the next if it is whole.
/// `scan_chunk(before, run, count)` scans a chunk and leaves its total in `run`.
template <class Order, class T, class Op, class ScanChunk>
void scan_tile(Op& op, carry<Order, T>& tiles, offset count, ScanChunk&& scan_chunk)
{
    bool const is_whole = count == Order::tile;
    std::optional<T> const before = tiles.before_next(op);
    doubling_scan<T, Order::geometry::chunks_per_tile> chunks;
    std::optional<T> chunks_before;
    for (; count > 0; count -= Order::chunk) {
        std::optional<T> run;
        scan_chunk(host::combine_copies<T>(op, before, chunks_before), run, std::min(count, Order::chunk));
        if (count >= Order::chunk) {
            T total = chunks.push(op, std::move(*run));
            chunks_before.emplace(std::move(total));
        }
    }
    if (is_whole)
        tiles.append(op, std::move(*chunks_before));
}

/// Scans values of any type one by one.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
class element_scanner {
public:
    element_scanner(Input input, Out out, Op& op) : input_(std::move(input)), out_(std::move(out)), op_(op) {}

    void tile(carry<Order, T>& tiles, offset count)
    {
        host::scan_tile(op_, tiles, count, [&](auto&&... arguments) { scan_chunk(arguments...); });
    }
    /// Scans a range that is at most one chunk.
    void chunk(std::optional<T> const& init, offset count)
    {
        std::optional<T> run;
        scan_chunk(init, run, count);
    }
    Out end() { return std::move(out_); }

private:
    void scan_chunk(std::optional<T> const& before, std::optional<T>& run, offset count)
    {
        for (; count > 0; count -= Order::row)
            host::append<T>(
                op_, run, host::scan_row<Order, form, T>(op_, before, run, std::min(count, Order::row), input_, out_));
        host::forget_memory<T>(out_);
    }

    Input input_;
    Out out_;
    Op& op_;
};

/// Arrays to write elements to: where they shall stand, or a buffer that they pass through on the way there.
template <class T, std::size_t capacity, class Out>
class array_sink {
public:
    static constexpr offset at_once = static_cast<offset>(capacity);

    explicit array_sink(Out out) : out_(std::move(out)) {}
    T* room() { return buffer_; }
    void written(offset count)
    {
        T const* element = host::opaque_memory(buffer_);
        for (; count > 0; --count, (void)++element, (void)++out_)
            tilewise::store(out_, *element);
    }
    Out end() { return std::move(out_); }

private:
    Out out_;
    T buffer_[capacity];
};

template <class T, std::size_t capacity, contiguous_of<T> Out>
class array_sink<T, capacity, Out> {
public:
    static constexpr offset at_once = std::numeric_limits<offset>::max();

    explicit array_sink(Out out) : out_(std::move(out)) {}
    T* room() { return std::to_address(out_); }
    void written(offset count)
    {
        host::opaque_memory(std::to_address(out_));
        out_ += count;
    }
    Out end() { return std::move(out_); }

private:
    Out out_;
};

/// Scans floating-point values for an operator known by name, the lane vectors of a row at once.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
class row_scanner {
    static constexpr int lanes = Order::geometry::lanes_per_row;

public:
    row_scanner(Input input, Out out, Op& op) : source_(std::move(input)), sink_(std::move(out)), op_(op) {}

    void tile(carry<Order, T>& tiles, offset count)
    {
        host::scan_tile(op_, tiles, count, [&](auto&&... arguments) { scan_chunk(arguments...); });
    }
    /// Scans a range that is at most one chunk.
    void chunk(std::optional<T> const& init, offset count)
    {
        std::optional<T> run;
        scan_chunk(init, run, count);
    }
    Out end() { return sink_.end(); }

private:
    void scan_chunk(std::optional<T> const& before, std::optional<T>& run, offset count)
    {
        T const* first = source_.next(count);
        T* out = sink_.room();
        auto const rows = static_cast<int>(count / Order::row);
        if (rows > 0)
            host::scan_rows<lanes, form, Op>(first, rows, before, run, out);
        if (offset const rest = count % Order::row; rest > 0)
            scan_part_of_row<lanes>(first + rows * Order::row, rest, before, run, out + rows * Order::row);
        sink_.written(count);
    }

    /// Elements that do not exist change nothing before them, so they may have any values. Half of the lanes may do.
    template <int some_lanes>
    void scan_part_of_row(T const* first, offset count, std::optional<T> const& before, std::optional<T>& run, T* out)
    {
        constexpr offset room = some_lanes * Order::lane_vector;
        if constexpr (some_lanes * int{sizeof(T)} > 16) {
            if (count <= room / 2)
                return scan_part_of_row<some_lanes / 2>(first, count, before, run, out);
        }
        if (count == room)
            return host::scan_rows<some_lanes, form, Op>(first, 1, before, run, out);
        T row[static_cast<std::size_t>(room)];
        std::fill(std::copy(first, first + count, row), row + room, T());
        host::scan_rows<some_lanes, form, Op>(row, 1, before, run, row);
        std::copy(row, row + count, out);
    }

    array_source<T, Order::chunk, Input> source_;
    array_sink<T, Order::chunk, Out> sink_;
    Op& op_;
};

/// What comes before a tile of integers, which may be combined in any order.
template <class T, class Op>
class exact_carry {
public:
    explicit exact_carry(std::optional<T> init) : value_(init.value_or(Op::template identity<T>)) {}
    T& value() { return value_; }
    std::optional<T> before_next(Op&) const { return value_; }
    void append(Op& op, T tile) { value_ = op(value_, tile); }

private:
    T value_;
};

/// Scans integers for an operator known by name: no order can change their bits.
template <class Order, scan_form form, class T, class Op, class Input, class Out>
class exact_scanner {
public:
    exact_scanner(Input input, Out out, Op&) : source_(std::move(input)), sink_(std::move(out)) {}

    void tile(exact_carry<T, Op>& tiles, offset count)
    {
        constexpr offset at_once = std::min(decltype(source_)::at_once, decltype(sink_)::at_once);
        for (offset part; count > 0; count -= part) {
            part = std::min(count, at_once);
            tiles.value() = host::exact_scan<form, Op>(source_.next(part), part, tiles.value(), sink_.room());
            sink_.written(part);
        }
    }
    Out end() { return sink_.end(); }

private:
    array_source<T, Order::chunk, Input> source_;
    array_sink<T, Order::chunk, Out> sink_;
};

/// What a type and an operator are scanned with.
template <class Order, class T, class Op>
using carry_for = std::conditional_t<known::is_exact<Op, T>, exact_carry<T, Op>, carry<Order, T>>;

template <class Order, scan_form form, class T, class Op, class Input, class Out>
auto element_scanner_at(Input input, Out out, Op& op)
{
    return element_scanner<Order, form, T, Op, Input, Out>(std::move(input), std::move(out), op);
}

template <class Order, scan_form form, class T, class Op, class Input, class Out>
auto scanner_at(Input input, Out out, Op& op)
{
    if constexpr (known::is_exact<Op, T>)
        return exact_scanner<Order, form, T, Op, Input, Out>(std::move(input), std::move(out), op);
    else if constexpr (known::is_operator<Op> && Order::lane_vector * sizeof(T) == 16)
        return row_scanner<Order, form, T, Op, Input, Out>(std::move(input), std::move(out), op);
    else
        return host::element_scanner_at<Order, form, T>(host::opaque_input<T>(std::move(input)), std::move(out), op);
}

/// Scans a range whose length is not known, which may be readable only once, a tile at a time.
template <class Order, scan_form form, class T, class Op, class Input, class Sentinel, class Out>
Out scan_by_steps(Input input, Sentinel last, Out out, carry_for<Order, T, Op>& before, Op& op)
{
    std::conditional_t<std::same_as<T, bool>, std::deque<T>, std::vector<T>> tile;
    std::optional<Out> to(std::move(out)); // an iterator need not be assignable
    do {
        tile.clear();
        do
            tile.push_back(host::take<T>(input));
        while (static_cast<offset>(tile.size()) < Order::tile && !(input == last));
        auto const count = static_cast<offset>(tile.size());
        auto const scan = [&](auto first) {
            auto scanner = host::scanner_at<Order, form, T>(first, *std::move(to), op);
            scanner.tile(before, count);
            return scanner.end();
        };
        if constexpr (std::is_class_v<T>)
            to.emplace(scan(std::make_move_iterator(tile.begin())));
        else
            to.emplace(scan(tile.begin()));
    } while (!(input == last));
    return *std::move(to);
}

/// Scans an input that is not empty after `init`, if there is one, on the calling thread. Returns the end of the
/// output.
template <class Geometry, scan_form form, class T, class Op, class Input, class Extent, class Out>
Out scan(sequenced_policy, Input input, Extent end, Out out, std::optional<T> init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (is_large<T>) {
        return host::scan<order_of_lanes<Geometry>, form>(seq, boxed_input<T, Input>(std::move(input)), std::move(end),
                                                          std::move(out), host::boxed(std::move(init)),
                                                          boxed_op<T, Op>{std::move(op)});
    } else if constexpr (std::same_as<Extent, offset>) {
        auto scanner = host::scanner_at<order, form, T>(std::move(input), std::move(out), op);
        if constexpr (!known::is_exact<Op, T>) {
            if (end <= order::chunk) {
                scanner.chunk(init, end);
                return scanner.end();
            }
        }
        carry_for<order, T, Op> before(std::move(init));
        for (offset count = end; count > 0; count -= order::tile)
            scanner.tile(before, std::min(count, order::tile));
        return scanner.end();
    } else {
        carry_for<order, T, Op> before(std::move(init));
        return host::scan_by_steps<order, form, T>(std::move(input), std::move(end), std::move(out), before, op);
    }
}

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

/// Whether `count` steps from the beginning of an input, to where `input` is, lead to its end.
template <class Input, class Extent>
bool is_at(Input const& input, Extent const& end, [[maybe_unused]] offset count)
{
    if constexpr (std::same_as<Extent, offset>)
        return count == end;
    else
        return input == end;
}

/// Reads a whole input, on all cores if it can be indexed.
template <class T, class Input, class Extent>
totals<T> values_of(Input input, Extent const& end)
{
    totals<T> values;
    if constexpr (std::same_as<Extent, offset>) {
        values.resize(static_cast<std::size_t>(end));
        host::parallel_for(end, [&](offset first, offset last) {
            Input own_input = input + first;
            for (offset i = first; i != last; ++i)
                values[static_cast<std::size_t>(i)].emplace(host::take<T>(own_input));
        });
    } else {
        while (!(input == end))
            values.emplace_back(host::take<T>(input));
    }
    return values;
}

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

/// From this many tiles before the last on, all cores are faster than one.
template <class T, class Op>
constexpr offset tiles_that_pay_to_scan()
{
    return known::is_exact<Op, T> ? 64 : known::is_operator<Op> ? 32 : 4;
}

/// Scans an input that is not empty after `init`, if there is one, on all cores. Returns the end of the output.
template <class Geometry, scan_form form, class T, class Op, class Input, class Extent, class Out>
Out scan(parallel_policy, Input input, Extent end, Out out, std::optional<T> init, Op op)
{
    using order = tilewise::order<T, Geometry>;
    if constexpr (is_large<T>) {
        return host::scan<order_of_lanes<Geometry>, form>(par, boxed_input<T, Input>(std::move(input)), std::move(end),
                                                          std::move(out), host::boxed(std::move(init)),
                                                          boxed_op<T, Op>{std::move(op)});
    } else if constexpr (shares_words<Out>) {
        return host::scan<Geometry, form>(seq, std::move(input), std::move(end), std::move(out), std::move(init),
                                          std::move(op));
    } else if constexpr (is_read_once<Input>) {
        totals<T> const values = host::values_of<T>(std::move(input), end); // since some are scanned twice
        auto const value_in = [](std::optional<T> const& value) -> T const& { return *value; };
        return host::scan<Geometry, form>(par, transformed(value_in, values.begin()),
                                          static_cast<offset>(values.size()), std::move(out), std::move(init),
                                          std::move(op));
    } else if constexpr (std::same_as<Extent, offset> && random_access<Out>) {
        if constexpr (is_computed<Input>) {
            if (order::tiles_before_last(end) < 8 * concurrency() &&
                host::takes_long(end, [input]() mutable { return host::take<T>(input); })) {
                totals<T> values = host::values_of<T>(input, end);
                return host::scan<Geometry, form>(seq, host::taken_from(values.begin()), end, std::move(out),
                                                  std::move(init), std::move(op));
            }
        }
        if (order::tiles_before_last(end) < host::tiles_that_pay_to_scan<T, Op>())
            return host::scan<Geometry, form>(seq, std::move(input), end, std::move(out), std::move(init),
                                              std::move(op));
        host::scan_shared<order, form>(end, std::move(init), op, [&](offset tile) {
            return std::pair(tilewise::advanced(input, tile * order::tile),
                             tilewise::advanced(out, tile * order::tile));
        });
        return tilewise::advanced(out, end);
    } else {
        std::deque<std::pair<Input, Out>> tiles;
        offset count = 0;
        for (; !(host::is_at(input, end, count)); ++count, (void)++input, (void)++out)
            if (count % order::tile == 0)
                tiles.emplace_back(input, out);
        host::scan_shared<order, form>(count, std::move(init), op,
                                       [&](offset tile) { return tiles[static_cast<std::size_t>(tile)]; });
        return out;
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
