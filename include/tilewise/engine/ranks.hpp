// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What ranks have and exchange: the parts of a range, values of each rank, sums of counters.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/order.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The parts of a range: rank r has [begins[r], begins[r + 1]).
class partition {
public:
    /// Of ranks that have so many elements each.
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
    /// The rank that has the last element, of which there is at least one.
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

/// Values of this rank for a gather, as bytes.
template <class T>
class packed {
public:
    void push_back(T const& value)
    {
        auto const* const bytes = reinterpret_cast<std::byte const*>(std::addressof(value));
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    }
    std::vector<std::byte> const& bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Values of each rank, as bytes.
template <class T>
class gathered {
public:
    /// Of ranks that have so many values each; they come after the status of their rank.
    gathered(std::vector<offset> const& counts, std::vector<std::byte> bytes)
        : first_(counts.size()), bytes_(std::move(bytes))
    {
        std::size_t at = 0;
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            first_[rank] = at + sizeof(std::int64_t);
            at = first_[rank] + static_cast<std::size_t>(counts[rank]) * sizeof(T);
        }
    }
    /// A value of a rank.
    T operator()(int rank, offset index) const
    {
        std::array<std::byte, sizeof(T)> value;
        std::memcpy(value.data(),
                    bytes_.data() + first_[static_cast<std::size_t>(rank)] +
                        static_cast<std::size_t>(index) * sizeof(T),
                    sizeof(T));
        return std::bit_cast<T>(value);
    }

private:
    std::vector<std::size_t> first_;
    std::vector<std::byte> bytes_;
};

/// FNV-1a, which every machine computes alike.
inline std::uint64_t hash_of(std::string_view text)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (char const c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// Tells axes apart whose edges differ; of an axis without edges it knows nothing.
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

/// Replaces each counter by its sum over all ranks, modulo 2^64, by messages: each rank adds up a part of the counters.
template <communicator Communicator>
void add_up_by_messages(Communicator& ranks, std::vector<std::uint64_t>& counters)
{
    auto const size = static_cast<std::size_t>(ranks.size()), own = static_cast<std::size_t>(ranks.rank());
    auto const first = [&](std::size_t rank) { return counters.size() * rank / size; };
    std::size_t const count = first(own + 1) - first(own);
    std::vector<std::uint64_t> received(count * size);
    std::vector<outgoing> out;
    std::vector<incoming> in;
    std::vector<std::size_t> sizes;
    for (std::size_t rank = 0; rank < size; ++rank) {
        sizes.push_back((first(rank + 1) - first(rank)) * sizeof(std::uint64_t));
        out.push_back({static_cast<int>(rank), counters.data() + first(rank), sizes.back()});
        in.push_back({static_cast<int>(rank), received.data() + rank * count, count * sizeof(std::uint64_t)});
    }
    ranks.exchange(std::span<outgoing const>(out), std::span<incoming const>(in));
    std::vector<std::uint64_t> sums(count);
    for (std::size_t i = 0; i < received.size(); ++i)
        sums[i % count] += received[i];
    ranks.all_gather_v(sums.data(), std::span<std::size_t const>(sizes), counters.data());
}

} // namespace engine
TILEWISE_NAMESPACE_END
