// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace example {

/// The bytes [first, last) of a file: those of one rank.
struct slice {
    std::size_t first, last;
};

/// The bytes of each file that are this rank's: all files, one after another, are cut into as many slices as there are
/// ranks, of the same size but for a byte.
inline std::vector<slice> slices_of(any_communicator const& ranks, std::span<std::size_t const> sizes)
{
    std::size_t total = 0;
    for (auto const size : sizes) {
        total += size;
    }
    auto const count = static_cast<std::size_t>(ranks.size());
    auto const begin = [&](std::size_t rank) { return total / count * rank + std::min(rank, total % count); };
    auto const rank = static_cast<std::size_t>(ranks.rank());
    std::vector<slice> slices;
    std::size_t before = 0;
    for (auto const size : sizes) {
        auto const in_file = [&](std::size_t byte) { return std::clamp(byte, before, before + size) - before; };
        slices.push_back({in_file(begin(rank)), in_file(begin(rank + 1))});
        before += size;
    }
    return slices;
}

/// Which of `count` records of the same size, which a file of `size` bytes has, are those of a slice.
inline slice records_in(slice bytes, std::size_t count, std::size_t size)
{
    // (A header goes in equal parts to all records.)
    auto const record = [&](std::size_t byte) { return count == 0 ? 0 : std::min(count, byte / (size / count)); };
    return {record(bytes.first), record(bytes.last)};
}

} // namespace example
