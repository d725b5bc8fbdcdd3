// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace example {

/// What every rank throws where one has failed: the error is that of the first one, on others a copy.
class failed_on_a_rank : public std::runtime_error {
public:
    failed_on_a_rank(std::exception_ptr error, std::string const& what)
        : std::runtime_error(what), error_(std::move(error))
    {}
    std::exception_ptr const& error() const { return error_; }

private:
    std::exception_ptr error_;
};

/// Every rank calls this with what has failed on it, if anything. Throws on all if something has.
void throw_first(any_communicator& ranks, std::exception_ptr const& own);

/// Every rank does its step, and all throw if one does. The step calls no collective.
void on_all_ranks(any_communicator& ranks, std::function<void()> const& step);

/// The value that each rank has.
template <class T>
std::vector<T> all_gathered(any_communicator& ranks, T const& own)
{
    std::vector<T> all(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(&own, sizeof own, all.data());
    return all;
}

} // namespace example
