// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// A stable counting sort of values by the numbers of their cells.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Returns the number of parts of an input, each of which has its own table: one on one thread, and never so many that
/// the tables are longer than the input.
inline offset parts_of(bool is_parallel, offset count, offset cells)
{
    return is_parallel ? std::min(std::max(count / std::max(cells, offset{1} << 14), offset{1}), 2 * concurrency()) : 1;
}

/// Calls `body(part, first, last)` for every part of [0, count).
template <class Body>
void for_each_part(offset parts, offset count, Body const& body)
{
    if (parts == 1)
        return body(offset{0}, offset{0}, count);
    host::parallel_for(parts, [&](offset first, offset last) {
        for (offset part = first; part < last; ++part)
            body(part, count / parts * part + count % parts * part / parts,
                 count / parts * (part + 1) + count % parts * (part + 1) / parts);
    });
}

/// Uninitialized memory for objects. Huge pages, where the system has them, speed up a sort of 2^24 doubles: from 12.2
/// to 6.9 ns per value into 16 cells, from 32 to 22 ns into 2^20.
template <class T>
class raw_memory {
public:
    explicit raw_memory(offset count)
    {
        if (static_cast<std::size_t>(count) > std::numeric_limits<std::size_t>::max() / sizeof(T))
            throw std::bad_array_new_length();
        auto const bytes = static_cast<std::size_t>(count) * sizeof(T);
        if (bytes >= 2 * static_cast<std::size_t>(page) && alignof(T) <= static_cast<std::size_t>(page))
            alignment_ = page;
        first_ = static_cast<T*>(::operator new(bytes, alignment_));
#ifdef __linux__
        if (alignment_ == page)
            static_cast<void>(::madvise(first_, bytes, MADV_HUGEPAGE)); // optional: small pages work, too
#endif
    }
    raw_memory(raw_memory&& other) noexcept : alignment_(other.alignment_), first_(std::exchange(other.first_, nullptr))
    {}
    raw_memory& operator=(raw_memory&&) = delete;
    ~raw_memory() { ::operator delete(first_, alignment_); }

    T* get() const { return first_; }
    T& operator[](offset i) const { return first_[i]; }

private:
    static constexpr std::align_val_t page{std::size_t{2} << 20};

    std::align_val_t alignment_{std::max(alignof(T), std::size_t{__STDCPP_DEFAULT_NEW_ALIGNMENT__})};
    T* first_;
};

/// Values that are constructed one by one, in any order, and then moved from. Types that need destruction are kept in
/// optionals, which record whether a value exists.
template <class T>
class slots {
    static constexpr bool is_raw = std::is_trivially_destructible_v<T>;
    static auto memory(offset count)
    {
        if constexpr (is_raw)
            return host::raw_memory<T>(count);
        else
            return std::vector<std::optional<T>>(static_cast<std::size_t>(count));
    }

public:
    using slot = std::conditional_t<is_raw, T, std::optional<T>>;

    explicit slots(offset count) : values_(memory(count)) {}

    template <class Value>
    TILEWISE_INLINE static void make(slot* to, Value&& value)
    {
        if constexpr (is_raw)
            std::construct_at(to, static_cast<T>(std::forward<Value>(value)));
        else
            to->emplace(static_cast<T>(std::forward<Value>(value)));
    }
    slot* data()
    {
        if constexpr (is_raw)
            return values_.get();
        else
            return values_.data();
    }
    /// Returns an input that moves from the values.
    auto input()
    {
        if constexpr (is_raw)
            return static_cast<T const*>(data());
        else
            return transformed([](std::optional<T>&& value) -> T&& { return *std::move(value); },
                               std::make_move_iterator(data()));
    }

private:
    decltype(memory(0)) values_;
};

/// The destinations of values that are sorted into buckets. A bucket is one cell or several consecutive ones.
struct bucket_positions {
    std::vector<offset> begins; ///< where each bucket begins, and where the last one ends
    std::vector<offset> next;   ///< for every part of the input, the destination of its next value in each bucket
    offset parts, stride;

    segment at(offset bucket) const
    {
        auto const begin = begins.begin() + bucket;
        return {begin[0], begin[1] - begin[0]};
    }
};

/// Computes the destinations in buckets of `1 << shift` cells. Values of negative cells have none.
inline bucket_positions positions_in_buckets(bool is_parallel, int const* cells, offset count, offset buckets,
                                             int shift)
{
    offset const parts = host::parts_of(is_parallel, count, buckets);
    offset const stride = buckets + 64 / offset{sizeof(offset)}; // no two tables share a cache line
    bucket_positions of{std::vector<offset>(static_cast<std::size_t>(buckets + 1)),
                        std::vector<offset>(static_cast<std::size_t>(parts * stride)), parts, stride};
    host::for_each_part(parts, count, [&](offset part, offset first, offset last) {
        offset* const sizes = of.next.data() + part * stride;
        for (offset i = first; i < last; ++i)
            if (cells[i] >= 0)
                ++sizes[cells[i] >> shift];
    });
    offset next = 0;
    for (offset bucket = 0; bucket < buckets; ++bucket) {
        of.begins[static_cast<std::size_t>(bucket)] = next;
        for (offset part = 0; part < parts; ++part)
            next += std::exchange(of.next[static_cast<std::size_t>(part * stride + bucket)], next);
    }
    of.begins.back() = next;
    return of;
}

/// Values grouped by bucket. Those of a bucket are in the order of the input.
template <class T>
struct sorted {
    bucket_positions positions;
    slots<T> values;
    raw_memory<int> cells; ///< relative to the bucket's first cell; empty if a bucket is one cell
};

/// Sorts values stably into buckets of `1 << shift` cells. Values of negative cells are dropped.
template <class T, class Input>
sorted<T> sort_by_bucket(bool is_parallel, int const* cells, Input const& input, offset count, offset buckets,
                         int shift)
{
    bucket_positions positions = host::positions_in_buckets(is_parallel, cells, count, buckets, shift);
    offset const size = positions.begins.back();
    sorted<T> result{std::move(positions), slots<T>(size), raw_memory<int>(shift > 0 ? size : 0)};
    host::for_each_part(result.positions.parts, count, [&](offset part, offset first, offset last) {
        offset* const next = result.positions.next.data() + part * result.positions.stride;
        auto* const values = result.values.data();
        int* const kept = result.cells.get();
        int const* cell = cells + first;
        int const by = shift, mask = (1 << shift) - 1;
        Input own = tilewise::advanced(input, first);
        for (; first < last; ++first, (void)++cell, (void)++own) {
            if (*cell < 0)
                continue;
            offset const to = next[*cell >> by]++;
            slots<T>::make(values + to, *own);
            if (by > 0)
                kept[to] = *cell & mask;
        }
    });
    return result;
}

} // namespace host
TILEWISE_NAMESPACE_END
