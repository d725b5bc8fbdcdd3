// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The random number generator of a schedule.

#include <cstdint>

namespace simt {

/// xorshift64: fast, and the same on all platforms.
class generator {
public:
    explicit generator(std::uint64_t seed = 1) : state_((seed + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u | 1)
    {
        for (int i = 0; i < 8; ++i)
            next();
    }
    std::uint64_t next()
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    /// Returns a number in [0, count).
    unsigned below(std::size_t count) { return static_cast<unsigned>(((next() >> 32) * count) >> 32); }
    bool one_in(unsigned count) { return below(count) == 0; }

private:
    std::uint64_t state_;
};

} // namespace simt
