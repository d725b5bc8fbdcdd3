// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Runs of keys that cannot be indexed: keys and values are read one by one.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Reads keys and values one by one, and recognises the ends of runs.
template <class Keys, class Extent, class Values, class Pred>
class run_reader {
public:
    run_reader(Keys keys, Extent const& end, Values values, Pred is_same)
        : keys_(std::move(keys)), end_(end), values_(std::move(values)), is_same_(std::move(is_same)),
          is_at_end_(keys_ == end_)
    {}

    bool is_at_end() const { return is_at_end_; }          ///< whether all runs have been read
    bool is_at_end_of_run() const { return is_run_over_; } ///< whether all elements of the run have been read
    void begin_run() { is_run_over_ = is_at_end_; }        ///< makes the next element the first of a run
    decltype(auto) key() { return *keys_; }                ///< the key of the next element
    decltype(auto) value() { return *values_; }            ///< the value of the next element

    /// Advances past an element.
    void advance()
    {
        if constexpr (multi_pass<Keys>)
            previous_.emplace(keys_);
        else
            previous_.emplace(*keys_);
        ++keys_;
        ++values_;
        is_at_end_ = keys_ == end_;
        is_run_over_ = is_at_end_ || !is_same_as_previous();
    }

private:
    bool is_same_as_previous()
    {
        if constexpr (multi_pass<Keys>)
            return static_cast<bool>(is_same_(**previous_, *keys_));
        else
            return static_cast<bool>(is_same_(*previous_, *keys_));
    }

    Keys keys_;
    Extent const& end_;
    Values values_;
    Pred is_same_;
    std::optional<std::conditional_t<multi_pass<Keys>, Keys, value_of<Keys>>> previous_;
    bool is_at_end_, is_run_over_ = true;
};

/// The end of the run that a run_reader reads.
struct run_sentinel {};

/// The values of the run that a run_reader reads, as an input that can be read once.
template <class Reader>
class values_of_run {
public:
    explicit values_of_run(Reader& reader) : reader_(std::addressof(reader)) {}

    decltype(auto) operator*() const { return reader_->value(); }
    values_of_run& operator++()
    {
        reader_->advance();
        return *this;
    }
    bool operator==(run_sentinel) const { return reader_->is_at_end_of_run(); }

private:
    Reader* reader_;
};

} // namespace host
TILEWISE_NAMESPACE_END
