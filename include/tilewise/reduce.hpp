// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce` and `transform_reduce`, and their forms that write the result in place of returning it.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstdlib>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// Combines `init`, which is moved from, and elements, which may be transformed, also in pairs with those of another
/// sequence.
template <class Policy, class It, class Extent, class T, class Op, class... TransformAndIt2>
T reduce_sequence(Policy const& policy, sequence<It, Extent> elements, T&& init, Op op, TransformAndIt2... other)
{
    if constexpr (tilewise::can_transform_sequence<It, TransformAndIt2...>()) {
        return engine::in_call(policy, elements.algorithm, [&](auto on) -> T {
            tilewise::check_sequence(elements);
            auto input = tilewise::transform_sequence(std::move(elements), std::move(other)...);
            return engine::reduce(on, std::move(input.first), std::move(input.end), std::move(init), std::move(op));
        });
    } else {
        return std::move(init);
    }
}

/// The same into `*out`.
template <class Policy, class It, class Extent, class Out, class T, class Op, class... TransformAndIt2>
output_end<Out> reduce_sequence_into(Policy const& policy, sequence<It, Extent> elements, Out&& out, T&& init, Op op,
                                     TransformAndIt2... other)
{
    if constexpr (tilewise::can_transform_sequence<It, TransformAndIt2...>()) {
        return engine::in_call(policy, elements.algorithm, [&](auto on) -> output_end<Out> {
            tilewise::check_sequence(elements);
            auto to = tilewise::output_begin<Policy>(elements.algorithm, offset{1}, std::forward<Out>(out));
            auto input = tilewise::transform_sequence(std::move(elements), std::move(other)...);
            return tilewise::output_position<Out>(out,
                                                  engine::reduce_into(on, std::move(input.first), std::move(input.end),
                                                                      std::move(to), std::move(init), std::move(op)));
        });
    } else {
        std::abort();
    }
}
/// @endcond

/// @addtogroup reduce
/// Combines `init` and the elements of a range to one value.
///
/// Header `<tilewise/reduce.hpp>`.
///
/// @par Order
/// [The order of combination](../../docs/order.md) is the library's, whatever the policy. Operands keep their order, so
/// `op` needs to be associative and nothing more.
/// @par Result
/// Every element is first converted to T, the type of `init`, and so is
/// every result of `op(T, T)`; without `init` the accumulator is a value-initialised element, without `op` it is
/// `std::plus<>`. Signed integers wrap. An empty range yields `init` and is never dereferenced.
///
/// @par Requirements
/// T is move constructible; elements convert to T; `op(T, T)` converts to T. seq reads input iterators, par forward
/// iterators; par copies `op` and calls the copies concurrently. `op` may be called on any two neighbouring partial
/// results, and shall not modify elements or invalidate iterators. device reads random access iterators over memory of
/// the GPU, and calls `op` in kernels; T is trivially copyable and has at most 256 bytes.
/// @par Complexity
/// n applications of `op`, each element read once. With p threads n / p + O(n / tile) steps; par keeps one T per tile
/// of 2048 * max(1, 16 / sizeof(T)) elements. device keeps one T per 1 to 32 tiles where one launch does not do.
/// @par Errors
/// An exception from `op`, a conversion or an iterator leaves the call; under par, one of them if there are several.
/// par and device throw `std::bad_alloc` when there is no memory for the partial results; device throws what
/// basic_device_policy says. The hardened mode throws
/// `std::invalid_argument` if `last` is before `first`, or for a null pointer with elements.
/// @par Example
/// @snippet guide/forms.cpp reduce
/// @see [reduce], https://eel.is/c++draft/reduce
/// @{

/// Combines `init` and the elements of [first, last).
template <execution_policy Policy, any_iterator It, class T = value_of<It>, operation Op = std::plus<>>
T reduce(Policy&& policy, It first, It last, T init = T{}, Op op = {})
{
    return tilewise::reduce_sequence(policy, tilewise::sequence_between("reduce", std::move(first), last),
                                     std::move(init), std::move(op));
}

/// Combines `init` and the elements of a range.
template <execution_policy Policy, class Range, class T = std::ranges::range_value_t<Range>, operation Op = std::plus<>>
    requires range_before<Range, T>
T reduce(Policy&& policy, Range&& range, T init = T{}, Op op = {})
{
    return tilewise::reduce_sequence(policy, tilewise::sequence_in<Policy>("reduce", range), std::move(init),
                                     std::move(op));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce, begins_with_range)
/// @}

/// @addtogroup reduce_into
/// Writes what reduce returns to `out`, and returns the position after it.
///
/// Header `<tilewise/reduce.hpp>`. What stands before `out` in the argument list is an input of reduce, what stands
/// after it is `init` and `op`, which may be left out as there.
///
/// @par Order, requirements, complexity
/// Those of @ref reduce. T converts to what `out` takes. Under device `out` is a random access iterator, into memory of
/// the host or of the GPU; under `device.nosync()` the GPU has to be able to write there, and the call returns as soon
/// as the work is in the stream.
/// `out` may also be a range of one element or more, whose first is written: see tilewise::output.
/// @par Errors
/// Those of @ref reduce. Nothing is written if an exception leaves the call.
/// @par Example
/// @snippet guide/forms.cpp into
/// @{

/// Combines `init` and the elements of [first, last) into `*out`.
template <execution_policy Policy, any_iterator It, output Out, class T = value_of<It>, operation Op = std::plus<>>
    requires pair_before_output<It, Out, T, Op>
output_end<Out> reduce_into(Policy&& policy, It first, It last, Out&& out, T init = T{}, Op op = {})
{
    return tilewise::reduce_sequence_into(policy, tilewise::sequence_between("reduce_into", std::move(first), last),
                                          std::forward<Out>(out), std::move(init), std::move(op));
}

/// Combines `init` and the elements of a range into `*out`.
template <execution_policy Policy, class Range, output Out, class T = std::ranges::range_value_t<Range>,
          operation Op = std::plus<>>
    requires range_before_output<Range, Out, T>
output_end<Out> reduce_into(Policy&& policy, Range&& range, Out&& out, T init = T{}, Op op = {})
{
    return tilewise::reduce_sequence_into(policy, tilewise::sequence_in<Policy>("reduce_into", range),
                                          std::forward<Out>(out), std::move(init), std::move(op));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(reduce_into, begins_with_range)
/// @}

/// @addtogroup transform_reduce
/// Combines `init` and the transformed elements of a range, or of two ranges in pairs, to one value.
///
/// Header `<tilewise/reduce.hpp>`. What `transform_op` returns takes the place of the element in all that is said of
/// @ref reduce. Without operators the pairs are multiplied and the products added up. A second range begins at `first2`
/// and is as long as the first, or longer if it is passed as a range.
///
/// @par Order
/// That of @ref reduce. What `transform_op` returns is converted to T, the type of `init`, before it is combined, and
/// is never contracted with that combination.
/// @par Requirements
/// Those of @ref reduce; what `transform_op` returns converts to T. It is called concurrently on copies under par, and
/// in kernels under device.
/// @par Complexity
/// That of @ref reduce, and one call of `transform_op` per element or pair. par may call it once more for the first, to
/// learn how long it takes.
/// @par Errors
/// Those of @ref reduce; an exception from `transform_op` leaves the call, too. The hardened mode throws
/// `std::invalid_argument` also for a second range that is known to be shorter than the first.
/// @par Example
/// @snippet guide/forms.cpp transform_reduce
/// @see [transform.reduce], https://eel.is/c++draft/transform.reduce
/// @{

/// Combines `init` and the transformed elements of [first, last).
template <execution_policy Policy, any_iterator It, class T, operation Op, operation Transform>
    requires(!transform_of_two_arrays<Transform, It>)
T transform_reduce(Policy&& policy, It first, It last, T init, Op op, Transform transform_op)
{
    return tilewise::reduce_sequence(policy, tilewise::sequence_between("transform_reduce", std::move(first), last),
                                     std::move(init), std::move(op), std::move(transform_op));
}

/// Combines `init` and the transformed pairs of [first1, last1) and the range at `first2`.
template <execution_policy Policy, any_iterator It1, any_iterator It2, class T, operation Op, operation Transform>
T transform_reduce(Policy&& policy, It1 first1, It1 last1, It2 first2, T init, Op op, Transform transform_op)
{
    return tilewise::reduce_sequence(policy,
                                     tilewise::sequence_between("transform_reduce", std::move(first1), last1, first2),
                                     std::move(init), std::move(op), std::move(transform_op), first2);
}

/// Adds up `init` and the products of [first1, last1) with the range at `first2`.
template <execution_policy Policy, any_iterator It1, any_iterator It2, class T>
T transform_reduce(Policy&& policy, It1 first1, It1 last1, It2 first2, T init)
{
    return tilewise::transform_reduce(policy, std::move(first1), std::move(last1), std::move(first2), std::move(init),
                                      std::plus<>{}, std::multiplies<>{});
}

/// Combines `init` and the transformed elements of a range.
template <execution_policy Policy, class Range, class T, operation Op, operation Transform>
    requires range_before<Range, T>
T transform_reduce(Policy&& policy, Range&& range, T init, Op op, Transform transform_op)
{
    return tilewise::reduce_sequence(policy, tilewise::sequence_in<Policy>("transform_reduce", range), std::move(init),
                                     std::move(op), std::move(transform_op));
}

/// Combines `init` and the transformed pairs of two ranges.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, class T,
          operation Op, operation Transform>
T transform_reduce(Policy&& policy, Range1&& range1, Range2&& range2, T init, Op op, Transform transform_op)
{
    return tilewise::reduce_sequence(policy, tilewise::sequence_in<Policy>("transform_reduce", range1, range2),
                                     std::move(init), std::move(op), std::move(transform_op),
                                     tilewise::begin_of<Policy>(range2));
}

/// Adds up `init` and the products of two ranges.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, class T>
T transform_reduce(Policy&& policy, Range1&& range1, Range2&& range2, T init)
{
    return tilewise::transform_reduce(policy, range1, range2, std::move(init), std::plus<>{}, std::multiplies<>{});
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_reduce, begins_with_range)
/// @}

/// @addtogroup transform_reduce_into
/// Writes what transform_reduce returns to `out`, which stands before `init`, and returns the position after it.
///
/// Header `<tilewise/reduce.hpp>`.
///
/// @par Order, requirements, complexity
/// Those of @ref transform_reduce; what is said of `out` in @ref reduce_into holds here.
/// @par Errors
/// Those of @ref transform_reduce. Nothing is written if an exception leaves the call.
/// @par Example
/// @snippet guide/forms.cpp into
/// @{

/// Combines `init` and the transformed elements of [first, last) into `*out`.
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op, operation Transform>
    requires(!transform_of_two_arrays<Transform, It>)
output_end<Out> transform_reduce_into(Policy&& policy, It first, It last, Out&& out, T init, Op op,
                                      Transform transform_op)
{
    return tilewise::reduce_sequence_into(
        policy, tilewise::sequence_between("transform_reduce_into", std::move(first), last), std::forward<Out>(out),
        std::move(init), std::move(op), std::move(transform_op));
}

/// Combines `init` and the pairs of [first1, last1) and the range at `first2` into `*out`: their products, or what
/// `op` and `transform_op` make of them.
template <execution_policy Policy, any_iterator It1, any_iterator It2, output Out, class T, operation... Ops>
output_end<Out> transform_reduce_into(Policy&& policy, It1 first1, It1 last1, It2 first2, Out&& out, T init, Ops... ops)
{
    auto elements = tilewise::sequence_between("transform_reduce_into", std::move(first1), last1, first2);
    if constexpr (sizeof...(Ops) == 0)
        return tilewise::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                              std::plus<>{}, std::multiplies<>{}, std::move(first2));
    else
        return tilewise::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                              std::move(ops)..., std::move(first2));
}

/// Combines `init` and the transformed elements of a range into `*out`.
template <execution_policy Policy, class Range, output Out, class T, operation Op, operation Transform>
    requires(std::ranges::input_range<Range> && !any_iterator<T>)
output_end<Out> transform_reduce_into(Policy&& policy, Range&& range, Out&& out, T init, Op op, Transform transform_op)
{
    return tilewise::reduce_sequence_into(policy, tilewise::sequence_in<Policy>("transform_reduce_into", range),
                                          std::forward<Out>(out), std::move(init), std::move(op),
                                          std::move(transform_op));
}

/// Combines `init` and the pairs of two ranges into `*out`: their products, or what `op` and `transform_op` make of
/// them.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, output Out,
          class T, operation... Ops>
output_end<Out> transform_reduce_into(Policy&& policy, Range1&& range1, Range2&& range2, Out&& out, T init, Ops... ops)
{
    auto elements = tilewise::sequence_in<Policy>("transform_reduce_into", range1, range2);
    if constexpr (sizeof...(Ops) == 0)
        return tilewise::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                              std::plus<>{}, std::multiplies<>{}, tilewise::begin_of<Policy>(range2));
    else
        return tilewise::reduce_sequence_into(policy, std::move(elements), std::forward<Out>(out), std::move(init),
                                              std::move(ops)..., tilewise::begin_of<Policy>(range2));
}

/// Without a policy: the same on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_reduce_into, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
