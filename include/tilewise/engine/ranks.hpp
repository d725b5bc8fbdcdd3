// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The data that ranks hold and exchange: the parts of a range, values of each rank, sums of counters.

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
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The parts of a range: rank r has [begins[r], begins[r + 1]).
class partition {
public:
    /// Creates the partition for ranks with the given numbers of elements.
    explicit partition(std::vector<offset> const& counts) : begins_(counts.size() + 1)
    {
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            begins_[rank + 1] = begins_[rank] + counts[rank];
    }
    offset begin(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
    offset end(int rank) const { return begin(rank + 1); }
    offset count(int rank) const { return end(rank) - begin(rank); }
    offset total() const { return begins_.back(); }
    int ranks() const { return static_cast<int>(begins_.size()) - 1; }
    /// Returns the rank that has the last element. There is at least one element.
    int last_rank() const
    {
        int rank = ranks() - 1;
        while (count(rank) == 0)
            --rank;
        return rank;
    }

private:
    std::vector<offset> begins_;
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

/// The values of this rank for a gather, as bytes.
template <class T>
class packed {
public:
    void push_back(T const& value)
    {
        auto const* const bytes = reinterpret_cast<std::byte const*>(std::addressof(value));
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    }
    std::vector<std::byte> const& bytes() const { return bytes_; }

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

/// The values of all ranks, as bytes.
template <class T>
class gathered {
public:
    /// Creates the values of ranks with the given numbers of values, which follow the status of their rank in `bytes`.
    gathered(std::vector<offset> const& counts, std::vector<std::byte> bytes)
        : first_(counts.size()), bytes_(std::move(bytes))
    {
        std::size_t at = 0;
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            first_[rank] = at + sizeof(std::int64_t);
            at = first_[rank] + static_cast<std::size_t>(counts[rank]) * sizeof(T);
        }
    }
    /// Returns a value of a rank.
    T operator()(int rank, offset index) const
    {
        return packed<T>::at(bytes_.data() + first_[static_cast<std::size_t>(rank)], index);
    }

private:
    std::vector<std::size_t> first_;
    std::vector<std::byte> bytes_;
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

/// Returns a hash of the edges of an axis, which distinguishes axes with different edges, or 0 if the axis has no
/// edges().
template <class Axis>
std::uint64_t hash_of_edges(Axis const& axis)
{
    std::uint64_t hash = 0;
    if constexpr (requires { axis.edges(); })
        for (auto const& edge : axis.edges())
            hash = hash * 0x100000001b3u ^
                   engine::hash_of({reinterpret_cast<char const*>(std::addressof(edge)), sizeof edge});
    return hash;
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

/// Combines each value of a table over all ranks, in any order, and replaces it by the result. Each rank combines the
/// cells that it owns.
template <communicator Communicator, class T, class Op>
void combine_by_messages(Communicator& ranks, std::vector<T>& table, Op op)
{
    int const size = ranks.size(), rank = ranks.rank();
    owned_cells const cells(static_cast<offset>(table.size()), size);
    auto const own = static_cast<std::size_t>(cells.count(rank));
    std::vector<T> received(own * static_cast<std::size_t>(size));
    std::vector<outgoing> out;
    std::vector<incoming> in;
    std::vector<std::size_t> sizes;
    for (int r = 0; r < size; ++r) {
        sizes.push_back(static_cast<std::size_t>(cells.count(r)) * sizeof(T));
        out.push_back({r, table.data() + cells.first(r), sizes.back()});
        in.push_back({r, received.data() + own * static_cast<std::size_t>(r), own * sizeof(T)});
    }
    ranks.exchange(std::span<outgoing const>(out), std::span<incoming const>(in));
    for (std::size_t i = own; i < received.size(); ++i)
        received[i % own] = op(received[i % own], received[i]);
    ranks.all_gather_v(received.data(), std::span<std::size_t const>(sizes), table.data());
}

} // namespace engine
TILEWISE_NAMESPACE_END
