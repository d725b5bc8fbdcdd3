// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `mpi_communicator`: ranks as processes of an MPI program.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/distributed/mpi_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <mpi.h>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @addtogroup distributed
/// @{

/// A communicator for the ranks of an MPI communicator. Requires MPI 3.
///
/// Header `<tilewise/distributed/mpi.hpp>`; the CMake target `tilewise::mpi` links the library. MPI must be initialized
/// before a communicator is constructed, and finalized after its last use. Every collective makes nonblocking MPI calls
/// and waits for them in the calling thread: `MPI_THREAD_FUNNELED` suffices if that is the main thread, also under
/// `par`; `MPI_THREAD_SERIALIZED` if it is one thread at a time; `MPI_THREAD_MULTIPLE` if several threads use
/// communicators concurrently. MPI accesses only memory that the communicator owns; every byte is copied into or out of
/// it.
///
/// An MPI error throws `distributed_error` with the error text of MPI. So does a collective that does not complete
/// before the timeout because another rank does not call it, calls a different one, or is lost. The communicator is
/// then unusable on this rank. MPI cannot continue without a rank that is lost: end the program with `abort`, because
/// `MPI_Finalize` could wait forever.
class mpi_communicator : mpi_calls {
public:
    /// A collective call: duplicates `ranks`, so that its messages never match those of the program. Throws
    /// `std::invalid_argument` for `MPI_COMM_NULL`, for intercommunicators and for invalid options, and
    /// `distributed_error` if MPI is not initialized or fails.
    explicit mpi_communicator(MPI_Comm ranks, mpi_options options = {}) : mpi_calls(options)
    {
        int initialized = 0, finalized = 0, has_two_groups = 0;
        MPI_Initialized(&initialized);
        MPI_Finalized(&finalized);
        if (initialized == 0 || finalized != 0)
            fail(-1, "MPI is not initialized, or is already finalized");
        if (ranks == MPI_COMM_NULL)
            throw std::invalid_argument("tilewise::mpi_communicator: MPI_COMM_NULL");
        if (options.largest_call < sizeof(std::uint64_t) || options.largest_call > largest_count)
            throw std::invalid_argument("tilewise::mpi_communicator: largest_call is not in [8, 2^31)");
        if (options.node_size < 0)
            throw std::invalid_argument("tilewise::mpi_communicator: node_size is negative");
        check(MPI_Comm_test_inter(ranks, &has_two_groups), "MPI_Comm_test_inter");
        if (has_two_groups != 0)
            throw std::invalid_argument("tilewise::mpi_communicator: an intercommunicator");
        check(MPI_Comm_rank(ranks, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(ranks, &size_), "MPI_Comm_size");
        check(MPI_Comm_dup(ranks, &ranks_), "MPI_Comm_dup");
        check(MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        node_size_ = options.node_size > 0 ? options.node_size : size_of_nodes();
    }

    /// A collective call, unless the communicator is unusable or MPI is finalized: frees the duplicate.
    ~mpi_communicator()
    {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (!failure_ && finalized == 0)
            MPI_Comm_free(&ranks_);
    }

    int rank() const noexcept { return rank_; } ///< the rank of this process
    int size() const noexcept { return size_; } ///< the number of ranks
    /// Returns how many consecutive ranks share a node; the last node may have fewer. Returns 1 if the ranks of a node
    /// are not consecutive, or nodes have different numbers of them.
    int node_size() const noexcept { return node_size_; }
    bool is_usable() const noexcept { return !failure_; } ///< false once a collective has failed on this rank

    /// Terminates the program on all ranks of the communicator.
    [[noreturn]] void abort(int code = 1) const
    {
        MPI_Abort(ranks_, code);
        std::abort();
    }

    /// See tilewise::communicator.
    void all_gather(void const* own, std::size_t bytes, void* all)
    {
        std::vector<std::size_t> const sizes(ranks(), bytes);
        gather("all_gather", own, sizes, all, [&] {
            check(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, transfer_->at(0), static_cast<int>(bytes),
                                 MPI_BYTE, ranks_, transfer_->new_request()),
                  "MPI_Iallgather");
        });
    }

    /// See tilewise::communicator.
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        if (sizes.size() != ranks())
            fail(rank_,
                 "all_gather_v of " + std::to_string(sizes.size()) + " sizes, of " + std::to_string(size_) + " ranks");
        gather("all_gather_v", own, sizes, all, [&] {
            transfer_->counts.assign(sizes.begin(), sizes.end());
            transfer_->begins.resize(ranks());
            std::exclusive_scan(transfer_->counts.begin(), transfer_->counts.end(), transfer_->begins.begin(), 0);
            check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, transfer_->at(0), transfer_->counts.data(),
                                  transfer_->begins.data(), MPI_BYTE, ranks_, transfer_->new_request()),
                  "MPI_Iallgatherv");
        });
    }

    /// See tilewise::communicator.
    void exchange(std::span<outgoing const> out, std::span<incoming const> in)
    {
        std::size_t bytes = 0;
        for (incoming const& message : in)
            bytes += message.bytes;
        for (outgoing const& message : out)
            bytes += message.bytes;
        prepare("exchange", bytes);
        tag_ = (tag_ + 1) % 32768; // unexpected messages stay pending and must not match the next exchange
        send_to_self(out, in);

        std::size_t begin = 0;
        for (incoming const& message : in) {
            if (message.rank == rank_)
                continue;
            for_each_piece(begin, message.bytes, [&](std::byte* piece, int count) {
                transfer_->counts.push_back(count);
                check(MPI_Irecv(piece, count, MPI_BYTE, message.rank, tag_, ranks_, transfer_->new_request()),
                      "MPI_Irecv");
            });
            begin += message.bytes;
        }
        for (outgoing const& message : out) {
            if (message.rank == rank_)
                continue;
            copy_bytes(transfer_->at(begin), message.data, message.bytes);
            for_each_piece(begin, message.bytes, [&](std::byte* piece, int count) {
                check(MPI_Isend(piece, count, MPI_BYTE, message.rank, tag_, ranks_, transfer_->new_request()),
                      "MPI_Isend");
            });
            begin += message.bytes;
        }
        wait();

        for (std::size_t i = 0; i < transfer_->counts.size(); ++i) {
            MPI_Status const& status = transfer_->statuses[i];
            int count = 0;
            check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
            if (count != transfer_->counts[i])
                fail(status.MPI_SOURCE, rank_text(status.MPI_SOURCE) + " sends " + std::to_string(count) +
                                            " bytes to " + rank_text(rank_) + ", which expects " +
                                            std::to_string(transfer_->counts[i]));
        }
        begin = 0;
        for (incoming const& message : in) {
            if (message.rank == rank_)
                continue;
            copy_bytes(message.data, transfer_->at(begin), message.bytes);
            begin += message.bytes;
        }
        transfer_.reset();
    }

    /// See tilewise::communicator.
    void all_reduce_add(std::uint64_t* counters, std::size_t count)
    {
        std::size_t const bytes = count * sizeof(std::uint64_t);
        prepare("all_reduce_add", bytes);
        copy_bytes(transfer_->at(0), counters, bytes);
        for_each_piece(0, bytes, [&](std::byte* piece, int piece_bytes) {
            check(MPI_Iallreduce(MPI_IN_PLACE, piece, piece_bytes / static_cast<int>(sizeof(std::uint64_t)),
                                 MPI_UINT64_T, MPI_SUM, ranks_, transfer_->new_request()),
                  "MPI_Iallreduce");
        });
        wait();
        copy_bytes(counters, transfer_->at(0), bytes);
        transfer_.reset();
    }

private:
    /// Asks MPI which ranks share memory.
    int size_of_nodes()
    {
        MPI_Comm node = MPI_COMM_NULL;
        check(MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
        int first = rank_, members = 0; // the lowest rank of this rank's node
        int const size_status = MPI_Comm_size(node, &members);
        int const first_status = MPI_Bcast(&first, 1, MPI_INT, 0, node);
        MPI_Comm_free(&node);
        check(size_status, "MPI_Comm_size");
        check(first_status, "MPI_Bcast");
        int size = members;
        check(MPI_Bcast(&size, 1, MPI_INT, 0, ranks_), "MPI_Bcast");
        int const expected_members = std::min(size, size_ - first);
        int is_regular = first == rank_ / size * size && members == expected_members;
        check(MPI_Allreduce(MPI_IN_PLACE, &is_regular, 1, MPI_INT, MPI_MIN, ranks_), "MPI_Allreduce");
        return is_regular != 0 ? size : 1;
    }

    /// Copies the message of this rank to itself. Open MPI 4.1.4 truncates such a message if it is too long, and
    /// reports no error.
    void send_to_self(std::span<outgoing const> out, std::span<incoming const> in)
    {
        auto const sent = std::ranges::find(out, rank_, &outgoing::rank);
        auto const expected = std::ranges::find(in, rank_, &incoming::rank);
        bool const is_sent = sent != out.end(), is_expected = expected != in.end();
        if (is_sent != is_expected || (is_sent && sent->bytes != expected->bytes))
            fail(rank_, rank_text(rank_) + " sends itself " + (is_sent ? std::to_string(sent->bytes) : "no") +
                            " bytes and expects " + (is_expected ? std::to_string(expected->bytes) : "none"));
        if (is_sent)
            copy_bytes(expected->data, sent->data, sent->bytes);
    }

    int node_size_ = 1;
    int tag_ = 0;
};

/// @}

} // namespace tilewise
