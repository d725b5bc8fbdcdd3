// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The branchless form of bins between given edges: one table look-up per sample.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
/// @cond internals
namespace binning {

/// An unsigned type with as many numbers as A, to which the numbers of A are mapped in the same order. (For long double
/// it has fewer.)
template <class A>
using key_of = std::conditional_t<sizeof(A) <= 4, std::uint32_t, std::uint64_t>;

template <class A>
TILEWISE_PORTABLE key_of<A> key(A x)
{
    constexpr key_of<A> sign = key_of<A>{1} << (8 * sizeof(key_of<A>) - 1);
    if constexpr (std::unsigned_integral<A>) {
        return x;
    } else if constexpr (std::integral<A>) {
        return static_cast<key_of<A>>(x) ^ sign;
    } else if constexpr (sizeof(A) > sizeof(key_of<A>)) {
        return key(static_cast<double>(x));
    } else {
        x += 0; // turns -0 into 0
        key_of<A> bits;
        std::memcpy(&bits, &x, sizeof x);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }
}

/// Types whose keys are exact.
template <class A>
concept has_exact_keys = sizeof(A) <= sizeof(std::uint64_t);

/// Returns `x` if it is in [low, high], and otherwise the closer of the two.
template <std::integral I>
TILEWISE_PORTABLE constexpr I clamped(I x, I low, I high)
{
    I const not_above = x < high ? x : high;
    return not_above > low ? not_above : low;
}

/// Maps numbers to coordinates from 0 to `last()`, in the same order. Coordinates distinguish numbers on both sides of
/// an inner edge, by keys; what is outside the inner edges has the coordinate of the nearest number inside. `of(x)` is
/// exact, also next to edges, because it takes only integer operations.
template <class A>
class coordinates {
public:
    using number = key_of<A>;

    coordinates() = default;
    /// The inner edges are [first, last), and ranges have 2^log2_range coordinates.
    coordinates(A const* first, A const* last, int)
    {
        if (first != last) {
            lowest_ = binning::key(*first) - 1; // there is an edge below
            last_ = binning::key(*(last - 1)) - lowest_;
        }
    }

    bool are_usable() const { return true; }
    number last() const { return last_; }
    TILEWISE_PORTABLE number of(A x) const
    {
        return binning::clamped<number>(binning::key(x), lowest_, lowest_ + last_) - lowest_;
    }

private:
    number lowest_ = 0, last_ = 0;
};

/// Keys of floating-point numbers are nearly logarithms of the magnitude, and half of them are between -1 and 1.
/// Between the inner edges that are closest to zero, only zero can be an edge, so that a range for the negative
/// numbers there and one for the others are enough.
template <std::floating_point A>
class coordinates<A> {
public:
    using number = key_of<A>;
    using signed_number = std::make_signed_t<number>;

    coordinates() = default;
    coordinates(A const* first, A const* last, int log2_range)
    {
        signed_number least = 0, most = 0; // of the magnitudes
        for (A const* edge = first; edge != last; ++edge) {
            if (signed_number const own = bits_of(*edge < 0 ? -*edge : *edge); *edge != 0) {
                least = least == 0 ? own : std::min(least, own);
                most = std::max(most, own);
            }
        }
        if (least > 0) {
            around_zero_ = least - std::min(least, signed_number{1} << log2_range);
            most_ = most + 1 - around_zero_; // different from that of an edge
        }
        if (first != last && are_usable()) {
            shift_ = 1 - signed_of(*first);
            last_ = signed_of(*(last - 1)) + shift_;
        }
    }

    /// Returns whether no coordinate overflows before it is clamped.
    bool are_usable() const { return most_ < std::numeric_limits<signed_number>::max() / 2; }
    number last() const { return static_cast<number>(last_); }
    TILEWISE_PORTABLE number of(A x) const
    {
        return static_cast<number>(binning::clamped<signed_number>(signed_of(x) + shift_, 0, last_));
    }

private:
    TILEWISE_PORTABLE static signed_number bits_of(A x)
    {
        signed_number bits;
        std::memcpy(&bits, &x, sizeof x);
        return bits;
    }
    TILEWISE_PORTABLE signed_number signed_of(A x) const
    {
        constexpr int sign_bit = 8 * static_cast<int>(sizeof(A)) - 1;
        signed_number const magnitude = bits_of(x) & largest<signed_number>;
        signed_number const sign = bits_of(x + 0) >> sign_bit; // of -0 as of 0: 0, and of negative numbers -1
        return binning::clamped<signed_number>(magnitude - around_zero_, 0, most_) ^ sign;
    }

    signed_number around_zero_ = 0, most_ = 0; ///< the bits of the largest magnitude without a coordinate of its own
    signed_number shift_ = 0, last_ = 0;
};

/// Bins between given edges, found without a search. Coordinates are divided into ranges of 2^n, which have at most
/// one edge each, apart from one at the beginning. An entry for each range has the number of the bin at its beginning
/// in the bits from n on, relative to that of the range. The lower bits are such that adding a coordinate carries into
/// the number of the bin if the coordinate reaches the edge.
template <has_exact_keys A, form of>
class keyed_bins {
public:
    using entry = key_of<A>;

    keyed_bins(bounds<A> const& bounds, coordinates<A> const& where, std::vector<entry> const& entries, int log2_range)
        : bounds_(bounds), where_(where), entries_(entries.data()), count_(static_cast<int>(entries.size())),
          log2_range_(log2_range)
    {}

    TILEWISE_PORTABLE int size() const { return bounds_.size(); }
    TILEWISE_PORTABLE int extent() const { return bounds_.extent(); }
    template <class S>
    TILEWISE_PORTABLE located locate(S const& sample) const
    {
        return bounds_.locate(sample, [this](A x) {
            entry const coordinate = where_.of(x);
            return static_cast<int>((coordinate + entries_[coordinate >> log2_range_]) >> log2_range_);
        });
    }

    TILEWISE_CALLS_ANY
    template <class Visit>
    TILEWISE_PORTABLE void for_each_table(Visit const& visit)
    {
        visit(entries_, offset{count_});
    }

private:
    bounds<A, of> bounds_;
    coordinates<A> where_;
    entry const* entries_;
    int count_, log2_range_;
};

template <class A, form of>
inline constexpr bool locates<keyed_bins<A, of>> = true;

/// The table of keyed_bins. It is empty if the edges need more entries than are worth copying to every block.
template <class A>
struct key_table {
    key_table() = default;
    explicit key_table(std::vector<A> const&) {}
};
template <has_exact_keys A>
struct key_table<A> {
    using number = key_of<A>;
    static constexpr std::size_t most_entries = 8192; // of 32 bits: 32 KiB

    coordinates<A> where;
    std::vector<number> entries; ///< as few as possible
    int log2_range = 0;

    key_table() = default;
    explicit key_table(std::vector<A> const& edges)
    {
        if (edges.size() > 2 * most_entries)
            return;
        std::vector<number> inner(edges.size() - 2);
        bool is_found = false;
        for (log2_range = std::numeric_limits<number>::digits - 1; !is_found && log2_range > 0;) {
            --log2_range;
            where = coordinates<A>(edges.data() + 1, edges.data() + edges.size() - 1, log2_range);
            if (where.last() >> log2_range >= most_entries)
                return;
            for (std::size_t i = 0; i < inner.size(); ++i)
                inner[i] = where.of(edges[i + 1]);
            is_found = where.are_usable() && has_one_edge_per_range(inner);
        }
        if (is_found)
            write_entries(inner);
    }

private:
    /// Returns whether no range has two edges, apart from one at its beginning, and has room for the number of its bin.
    bool has_one_edge_per_range(std::vector<number> const& inner) const
    {
        if (inner.size() > std::numeric_limits<number>::max() >> log2_range)
            return false;
        for (std::size_t i = 1; i < inner.size(); ++i)
            if (inner[i - 1] >> log2_range == inner[i] >> log2_range &&
                inner[i - 1] >> log2_range << log2_range != inner[i - 1])
                return false;
        return true;
    }
    void write_entries(std::vector<number> const& inner)
    {
        number const range = number{1} << log2_range;
        number bin = 0;
        for (number i = 0; i <= where.last() >> log2_range; ++i) {
            number const begin = i << log2_range;
            while (bin < inner.size() && inner[bin] <= begin)
                ++bin;
            bool const has_edge = bin < inner.size() && inner[bin] >> log2_range == i;
            entries.push_back((bin << log2_range) - begin + (has_edge ? range - (inner[bin] - begin) : 0));
        }
    }
};

} // namespace binning
/// @endcond
TILEWISE_NAMESPACE_END
