// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The data that ranks hold and exchange: the parts of a range, values of each rank, sums of counters.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/integer.hpp>
#include <tilewise/axis/product.hpp>
#include <tilewise/axis/regular.hpp>
#include <tilewise/axis/variable.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/host/boxed.hpp>
#include <tilewise/order.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The parts of a range: rank r has [begins[r], begins[r + 1]).
class partition {
public:
    /// Creates a partition in which no rank has elements.
    explicit partition(int ranks) : begins_(static_cast<std::size_t>(ranks) + 1) {}
    /// Sets the numbers of elements of all ranks. Allocates nothing.
    template <class CountOf>
    void set_counts(CountOf count_of)
    {
        for (int rank = 0; rank < ranks(); ++rank)
            begins_[static_cast<std::size_t>(rank) + 1] = begin(rank) + count_of(rank);
        last_rank_ = ranks() - 1;
        while (last_rank_ >= 0 && count(last_rank_) == 0)
            --last_rank_;
    }
    offset begin(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
    offset end(int rank) const { return begin(rank + 1); }
    offset count(int rank) const { return end(rank) - begin(rank); }
    offset total() const { return begins_.back(); }
    int ranks() const { return static_cast<int>(begins_.size()) - 1; }
    /// Returns the rank that has an element, or 0 for one before the range.
    int rank_of(offset element) const
    {
        auto const next = std::lower_bound(begins_.begin() + 1, begins_.end(), element + 1);
        return static_cast<int>(next - begins_.begin()) - 1;
    }
    int last_rank() const { return last_rank_; } ///< the rank that has the last element, or -1 if there is none

private:
    std::vector<offset> begins_;
    int last_rank_ = -1;
};

/// The type of a value while it is combined: large values are kept in boxes.
template <class T>
using combined = std::conditional_t<host::is_large<T>, host::box<T>, T>;
/// Converts a value that ranks have exchanged, so that it can be combined.
template <class T>
combined<T> to_combined(T value)
{
    if constexpr (host::is_large<T>)
        return host::box<T>::of([&] { return value; });
    else
        return value;
}
/// Converts a combined value, so that ranks can exchange it.
template <class T>
T plain(T value)
{
    return value;
}
/// The same for a boxed value.
template <class T>
T plain(host::box<T> const& value)
{
    return *value;
}

/// The values that a rank sends, as bytes that follow its status.
template <class T>
class packed {
public:
    packed() : bytes_(sizeof(std::int64_t)) {} ///< no values, and the status of a rank that has not failed
    void reserve(offset values) { bytes_.reserve(sizeof(std::int64_t) + static_cast<std::size_t>(values) * sizeof(T)); }
    void push_back(T const& value)
    {
        auto const* const bytes = reinterpret_cast<std::byte const*>(std::addressof(value));
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    }
    void clear() { bytes_.resize(sizeof(std::int64_t)); }
    std::vector<std::byte> const& bytes() const { return bytes_; } ///< the status and the values
    /// Returns the values alone.
    std::span<std::byte const> values() const { return std::span(bytes_).subspan(sizeof(std::int64_t)); }

    /// Returns the value at an index in such bytes.
    static T at(std::byte const* bytes, offset index)
    {
        std::array<std::byte, sizeof(T)> value;
        std::memcpy(value.data(), bytes + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
        return std::bit_cast<T>(value);
    }

private:
    std::vector<std::byte> bytes_;
};

/// A view of the values that a rank has received, which lasts until its next collective.
template <class T>
class gathered {
public:
    /// The values of sender s begin at `bytes[firsts[s]]`.
    gathered(std::size_t const* firsts, std::byte const* bytes) : firsts_(firsts), bytes_(bytes) {}
    /// Returns a value of a sender.
    T operator()(int sender, offset index) const { return packed<T>::at(bytes_ + firsts_[sender], index); }

private:
    std::size_t const* firsts_;
    std::byte const* bytes_;
};

/// The messages that a rank sends and receives in a round.
struct message_round {
    /// A message to or from a rank.
    struct message {
        int rank;
        offset values; ///< the number of values that follow the status of the sender
    };
    std::vector<message> out, in;
};

/// Returns the FNV-1a hash of a text, which is the same on every machine.
inline std::uint64_t hash_of(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (char const c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// Adds a number to a hash, so that another number always changes it. One multiplication for each: an axis may have
/// very many edges.
template <class Number>
    requires std::is_arithmetic_v<Number>
std::uint64_t with_hashed(std::uint64_t hash, Number number)
{
    constexpr std::uint64_t prime = 0x100000001b3u;
    if constexpr (std::is_floating_point_v<Number>) {
        auto const rounded = static_cast<double>(number);
        hash = (hash ^ std::bit_cast<std::uint64_t>(rounded)) * prime;
        if constexpr (sizeof(Number) > sizeof(double))
            hash = engine::with_hashed(hash, static_cast<double>(number - static_cast<Number>(rounded)));
        return hash;
    } else {
        return (hash ^ static_cast<std::uint64_t>(number)) * prime;
    }
}

/// Whether all edges of an axis follow from the first one, the last one, and their number.
template <class View>
inline constexpr bool computes_edges = false;
template <class A, binning::form of>
inline constexpr bool computes_edges<binning::regular_bins<A, of>> = true;
template <class A, binning::form of>
inline constexpr bool computes_edges<binning::integer_bins<A, of>> = true;

/// Returns a hash of the options of an axis, which is never that of none.
inline std::uint64_t hash_of_options(axis_options options)
{
    return engine::with_hashed(1, 2 * static_cast<int>(options.flow) + (options.closed_upper ? 1 : 0));
}
/// Returns a hash of the edges and options of an axis, given its view, or 0 if it has none.
template <class View>
std::uint64_t hash_of_bins(View const& bins)
{
    std::uint64_t hash = 0;
    if constexpr (computes_edges<View>) {
        hash = engine::with_hashed(engine::hash_of_options(bins.options()), bins.size());
        hash = engine::with_hashed(hash, bins.edge(0));
        hash = engine::with_hashed(hash, bins.edge(bins.size()));
    } else if constexpr (requires { engine::with_hashed(hash, *bins.edges().begin()); }) {
        for (auto const& edge : bins.edges())
            hash = engine::with_hashed(hash, edge);
    }
    return hash;
}
/// Of an axis with stored edges.
template <class A>
std::uint64_t hash_of_bins(binning::variable_bins<A> const& bins)
{
    std::uint64_t hash = engine::hash_of_options(bins.options());
    for (int i = 0; i <= bins.size(); ++i)
        hash = engine::with_hashed(hash, bins.edge(i));
    return hash;
}
/// Of no axis.
inline std::uint64_t hash_of_bins(binning::product_bins<> const&)
{
    return 0;
}
/// Of several axes.
template <class View, class... Rest>
std::uint64_t hash_of_bins(binning::product_bins<View, Rest...> const& bins)
{
    return engine::with_hashed(engine::hash_of_bins(bins.tail), engine::hash_of_bins(bins.head));
}

/// The same of an axis, whose view need not have the edges that it has.
template <class Axis>
std::uint64_t hash_of_axis(Axis const& axis)
{
    std::uint64_t const of_view = engine::hash_of_bins(tilewise::axis_view(axis));
    return of_view != 0 ? of_view : engine::hash_of_bins(axis);
}

/// Distributes the cells of a table over ranks: rank r owns the cells [first(r), first(r + 1)).
class owned_cells {
public:
    owned_cells(offset cells, int ranks) : cells_(cells), ranks_(ranks) {}
    offset first(int rank) const { return cells_ / ranks_ * rank + std::min(offset{rank}, cells_ % ranks_); }
    offset count(int rank) const { return first(rank + 1) - first(rank); }

private:
    offset cells_;
    int ranks_;
};

/// Combines each value of a table over all ranks, in any order. Each rank combines the cells that it owns. All memory
/// is allocated in advance: a rank that has none must not leave others waiting for its messages.
template <class T>
class combined_table {
public:
    /// Allocates what a rank needs for tables of so many cells.
    combined_table(std::size_t cells, int ranks, int rank)
        : owned_(static_cast<offset>(cells), ranks), own_(static_cast<std::size_t>(owned_.count(rank))),
          received_(own_ * static_cast<std::size_t>(ranks))
    {
        for (int r = 0; r < ranks; ++r) {
            sizes_.push_back(static_cast<std::size_t>(owned_.count(r)) * sizeof(T));
            out_.push_back({r, nullptr, sizes_.back()});
            in_.push_back({r, received_.data() + own_ * static_cast<std::size_t>(r), own_ * sizeof(T)});
        }
    }
    /// Replaces each value of a table by the result.
    template <communicator Communicator, class Op>
    void combine(Communicator& ranks, T* table, Op op)
    {
        for (outgoing& message : out_)
            message.data = table + owned_.first(message.rank);
        ranks.exchange(std::span<outgoing const>(out_), std::span<incoming const>(in_));
        for (std::size_t i = own_; i < received_.size(); ++i)
            received_[i % own_] = op(received_[i % own_], received_[i]);
        ranks.all_gather_v(received_.data(), std::span<std::size_t const>(sizes_), table);
    }

private:
    owned_cells owned_;
    std::size_t own_;
    std::vector<T> received_;
    std::vector<std::size_t> sizes_;
    std::vector<outgoing> out_;
    std::vector<incoming> in_;
};

} // namespace engine
TILEWISE_NAMESPACE_END
