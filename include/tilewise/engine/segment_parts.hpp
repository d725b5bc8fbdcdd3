// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The segments of a call over ranks, and in the parts of which ranks they lie.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/segments.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The elements [begin, end) of a segment of `count` elements, in the part of a rank.
struct part_of_segment {
    int rank;
    offset begin, end, count;
    bool is_whole() const { return begin == 0 && end == count; }
    bool has_last() const { return end == count; }
};

/// The segments of a call, the same on all ranks, and the parts of ranks in which they lie.
class segments_on_ranks {
public:
    /// Reads the offsets, which count from the beginning of the whole range.
    template <class Begins, class Ends>
    segments_on_ranks(char const* algorithm, Begins const& begins, Begins const& begins_last, Ends const& ends)
    {
        host::for_each_segment(algorithm, 0, begins, begins_last, ends,
                               [&](host::segment each) { segments_.push_back(each); });
    }
    offset count() const { return static_cast<offset>(segments_.size()); }
    /// Returns a hash of the offsets.
    std::uint64_t hash() const
    {
        return engine::hash_of(
            {reinterpret_cast<char const*>(segments_.data()), segments_.size() * sizeof(host::segment)});
    }
    /// Throws `std::invalid_argument` for a segment that is not in a range of `total` elements.
    void check(char const* algorithm, offset total) const
    {
        for (host::segment const& each : segments_)
            if (each.count > 0 && (each.begin < 0 || each.count > total - each.begin))
                reject_argument(algorithm, "the segment from " + std::to_string(each.begin) + " to " +
                                               std::to_string(each.begin + each.count) + " is not in the range of " +
                                               std::to_string(total) + " elements");
    }

    /// Calls `use(segment)` for all segments.
    template <class Use>
    void for_each(Use use) const
    {
        for (host::segment const& each : segments_)
            use(each);
    }
    /// Calls `use(part)` for the parts of a segment, from left to right.
    template <class Use>
    static void for_each_part(partition const& parts, host::segment const& of, Use use)
    {
        if (of.count == 0)
            return;
        for (int r = parts.rank_of(of.begin); r < parts.ranks() && parts.begin(r) < of.begin + of.count; ++r)
            if (parts.count(r) > 0)
                use(part_of_segment{r, std::max(parts.begin(r) - of.begin, offset{0}),
                                    std::min(parts.end(r) - of.begin, of.count), of.count});
    }
    /// Calls `use(segment, part)` for the parts of segments on a rank.
    template <class Use>
    void for_each_part_on(partition const& parts, int rank, Use use) const
    {
        for_each([&](host::segment const& each) {
            for_each_part(parts, each, [&](part_of_segment const& part) {
                if (part.rank == rank)
                    use(each, part);
            });
        });
    }

private:
    std::vector<host::segment> segments_;
};

/// The segments that lie in this rank's part as a whole, from the beginning of the part.
inline std::vector<host::segment> segments_of_rank(segments_on_ranks const& segments, partition const& parts, int rank)
{
    std::vector<host::segment> own;
    segments.for_each_part_on(parts, rank, [&](host::segment const& each, part_of_segment const& part) {
        if (part.is_whole())
            own.push_back({each.begin - parts.begin(rank), each.count});
    });
    return own;
}
/// The number of elements from the beginning of this rank's part to the end of the last segment there.
inline offset reach_on_rank(segments_on_ranks const& segments, partition const& parts, int rank)
{
    offset reach = 0;
    segments.for_each_part_on(parts, rank, [&](host::segment const& each, part_of_segment const& part) {
        reach = std::max(reach, each.begin + part.end - parts.begin(rank));
    });
    return reach;
}

/// Counts the values that each rank sends.
template <class CountOf>
void count_values(std::vector<offset>& counts, segments_on_ranks const& segments, partition const& parts,
                  CountOf count_of)
{
    segments.for_each([&](host::segment const& each) {
        segments_on_ranks::for_each_part(parts, each, [&](part_of_segment const& part) {
            counts[static_cast<std::size_t>(part.rank)] += count_of(part);
        });
    });
}

} // namespace engine
TILEWISE_NAMESPACE_END
