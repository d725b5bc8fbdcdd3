// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `self_communicator`: a communicator of one rank.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/error.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @ingroup distributed
/// The communicator of a program that runs alone: one rank, which can send messages only to itself.
///
/// Header `<tilewise/distributed/self.hpp>`. A message without a receiver, or of a size other than the receiver
/// expects, throws `distributed_error`.
class self_communicator {
public:
    static constexpr int rank() noexcept { return 0; } ///< 0
    static constexpr int size() noexcept { return 1; } ///< 1

    /// See tilewise::communicator.
    static void all_gather(void const* own, std::size_t bytes, void* all) { copy_bytes(all, own, bytes); }

    /// See tilewise::communicator.
    static void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        if (sizes.size() != 1)
            throw distributed_error(0, "tilewise::self_communicator: all_gather_v needs one size for the one rank");
        copy_bytes(all, own, sizes[0]);
    }

    /// See tilewise::communicator.
    static void exchange(std::span<outgoing const> out, std::span<incoming const> in)
    {
        bool const fits = out.size() == in.size() && out.size() <= 1 &&
                          (out.empty() || (out[0].rank == 0 && in[0].rank == 0 && out[0].bytes == in[0].bytes));
        if (!fits)
            throw distributed_error(0, "tilewise::self_communicator: exchange has no receiver for what rank 0 sends, "
                                       "or no sender for what it expects");
        if (!out.empty())
            copy_bytes(in[0].data, out[0].data, out[0].bytes);
    }

    /// See tilewise::communicator.
    static void all_reduce_add(std::uint64_t*, std::size_t) {}
};

} // namespace tilewise
