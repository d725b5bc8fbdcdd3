// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The gathers and the rounds of messages of a call over ranks, in which each rank sends a status with its values.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/rank_errors.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The collectives of a call in which each rank sends a status, and how a rank that has failed takes part in them.
template <communicator Communicator>
class messages_of_ranks : protected errors_of_ranks<Communicator> {
    using errors = errors_of_ranks<Communicator>;

protected:
    using errors::collectively, errors::ranks_;
    using errors::errors_of_ranks;
    enum class step { header, values, rounds, sum, scatter, finish, none }; ///< which collective comes next

public:
    /// Sets the next collective: a gather of so many values of type T from each rank. From here on a rank that throws
    /// takes part in it with a status of failure.
    template <class T, class CountOf>
    void expect(CountOf count_of)
    {
        sizes_.clear();
        for (int r = 0; r < ranks_.size(); ++r)
            sizes_.push_back(sizeof(std::int64_t) + static_cast<std::size_t>(count_of(r)) * sizeof(T));
        next_ = step::values;
    }
    /// The gather of those values.
    template <class T>
    gathered<T> gather(packed<T> const& own)
    {
        gather_with_status(own.bytes());
        return gathered<T>(firsts_.data(), received_.data());
    }

    /// Sets the next collectives: rounds of messages with values of type T.
    ///
    /// The rounds propagate every failure from before the first round to all ranks. A failure between two rounds, of an
    /// operator that throws, reaches only some ranks; `fails_late_` adds a last gather of statuses to such calls.
    template <class T>
    void expect(std::vector<message_round>&& rounds)
    {
        rounds_ = std::move(rounds);
        round_ = 0;
        value_bytes_ = sizeof(T);
        next_ = step::rounds;
    }
    /// Allocates what those rounds need before the local work: a failed allocation in the last round would not reach
    /// all ranks.
    void allocate_rounds()
    {
        std::size_t bytes = 0;
        for (message_round const& round : rounds_) {
            bytes = std::max(bytes, bytes_of(round.in));
            out_.reserve(std::max(out_.capacity(), round.out.size()));
            in_.reserve(std::max(in_.capacity(), round.in.size()));
        }
        received_.reserve(bytes);
    }
    /// The next round. Sends the same values to all receivers that expect any, and returns those of each sender.
    template <class T>
    gathered<T> exchange_values(packed<T> const& own)
    {
        if (!exchange_with_status(own.bytes()))
            fail_in_rounds();
        return gathered<T>(firsts_.data(), received_.data());
    }

    /// Sets the next collective: a gather of statuses without values.
    void expect_status()
    {
        expect<char>([](int) { return 0; });
    }
    void gather_status() { gather(packed<char>()); } ///< makes it

    /// The last gather, without values, if any rank may throw late.
    void finish()
    {
        if (std::exchange(fails_late_, false)) {
            expect_status();
            gather_status();
        }
    }

protected:
    /// Allocates what gathers need.
    void allocate_gathers()
    {
        sizes_.reserve(static_cast<std::size_t>(ranks_.size()));
        firsts_.reserve(static_cast<std::size_t>(ranks_.size()));
    }
    /// Gathers messages, each of which begins with a status.
    void gather_with_status(std::vector<std::byte> const& own)
    {
        std::size_t bytes = 0;
        for (std::size_t const size : sizes_)
            bytes += size;
        received_.resize(bytes);
        collectively([&] { ranks_.all_gather_v(own.data(), std::span<std::size_t const>(sizes_), received_.data()); });
        next_ = fails_late_ ? step::finish : step::none;
        firsts_.clear();
        std::size_t message = 0;
        for (std::size_t const size : sizes_) {
            if (status_at(message) != 0)
                errors::throw_reason();
            firsts_.push_back(message + sizeof(std::int64_t));
            message += size;
        }
    }
    std::int64_t status_at(std::size_t message) const
    {
        std::int64_t status = 0;
        std::memcpy(&status, received_.data() + message, sizeof status);
        return status;
    }
    /// Returns a message of so many bytes with a status of failure.
    static std::vector<std::byte> failed_message(std::size_t bytes)
    {
        std::int64_t const status = 1;
        std::vector<std::byte> message(bytes);
        std::memcpy(message.data(), &status, sizeof status);
        return message;
    }
    /// The gather of a rank with a failure.
    void fail_in_gather()
    {
        if (next_ == step::finish)
            expect_status();
        gather_with_status(failed_message(sizes_[static_cast<std::size_t>(ranks_.rank())]));
    }

    /// The bytes of a message. A receiver of no values gets the status alone.
    std::size_t bytes_of(message_round::message const& each) const
    {
        return sizeof(std::int64_t) + static_cast<std::size_t>(each.values) * value_bytes_;
    }
    std::size_t bytes_of(std::vector<message_round::message> const& messages) const
    {
        std::size_t bytes = 0;
        for (auto const& each : messages)
            bytes += bytes_of(each);
        return bytes;
    }
    /// Makes a round. Returns whether all senders' statuses are free of failure.
    bool exchange_with_status(std::vector<std::byte> const& message)
    {
        message_round const& round = rounds_[round_];
        received_.resize(bytes_of(round.in));
        out_.clear();
        for (auto const& each : round.out)
            out_.push_back({each.rank, message.data(), bytes_of(each)});
        in_.clear();
        firsts_.clear();
        std::size_t first = 0;
        for (auto const& each : round.in) {
            in_.push_back({each.rank, received_.data() + first, bytes_of(each)});
            firsts_.push_back(first + sizeof(std::int64_t));
            first += bytes_of(each);
        }
        collectively([&] { ranks_.exchange(std::span<outgoing const>(out_), std::span<incoming const>(in_)); });
        ++round_;
        next_ = round_ < rounds_.size() ? step::rounds : fails_late_ ? step::finish : step::none;
        bool all_well = true;
        for (std::size_t const values : firsts_)
            all_well = all_well && status_at(values - sizeof(std::int64_t)) == 0;
        return all_well;
    }
    /// The remaining rounds of a rank that has failed, or has received a failure: it propagates it, and throws.
    [[noreturn]] void fail_in_rounds()
    {
        while (next_ == step::rounds) {
            std::size_t bytes = sizeof(std::int64_t);
            for (auto const& each : rounds_[round_].out)
                bytes = std::max(bytes, bytes_of(each));
            exchange_with_status(failed_message(bytes));
        }
        if (next_ == step::finish)
            fail_in_gather();
        errors::throw_reason();
    }

    step next_ = step::header;
    bool fails_late_ = false;
    std::vector<std::size_t> sizes_;  ///< bytes of each rank in the next gather
    std::vector<std::size_t> firsts_; ///< where the values of each sender begin in `received_`
    std::vector<std::byte> received_; ///< by the last collective
    std::vector<outgoing> out_;       ///< of a round
    std::vector<incoming> in_;        ///< of a round
    std::vector<message_round> rounds_;
    std::size_t round_ = 0;       ///< the next of those
    std::size_t value_bytes_ = 0; ///< of a value in those
};

} // namespace engine
TILEWISE_NAMESPACE_END
