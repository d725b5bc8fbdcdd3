// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What a communicator is: how ranks exchange bytes.

#include <tilewise/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

// In every mode the same, so that a communicator can be passed between translation units.
namespace tilewise {

/// @addtogroup distributed
/// @{

/// Bytes for another rank.
struct outgoing {
    int rank;          ///< the receiver
    void const* data;  ///< the first byte
    std::size_t bytes; ///< how many
};

/// Room for bytes from another rank.
struct incoming {
    int rank;          ///< the sender
    void* data;        ///< where the first byte goes
    std::size_t bytes; ///< how many
};

/// What connects the ranks of a distributed call: processes, threads or GPUs, numbered from 0. Memory is host memory.
///
/// `all_gather`, `all_gather_v` and `exchange` are collectives: every rank calls the same ones in the same order, and
/// each returns when this rank's memory can be used again.
/// * `all_gather(own, bytes, all)` has `bytes` bytes of each rank, and writes those of all ranks to `all`, in rank
/// order.
/// * `all_gather_v(own, sizes, all)` has `sizes[r]` bytes of each rank r, and does the same. Every rank passes the same
///   sizes, one for each rank; a size may be 0.
/// * `exchange(out, in)` sends messages, at most one from each rank to each. The receiver passes the size that the
/// sender
///   passes. A message may be empty, and may be to the rank itself.
///
/// What is read does not overlap what is written. A collective that fails throws, best a `distributed_error` on every
/// rank.
///
/// Three members are used where they are present. `all_reduce_add(counters, count)`, a collective, replaces each of
/// `count` counters of type `std::uint64_t` by its sum over all ranks, modulo 2^64. `is_usable()` returns false once a
/// collective has failed; then every collective throws at once. `node_size()` returns how many consecutive ranks share
/// a node, the same number on every rank: more than 32 ranks exchange values within nodes first, then between them.
template <class C>
concept communicator =
    requires(C& c, C const& k, void const* own, void* all, std::size_t bytes, std::span<std::size_t const> sizes,
             std::span<outgoing const> out, std::span<incoming const> in) {
        { k.rank() } -> std::convertible_to<int>;
        { k.size() } -> std::convertible_to<int>;
        c.all_gather(own, bytes, all);
        c.all_gather_v(own, sizes, all);
        c.exchange(out, in);
    };

/// @}

/// @cond internals
/// memcpy, which takes no null pointer, not even for 0 bytes.
inline void copy_bytes(void* to, void const* from, std::size_t bytes)
{
    if (bytes > 0)
        std::memcpy(to, from, bytes);
}

/// A rank in the text of an error.
inline std::string rank_text(std::integral auto rank)
{
    return "rank " + std::to_string(static_cast<int>(rank));
}
/// @endcond

} // namespace tilewise
