// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The private table of a thread, which depends on neither the axis nor the samples.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The number of samples that one thread has counted in each cell.
///
/// A load of a counter soon after a store to it waits for the store: with one table, a core counts one sample in 5
/// cycles if the samples are equal or nearly sorted. So there are four tables, used in turn, where they fit in the L1
/// cache.
class sub_histogram {
public:
    /// Creates a table for about `samples` samples. The counters are flushed after every `most` samples.
    sub_histogram(offset cells, offset samples, offset most = std::numeric_limits<std::uint32_t>::max())
        : cells_(static_cast<std::size_t>(cells)), most_(most), room_(most),
          stride_(cells <= most_cells_replicated && samples >= cells ? cells_ + 1 : 0),
          counters_(cells_ + 1 + (most_tables - 1) * stride_)
    {}

    /// Counts samples by their cell numbers.
    template <class Number>
    void count(Number const* numbers, offset count)
    {
        for (offset part; count > 0; count -= part, (void)(numbers += part)) {
            if (room_ == 0)
                flush();
            part = std::min(count, room_);
            room_ -= part;
            count_in_turn(numbers, part);
        }
    }
    /// Counts samples of one cell.
    void add(int cell, std::uint64_t samples)
    {
        flushed_.resize(cells_ + 1);
        flushed_[slot(cell)] += samples;
    }

    std::uint64_t number_of(offset cell) const
    {
        std::uint32_t const* const table = counters_.data() + cell + 1;
        std::uint64_t const flushed = flushed_.empty() ? 0 : flushed_[static_cast<std::size_t>(cell) + 1];
        return flushed + table[0] +
               (stride_ == 0 ? 0 : std::uint64_t{table[stride_]} + table[2 * stride_] + table[3 * stride_]);
    }

private:
    static constexpr std::size_t most_tables = 4;
    static constexpr offset most_cells_replicated = 2048;

    /// Returns the index of a cell's counter. The counter of no_cell comes first.
    template <class Number>
    static std::size_t slot(Number cell)
    {
        return static_cast<std::size_t>(offset{cell} + 1);
    }

    template <class Number>
    void count_in_turn(Number const* numbers, offset count)
    {
        std::uint32_t *const table = counters_.data(), *const second = table + stride_, *const third = second + stride_,
                             *const fourth = third + stride_;
        offset i = 0;
        for (; count - i >= offset{most_tables}; i += offset{most_tables}) {
            ++table[slot(numbers[i])];
            ++second[slot(numbers[i + 1])];
            ++third[slot(numbers[i + 2])];
            ++fourth[slot(numbers[i + 3])];
        }
        for (; i < count; ++i)
            ++table[slot(numbers[i])];
    }

    /// Moves the counts from the 32-bit counters to `flushed_`.
    void flush()
    {
        flushed_.resize(cells_ + 1);
        for (std::size_t i = 0; i < flushed_.size(); ++i)
            for (std::size_t table = 0; table < (stride_ == 0 ? 1 : most_tables); ++table)
                flushed_[i] += std::exchange(counters_[i + table * stride_], 0);
        room_ = most_;
    }

    std::size_t cells_;
    offset most_, room_;
    std::size_t stride_;
    std::vector<std::uint32_t> counters_;
    std::vector<std::uint64_t> flushed_;
};

/// The sub-histograms of all threads.
class sub_histograms {
public:
    void push_back(sub_histogram own) { tables_.push_back(std::move(own)); }
    bool are_several() const { return tables_.size() > 1; }
    std::uint64_t number_of(offset cell) const
    {
        std::uint64_t sum = 0;
        for (sub_histogram const& own : tables_)
            sum += own.number_of(cell);
        return sum;
    }

private:
    std::vector<sub_histogram> tables_;
};

} // namespace host
TILEWISE_NAMESPACE_END
