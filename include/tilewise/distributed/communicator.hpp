// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The concept `communicator`: how ranks exchange bytes.

#include <tilewise/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

// Outside the inline namespace of the mode, so that a communicator can be passed between translation units.
namespace tilewise {

/// @addtogroup distributed
/// @{

/// A message to send to a rank.
struct outgoing {
    int rank;          ///< the receiver
    void const* data;  ///< the first byte
    std::size_t bytes; ///< the number of bytes
};

/// The memory for a message to receive from a rank.
struct incoming {
    int rank;          ///< the sender
    void* data;        ///< where the first byte is written
    std::size_t bytes; ///< the number of bytes
};

/// Connects the ranks of a distributed call: processes, threads or GPUs, numbered from 0. All memory is host memory,
/// unless stated otherwise.
///
/// `all_gather`, `all_gather_v` and `exchange` are collectives: every rank calls the same ones in the same order, and
/// each call returns when the memory of the calling rank can be reused.
/// * `all_gather(own, bytes, all)` gathers `bytes` bytes from each rank and writes them to `all`, in rank order.
/// * `all_gather_v(own, sizes, all)` gathers `sizes[r]` bytes from each rank r in the same way. Every rank passes the
///   same sizes, one for each rank; a size may be 0.
/// * `exchange(out, in)` sends messages, at most one from each rank to each rank. The receiver passes the same size as
///   the sender. A message may be empty, and a rank may send a message to itself.
///
/// Memory that is read does not overlap memory that is written. A collective that fails throws, preferably a
/// `distributed_error` on every rank.
///
/// Three members are optional. `all_reduce_add(counters, count)`, a collective, replaces each of `count` counters of
/// type `std::uint64_t` by its sum over all ranks, modulo 2^64. `is_usable()` returns false once a collective has
/// failed; every later collective then throws immediately. `node_size()` returns the number of consecutive ranks that
/// share a node, the same number on every rank: more than 32 ranks exchange values within nodes first, then between
/// nodes.
///
/// Ranks that are GPUs may have three more, all or none of them. The counts of histograms under `device` then stay in
/// GPU memory, and calls wait less often.
/// * `device_counters(count)` returns GPU memory for `count` counters of type `std::uint64_t`, which belongs to the
///   communicator and is valid until the next call. It is not a collective.
/// * `all_reduce_add(counters, count, stream)`, a collective, replaces counters in that memory by their sums
///   over all ranks, after the work in a CUDA stream and before later work in it. It need not wait.
/// * `wait(stream)` waits for the work in a stream, including those sums. It throws as a collective does.
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
/// Calls memcpy unless `bytes` is 0: memcpy accepts no null pointer, even for 0 bytes.
inline void copy_bytes(void* to, void const* from, std::size_t bytes)
{
    if (bytes > 0)
        std::memcpy(to, from, bytes);
}

/// Returns the name of a rank for the text of an error.
inline std::string rank_text(std::integral auto rank)
{
    return "rank " + std::to_string(static_cast<int>(rank));
}
/// @endcond

} // namespace tilewise
