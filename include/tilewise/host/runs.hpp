// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs: the longest subranges of keys in which each key is the same as the one before it, according to a predicate.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/run_search.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Calls `body(std::false_type(), i, run)` for all runs of `count` keys, in order. Returns the number of runs.
template <search how, class Keys, class Pred, class Body>
offset for_each_run(Keys const& keys, offset count, Pred is_same, Body const& body)
{
    offset runs = 0, begin = 0;
    host::for_each_end<how>(keys, 0, count, is_same, [&](offset end) {
        body(std::false_type(), runs++, segment{begin, end - begin});
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
/// `long_from` keys; each shorter run is left to one core, with a copy of `body`. Keys are read twice, in blocks of
/// `block`. `is_shared` is a `std::bool_constant`. Returns the number of runs.
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
        auto const own_body = body;
        Keys const own_keys(keys);
        for (; first < last; ++first) {
            runs_of_block const of = found[static_cast<std::size_t>(first)];
            offset const end_of_block = std::min(count, (first + 1) * block);
            offset index = of.count, begin = of.first;
            host::for_each_end<how>(own_keys, begin, end_of_block, own, [&](offset end) {
                segment const run{begin, (end < end_of_block ? end : of.next) - begin};
                if (run.count < long_from) {
                    own_body(std::false_type(), index, run);
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
        body(std::true_type(), each.index, each.run);
    return runs;
}

/// The same without the indices of runs, so that keys are read once: calls `body(is_shared, run)`. A core begins with
/// the first run that begins in a block, and searches beyond the block for the end of the last one. `long_from` is more
/// than a block.
template <class Keys, class Pred, class Body>
void distribute_unnumbered_runs(Keys const& keys, offset count, Pred const& is_same, offset block, offset long_from,
                                Body const& body)
{
    std::vector<offset> first_of_block(static_cast<std::size_t>((count + block - 1) / block)); // `count`: there is none
    std::mutex mutex;
    std::vector<offset> long_ones;
    host::parallel_for(static_cast<offset>(first_of_block.size()), [&](offset index, offset last) {
        Pred own(is_same);
        auto const own_body = body;
        Keys const own_keys(keys);
        for (; index < last; ++index) {
            offset const end_of_block = std::min(count, (index + 1) * block);
            offset begin = index == 0 ? 0 : host::end_of_run(own_keys, index * block - 1, end_of_block, own);
            first_of_block[static_cast<std::size_t>(index)] = begin < end_of_block ? begin : count;
            while (begin < end_of_block) {
                offset const end = host::end_of_run(own_keys, begin, std::min(count, begin + long_from), own);
                if (end - begin < long_from) {
                    own_body(std::false_type(), segment{begin, end - begin});
                } else {
                    std::lock_guard const lock(mutex);
                    long_ones.push_back(begin);
                }
                begin = end;
            }
        }
    });
    for (offset const begin : long_ones) {
        auto next = static_cast<std::size_t>(begin / block + 1);
        while (next < first_of_block.size() && first_of_block[next] == count)
            ++next;
        offset const end = next < first_of_block.size() ? first_of_block[next] : count;
        body(std::true_type(), segment{begin, end - begin});
    }
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

} // namespace host
TILEWISE_NAMESPACE_END
