// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where runs of keys end.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/simd.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

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

} // namespace host
TILEWISE_NAMESPACE_END
