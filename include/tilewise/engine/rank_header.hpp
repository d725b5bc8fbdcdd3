// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What the ranks of a call have to agree on, and the header in which each of them says it.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/position.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// What a rank calls, and with how many elements.
struct agreement {
    std::string description;    ///< in words, behind the name of the algorithm; the same on all ranks
    std::uint64_t details = 0;  ///< the hash of what words do not say; the same on all ranks
    offset count = not_counted; ///< this rank's elements
    bool fails_late = false;    ///< whether this rank may throw after the last gather of values

    static constexpr offset not_counted = -1;
};

/// Returns the number of elements up to `end` if that needs no counting.
template <class Extent>
offset count_if_indexed([[maybe_unused]] Extent const& end)
{
    if constexpr (std::same_as<Extent, offset>)
        return std::max(end, offset{0});
    else
        return agreement::not_counted;
}

/// The first that each rank sends.
struct rank_header {
    std::int64_t count;
    std::int64_t begin, total; ///< where the rank's part begins, and the length of the range, or -1 if not stated
    std::uint64_t signature;
    std::int32_t has_failed, fails_late;
};

/// The bytes of the first message of each rank where positions are stated: a header, and the rank's values if those of
/// all ranks fit. The size must not depend on what is called, because ranks that differ must still make the same
/// gather. The fragment of a part has at most 196 floats.
inline constexpr std::size_t first_message_bytes = 1024;
/// The bytes of values in it.
inline constexpr std::size_t first_values_bytes = first_message_bytes - sizeof(rank_header);

/// Throws `std::invalid_argument` if the part of a rank cannot be where its position says.
inline void check_position(char const* algorithm, part_position const& at, offset count, int rank, int ranks)
{
    bool const is_counted = count != agreement::not_counted;
    bool const is_in_range = at.begin >= 0 && at.begin <= at.total && count <= at.total - at.begin;
    bool const has_neighbours = (rank > 0 || at.begin == 0) && (rank < ranks - 1 || at.begin + count == at.total);
    if (!is_in_range || (is_counted && !has_neighbours))
        reject_argument(algorithm, "at(" + std::to_string(at.begin) + ", " + std::to_string(at.total) +
                                       ") does not fit a part of " +
                                       (is_counted ? std::to_string(count) + " elements" : "any size") + " on rank " +
                                       std::to_string(rank) + " of " + std::to_string(ranks));
}

/// Returns the parts as one rank knows them from its own position, which has been checked: what precedes its part
/// belongs to rank 0, what follows to the next rank.
inline void set_known_part(partition& parts, part_position const& at, offset count, int rank)
{
    parts.set_counts([&](int r) {
        offset const before = r == 0 ? at.begin : 0, behind = at.total - at.begin - count;
        return r == rank ? before + count : r == rank + 1 ? behind : before;
    });
}

/// Returns the number of a rank's elements: that which it has counted, or else what its position leaves to the next.
template <class HeaderOf>
offset count_of_rank(HeaderOf header_of, int rank, int ranks)
{
    rank_header const own = header_of(rank);
    if (own.count != agreement::not_counted)
        return own.count;
    return own.total < 0 ? 0 : (rank + 1 < ranks ? header_of(rank + 1).begin : own.total) - own.begin;
}

/// What is wrong with the positions that ranks state.
struct wrong_position {
    int rank;
    std::string what;
};

/// Returns the first contradiction between the headers of so many ranks, which are the same on every rank.
template <class HeaderOf>
std::optional<wrong_position> contradiction_in(HeaderOf header_of, int ranks)
{
    offset const total = header_of(0).total;
    auto const text = [](offset stated) { return stated < 0 ? std::string("no position") : std::to_string(stated); };
    for (int rank = 1; rank < ranks; ++rank)
        if (offset const other = header_of(rank).total; other != total)
            return wrong_position{rank, "states " + text(other) + (other < 0 ? "" : " elements in all") +
                                            ", but rank 0 states " + text(total)};
    offset end = 0;
    for (int rank = 0; total >= 0 && rank < ranks; ++rank) {
        offset const begin = header_of(rank).begin, count = engine::count_of_rank(header_of, rank, ranks);
        if (begin != end)
            return wrong_position{rank, "states that its part begins at " + std::to_string(begin) +
                                            ", but the ranks before it have " + std::to_string(end) + " elements"};
        if (count < 0)
            return wrong_position{rank, "states that its part begins at " + std::to_string(begin) +
                                            ", but the next rank's at " + std::to_string(begin + count)};
        end += count;
    }
    return {};
}

} // namespace engine
TILEWISE_NAMESPACE_END
