// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Counts of all ranks whose sums are scattered: each rank adds up those of its own cells.

#include <tilewise/core/config.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/distributed/partition.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// A rank's counts of all cells, with all memory that adding them up takes. Create it before ranks agree.
class scattered_counts {
public:
    scattered_counts(offset cells, int ranks, int rank)
        : cuts_(tilewise::even_partition<std::uint64_t>(cells, ranks)), rank_(rank), counts_(index(cells)),
          sent_(index(cells + ranks)), received_(index((1 + own_count()) * ranks))
    {
        std::size_t const bytes = index(1 + own_count()) * sizeof(std::uint64_t);
        for (int r = 0; r < ranks; ++r) {
            out_.push_back({r, sent_.data() + message_to(r), index(1 + count(r)) * sizeof(std::uint64_t)});
            in_.push_back({r, received_.data() + index((1 + own_count()) * r), bytes});
        }
    }
    scattered_counts(scattered_counts const&) = delete;
    scattered_counts& operator=(scattered_counts const&) = delete;

    std::uint64_t* data() { return counts_.data(); } ///< this rank's counts of all cells
    void set_failed() { has_failed_ = true; }        ///< has every message say that this rank has failed

    /// Sends each rank a status and the counts of its cells. A collective.
    template <communicator Communicator>
    void exchange(Communicator& ranks)
    {
        for (outgoing const& message : out_) {
            std::uint64_t* const to = sent_.data() + message_to(message.rank);
            *to = has_failed_;
            copy_bytes(to + 1, counts_.data() + cuts_[index(message.rank)], message.bytes - sizeof *to);
        }
        ranks.exchange(std::span<outgoing const>(out_), std::span<incoming const>(in_));
    }
    /// Returns whether any rank has sent that it has failed.
    bool any_has_failed() const
    {
        for (std::size_t status = 0; status < received_.size(); status += index(1 + own_count()))
            if (received_[status] != 0)
                return true;
        return false;
    }
    /// Adds up the counts that all ranks have sent.
    void add_up()
    {
        std::size_t const values = index(1 + own_count());
        for (std::size_t i = values; i < received_.size(); ++i)
            received_[i % values] += received_[i];
    }
    std::uint64_t const* own_sums() const { return received_.data() + 1; } ///< the sums of this rank's cells
    offset own_count() const { return count(rank_); }                      ///< the number of these

private:
    static std::size_t index(offset i) { return static_cast<std::size_t>(i); }
    offset count(int rank) const { return cuts_[index(rank) + 1] - cuts_[index(rank)]; }
    std::size_t message_to(int rank) const { return index(cuts_[index(rank)] + rank); }

    std::vector<offset> cuts_;
    int rank_;
    std::vector<std::uint64_t> counts_, sent_, received_;
    std::vector<outgoing> out_;
    std::vector<incoming> in_;
    bool has_failed_ = false;
};

} // namespace engine
TILEWISE_NAMESPACE_END
