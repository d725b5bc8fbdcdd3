// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `reduce` and `transform_reduce`, and their forms that write the result in place of returning it.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/reduce.hpp>
#include <tilewise/policy.hpp>

#include <iterator>
#include <ranges>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

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
template <execution_policy Policy, any_iterator It, class T, operation Op>
T reduce(Policy&& policy, It first, It last, T init, Op op)
{
    tilewise::check_range("reduce", first, last);
    return engine::reduce(tilewise::resolve(policy), first, tilewise::extent_between(first, last), std::move(init),
                          std::move(op));
}

/// Adds up `init` and the elements of [first, last).
template <execution_policy Policy, any_iterator It, class T>
T reduce(Policy&& policy, It first, It last, T init)
{
    return tilewise::reduce(policy, std::move(first), std::move(last), std::move(init), std::plus<>{});
}

/// Adds up the elements of [first, last) in their own type.
template <execution_policy Policy, any_iterator It>
value_of<It> reduce(Policy&& policy, It first, It last)
{
    return tilewise::reduce(policy, std::move(first), std::move(last), value_of<It>{}, std::plus<>{});
}

/// Combines `init` and the elements of a range.
template <execution_policy Policy, class Range, class T, operation Op>
    requires range_before<Range, T>
T reduce(Policy&& policy, Range&& range, T init, Op op)
{
    auto first = tilewise::begin_of<Policy>(range);
    auto const end = tilewise::extent_of(range, first);
    return engine::reduce(tilewise::resolve(policy), std::move(first), end, std::move(init), std::move(op));
}

/// Adds up `init` and the elements of a range.
template <execution_policy Policy, class Range, class T>
    requires range_before<Range, T>
T reduce(Policy&& policy, Range&& range, T init)
{
    return tilewise::reduce(policy, range, std::move(init), std::plus<>{});
}

/// Adds up the elements of a range in their own type.
template <execution_policy Policy, std::ranges::input_range Range>
std::ranges::range_value_t<Range> reduce(Policy&& policy, Range&& range)
{
    return tilewise::reduce(policy, range, std::ranges::range_value_t<Range>{}, std::plus<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto reduce(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::reduce(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
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
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op>
output_end<Out> reduce_into(Policy&& policy, It first, It last, Out&& out, T init, Op op)
{
    tilewise::check_range("reduce_into", first, last);
    auto to = tilewise::output_begin<Policy>("reduce_into", offset{1}, std::forward<Out>(out));
    return tilewise::output_position<Out>(out, engine::reduce_into(tilewise::resolve(policy), first,
                                                                   tilewise::extent_between(first, last), std::move(to),
                                                                   std::move(init), std::move(op)));
}

/// Adds up `init` and the elements of [first, last) into `*out`.
template <execution_policy Policy, any_iterator It, output Out, class T>
output_end<Out> reduce_into(Policy&& policy, It first, It last, Out&& out, T init)
{
    return tilewise::reduce_into(policy, std::move(first), std::move(last), std::forward<Out>(out), std::move(init),
                                 std::plus<>{});
}

/// Adds up the elements of [first, last) in their own type into `*out`.
template <execution_policy Policy, any_iterator It, output Out>
    requires pair_before_output<It, Out, value_of<It>>
output_end<Out> reduce_into(Policy&& policy, It first, It last, Out&& out)
{
    return tilewise::reduce_into(policy, std::move(first), std::move(last), std::forward<Out>(out), value_of<It>{},
                                 std::plus<>{});
}

/// Combines the elements of a range into `*out`; without `init` and `op` as above.
template <execution_policy Policy, class Range, output Out, class... InitAndOp>
    requires(range_before<Range, std::decay_t<Out>> ||
             (std::ranges::input_range<Range> && !begins_with_iterator<InitAndOp...>))
output_end<Out> reduce_into(Policy&& policy, Range&& range, Out&& out, InitAndOp... init_and_op)
{
    if constexpr (sizeof...(InitAndOp) == 2) {
        auto first = tilewise::begin_of<Policy>(range);
        auto const end = tilewise::extent_of(range, first);
        auto to = tilewise::output_begin<Policy>("reduce_into", offset{1}, std::forward<Out>(out));
        return tilewise::output_position<Out>(out, engine::reduce_into(tilewise::resolve(policy), std::move(first), end,
                                                                       std::move(to), std::move(init_and_op)...));
    } else if constexpr (sizeof...(InitAndOp) == 1) {
        return tilewise::reduce_into(policy, range, std::forward<Out>(out), std::move(init_and_op)..., std::plus<>{});
    } else {
        return tilewise::reduce_into(policy, range, std::forward<Out>(out), std::ranges::range_value_t<Range>{},
                                     std::plus<>{});
    }
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto reduce_into(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::reduce_into(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
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
    tilewise::check_range("transform_reduce", first, last);
    if constexpr (tilewise::can_transform<Transform, It>())
        return engine::reduce(tilewise::resolve(policy), transformed<Transform, It>{std::move(transform_op), first},
                              tilewise::extent_between(first, last), std::move(init), std::move(op));
    else
        return init;
}

/// Combines `init` and the transformed pairs of [first1, last1) and the range at `first2`.
template <execution_policy Policy, any_iterator It1, any_iterator It2, class T, operation Op, operation Transform>
T transform_reduce(Policy&& policy, It1 first1, It1 last1, It2 first2, T init, Op op, Transform transform_op)
{
    tilewise::check_range("transform_reduce", first1, last1);
    tilewise::check_second_range("transform_reduce", first1, last1, first2);
    if constexpr (tilewise::can_transform<Transform, It1, It2>())
        return engine::reduce(tilewise::resolve(policy),
                              transformed_pairs<Transform, It1, It2>{std::move(transform_op), first1, first2},
                              tilewise::extent_between<It2>(first1, last1), std::move(init), std::move(op));
    else
        return init;
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
    using It = beginning_of<Policy, Range>;
    if constexpr (tilewise::can_transform<Transform, It>()) {
        It first = tilewise::begin_of<Policy>(range);
        auto const end = tilewise::extent_of(range, first);
        return engine::reduce(tilewise::resolve(policy),
                              transformed<Transform, It>(std::move(transform_op), std::move(first)), end,
                              std::move(init), std::move(op));
    } else {
        return init;
    }
}

/// Combines `init` and the transformed pairs of two ranges.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, class T,
          operation Op, operation Transform>
T transform_reduce(Policy&& policy, Range1&& range1, Range2&& range2, T init, Op op, Transform transform_op)
{
    using It1 = beginning_of<Policy, Range1>;
    using It2 = beginning_of<Policy, Range2>;
    tilewise::check_lengths("transform_reduce", range1, range2);
    if constexpr (tilewise::can_transform<Transform, It1, It2>()) {
        It1 first1 = tilewise::begin_of<Policy>(range1);
        auto const end = tilewise::extent_of<It2>(range1, first1);
        return engine::reduce(tilewise::resolve(policy),
                              transformed_pairs<Transform, It1, It2>(std::move(transform_op), std::move(first1),
                                                                     tilewise::begin_of<Policy>(range2)),
                              end, std::move(init), std::move(op));
    } else {
        return init;
    }
}

/// Adds up `init` and the products of two ranges.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, class T>
T transform_reduce(Policy&& policy, Range1&& range1, Range2&& range2, T init)
{
    return tilewise::transform_reduce(policy, range1, range2, std::move(init), std::plus<>{}, std::multiplies<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto transform_reduce(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::transform_reduce(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
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
    tilewise::check_range("transform_reduce_into", first, last);
    if constexpr (tilewise::can_transform<Transform, It>()) {
        auto to = tilewise::output_begin<Policy>("transform_reduce_into", offset{1}, std::forward<Out>(out));
        return tilewise::output_position<Out>(
            out,
            engine::reduce_into(tilewise::resolve(policy), transformed<Transform, It>{std::move(transform_op), first},
                                tilewise::extent_between(first, last), std::move(to), std::move(init), std::move(op)));
    } else {
        std::abort();
    }
}

/// @cond internals
/// What the forms over pairs have in common.
template <class It1, class It2, class Policy, class Extent, class Out, class T, class Op, class Transform>
output_end<Out> transform_pairs_into(Policy&& policy, It1 first1, It2 first2, Extent end, Out&& out, T init, Op op,
                                     Transform transform_op)
{
    if constexpr (tilewise::can_transform<Transform, It1, It2>()) {
        auto to = tilewise::output_begin<Policy>("transform_reduce_into", offset{1}, std::forward<Out>(out));
        return tilewise::output_position<Out>(
            out, engine::reduce_into(tilewise::resolve(policy),
                                     transformed_pairs<Transform, It1, It2>(std::move(transform_op), std::move(first1),
                                                                            std::move(first2)),
                                     end, std::move(to), std::move(init), std::move(op)));
    } else {
        std::abort();
    }
}
/// @endcond

/// Combines `init` and the pairs of [first1, last1) and the range at `first2` into `*out`: their products, or what
/// `op` and `transform_op` make of them.
template <execution_policy Policy, any_iterator It1, any_iterator It2, output Out, class T, operation... Ops>
output_end<Out> transform_reduce_into(Policy&& policy, It1 first1, It1 last1, It2 first2, Out&& out, T init, Ops... ops)
{
    tilewise::check_range("transform_reduce_into", first1, last1);
    tilewise::check_second_range("transform_reduce_into", first1, last1, first2);
    if constexpr (sizeof...(Ops) == 0)
        return tilewise::transform_reduce_into(policy, first1, last1, first2, std::forward<Out>(out), std::move(init),
                                               std::plus<>{}, std::multiplies<>{});
    else
        return tilewise::transform_pairs_into<It1, It2>(policy, first1, first2,
                                                        tilewise::extent_between<It2>(first1, last1),
                                                        std::forward<Out>(out), std::move(init), std::move(ops)...);
}

/// Combines `init` and the transformed elements of a range into `*out`.
template <execution_policy Policy, class Range, output Out, class T, operation Op, operation Transform>
    requires(std::ranges::input_range<Range> && !any_iterator<T>)
output_end<Out> transform_reduce_into(Policy&& policy, Range&& range, Out&& out, T init, Op op, Transform transform_op)
{
    using It = beginning_of<Policy, Range>;
    if constexpr (tilewise::can_transform<Transform, It>()) {
        It first = tilewise::begin_of<Policy>(range);
        auto const end = tilewise::extent_of(range, first);
        auto to = tilewise::output_begin<Policy>("transform_reduce_into", offset{1}, std::forward<Out>(out));
        return tilewise::output_position<Out>(
            out, engine::reduce_into(tilewise::resolve(policy),
                                     transformed<Transform, It>(std::move(transform_op), std::move(first)), end,
                                     std::move(to), std::move(init), std::move(op)));
    } else {
        std::abort();
    }
}

/// Combines `init` and the pairs of two ranges into `*out`: their products, or what `op` and `transform_op` make of
/// them.
template <execution_policy Policy, std::ranges::input_range Range1, std::ranges::input_range Range2, output Out,
          class T, operation... Ops>
output_end<Out> transform_reduce_into(Policy&& policy, Range1&& range1, Range2&& range2, Out&& out, T init, Ops... ops)
{
    tilewise::check_lengths("transform_reduce_into", range1, range2);
    using It1 = beginning_of<Policy, Range1>;
    using It2 = beginning_of<Policy, Range2>;
    if constexpr (sizeof...(Ops) == 0) {
        return tilewise::transform_reduce_into(policy, range1, range2, std::forward<Out>(out), std::move(init),
                                               std::plus<>{}, std::multiplies<>{});
    } else {
        It1 first1 = tilewise::begin_of<Policy>(range1);
        auto const end = tilewise::extent_of<It2>(range1, first1);
        return tilewise::transform_pairs_into<It1, It2>(policy, std::move(first1), tilewise::begin_of<Policy>(range2),
                                                        end, std::forward<Out>(out), std::move(init),
                                                        std::move(ops)...);
    }
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto transform_reduce_into(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::transform_reduce_into(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

TILEWISE_NAMESPACE_END
