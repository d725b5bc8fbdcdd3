// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Ranks connected by NCCL: their identifiers, a barrier, and gathers of what they have measured.

#include "../cuda.cuh"

#include <tilewise/distributed/nccl.hpp>

#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bench {

inline void check(ncclResult_t status, char const* call)
{
    if (status != ncclSuccess)
        throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(status));
}

/// An identifier of NCCL. (nvcc 13.0 does not compile a vector of these, whose struct has no name of its own.)
struct identifier {
    ncclUniqueId value;
};

inline std::vector<identifier> make_identifiers(std::size_t count)
{
    std::vector<identifier> identifiers(count);
    for (identifier& one : identifiers)
        check(ncclGetUniqueId(&one.value), "ncclGetUniqueId");
    return identifiers;
}

/// Writes identifiers for other processes, which find either all of them or no file.
inline void write_identifiers(std::filesystem::path const& path, std::vector<identifier> const& identifiers)
{
    auto const unfinished = path.string() + ".unfinished";
    {
        std::ofstream file(unfinished, std::ios::binary);
        file.write(reinterpret_cast<char const*>(identifiers.data()),
                   static_cast<std::streamsize>(identifiers.size() * sizeof(identifier)));
        if (!file.flush())
            throw std::runtime_error("cannot write " + unfinished);
    }
    std::filesystem::rename(unfinished, path);
}

/// Reads identifiers that another process writes, and waits a minute for them at most.
inline std::vector<identifier> read_identifiers(std::filesystem::path const& path, std::size_t count)
{
    auto const end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!std::filesystem::exists(path)) {
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error("no identifiers in " + path.string());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::vector<identifier> identifiers(count);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(identifiers.data()),
                   static_cast<std::streamsize>(count * sizeof(identifier))))
        throw std::runtime_error("too few identifiers in " + path.string());
    return identifiers;
}

/// A communicator of NCCL. A rank that leaves with an exception does not wait for the others.
class connection {
public:
    connection(identifier const& shared, int ranks, int rank)
    {
        check(ncclCommInitRank(&handle_, ranks, shared.value, rank), "ncclCommInitRank");
    }
    connection(connection const&) = delete;
    connection& operator=(connection const&) = delete;
    ~connection()
    {
        if (handle_ != nullptr)
            std::uncaught_exceptions() > 0 ? ncclCommAbort(handle_) : ncclCommDestroy(handle_);
    }
    operator ncclComm_t() const { return handle_; }
    void forget() { handle_ = nullptr; } ///< if it is freed

private:
    ncclComm_t handle_ = nullptr;
};

/// A rank among others that are connected by NCCL.
class rank_group {
    connection connected_; // before the communicator that uses it

public:
    rank_group(identifier const& shared, int ranks, int rank, cudaStream_t stream)
        : connected_(shared, ranks, rank), ranks(connected_, stream, {.timeout = std::chrono::minutes(1)}),
          stream_(stream), buffer_(std::size_t{1} << 20)
    {
        check(cudaMemsetAsync(buffer_.data(), 0, buffer_.size(), stream_), "cudaMemsetAsync");
    }
    ~rank_group()
    {
        if (!ranks.is_usable())
            connected_.forget();
    }

    int rank() const { return ranks.rank(); }
    int size() const { return ranks.size(); }
    ncclComm_t handle() const { return connected_; }

    /// Waits until all ranks are here and their streams are idle: an all-reduce of one word.
    void barrier() const
    {
        auto* const word = reinterpret_cast<std::uint64_t*>(buffer_.data());
        check(ncclAllReduce(word, word, 1, ncclUint64, ncclMax, handle(), stream_), "ncclAllReduce");
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    }

    /// The values of all ranks, which all have equally many.
    template <class T>
    std::vector<T> gather(std::vector<T> const& own) const
    {
        std::size_t const bytes = own.size() * sizeof(T), all = bytes * static_cast<std::size_t>(size());
        if (all > buffer_.size() - 256)
            throw std::runtime_error("a gather of " + std::to_string(all) + " bytes");
        unsigned char* const first = buffer_.data() + 256; // behind the word of the barrier
        unsigned char* const from = first + bytes * static_cast<std::size_t>(rank());
        check(cudaMemcpyAsync(from, own.data(), bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
        check(ncclAllGather(from, first, bytes, ncclUint8, handle(), stream_), "ncclAllGather");
        return fetch_all(reinterpret_cast<T const*>(first), all / sizeof(T), stream_);
    }

    tilewise::nccl_communicator ranks; ///< the ranks as the library uses them

private:
    cudaStream_t stream_;
    device_array<unsigned char> buffer_;
};

} // namespace bench
