// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How all ranks of a call throw the same error: one more gather exchanges the error texts of the ranks that failed.

#include <tilewise/core/config.hpp>
#include <tilewise/distributed/communicator.hpp>
#include <tilewise/engine/ranks.hpp>
#include <tilewise/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// The part of a call over ranks that deals with errors.
template <communicator Communicator>
class errors_of_ranks {
public:
    errors_of_ranks(Communicator& ranks, char const* algorithm) : ranks_(ranks), algorithm_(algorithm) {}
    errors_of_ranks(errors_of_ranks const&) = delete;
    errors_of_ranks& operator=(errors_of_ranks const&) = delete;

protected:
    ~errors_of_ranks() = default;

    /// Keeps a description of this rank's call for error messages, and returns a hash of it.
    std::uint64_t describe(std::string const& description)
    {
        description_ = algorithm_ + description;
        return engine::hash_of(description_);
    }

    bool is_over() const { return is_over_; } ///< whether this rank makes no more collectives in this call
    /// Makes a collective. If it throws, the ranks are out of step, and this one makes no other.
    template <class Collective>
    void collectively(Collective&& collective)
    {
        is_over_ = true;
        collective();
        is_over_ = false;
    }

    /// In a handler: records that this rank has failed, and the text of the exception.
    void note_current_exception()
    {
        has_failed_ = true;
        reason_ = reason_of_current_exception();
    }
    /// Gathers the error texts, and throws that of the first rank that has failed.
    [[noreturn]] void throw_reason()
    {
        std::vector<text_of_rank> const all = gather_texts(reason_);
        std::size_t rank = 0;
        while (all[rank].has_failed == 0)
            ++rank;
        distributed_error const error(static_cast<int>(rank), text_of(rank, all[rank].text));
        if (has_failed_)
            std::throw_with_nested(error);
        throw distributed_error(error);
    }
    /// Throws the error for a rank whose call differs from that of rank 0.
    [[noreturn]] void throw_difference(int rank)
    {
        std::vector<text_of_rank> const all = gather_texts(description_);
        std::string const other = all[static_cast<std::size_t>(rank)].text, first = all[0].text;
        throw distributed_error(rank, "tilewise: " + rank_text(rank) + " calls " + other + ", but rank 0 calls " +
                                          (other == first ? "it with other arguments" : first));
    }
    /// Throws an error that every rank finds by itself, so that no gather is needed.
    [[noreturn]] void throw_on_all(int rank, std::string const& what)
    {
        is_over_ = true;
        throw distributed_error(rank, text_of(rank, what));
    }
    /// Throws the recorded error, where no other rank waits for this one.
    [[noreturn]] void throw_alone()
    {
        is_over_ = true;
        std::throw_with_nested(distributed_error(ranks_.rank(), text_of(ranks_.rank(), reason_)));
    }

    Communicator& ranks_;
    char const* algorithm_;

private:
    /// The status and the error text of a rank.
    struct text_of_rank {
        std::int64_t has_failed;
        char text[248];
    };
    std::vector<text_of_rank> gather_texts(std::string const& text)
    {
        text_of_rank own{has_failed_, {}};
        text.copy(own.text, sizeof own.text - 1);
        std::vector<text_of_rank> all(static_cast<std::size_t>(ranks_.size()));
        collectively([&] { ranks_.all_gather(&own, sizeof own, all.data()); });
        is_over_ = true; // all ranks throw now
        return all;
    }
    /// Returns the text of the exception being handled, without the name of the algorithm that it may begin with.
    std::string reason_of_current_exception() const
    {
        try {
            throw;
        } catch (std::exception const& exception) {
            std::string const text = exception.what(), name = text_of_algorithm();
            return text.starts_with(name) ? text.substr(name.size()) : text;
        } catch (...) {
            return "an exception of another type than std::exception";
        }
    }

    /// Returns the prefix of all error texts of this algorithm.
    std::string text_of_algorithm() const { return std::string("tilewise::") + algorithm_ + ": "; }
    std::string text_of(std::integral auto rank, std::string const& reason) const
    {
        return text_of_algorithm() + tilewise::rank_text(rank) + ": " + reason;
    }

    std::string description_, reason_;
    bool is_over_ = false, has_failed_ = false;
};

} // namespace engine
TILEWISE_NAMESPACE_END
