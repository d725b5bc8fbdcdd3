// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One call of an algorithm over ranks, seen from one of them: the collectives that all ranks make in the same order,
/// and how an exception on one rank reaches all.
///
/// Every gather, and every round of messages, carries a status of each rank, so that no rank waits for one that has
/// failed. Where some have, another gather carries the reason, and every rank throws it.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// What this rank takes part in.
template <communicator Communicator>
class rank_call {
public:
    rank_call(Communicator& ranks, char const* algorithm) : ranks_(ranks), algorithm_(algorithm) {}
    rank_call(rank_call const&) = delete;
    rank_call& operator=(rank_call const&) = delete;

    char const* algorithm() const { return algorithm_.c_str(); }
    int rank() const { return ranks_.rank(); }
    int ranks() const { return ranks_.size(); }
    /// How many consecutive ranks share a node, or 0 if the communicator does not say.
    int ranks_of_node() const
    {
        if constexpr (requires { ranks_.node_size(); })
            return ranks_.node_size();
        else
            return 0;
    }

    /// The first gather: the parts of all ranks. All ranks throw if what they call differs, which `description` says in
    /// words and `details` in a hash. `fails_late` says that this rank may throw after the last gather of values.
    partition agree(std::string const& description, std::uint64_t details, offset count, bool fails_late)
    {
        description_ = algorithm_ + description;
        header const own{count, engine::hash_of(description_) ^ details, 0, fails_late};
        std::vector<header> const all = gather_headers(own);
        for (std::size_t rank = 0; rank < all.size(); ++rank)
            if (all[rank].signature != all[0].signature)
                throw_difference(rank);
        std::vector<offset> counts;
        for (header const& each : all) {
            counts.push_back(each.count);
            fails_late_ = fails_late_ || each.fails_late != 0;
        }
        return partition(counts);
    }

    /// Says how many values of type T each rank has for the next gather; from here on a rank that throws takes part in
    /// that one.
    template <class T>
    void expect(std::vector<offset> counts)
    {
        sizes_.clear();
        for (offset const count : counts)
            sizes_.push_back(sizeof(std::int64_t) + static_cast<std::size_t>(count) * sizeof(T));
        next_ = step::values;
        counts_ = std::move(counts);
    }
    /// The gather of those values.
    template <class T>
    gathered<T> gather(packed<T> const& own)
    {
        return gathered<T>(counts_, gather_with_status(with_status(0, own.bytes())));
    }

    /// Says that the next collectives are rounds of messages with values of type T.
    ///
    /// After the last round every rank has, by way of others, a status of every rank when the first began. An operator
    /// that throws between two rounds is learnt by some ranks alone; so `fails_late` is true of a call with an operator
    /// that may throw.
    template <class T>
    void expect(std::vector<message_round> rounds)
    {
        rounds_ = std::move(rounds);
        round_ = 0;
        value_bytes_ = sizeof(T);
        next_ = step::rounds;
    }
    /// The next round. Sends the same values to all receivers that expect any, and returns those of each sender.
    template <class T>
    gathered<T> exchange_values(packed<T> const& own)
    {
        std::vector<offset> counts;
        for (auto const& each : rounds_[round_].in)
            counts.push_back(each.values);
        std::vector<std::byte> received;
        if (!exchange_with_status(with_status(0, own.bytes()), received))
            fail_in_rounds();
        return gathered<T>(counts, std::move(received));
    }

    /// Says that the next collective adds up so many counters.
    void expect_sum(std::size_t counters)
    {
        counters_ = counters;
        next_ = step::sum;
    }
    /// Replaces each counter by its sum over all ranks.
    void all_reduce(std::vector<std::uint64_t>& counters)
    {
        counters.push_back(0); // how many ranks have failed
        sum(counters);
        counters.pop_back();
    }

    /// Says that the next collective is a gather without values, and makes it: ranks find out whether any has failed.
    void expect_status() { expect<char>(std::vector<offset>(static_cast<std::size_t>(ranks()), 0)); }
    void gather_status() { gather(packed<char>()); }

    /// The last gather, without values, if any rank may throw late.
    void finish()
    {
        if (std::exchange(fails_late_, false)) {
            expect_status();
            gather_status();
        }
    }

    /// Messages between two gathers, where no rank has failed.
    void exchange(std::vector<outgoing> const& out, std::vector<incoming> const& in)
    {
        collectively([&] { ranks_.exchange(std::span<outgoing const>(out), std::span<incoming const>(in)); });
    }
    /// Replaces each value of a table by what `op` makes of those of all ranks, in whatever order.
    template <class T, class Op>
    void combine(std::vector<T>& table, Op op)
    {
        collectively([&] { engine::combine_by_messages(ranks_, table, op); });
    }

    /// In a handler: has all ranks throw the exception, as a `distributed_error` that names this rank, with the
    /// exception nested in it here.
    [[noreturn]] void fail()
    {
        if (is_over_)
            throw;
        has_failed_ = true;
        reason_ = reason_of_current_exception();
        if (next_ == step::header) {
            gather_headers({0, 0, 1, 0});
        } else if (next_ == step::sum) {
            std::vector<std::uint64_t> counters(counters_);
            counters.push_back(1);
            sum(counters);
        } else if (next_ == step::rounds) {
            fail_in_rounds();
        } else if (next_ == step::values || next_ == step::finish) {
            fail_in_gather();
        }
        is_over_ = true; // alone: no other rank waits
        std::throw_with_nested(
            distributed_error(rank(), "tilewise::" + algorithm_ + ": rank " + std::to_string(rank()) + ": " + reason_));
    }

private:
    enum class step { header, values, rounds, sum, finish, none }; ///< which collective comes next

    /// What each rank says first.
    struct header {
        std::int64_t count;
        std::uint64_t signature;
        std::int32_t has_failed, fails_late;
    };

    /// What the exception that is handled says, without the name of the algorithm, which every error begins with.
    std::string reason_of_current_exception() const
    {
        try {
            throw;
        } catch (std::exception const& exception) {
            std::string const text = exception.what(), name = "tilewise::" + algorithm_ + ": ";
            return text.starts_with(name) ? text.substr(name.size()) : text;
        } catch (...) {
            return "an exception of another type than std::exception";
        }
    }

    /// A collective. If it throws, the ranks are out of step, and this one makes no other.
    template <class Collective>
    void collectively(Collective&& collective)
    {
        is_over_ = true;
        collective();
        is_over_ = false;
    }

    std::vector<header> gather_headers(header const& own)
    {
        std::vector<header> all(static_cast<std::size_t>(ranks()));
        collectively([&] { ranks_.all_gather(&own, sizeof own, all.data()); });
        next_ = step::none;
        for (header const& each : all)
            if (each.has_failed != 0)
                throw_reason();
        return all;
    }

    /// Gathers messages, each of which begins with a status.
    std::vector<std::byte> gather_with_status(std::vector<std::byte> const& own)
    {
        std::size_t bytes = 0;
        for (std::size_t const size : sizes_)
            bytes += size;
        std::vector<std::byte> all(bytes);
        collectively([&] { ranks_.all_gather_v(own.data(), std::span<std::size_t const>(sizes_), all.data()); });
        next_ = fails_late_ ? step::finish : step::none;
        std::byte const* next = all.data();
        for (std::size_t const size : sizes_) {
            std::int64_t status = 0;
            std::memcpy(&status, next, sizeof status);
            if (status != 0)
                throw_reason();
            next += size;
        }
        return all;
    }

    /// A message: whether the rank has failed, and its values.
    static std::vector<std::byte> with_status(std::int64_t status, std::vector<std::byte> const& values)
    {
        std::size_t const bytes = values.size(); // (read again after an allocation, it could be another for g++ 12)
        std::vector<std::byte> result(sizeof status + bytes);
        std::memcpy(result.data(), &status, sizeof status);
        copy_bytes(result.data() + sizeof status, values.data(), bytes);
        return result;
    }
    /// The gather of a rank that has failed, or knows of one that has.
    void fail_in_gather()
    {
        if (next_ == step::finish)
            expect_status();
        std::size_t const bytes = sizes_[static_cast<std::size_t>(rank())];
        gather_with_status(with_status(1, std::vector<std::byte>(bytes - sizeof(std::int64_t))));
    }

    /// A round, in which a receiver of no values gets the status alone. Returns whether no sender's status is that of a
    /// failure.
    bool exchange_with_status(std::vector<std::byte> const& own, std::vector<std::byte>& received)
    {
        message_round const& round = rounds_[round_];
        auto const bytes_of = [&](message_round::message const& each) {
            return sizeof(std::int64_t) + static_cast<std::size_t>(each.values) * value_bytes_;
        };
        std::size_t bytes = 0;
        for (auto const& each : round.in)
            bytes += bytes_of(each);
        received.resize(bytes);
        std::vector<outgoing> out;
        for (auto const& each : round.out)
            out.push_back({each.rank, own.data(), bytes_of(each)});
        std::vector<incoming> in;
        bytes = 0;
        for (auto const& each : round.in) {
            in.push_back({each.rank, received.data() + bytes, bytes_of(each)});
            bytes += bytes_of(each);
        }
        collectively([&] { ranks_.exchange(std::span<outgoing const>(out), std::span<incoming const>(in)); });
        ++round_;
        next_ = round_ < rounds_.size() ? step::rounds : fails_late_ ? step::finish : step::none;
        bool all_well = true;
        for (auto const& each : in) {
            std::int64_t status = 0;
            std::memcpy(&status, each.data, sizeof status);
            all_well = all_well && status == 0;
        }
        return all_well;
    }
    /// The remaining rounds of a rank that has failed, or knows of one that has: it passes that on.
    [[noreturn]] void fail_in_rounds()
    {
        while (next_ == step::rounds) {
            offset values = 0;
            for (auto const& each : rounds_[round_].out)
                values = std::max(values, each.values);
            std::vector<std::byte> received;
            exchange_with_status(
                with_status(1, std::vector<std::byte>(static_cast<std::size_t>(values) * value_bytes_)), received);
        }
        if (next_ == step::finish)
            fail_in_gather();
        throw_reason();
    }

    /// Adds up counters, of which the last counts the ranks that have failed.
    void sum(std::vector<std::uint64_t>& counters)
    {
        collectively([&] {
            if constexpr (requires { ranks_.all_reduce_add(counters.data(), counters.size()); })
                ranks_.all_reduce_add(counters.data(), counters.size());
            else
                engine::combine_by_messages(ranks_, counters, std::plus<>{});
        });
        next_ = fails_late_ ? step::finish : step::none;
        if (counters.back() != 0)
            throw_reason();
    }

    /// What a rank has to say where a call ends on all of them.
    struct message {
        std::int64_t has_failed;
        char text[248];
    };
    std::vector<message> gather_messages(std::string const& text)
    {
        message own{has_failed_, {}};
        text.copy(own.text, sizeof own.text - 1);
        std::vector<message> all(static_cast<std::size_t>(ranks()));
        collectively([&] { ranks_.all_gather(&own, sizeof own, all.data()); });
        is_over_ = true; // all ranks throw now
        return all;
    }
    /// Throws what the first rank that has failed says.
    [[noreturn]] void throw_reason()
    {
        std::vector<message> const all = gather_messages(reason_);
        std::size_t rank = 0;
        while (all[rank].has_failed == 0)
            ++rank;
        distributed_error const error(static_cast<int>(rank), "tilewise::" + algorithm_ + ": rank " +
                                                                  std::to_string(rank) + ": " + all[rank].text);
        if (has_failed_)
            std::throw_with_nested(error);
        throw distributed_error(error);
    }
    /// Throws that a rank does not call what rank 0 calls.
    [[noreturn]] void throw_difference(std::size_t rank)
    {
        std::vector<message> const all = gather_messages(description_);
        std::string const other = all[rank].text, first = all[0].text;
        throw distributed_error(static_cast<int>(rank), "tilewise: rank " + std::to_string(rank) + " calls " + other +
                                                            ", but rank 0 calls " +
                                                            (other == first ? "it with other arguments" : first));
    }

    Communicator& ranks_;
    std::string algorithm_, description_;
    step next_ = step::header;
    bool is_over_ = false; ///< nothing is to be told to other ranks any more
    bool has_failed_ = false, fails_late_ = false;
    std::string reason_;
    std::vector<offset> counts_;     ///< of each rank's values in the next gather
    std::vector<std::size_t> sizes_; ///< and its bytes
    std::vector<message_round> rounds_;
    std::size_t round_ = 0;       ///< the next of those
    std::size_t value_bytes_ = 0; ///< of a value in those
    std::size_t counters_ = 0;    ///< in the next sum
};

} // namespace engine
TILEWISE_NAMESPACE_END
