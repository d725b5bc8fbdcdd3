// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tilewise/distributed/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace example {

/// A tilewise::communicator of any type, so that what is computed over ranks is compiled once for all of them.
class any_communicator {
public:
    any_communicator() = default;
    any_communicator(any_communicator const&) = delete;
    any_communicator& operator=(any_communicator const&) = delete;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual void all_gather(void const* own, std::size_t bytes, void* all) = 0;
    virtual void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all) = 0;
    virtual void exchange(std::span<tilewise::outgoing const> out, std::span<tilewise::incoming const> in) = 0;
    virtual void all_reduce_add(std::uint64_t* counters, std::size_t count) = 0;

protected:
    ~any_communicator() = default;
};

/// One of this type, which outlives it.
template <tilewise::communicator Communicator>
class communicator_reference final : public any_communicator {
public:
    explicit communicator_reference(Communicator& ranks) : ranks_(ranks) {}

    int rank() const override { return ranks_.rank(); }
    int size() const override { return ranks_.size(); }
    void all_gather(void const* own, std::size_t bytes, void* all) override { ranks_.all_gather(own, bytes, all); }
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all) override
    {
        ranks_.all_gather_v(own, sizes, all);
    }
    void exchange(std::span<tilewise::outgoing const> out, std::span<tilewise::incoming const> in) override
    {
        ranks_.exchange(out, in);
    }
    void all_reduce_add(std::uint64_t* counters, std::size_t count) override { ranks_.all_reduce_add(counters, count); }

private:
    Communicator& ranks_;
};

} // namespace example
