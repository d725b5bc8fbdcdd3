// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Where a rank writes what ranks have combined on the host, under its local policy, and reads what they exchange.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/host/by_index.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/host_values.cuh>
#endif

#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Whether a rank can wait for others under its local policy, and then write. If not, one sentence says why.
template <class Policy>
constexpr bool can_write_on_ranks()
{
    if constexpr (is_device_policy<Policy>) {
        constexpr bool waits = Policy::waits;
#if defined(TILEWISE_COMPILED) && !defined(TILEWISE_DEVICE_ENGINE)
        constexpr bool writes = !waits;
#else
        constexpr bool writes = true;
#endif
        static_assert(waits, "tilewise: ranks wait for each other, so the local policy must wait, too; omit nosync()");
        static_assert(writes, "tilewise: the compiled library cannot write the results of several ranks; compile this "
                              "file with nvcc, or use tilewise::par");
        return waits && writes;
    } else {
        return true;
    }
}

/// Whether writing through an output may throw when ranks have no gather left that they need for values.
template <class Policy, class Out, class T>
inline constexpr bool writes_may_throw = is_device_policy<Policy> || !contiguous_of<Out, T>;

/// Throws if the local policy cannot write to where an output goes.
template <class Policy, class Out>
void check_output_memory([[maybe_unused]] char const* algorithm, [[maybe_unused]] Policy policy,
                         [[maybe_unused]] Out const& out)
{
    if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::check_output_memory(algorithm, policy, out);
#else
        throw_no_device();
#endif
    }
}

/// Writes `count` values through an output, or adds them to the integers there, and returns its end.
template <bool adds, class Policy, class T, class Out>
Out write_on_ranks([[maybe_unused]] char const* algorithm, [[maybe_unused]] Policy policy, T const* values,
                   offset count, Out out)
{
    if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::write_values<adds>(algorithm, policy, values, count, out);
        return out + count;
#else
        throw_no_device();
#endif
    } else if constexpr (adds) {
        for (T const* value = values; value != values + count; ++value) {
            tilewise::store(out, static_cast<T>(*out) + *value);
            ++out;
        }
        return out;
    } else {
        return host::write_results<T>(std::move(out), count, [values]() mutable -> T { return *values++; });
    }
}

/// Writes the results of a call one by one, on a GPU when all of them are known.
template <class T, class Local, class Out>
class results_of_rank {
public:
    results_of_rank(char const* algorithm, Local const& local, Out out)
        : algorithm_(algorithm), local_(local), out_(std::move(out))
    {}
    void push_back(T value)
    {
        host::make_opaque(value);
        if constexpr (!is_device_policy<Local>)
            host::put<T>(out_, std::move(value));
#ifdef TILEWISE_DEVICE_ENGINE
        else
            values_.push_back(value);
#endif
    }
    /// Returns the end of the output.
    Out finish()
    {
        if constexpr (!is_device_policy<Local>)
            return std::move(out_);
#ifdef TILEWISE_DEVICE_ENGINE
        else
            return engine::write_on_ranks<false>(algorithm_, local_, static_cast<T const*>(values_.data()),
                                                 values_.size(), std::move(out_));
#else
        throw_no_device();
#endif
    }

private:
    char const* algorithm_;
    Local local_;
    Out out_;
#ifdef TILEWISE_DEVICE_ENGINE
    gpu::host_values<T> values_;
#endif
};

/// Reads an element of this rank.
template <class Policy, class It>
value_of<It> element_on_rank([[maybe_unused]] char const* algorithm, [[maybe_unused]] Policy policy,
                             [[maybe_unused]] It const& first, It const& found)
{
#ifdef TILEWISE_DEVICE_ENGINE
    if constexpr (is_device_policy<Policy>)
        return gpu::read_element<value_of<It>>(algorithm, policy, first, static_cast<offset>(found - first));
    else
#endif
        return static_cast<value_of<It>>(*found);
}

} // namespace engine
TILEWISE_NAMESPACE_END
