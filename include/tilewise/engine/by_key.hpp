// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Algorithms by key: checks the arguments and selects the engine.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/requirements.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/engine/run_requirements.hpp>
#include <tilewise/engine/segmented.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/by_key.hpp>
#include <tilewise/host/run_reader.hpp>
#include <tilewise/host/runs.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/by_key.cuh>
#endif

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace engine {

/// Returns whether a call may return the ends of outputs whose length is the number of runs. If not, a static_assert
/// says why.
template <class Policy>
constexpr bool can_return_ends()
{
    static_assert(can_wait<Policy>, "tilewise: a call with nosync() returns before the number of runs is known; use "
                                    "the form whose name ends in _into");
    return can_wait<Policy>;
}

/// Rejects a call under device: the compiled library has no algorithms by key.
template <class Policy>
constexpr bool has_keys_in_library()
{
    static_assert(!is_device_policy<Policy>, "tilewise: the compiled library has no algorithms by key; compile this "
                                             "file with nvcc, or use tilewise::par");
    return !is_device_policy<Policy>;
}

/// One where a key is not in the run of the key before it.
template <class Pred>
struct begins_run {
    Pred is_same;
    TILEWISE_CALLS_ANY
    template <class Key, class Next>
    TILEWISE_PORTABLE constexpr offset operator()(Key&& key, Next&& next)
    {
        return is_same(static_cast<Key&&>(key), static_cast<Next&&>(next)) ? 0 : 1;
    }
};

/// Returns the number of runs of keys, or unknown_length for keys that can be read only once.
template <class Policy, class Keys, class Extent, class Pred>
auto count_runs([[maybe_unused]] Policy const& policy, Keys const& keys, Extent const& end, Pred const& is_same)
{
    if constexpr (is_device_policy<Policy>) {
        if constexpr (has_kernels) {
            using begins = begins_run<callable_for<Policy, Pred>>;
            return end <= 0 ? offset{0}
                            : engine::reduce(policy,
                                             transformed_pairs<begins, Keys, Keys>({engine::callable<Policy>(is_same)},
                                                                                   keys, tilewise::advanced(keys, 1)),
                                             end - 1, offset{1}, std::plus<>{});
        } else {
            return offset{0}; // nothing runs
        }
    } else if constexpr (std::same_as<Extent, offset>) {
        return host::count_runs(std::same_as<Policy, parallel_policy> && end >= host::keys_that_pay,
                                tilewise::unwrap_input(keys, end), end, is_same, host::keys_per_block);
    } else if constexpr (multi_pass<Keys>) {
        host::run_reader<Keys, Extent, host::no_values, Pred> reader(keys, end, {}, is_same);
        offset runs = 0;
        for (; !reader.is_at_end(); ++runs)
            for (reader.begin_run(); !reader.is_at_end_of_run();)
                reader.advance();
        return runs;
    } else {
        return unknown_length{};
    }
}

/// Writes the first key and the combined values of each run, and the number of runs to `*runs`. Returns the ends.
template <class Policy, class Keys, class Extent, class Values, class Pred, class KeysOut, class Out, class Runs,
          class Op>
host::ends_of_runs<KeysOut, Out> reduce_by_key([[maybe_unused]] char const* algorithm, Policy policy, Keys keys,
                                               Extent end, Values values, Pred is_same, KeysOut keys_out, Out out,
                                               [[maybe_unused]] Runs& runs, Op op)
{
    using T = typename accumulator_of<Values>::type;
    if constexpr (!engine::can_find_runs<Policy, Keys, Extent, Pred, KeysOut>() ||
                  !tilewise::can_reduce<Policy, T, Op, Values, Extent>() || !tilewise::can_write<Policy, T, Out>()) {
        return {keys_out, out, 0};
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        offset const count =
            gpu::reduce_by_key<standard_geometry, T>(algorithm, policy, keys, end, values, gpu::function_for(is_same),
                                                     keys_out, out, runs, gpu::operator_on<T>(op));
        return {keys_out + count, out + count, count};
#elif defined(TILEWISE_COMPILED)
        static_cast<void>(engine::has_keys_in_library<Policy>());
        return {keys_out, out, 0};
#else
        throw_no_device();
#endif
    } else {
        auto ends = host::reduce_by_key<standard_geometry, T>(policy, std::move(keys), end, std::move(values), is_same,
                                                              std::move(keys_out), std::move(out),
                                                              known::operator_or_self<T>(std::move(op)));
        tilewise::store(runs, ends.count);
        return ends;
    }
}

/// The same over ranks, where the outputs are checked when the number of this rank's runs is known.
template <is_engine Policy, class Keys, class Extent, class Values, class Pred, class KeysOut, class Out, class Runs,
          class Op>
auto reduce_by_key(char const*, Policy policy, Keys keys, Extent end, Values values, Pred is_same,
                   std::reference_wrapper<KeysOut> keys_out, std::reference_wrapper<Out> out, Runs& runs, Op op)
{
    return policy.reduce_by_key(std::move(keys), end, std::move(values), is_same, keys_out.get(), out.get(), runs,
                                std::move(op));
}

/// Writes the first key and the number of keys of each run, and the number of runs to `*runs`. Returns the ends.
template <class Policy, class Keys, class Extent, class Pred, class KeysOut, class Out, class Runs>
host::ends_of_runs<KeysOut, Out> count_by_key([[maybe_unused]] char const* algorithm, Policy policy, Keys keys,
                                              Extent end, Pred is_same, KeysOut keys_out, Out out,
                                              [[maybe_unused]] Runs& runs)
{
    if constexpr (!engine::can_find_runs<Policy, Keys, Extent, Pred, KeysOut>() ||
                  !tilewise::can_write<Policy, offset, Out>()) {
        return {keys_out, out, 0};
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        offset const count =
            gpu::count_by_key(algorithm, policy, keys, end, gpu::function_for(is_same), keys_out, out, runs);
        return {keys_out + count, out + count, count};
#elif defined(TILEWISE_COMPILED)
        static_cast<void>(engine::has_keys_in_library<Policy>());
        return {keys_out, out, 0};
#else
        throw_no_device();
#endif
    } else {
        auto ends = host::count_by_key(policy, std::move(keys), end, is_same, std::move(keys_out), std::move(out));
        tilewise::store(runs, ends.count);
        return ends;
    }
}

/// The same over ranks.
template <is_engine Policy, class Keys, class Extent, class Pred, class KeysOut, class Out, class Runs>
auto count_by_key(char const*, Policy policy, Keys keys, Extent end, Pred is_same,
                  std::reference_wrapper<KeysOut> keys_out, std::reference_wrapper<Out> out, Runs& runs)
{
    return policy.count_by_key(std::move(keys), end, is_same, keys_out.get(), out.get(), runs);
}

/// Scans the values of each run after `init`, if it has a value. Returns the end of the output.
template <scan_form form, class T, class Policy, class Keys, class Extent, class Values, class Pred, class Out,
          class Op>
Out scan_by_key(char const* algorithm, Policy policy, Keys keys, Extent end, Values values, Pred is_same, Out out,
                std::optional<T> init, Op op)
{
    if constexpr (is_engine<Policy>) {
        return policy.template scan_by_key<form, T>(std::move(keys), end, std::move(values), is_same, std::move(out),
                                                    init, std::move(op));
    } else if constexpr (!engine::can_find_runs<Policy, Keys, Extent, Pred, discard_iterator>() ||
                         !tilewise::can_reduce<Policy, T, Op, Values, Extent>() ||
                         !tilewise::can_write<Policy, T, Out>()) {
        return out;
    } else if constexpr (is_device_policy<Policy>) {
#ifdef TILEWISE_DEVICE_ENGINE
        gpu::scan_by_key<standard_geometry, form, T>(algorithm, policy, keys, end, values, gpu::function_for(is_same),
                                                     out, init, gpu::operator_on<T>(op));
        return out + end;
#elif defined(TILEWISE_COMPILED)
        static_cast<void>(engine::has_keys_in_library<Policy>());
        return out;
#else
        throw_no_device();
#endif
    } else {
        if (init)
            host::make_opaque(*init);
        return host::scan_by_key<standard_geometry, form, T>(algorithm, policy, std::move(keys), end, std::move(values),
                                                             is_same, std::move(out), init,
                                                             known::operator_or_self<T>(std::move(op)));
    }
}

} // namespace engine
TILEWISE_NAMESPACE_END
