// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The collective calls of ranks that are threads, and how the calls of all ranks are completed together.

#include <tilewise/distributed/communicator.hpp>
#include <tilewise/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Outside the inline namespace of the mode, like communicator.hpp.
namespace tilewise {

/// @ingroup distributed
/// What one rank has communicated. A contribution to a gather or to a sum counts once, however many ranks receive it:
/// how a communicator carries out a collective does not matter.
struct communication_statistics {
    std::size_t collectives = 0;    ///< calls of `all_gather`, `all_gather_v`, `exchange` and `all_reduce_add`
    std::size_t messages = 0;       ///< messages sent by `exchange`
    std::size_t bytes_sent = 0;     ///< bytes contributed and sent
    std::size_t bytes_received = 0; ///< bytes received in gathers (of all ranks), sums and messages
    std::size_t largest = 0;        ///< the bytes of the largest contribution or message sent
};

/// @cond internals

/// The collectives of a communicator.
enum class collective { all_gather, all_gather_v, exchange, all_reduce_add };

/// A rank's call of a collective. Only the arguments of that collective are set.
struct thread_call {
    explicit thread_call(collective which = collective::all_gather) : name(which) {}

    collective name;
    void const* own = nullptr;
    void* all = nullptr;
    std::uint64_t* counters = nullptr;
    std::size_t count = 0; // the number of bytes or counters
    std::span<std::size_t const> sizes;
    std::span<outgoing const> out;
    std::span<incoming const> in;
};

/// Returns a description of a call for the text of an error.
inline std::string text(thread_call const& call)
{
    switch (call.name) {
    case collective::all_gather:
        return "all_gather of " + std::to_string(call.count) + " bytes";
    case collective::all_gather_v:
        return "all_gather_v of " + std::to_string(call.sizes.size()) + " sizes";
    case collective::exchange:
        return "exchange";
    default:
        return "all_reduce_add of " + std::to_string(call.count) + " counters";
    }
}

/// Returns the error that a rank causes.
inline distributed_error thread_failure(std::size_t rank, std::string const& reason)
{
    return {static_cast<int>(rank), "tilewise::thread_communicator: " + reason};
}

/// The calls of all ranks, one per rank.
class thread_calls {
public:
    explicit thread_calls(std::size_t ranks) : calls_(ranks), statistics_(ranks) {}

    thread_call& operator[](std::size_t rank) { return calls_[rank]; }
    communication_statistics const& statistics(std::size_t rank) const { return statistics_[rank]; }

    /// Completes the calls of all ranks. If they do not match, returns an error and changes no rank's memory.
    std::optional<distributed_error> complete()
    {
        for (std::size_t rank = 1; rank < calls_.size(); ++rank)
            if (calls_[rank].name != calls_[0].name || calls_[rank].count != calls_[0].count)
                return thread_failure(rank, rank_text(rank) + " calls " + text(calls_[rank]) + ", rank 0 calls " +
                                                text(calls_[0]));
        switch (calls_[0].name) {
        case collective::all_gather:
            return all_gather();
        case collective::all_gather_v:
            return all_gather_v();
        case collective::exchange:
            return exchange();
        default:
            return all_reduce_add();
        }
    }

private:
    std::optional<distributed_error> all_gather()
    {
        gather([this](std::size_t) { return calls_[0].count; });
        return {};
    }

    std::optional<distributed_error> all_gather_v()
    {
        std::span const first = calls_[0].sizes;
        for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
            std::span const sizes = calls_[rank].sizes;
            if (sizes.size() != calls_.size())
                return thread_failure(rank, rank_text(rank) + " calls " + text(calls_[rank]) + " for " +
                                                std::to_string(calls_.size()) + " ranks");
            auto const other = static_cast<std::size_t>(std::ranges::mismatch(sizes, first).in1 - sizes.begin());
            if (other < sizes.size())
                return thread_failure(rank, rank_text(rank) + " calls all_gather_v with " +
                                                std::to_string(sizes[other]) + " bytes of " + rank_text(other) +
                                                ", rank 0 with " + std::to_string(first[other]));
        }
        gather([&](std::size_t rank) { return first[rank]; });
        return {};
    }

    void gather(auto size_of)
    {
        std::vector<std::byte> all;
        for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
            auto const* const own = static_cast<std::byte const*>(calls_[rank].own);
            all.insert(all.end(), own, own + size_of(rank));
        }
        for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
            copy_bytes(calls_[rank].all, all.data(), all.size());
            count(rank, size_of(rank), all.size());
        }
    }

    std::optional<distributed_error> exchange()
    {
        std::map<std::pair<std::size_t, std::size_t>, outgoing> sent; // keyed by sender and receiver
        std::map<std::pair<std::size_t, std::size_t>, incoming> expected;
        for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
            for (outgoing const& message : calls_[rank].out)
                if (!sent.try_emplace({rank, message.rank}, message).second)
                    return thread_failure(rank, rank_text(rank) + " sends two messages to rank " +
                                                    std::to_string(message.rank));
            for (incoming const& message : calls_[rank].in)
                if (!expected.try_emplace({message.rank, rank}, message).second)
                    return thread_failure(rank, rank_text(rank) + " expects two messages from rank " +
                                                    std::to_string(message.rank));
        }
        for (auto const& [way, message] : sent) {
            auto const found = expected.find(way);
            if (found == expected.end() || found->second.bytes != message.bytes)
                return thread_failure(way.first,
                                      rank_text(way.first) + " sends " + std::to_string(message.bytes) + " bytes to " +
                                          rank_text(way.second) + ", which expects " +
                                          (found == expected.end() ? "none" : std::to_string(found->second.bytes)));
        }
        for (auto const& [way, message] : expected)
            if (!sent.contains(way))
                return thread_failure(way.second, rank_text(way.second) + " expects " + std::to_string(message.bytes) +
                                                      " bytes from " + rank_text(way.first) + ", which sends none");

        for (std::size_t rank = 0; rank < calls_.size(); ++rank)
            count(rank, 0, 0);
        for (auto const& [way, message] : sent) {
            copy_bytes(expected.at(way).data, message.data, message.bytes);
            communication_statistics& sender = statistics_[way.first];
            sender.messages += 1;
            sender.bytes_sent += message.bytes;
            sender.largest = std::max(sender.largest, message.bytes);
            statistics_[way.second].bytes_received += message.bytes;
        }
        return {};
    }

    std::optional<distributed_error> all_reduce_add()
    {
        std::vector<std::uint64_t> sums(calls_[0].count);
        for (thread_call const& call : calls_)
            std::transform(sums.begin(), sums.end(), call.counters, sums.begin(), std::plus<>());
        std::size_t const bytes = sums.size() * sizeof(std::uint64_t);
        for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
            std::ranges::copy(sums, calls_[rank].counters);
            count(rank, bytes, bytes);
        }
        return {};
    }

    void count(std::size_t rank, std::size_t sent, std::size_t received)
    {
        communication_statistics& statistics = statistics_[rank];
        statistics.collectives += 1;
        statistics.bytes_sent += sent;
        statistics.bytes_received += received;
        statistics.largest = std::max(statistics.largest, sent);
    }

    std::vector<thread_call> calls_;
    std::vector<communication_statistics> statistics_;
};

/// @endcond

} // namespace tilewise
