// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce` and `transform_reduce`, and their `_into` forms, which write the result instead of returning it.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup reduce
/// Combines `init` and the elements of a range into one value.
///
/// Header `<tilewise/reduce.hpp>`.
///
/// @par Order
/// The library defines [the order of combination](../../docs/order.md), which is the same under every policy. Operands
/// keep their order, so `op` needs to be associative, but not commutative.
/// @par Result
/// Every element is first converted to T, the type of `init`, and so is every result of `op(T, T)`. `init` defaults to
/// a value-initialized element, `op` to `std::plus<>`. Signed integers wrap. An empty range yields `init` and is never
/// dereferenced.
///
/// @par Requirements
/// T is move constructible; elements convert to T; `op(T, T)` converts to T. seq reads input iterators, par forward
/// iterators; par copies `op` and calls the copies concurrently. `op` may be called on any two neighboring partial
/// results, and must not modify elements or invalidate iterators. device reads random access iterators over GPU memory,
/// or over host memory as described in [policies](../../docs/policies.md), and calls `op` in kernels; T is then
/// trivially copyable and has at most 256 bytes.
/// @par Complexity
/// n applications of `op`; each element is read once. With p threads, n / p + O(n / tile) steps. par stores one T per
/// tile of 2048 * max(1, 16 / sizeof(T)) elements. device stores one T per 1 to 32 tiles if a single launch does not
/// suffice.
/// @par Errors
/// An exception from `op`, a conversion or an iterator propagates to the caller; under par, one of them if there are
/// several. par and device throw `std::bad_alloc` if there is no memory for the partial results. device also throws the
/// exceptions of basic_device_policy. The hardened mode throws `std::invalid_argument` if `last` is before `first`, or
/// for a null pointer to a range that is not empty.
/// @par Example
/// @snippet reference/reduce.cpp program
/// @see [reduce], https://eel.is/c++draft/reduce
/// @{

/// Combines `init` and the elements of [first, last).
template <execution_policy Policy, any_iterator It, class T = value_of<It>, operation Op = std::plus<>>
T reduce(Policy&& policy, It first, It last, T init = T{}, Op op = {})
{
    return engine::reduce_sequence(policy, tilewise::sequence_between("reduce", std::move(first), last),
                                   std::move(init), std::move(op));
}

/// Combines `init` and the elements of a range.
template <execution_policy Policy, class Range, class T = std::ranges::range_value_t<Range>, operation Op = std::plus<>>
    requires range_before<Range, T>
T reduce(Policy&& policy, Range&& range, T init = T{}, Op op = {})
{
    return engine::reduce_sequence(policy, tilewise::sequence_in<Policy>("reduce", range), std::move(init),
                                   std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce, begins_with_range)
/// @}

/// @addtogroup reduce_into
/// Writes the result of @ref reduce to `out`, and returns the position after it.
///
/// Header `<tilewise/reduce.hpp>`. The arguments before `out` are the input of reduce; those after it are `init` and
/// `op`, which are optional as in reduce.
///
/// @par Order, requirements, complexity
/// As for @ref reduce. T converts to the type that `out` accepts. Under device, `out` is a random access iterator into
/// host or GPU memory; under `device.nosync()` the GPU must be able to write to that memory, and the call returns as
/// soon as the work is enqueued in the stream. `out` may also be a range of at least one element, whose first element
/// is written: see @ref tilewise::output.
/// @par Errors
/// As for @ref reduce. Nothing is written if an exception is thrown.
/// @par Example
/// @snippet reference/reduce_into.cpp program
/// @{

/// Combines `init` and the elements of [first, last) into `*out`.
template <execution_policy Policy, any_iterator It, output Out, class T = value_of<It>, operation Op = std::plus<>>
    requires pair_before_output<It, Out, T, Op>
output_end<Out> reduce_into(Policy&& policy, It first, It last, Out&& out, T init = T{}, Op op = {})
{
    return engine::reduce_sequence_into(policy, tilewise::sequence_between("reduce_into", std::move(first), last),
                                        std::forward<Out>(out), std::move(init), std::move(op));
}

/// Combines `init` and the elements of a range into `*out`.
template <execution_policy Policy, class Range, output Out, class T = std::ranges::range_value_t<Range>,
          operation Op = std::plus<>>
    requires range_before_output<Range, Out, T>
output_end<Out> reduce_into(Policy&& policy, Range&& range, Out&& out, T init = T{}, Op op = {})
{
    return engine::reduce_sequence_into(policy, tilewise::sequence_in<Policy>("reduce_into", range),
                                        std::forward<Out>(out), std::move(init), std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce_into, begins_with_range)
/// @}

/// @addtogroup transform_reduce
/// Combines `init` and the transformed elements of a range, or the transformed pairs of elements of two ranges, into
/// one value.
///
/// Header `<tilewise/reduce.hpp>`. The results of `transform_op` take the place of the elements in the description of
/// @ref reduce. Without operators, the pairs are multiplied and the products added. A second range begins at `first2`
/// and is as long as the first; if it is passed as a range, it may be longer. `transform_op` may be a pointer to a data
/// member of the elements, such as `&point::x`.
///
/// @par Order
/// As for @ref reduce. The result of `transform_op` is converted to T, the type of `init`, before it is combined, and
/// is never contracted with that combination.
/// @par Requirements
/// As for @ref reduce. The result of `transform_op` converts to T. Copies of `transform_op` are called concurrently
/// under par, and in kernels under device.
/// @par Complexity
/// As for @ref reduce, and one call of `transform_op` per element or pair. par may call it once more for the first
/// element, to measure how long it takes.
/// @par Errors
/// As for @ref reduce. An exception from `transform_op` also propagates to the caller. The hardened mode also throws
/// `std::invalid_argument` for a second range that is known to be shorter than the first.
/// @par Example
/// @snippet reference/transform_reduce.cpp program
/// @see [transform.reduce], https://eel.is/c++draft/transform.reduce
/// @{

/// Combines `init` and the transformed elements of [first, last).
template <execution_policy Policy, any_iterator It, class T, operation Op, transformation Transform>
    requires(!transform_of_two_arrays<Transform, It>)
T transform_reduce(Policy&& policy, It first, It last, T init, Op op, Transform transform_op)
{
    return engine::reduce_sequence(policy, tilewise::sequence_between("transform_reduce", std::move(first), last),
                                   std::move(init), std::move(op), std::move(transform_op));
}

/// Combines `init` and the transformed pairs of [first1, last1) and the range that begins at `first2`.
template <execution_policy Policy, any_iterator It1, any_iterator It2, class T, operation Op, transformation Transform>
T transform_reduce(Policy&& policy, It1 first1, It1 last1, It2 first2, T init, Op op, Transform transform_op)
{
    return engine::reduce_sequence(policy,
                                   tilewise::sequence_between("transform_reduce", std::move(first1), last1, first2),
                                   std::move(init), std::move(op), std::move(transform_op), first2);
}

/// Adds `init` and the products of the pairs of [first1, last1) and the range that begins at `first2`.
template <execution_policy Policy, any_iterator It1, any_iterator It2, class T>
T transform_reduce(Policy&& policy, It1 first1, It1 last1, It2 first2, T init)
{
    return tilewise::transform_reduce(policy, std::move(first1), std::move(last1), std::move(first2), std::move(init),
                                      std::plus<>{}, std::multiplies<>{});
}

/// Combines `init` and the transformed elements of a range.
template <execution_policy Policy, class Range, class T, operation Op, transformation Transform>
    requires range_before<Range, T>
T transform_reduce(Policy&& policy, Range&& range, T init, Op op, Transform transform_op)
{
    return engine::reduce_sequence(policy, tilewise::sequence_in<Policy>("transform_reduce", range), std::move(init),
                                   std::move(op), std::move(transform_op));
}

/// Combines `init` and the transformed pairs of two ranges.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, class T,
          operation Op, transformation Transform>
T transform_reduce(Policy&& policy, Range1&& range1, Range2&& range2, T init, Op op, Transform transform_op)
{
    return engine::reduce_sequence(policy, tilewise::sequence_in<Policy>("transform_reduce", range1, range2),
                                   std::move(init), std::move(op), std::move(transform_op),
                                   tilewise::begin_of<Policy>(range2));
}

/// Adds `init` and the products of the pairs of two ranges.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, class T>
T transform_reduce(Policy&& policy, Range1&& range1, Range2&& range2, T init)
{
    return tilewise::transform_reduce(policy, range1, range2, std::move(init), std::plus<>{}, std::multiplies<>{});
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_reduce, begins_with_range)
/// @}

/// @addtogroup transform_reduce_into
/// Writes the result of @ref transform_reduce to `out`, which comes before `init` in the argument list, and returns the
/// position after it.
///
/// Header `<tilewise/reduce.hpp>`.
///
/// @par Order, requirements, complexity
/// As for @ref transform_reduce; for `out`, as for @ref reduce_into.
/// @par Errors
/// As for @ref transform_reduce. Nothing is written if an exception is thrown.
/// @par Example
/// @snippet reference/transform_reduce_into.cpp program
/// @{

/// Combines `init` and the transformed elements of [first, last) into `*out`.
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op, transformation Transform>
    requires(!transform_of_two_arrays<Transform, It>)
output_end<Out> transform_reduce_into(Policy&& policy, It first, It last, Out&& out, T init, Op op,
                                      Transform transform_op)
{
    return engine::reduce_sequence_into(
        policy, tilewise::sequence_between("transform_reduce_into", std::move(first), last), std::forward<Out>(out),
        std::move(init), std::move(op), std::move(transform_op));
}

/// Combines `init` and the transformed pairs of [first1, last1) and the range that begins at `first2` into `*out`.
/// Without `op` and `transform_op`, adds the products of the pairs.
template <execution_policy Policy, any_iterator It1, any_iterator It2, output Out, class T, transformation... Ops>
output_end<Out> transform_reduce_into(Policy&& policy, It1 first1, It1 last1, It2 first2, Out&& out, T init, Ops... ops)
{
    auto elements = tilewise::sequence_between("transform_reduce_into", std::move(first1), last1, first2);
    if constexpr (sizeof...(Ops) == 0)
        return engine::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                            std::plus<>{}, std::multiplies<>{}, std::move(first2));
    else
        return engine::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                            std::move(ops)..., std::move(first2));
}

/// Combines `init` and the transformed elements of a range into `*out`.
template <execution_policy Policy, class Range, output Out, class T, operation Op, transformation Transform>
    requires(std::ranges::input_range<Range> && !any_iterator<T>)
output_end<Out> transform_reduce_into(Policy&& policy, Range&& range, Out&& out, T init, Op op, Transform transform_op)
{
    return engine::reduce_sequence_into(policy, tilewise::sequence_in<Policy>("transform_reduce_into", range),
                                        std::forward<Out>(out), std::move(init), std::move(op),
                                        std::move(transform_op));
}

/// Combines `init` and the transformed pairs of two ranges into `*out`. Without `op` and `transform_op`, adds the
/// products of the pairs.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, output Out,
          class T, transformation... Ops>
output_end<Out> transform_reduce_into(Policy&& policy, Range1&& range1, Range2&& range2, Out&& out, T init, Ops... ops)
{
    auto elements = tilewise::sequence_in<Policy>("transform_reduce_into", range1, range2);
    if constexpr (sizeof...(Ops) == 0)
        return engine::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                            std::plus<>{}, std::multiplies<>{}, tilewise::begin_of<Policy>(range2));
    else
        return engine::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                            std::move(ops)..., tilewise::begin_of<Policy>(range2));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_reduce_into, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
