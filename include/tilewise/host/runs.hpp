// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs: the longest subranges of keys in which each key is the same as the one before it, according to a predicate.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/host/simd.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Whether keys are integers in memory that are compared for equality.
template <class Keys, class Pred>
inline constexpr bool compares_integers = false;
template <class Keys, class Pred>
    requires std::contiguous_iterator<Keys> && std::integral<value_of<Keys>>
inline constexpr bool compares_integers<Keys, Pred> =
    std::same_as<Pred, std::equal_to<>> || std::same_as<Pred, std::equal_to<value_of<Keys>>>;

/// Returns the first position from `begin` on, at most `last`, where a key differs from the one before it.
template <class Key>
[[gnu::noinline]] offset end_of_long_run(Key const* keys, offset begin, offset last)
{
    using vector = vector_register<integer_of_size<int{sizeof(Key)}, false>, 16>;
    constexpr offset at_once = 8, block = at_once * 16 / offset{sizeof(Key)};
    Key const first = keys[begin - 1];
    for (; last - begin >= block; begin += block) {
        vector keys_of_block[at_once], differences = {};
        __builtin_memcpy(&keys_of_block, keys + begin, sizeof keys_of_block);
        for (vector const& some : keys_of_block)
            differences |= some ^ static_cast<integer_of_size<int{sizeof(Key)}, false>>(first);
        std::uint64_t halves[2];
        __builtin_memcpy(&halves, &differences, sizeof halves);
        if ((halves[0] | halves[1]) != 0)
            break;
    }
    while (begin < last && keys[begin] == first)
        ++begin;
    return begin;
}

/// Returns the end of the run that contains the key at `begin`, or `last` if it reaches that far.
template <class Keys, class Pred>
offset end_of_run(Keys const& keys, offset begin, offset last, Pred& is_same)
{
    constexpr offset few = 64; // in shorter runs, reading a block twice, at the end, costs as much as blocks save
    Keys previous(tilewise::advanced(keys, begin)), key(previous);
    offset const near = compares_integers<Keys, Pred> ? std::min(begin + few, last) : last;
    for (++key; ++begin < near && static_cast<bool>(is_same(*previous, *key)); ++key)
        ++previous;
    if constexpr (compares_integers<Keys, Pred>) {
        if (begin == near && near < last)
            return host::end_of_long_run(std::to_address(keys), begin, last);
    }
    return begin;
}

/// Returns which of `count` keys from `begin` on, at most 64, differ from the key before them: a bit for each.
template <class Keys, class Pred>
std::uint64_t marks_of(Keys const& keys, offset begin, offset count, Pred& is_same)
{
    std::uint8_t differs[64] = {};
    auto const compare = [&](offset so_many) {
        Keys previous(tilewise::advanced(keys, begin - 1)), key(tilewise::advanced(keys, begin));
        for (offset i = 0; i < so_many; ++i, (void)++previous, (void)++key)
            differs[i] = static_cast<std::uint8_t>(!static_cast<bool>(is_same(*previous, *key)));
    };
    if (count == 64)
        compare(64); // in vectors, if the predicate is simple
    else
        compare(count);
    constexpr std::uint64_t gather = // moves a bit of each byte to the highest byte of the product
        std::endian::native == std::endian::little ? 0x0102040810204080 : 0x8040201008040201;
    std::uint64_t bytes[8], marks = 0;
    __builtin_memcpy(bytes, differs, sizeof bytes);
    for (int i = 0; i < 8; ++i)
        marks |= (bytes[i] * gather >> 56) << (8 * i);
    return marks;
}

/// Calls `body(position, marks)` with the marks of up to 64 keys from each position on, for all keys from `begin` up to
/// `last`, except where none of these are marked.
template <class Keys, class Pred, class Body>
TILEWISE_INLINE void for_each_mark(Keys const& keys, offset begin, offset last, Pred& is_same, Body const& body)
{
    while (begin < last) {
        offset const position = begin;
        begin = std::min(begin + 64, last);
        std::uint64_t const marks = host::marks_of(keys, position, begin - position, is_same);
        if (marks != 0)
            body(position, marks);
        else if constexpr (compares_integers<Keys, Pred>)
            begin = host::end_of_long_run(std::to_address(keys), begin, last);
    }
}

/// How the ends of runs are found. *By marks* of 64 keys at a time, no branch depends on a comparison, where a search
/// *from run to run* mispredicts the end of each. But if the values of runs are combined, branches there depend on
/// their lengths, too, and after a search are predicted better. 2^22 i32 keys in runs of lengths exponentially
/// distributed around 2 and around 16, on one core, ns for a key by search and by marks: to count them 3.2, 0.8 and
/// 0.93, 0.49; to reduce floats 3.7, 3.3 and 1.1, 1.4 (decision 42).
enum class search { from_run_to_run, by_marks };

/// Calls `body(end)` for the end of each run in [begin, last), of which the first key begins one. The last one ends at
/// `last`.
template <search how, class Keys, class Pred, class Body>
TILEWISE_INLINE void for_each_end(Keys const& keys, offset begin, offset last, Pred& is_same, Body const& body)
{
    if constexpr (how == search::by_marks) {
        if (begin == last)
            return;
        host::for_each_mark(keys, begin + 1, last, is_same, [&](offset position, std::uint64_t marks) {
            for (; marks != 0; marks &= marks - 1)
                body(position + std::countr_zero(marks));
        });
        body(last);
    } else {
        while (begin < last)
            body(begin = host::end_of_run(keys, begin, last, is_same));
    }
}

/// Calls `body(false, i, run)` for all runs of `count` keys, in order. Returns the number of runs.
template <search how, class Keys, class Pred, class Body>
offset for_each_run(Keys const& keys, offset count, Pred is_same, Body const& body)
{
    offset runs = 0, begin = 0;
    host::for_each_end<how>(keys, 0, count, is_same, [&](offset end) {
        body(false, runs++, segment{begin, end - begin});
        begin = end;
    });
    return runs;
}

/// The runs that begin in a block of keys.
struct runs_of_block {
    offset first; ///< where the first of them begins, or the end of the block
    offset count;
    offset next; ///< where the first run after them begins
};

/// Finds the runs that begin in the block [begin, end) of keys.
template <class Keys, class Pred>
runs_of_block runs_in(Keys const& keys, offset begin, offset end, Pred& is_same)
{
    runs_of_block found{begin == 0 ? 0 : end, begin == 0 ? 1 : 0, end};
    host::for_each_mark(keys, begin == 0 ? 1 : begin, end, is_same, [&](offset position, std::uint64_t marks) {
        if (found.count == 0)
            found.first = position + std::countr_zero(marks);
        found.count += std::popcount(marks);
    });
    return found;
}

/// Finds the runs that begin in each block of `block` keys, on all cores. `count` becomes the index of the first run.
/// Returns the number of runs.
template <class Keys, class Pred>
offset find_runs(Keys const& keys, offset count, Pred const& is_same, offset block, std::vector<runs_of_block>& found)
{
    found.resize(static_cast<std::size_t>((count + block - 1) / block));
    host::parallel_for(static_cast<offset>(found.size()), [&](offset first, offset last) {
        Pred own(is_same);
        for (; first < last; ++first)
            found[static_cast<std::size_t>(first)] =
                host::runs_in(keys, first * block, std::min(count, (first + 1) * block), own);
    });
    offset runs = 0, next = count;
    for (runs_of_block& of : found)
        runs += std::exchange(of.count, runs);
    for (std::size_t i = found.size(); i-- > 0;) {
        bool const is_empty = found[i].count == (i + 1 < found.size() ? found[i + 1].count : runs);
        found[i].next = next;
        next = is_empty ? next : found[i].first;
    }
    return runs;
}

/// Calls `body(is_shared, i, run)` for all runs of `count` keys, on all cores. These share each run of at least
/// `long_from` keys; each shorter run is left to one core. Keys are read twice, in blocks of `block`. Returns the
/// number of runs.
template <search how, class Keys, class Pred, class Body>
offset distribute_runs(Keys const& keys, offset count, Pred const& is_same, offset block, offset long_from,
                       Body const& body)
{
    std::vector<runs_of_block> found;
    offset const runs = host::find_runs(keys, count, is_same, block, found);
    struct long_run {
        offset index;
        segment run;
    };
    std::mutex mutex;
    std::vector<long_run> long_ones;
    host::parallel_for(static_cast<offset>(found.size()), [&](offset first, offset last) {
        Pred own(is_same);
        for (; first < last; ++first) {
            runs_of_block const of = found[static_cast<std::size_t>(first)];
            offset const end_of_block = std::min(count, (first + 1) * block);
            offset index = of.count, begin = of.first;
            host::for_each_end<how>(keys, begin, end_of_block, own, [&](offset end) {
                segment const run{begin, (end < end_of_block ? end : of.next) - begin};
                if (run.count < long_from) {
                    body(false, index, run);
                } else {
                    std::lock_guard const lock(mutex);
                    long_ones.push_back({index, run});
                }
                begin = end;
                ++index;
            });
        }
    });
    for (long_run const& each : long_ones)
        body(true, each.index, each.run);
    return runs;
}

/// Returns the number of runs of `count` keys.
template <class Keys, class Pred>
offset count_runs(bool is_parallel, Keys const& keys, offset count, Pred const& is_same, offset block)
{
    if (!is_parallel && count > 0) {
        Pred own(is_same);
        return host::runs_in(keys, 0, count, own).count;
    }
    std::vector<runs_of_block> found;
    return host::find_runs(keys, count, is_same, block, found);
}

/// Returns the beginning of the run that contains the last of `count` keys, or `first` if it begins before that.
template <class Keys, class Pred>
offset begin_of_last_run(Keys const& keys, offset first, offset count, Pred& is_same)
{
    Keys key(tilewise::advanced(keys, count - 1)), previous(key);
    for (--count; count > first && static_cast<bool>(is_same(*--previous, *key)); --count)
        --key;
    return count;
}

/// Returns the end of the first run and the beginning of the last run of `count` keys, of which there are some. On all
/// cores, if one of the two runs has more than `most` keys.
template <class Keys, class Pred>
std::pair<offset, offset> runs_at_ends(bool is_parallel, Keys const& keys, offset count, Pred is_same, offset most,
                                       offset block)
{
    offset const part = is_parallel ? std::min(count, most) : count;
    offset end = host::end_of_run(keys, 0, part, is_same);
    if (end == count)
        return {end, 0};
    offset begin = host::begin_of_last_run(keys, std::max(end, count - part), count, is_same);
    if (end < part && (begin == end || begin > count - part))
        return {end, begin};

    std::vector<runs_of_block> found;
    host::find_runs(keys, count, is_same, block, found);
    end = host::end_of_run(keys, 0, block, is_same);
    if (end == block)
        end = found.front().next;
    auto last = static_cast<offset>(found.size());
    do {
        begin = found[static_cast<std::size_t>(--last)].first;
    } while (begin == std::min(count, (last + 1) * block));
    for (offset next = begin; next < std::min(count, (last + 1) * block);
         next = host::end_of_run(keys, begin, std::min(count, (last + 1) * block), is_same))
        begin = next;
    return {end, begin};
}

/// Reads keys and values that cannot be indexed, one by one, and recognises the ends of runs.
template <class Keys, class Extent, class Values, class Pred>
class run_reader {
public:
    run_reader(Keys keys, Extent const& end, Values values, Pred is_same)
        : keys_(std::move(keys)), end_(end), values_(std::move(values)), is_same_(std::move(is_same)),
          is_at_end_(keys_ == end_)
    {}

    bool is_at_end() const { return is_at_end_; }          ///< whether all runs have been read
    bool is_at_end_of_run() const { return is_run_over_; } ///< whether all elements of the run have been read
    void begin_run() { is_run_over_ = is_at_end_; }        ///< makes the next element the first of a run
    decltype(auto) key() { return *keys_; }                ///< the key of the next element
    decltype(auto) value() { return *values_; }            ///< the value of the next element

    /// Advances past an element.
    void advance()
    {
        if constexpr (multi_pass<Keys>)
            previous_.emplace(keys_);
        else
            previous_.emplace(*keys_);
        ++keys_;
        ++values_;
        is_at_end_ = keys_ == end_;
        is_run_over_ = is_at_end_ || !is_same_as_previous();
    }

private:
    bool is_same_as_previous()
    {
        if constexpr (multi_pass<Keys>)
            return static_cast<bool>(is_same_(**previous_, *keys_));
        else
            return static_cast<bool>(is_same_(*previous_, *keys_));
    }

    Keys keys_;
    Extent const& end_;
    Values values_;
    Pred is_same_;
    std::optional<std::conditional_t<multi_pass<Keys>, Keys, value_of<Keys>>> previous_;
    bool is_at_end_, is_run_over_ = true;
};

/// The end of the run that a run_reader reads.
struct run_sentinel {};

/// The values of the run that a run_reader reads, as an input that can be read once.
template <class Reader>
class values_of_run {
public:
    explicit values_of_run(Reader& reader) : reader_(std::addressof(reader)) {}

    decltype(auto) operator*() const { return reader_->value(); }
    values_of_run& operator++()
    {
        reader_->advance();
        return *this;
    }
    bool operator==(run_sentinel) const { return reader_->is_at_end_of_run(); }

private:
    Reader* reader_;
};

} // namespace host
TILEWISE_NAMESPACE_END
