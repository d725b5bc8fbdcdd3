// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One call of an algorithm over ranks, seen from one of them: the collectives that all ranks make in the same order.
///
/// Every gather, and every round of messages, carries a status of each rank, so that no rank waits for one that has
/// failed. Where some have, all ranks throw (see rank_errors.hpp).
///
/// Running out of memory is such an exception. So between a collective and the call of a member function that says
/// which one is next, nothing is allocated; and nothing at all after the last.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/rank_header.hpp>
#include <tilewise/engine/rank_messages.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/engine/rounds.hpp>
#include <tilewise/engine/scattered_counts.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// What this rank takes part in.
template <communicator Communicator>
class rank_call : messages_of_ranks<Communicator> {
    using messages = messages_of_ranks<Communicator>;
    using messages::algorithm_, messages::collectively, messages::ranks_;
    using messages::fails_late_, messages::firsts_, messages::next_, messages::received_;
    using typename messages::step;

public:
    using messages::allocate_rounds, messages::exchange_values, messages::expect, messages::expect_status,
        messages::finish, messages::gather, messages::gather_status;

    /// Creates a call of an algorithm, to which this rank's position may be known.
    rank_call(Communicator& ranks, char const* algorithm, std::optional<part_position> position = {})
        : messages(ranks, algorithm), position_(position)
    {}

    int rank() const { return ranks_.rank(); }
    int ranks() const { return ranks_.size(); }
    char const* algorithm() const { return algorithm_; }
    /// How many consecutive ranks share a node, or 0 if the communicator does not say.
    int ranks_of_node() const
    {
        if constexpr (requires { ranks_.node_size(); })
            return ranks_.node_size();
        else
            return 0;
    }

    /// Throws if this rank does not state its position.
    void require_position() const
    {
        if (!position_)
            tilewise::reject_argument(algorithm_, "over ranks it needs the position of each rank's part; use "
                                                  "distributed(communicator, policy).at(begin, total)");
    }

    /// The first gather: the parts of all ranks. All ranks throw if what they call differs.
    partition agree(agreement const& what)
    {
        rank_header const own = announce(what);
        partition parts(ranks());
        gather_headers(own, {});
        settle(parts);
        return parts;
    }
    /// Has all ranks agree, and gathers values of type T: `count_of(parts, rank)` values of each rank, of which
    /// `own(parts)` returns those of this one. That takes one collective where ranks state their positions, `parts`
    /// having what this rank knows while `own` is called; otherwise two.
    template <class T, class CountOf, class Own>
    gathered<T> agree_and_gather(agreement const& what, partition& parts, CountOf count_of, Own own)
    {
        if (!sends_values_first()) {
            parts = agree(what);
            this->template expect<T>([&](int rank) { return count_of(parts, rank); });
            return gather(own(parts));
        }
        rank_header const header = announce(what);
        engine::set_known_part(parts, *position_, what.count, rank());
        packed<T> const values = own(parts);
        gather_headers(header, values.values());
        settle(parts);
        bool all_fit = true;
        for (int r = 0; r < ranks(); ++r)
            all_fit = all_fit && static_cast<std::size_t>(count_of(parts, r)) * sizeof(T) <= first_values_bytes;
        if (!all_fit) {
            this->template expect<T>([&](int rank) { return count_of(parts, rank); });
            return gather(values);
        }
        next_ = fails_late_ ? step::finish : step::none;
        firsts_.clear();
        for (int r = 0; r < ranks(); ++r)
            firsts_.push_back(static_cast<std::size_t>(r) * first_message_bytes + sizeof(rank_header));
        return gathered<T>(firsts_.data(), received_.data());
    }

    /// Counters that are added up over all ranks, with all memory that takes. Create it before ranks agree.
    class counters {
    public:
        counters(std::size_t count, rank_call const& call) : values_(count + 1)
        {
            if constexpr (!adds_up)
                messages_.emplace(values_.size(), call.ranks(), call.rank());
        }
        std::uint64_t* data() { return values_.data(); }
        std::size_t size() const { return values_.size() - 1; }

    private:
        friend rank_call;
        std::vector<std::uint64_t> values_; ///< and the number of ranks that have failed
        std::optional<combined_table<std::uint64_t>> messages_;
    };
    /// Says that the next collective adds up so many counters.
    void expect_sum(std::size_t count)
    {
        counters_ = count;
        next_ = step::sum;
    }
    /// Replaces each counter by its sum over all ranks.
    void all_reduce(counters& all)
    {
        collectively([&] {
            if constexpr (adds_up)
                ranks_.all_reduce_add(all.values_.data(), all.values_.size());
            else
                all.messages_->combine(ranks_, all.values_.data(), std::plus<>{});
        });
        next_ = fails_late_ ? step::finish : step::none;
        if (all.values_.back() != 0)
            messages::throw_reason();
    }

    /// Whether the communicator waits for the stream of a local policy.
    template <class Local>
    static constexpr bool waits_for_streams = [] {
        if constexpr (is_device_policy<Local>)
            return requires(Communicator& ranks, Local const& local) { ranks.wait(local.stream()); };
        else
            return false;
    }();
    /// Whether the communicator sums counters in GPU memory, in the stream of a local policy.
    template <class Local>
    static constexpr bool adds_on_device = [] {
        if constexpr (waits_for_streams<Local>)
            return requires(Communicator& ranks, std::uint64_t* counters, std::size_t count, Local const& local) {
                { ranks.device_counters(count) } -> std::convertible_to<std::uint64_t*>;
                ranks.all_reduce_add(counters, count, local.stream());
            };
        else
            return false;
    }();
    /// Returns memory for such counters. Call this before ranks agree.
    std::uint64_t* device_counters(offset count) { return ranks_.device_counters(static_cast<std::size_t>(count)); }
    /// Replaces each of such counters by its sum over all ranks, in the order of a stream. The next collective is that
    /// at the end.
    template <class Stream>
    void all_reduce(std::uint64_t* device_counters, std::size_t count, Stream stream)
    {
        collectively([&] { ranks_.all_reduce_add(device_counters, count, stream); });
        next_ = fails_late_ ? step::finish : step::none;
    }
    /// Waits for the work in a stream, as for a collective.
    template <class Stream>
    void wait(Stream stream)
    {
        collectively([&] { ranks_.wait(stream); });
    }

    /// Says that the next collective adds up the counts of so many cells, each sum for the rank that it belongs to.
    void expect_scatter(offset cells)
    {
        cells_ = cells;
        next_ = step::scatter;
    }
    /// Adds them up.
    void reduce_scatter(scattered_counts& all)
    {
        collectively([&] { all.exchange(ranks_); });
        next_ = fails_late_ ? step::finish : step::none;
        if (all.any_has_failed())
            messages::throw_reason();
        all.add_up();
    }

    /// Messages between two gathers, where no rank has failed.
    void exchange(std::vector<outgoing> const& out, std::vector<incoming> const& in)
    {
        collectively([&] { ranks_.exchange(std::span<outgoing const>(out), std::span<incoming const>(in)); });
    }
    /// Replaces each value of a table by what `op` makes of those of all ranks, in whatever order.
    template <class T, class Op>
    void combine(combined_table<T>& memory, T* table, Op op)
    {
        collectively([&] { memory.combine(ranks_, table, op); });
    }

    /// In a handler: has all ranks throw the exception, as a `distributed_error` that names this rank, with the
    /// exception nested in it here.
    [[noreturn]] void fail()
    {
        if (messages::is_over())
            throw;
        messages::note_current_exception();
        if (next_ == step::header) {
            gather_headers({0, -1, -1, 0, 1, 0}, {});
        } else if (next_ == step::sum) {
            counters failed(counters_, *this);
            failed.values_.back() = 1;
            all_reduce(failed);
        } else if (next_ == step::scatter) {
            scattered_counts failed(cells_, ranks(), rank());
            failed.set_failed();
            reduce_scatter(failed);
        } else if (next_ == step::rounds) {
            messages::fail_in_rounds();
        } else if (next_ == step::values || next_ == step::finish) {
            messages::fail_in_gather();
        }
        messages::throw_alone();
    }

private:
    static constexpr bool adds_up =
        requires(Communicator& ranks, std::uint64_t* counters) { ranks.all_reduce_add(counters, std::size_t{}); };

    /// Whether the first gather has room for values. Depends on nothing that only this rank knows.
    bool sends_values_first() const { return position_ && ranks() <= standard_joining::most_ranks_per_gather; }
    std::size_t bytes_of_first_message() const
    {
        return sends_values_first() ? first_message_bytes : sizeof(rank_header);
    }

    /// Returns the header of this rank, and allocates what the next collectives need.
    rank_header announce(agreement const& what)
    {
        std::uint64_t const signature = messages::describe(what.description) ^ what.details;
        if (position_)
            engine::check_position(algorithm_, *position_, what.count, rank(), ranks());
        messages::allocate_gathers();
        auto const stated = position_.value_or(part_position{-1, -1});
        return {what.count, stated.begin, stated.total, signature, 0, what.fails_late};
    }
    /// The first gather, of headers and, where they fit, values.
    void gather_headers(rank_header const& own, std::span<std::byte const> values)
    {
        std::vector<std::byte> message(bytes_of_first_message());
        std::memcpy(message.data(), &own, sizeof own);
        if (values.size() <= message.size() - sizeof own)
            copy_bytes(message.data() + sizeof own, values.data(), values.size());
        received_.resize(message.size() * static_cast<std::size_t>(ranks()));
        collectively([&] { ranks_.all_gather(message.data(), message.size(), received_.data()); });
        next_ = step::none;
        for (int r = 0; r < ranks(); ++r)
            if (header_of(r).has_failed != 0)
                messages::throw_reason();
    }
    rank_header header_of(int rank) const
    {
        rank_header header;
        std::memcpy(&header, received_.data() + static_cast<std::size_t>(rank) * bytes_of_first_message(),
                    sizeof header);
        return header;
    }
    /// Takes from the headers what all ranks have agreed on. All ranks throw if they have not.
    void settle(partition& parts)
    {
        auto const header = [&](int rank) { return header_of(rank); };
        for (int r = 1; r < ranks(); ++r)
            if (header(r).signature != header(0).signature)
                messages::throw_difference(r);
        if (auto const wrong = engine::contradiction_in(header, ranks()))
            messages::throw_on_all(wrong->rank, wrong->what);
        for (int r = 0; r < ranks(); ++r)
            fails_late_ = fails_late_ || header(r).fails_late != 0;
        parts.set_counts([&](int rank) { return engine::count_of_rank(header, rank, ranks()); });
    }

    std::optional<part_position> position_;
    std::size_t counters_ = 0; ///< in the next sum
    offset cells_ = 0;         ///< of counts that are scattered next
};

} // namespace engine
TILEWISE_NAMESPACE_END
