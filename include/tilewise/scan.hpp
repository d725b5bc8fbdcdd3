// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `inclusive_scan` and `exclusive_scan`, and their forms over transformed elements.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstdlib>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// A range before an output iterator and what is no iterator, so that the three are no pair of iterators and an output.
template <class Range, class Out, class Next>
concept range_before_output =
    std::ranges::input_range<Range> && (range_before<Range, std::decay_t<Out>> || !any_iterator<Next>);

/// What a transform makes of an element.
template <class Transform, class It>
using transformed_value = std::remove_cvref_t<std::invoke_result_t<Transform&, decltype(*std::declval<It&>())>>;

// Of an output iterator, which output_for has moved from, output_position reads nothing.
// NOLINTBEGIN(bugprone-use-after-move)

/// What the forms over a pair of iterators have in common.
template <scan_form form, class T, class Policy, class It, class Out, class Op>
output_end<Out> scan_pair(char const* algorithm, Policy const& policy, It first, It last, Out&& out,
                          std::optional<T> init, Op op)
{
    tilewise::check_range(algorithm, first, last);
    auto const end = tilewise::extent_between(first, last);
    auto to = tilewise::output_for<Policy>(algorithm, first, end, std::forward<Out>(out));
    tilewise::check_output(algorithm, first, last, to);
    return tilewise::output_position<Out>(out, engine::scan<form, T>(tilewise::resolve(policy), first, end,
                                                                     std::move(to), std::move(init), std::move(op)));
}

/// What the forms over a range have in common.
template <scan_form form, class T, class Policy, class Range, class Out, class Op>
output_end<Out> scan_range(char const* algorithm, Policy const& policy, Range& range, Out&& out, std::optional<T> init,
                           Op op)
{
    auto first = tilewise::begin_of<Policy>(range);
    auto const end = tilewise::extent_of(range, first);
    auto to = tilewise::output_for<Policy>(algorithm, first, end, std::forward<Out>(out));
    tilewise::check_output(algorithm, first, end, to);
    return tilewise::output_position<Out>(out, engine::scan<form, T>(tilewise::resolve(policy), std::move(first), end,
                                                                     std::move(to), std::move(init), std::move(op)));
}

/// The same over transformed elements.
template <scan_form form, class T, class Policy, class It, class Out, class Op, class Transform>
output_end<Out> transform_scan_pair(char const* algorithm, Policy const& policy, It first, It last, Out&& out,
                                    std::optional<T> init, Op op, Transform transform_op)
{
    tilewise::check_range(algorithm, first, last);
    auto const end = tilewise::extent_between(first, last);
    auto to = tilewise::output_for<Policy>(algorithm, first, end, std::forward<Out>(out));
    tilewise::check_output(algorithm, first, last, to);
    return tilewise::output_position<Out>(
        out,
        engine::scan<form, T>(tilewise::resolve(policy), transformed<Transform, It>(std::move(transform_op), first),
                              end, std::move(to), std::move(init), std::move(op)));
}
template <scan_form form, class T, class Policy, class Range, class Out, class Op, class Transform>
output_end<Out> transform_scan_range(char const* algorithm, Policy const& policy, Range& range, Out&& out,
                                     std::optional<T> init, Op op, Transform transform_op)
{
    using It = beginning_of<Policy, Range>;
    It first = tilewise::begin_of<Policy>(range);
    auto const end = tilewise::extent_of(range, first);
    auto to = tilewise::output_for<Policy>(algorithm, first, end, std::forward<Out>(out));
    tilewise::check_output(algorithm, first, end, to);
    return tilewise::output_position<Out>(
        out, engine::scan<form, T>(tilewise::resolve(policy),
                                   transformed<Transform, It>(std::move(transform_op), std::move(first)), end,
                                   std::move(to), std::move(init), std::move(op)));
}
// NOLINTEND(bugprone-use-after-move)
/// @endcond

/// @addtogroup inclusive_scan
/// Writes, for each element of a range, the combination of `init` and all elements up to and including it.
///
/// Header `<tilewise/scan.hpp>`.
///
/// @par Order
/// [The order of combination](../../docs/order.md) is the library's, whatever the policy. Operands keep their order, so
/// `op` needs to be associative and nothing more. The last result is, bit for bit, what @ref reduce returns for the
/// same `init`; and the scan of a prefix is the prefix of the scan.
/// @par Results
/// Every element is first converted to T, the type of
/// `init`, or of the elements where there is none, and so is every result of `op(T, T)`; without `op` it is
/// `std::plus<>`. Signed integers wrap. Results are converted to what the output takes when they are written, and never
/// read back. The output may be the input; otherwise they shall not overlap. Returns the end of the output. Of an empty
/// range nothing is read or written.
///
/// @par Output
/// `out` is an output iterator, or a range of which the first elements are overwritten and whose length is checked:
/// see tilewise::output.
/// @par Requirements
/// T is copy constructible; elements convert to T; `op(T, T)` converts to T, which converts to what `out` takes. seq
/// reads input iterators and writes through output iterators. par needs forward iterators for both, and threads help
/// sooner where both are random access; it copies `op` and calls the copies concurrently, and it may read an element
/// twice. `op` may be called on any two neighbouring partial results, also for results that are dropped, and shall not
/// modify elements or invalidate iterators. device reads and writes through random access iterators over memory of the
/// GPU, and calls `op` in kernels; T is trivially copyable and has at most 256 bytes.
/// @par Complexity
/// With N = max(1, 16 / sizeof(T)), at most 2 + 5 / N + O(1 / tile) applications of `op` for each element: the order
/// has no chain that is longer than O(log(tile) + n / tile) of them. seq reads each element once; par some of them
/// twice, and applies `op` to them once more. With p threads n / p + O(n / tile) steps; par keeps one T per tile of
/// 2048 * N elements.
/// @par Errors
/// An exception from `op`, a conversion or an iterator leaves the call, with some of the results written; under par,
/// one of them if there are several. par and device throw `std::bad_alloc` when there is no memory for the partial
/// results; device throws what basic_device_policy says. The hardened mode throws `std::invalid_argument` if `last` is
/// before `first`, or for a null pointer with elements.
/// @par Example
/// @snippet guide/scans.cpp inclusive
/// @see [inclusive.scan], https://eel.is/c++draft/inclusive.scan
/// @{

/// Scans [first, last) after `init`.
template <execution_policy Policy, any_iterator It, output Out, operation Op, class T>
output_end<Out> inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op, T init)
{
    return tilewise::scan_pair<scan_form::inclusive, T>("inclusive_scan", policy, std::move(first), std::move(last),
                                                        std::forward<Out>(out), std::move(init), std::move(op));
}

/// Scans [first, last) in the elements' own type.
template <execution_policy Policy, any_iterator It, output Out, operation Op>
output_end<Out> inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op)
{
    return tilewise::scan_pair<scan_form::inclusive, value_of<It>>("inclusive_scan", policy, std::move(first),
                                                                   std::move(last), std::forward<Out>(out),
                                                                   std::nullopt, std::move(op));
}

/// Adds up [first, last) in the elements' own type.
template <execution_policy Policy, any_iterator It, output Out>
output_end<Out> inclusive_scan(Policy&& policy, It first, It last, Out&& out)
{
    return tilewise::inclusive_scan(policy, std::move(first), std::move(last), std::forward<Out>(out), std::plus<>{});
}

/// Scans a range after `init`.
template <execution_policy Policy, class Range, output Out, operation Op, class T>
    requires range_before_output<Range, Out, Op>
output_end<Out> inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op, T init)
{
    return tilewise::scan_range<scan_form::inclusive, T>("inclusive_scan", policy, range, std::forward<Out>(out),
                                                         std::move(init), std::move(op));
}

/// Scans a range in the elements' own type.
template <execution_policy Policy, class Range, output Out, operation Op>
    requires range_before_output<Range, Out, Op>
output_end<Out> inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op)
{
    return tilewise::scan_range<scan_form::inclusive, std::ranges::range_value_t<Range>>(
        "inclusive_scan", policy, range, std::forward<Out>(out), std::nullopt, std::move(op));
}

/// Adds up a range in the elements' own type.
template <execution_policy Policy, std::ranges::input_range Range, output Out>
output_end<Out> inclusive_scan(Policy&& policy, Range&& range, Out&& out)
{
    return tilewise::inclusive_scan(policy, range, std::forward<Out>(out), std::plus<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto inclusive_scan(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::inclusive_scan(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

/// @addtogroup exclusive_scan
/// Writes, for each element of a range, the combination of `init` and all elements before it.
///
/// Header `<tilewise/scan.hpp>`. T is the type of `init`, and the first result is `init` itself.
///
/// @par Order
/// That of @ref inclusive_scan with the element dropped, at every step of the order. So a result is the inclusive one
/// of the element before it up to rounding only.
/// @par Requirements, complexity, errors
/// Those of @ref inclusive_scan.
/// @par Example
/// @snippet guide/scans.cpp exclusive
/// @see [exclusive.scan], https://eel.is/c++draft/exclusive.scan
/// @{

/// Scans [first, last) after `init`.
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op>
output_end<Out> exclusive_scan(Policy&& policy, It first, It last, Out&& out, T init, Op op)
{
    return tilewise::scan_pair<scan_form::exclusive, T>("exclusive_scan", policy, std::move(first), std::move(last),
                                                        std::forward<Out>(out), std::move(init), std::move(op));
}

/// Adds up [first, last) after `init`.
template <execution_policy Policy, any_iterator It, output Out, class T>
    requires pair_before_output<It, Out, T>
output_end<Out> exclusive_scan(Policy&& policy, It first, It last, Out&& out, T init)
{
    return tilewise::exclusive_scan(policy, std::move(first), std::move(last), std::forward<Out>(out), std::move(init),
                                    std::plus<>{});
}

/// Scans a range after `init`.
template <execution_policy Policy, class Range, output Out, class T, operation Op>
    requires range_before_output<Range, Out, T>
output_end<Out> exclusive_scan(Policy&& policy, Range&& range, Out&& out, T init, Op op)
{
    return tilewise::scan_range<scan_form::exclusive, T>("exclusive_scan", policy, range, std::forward<Out>(out),
                                                         std::move(init), std::move(op));
}

/// Adds up a range after `init`.
template <execution_policy Policy, class Range, output Out, class T>
    requires range_before_output<Range, Out, T>
output_end<Out> exclusive_scan(Policy&& policy, Range&& range, Out&& out, T init)
{
    return tilewise::exclusive_scan(policy, range, std::forward<Out>(out), std::move(init), std::plus<>{});
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto exclusive_scan(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::exclusive_scan(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

/// @addtogroup transform_inclusive_scan
/// Writes, for each element of a range, the combination of `init` and all transformed elements up to and including it.
///
/// Header `<tilewise/scan.hpp>`. What `transform_op` returns takes the place of the element in all that is said of
/// @ref inclusive_scan; without `init`, its type without reference is T.
///
/// @par Order
/// That of @ref inclusive_scan. What `transform_op` returns is never contracted with the combination that follows.
/// @par Requirements, complexity, errors
/// Those of @ref inclusive_scan. `transform_op` is called once per element under seq, up to twice under par,
/// concurrently on copies, and in kernels under device; an exception from it leaves the call.
/// @par Example
/// @snippet guide/scans.cpp transform_inclusive
/// @see [transform.inclusive.scan], https://eel.is/c++draft/transform.inclusive.scan
/// @{

/// Scans the transformed elements of [first, last) after `init`.
template <execution_policy Policy, any_iterator It, output Out, operation Op, operation Transform, class T>
output_end<Out> transform_inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op, Transform transform_op,
                                         T init)
{
    if constexpr (tilewise::can_transform<Transform, It>())
        return tilewise::transform_scan_pair<scan_form::inclusive, T>(
            "transform_inclusive_scan", policy, std::move(first), std::move(last), std::forward<Out>(out),
            std::move(init), std::move(op), std::move(transform_op));
    else
        std::abort();
}

/// Scans the transformed elements of [first, last) in their own type.
template <execution_policy Policy, any_iterator It, output Out, operation Op, operation Transform>
output_end<Out> transform_inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op, Transform transform_op)
{
    if constexpr (tilewise::can_transform<Transform, It>())
        return tilewise::transform_scan_pair<scan_form::inclusive, transformed_value<Transform, It>>(
            "transform_inclusive_scan", policy, std::move(first), std::move(last), std::forward<Out>(out), std::nullopt,
            std::move(op), std::move(transform_op));
    else
        std::abort();
}

/// Scans the transformed elements of a range after `init`.
template <execution_policy Policy, class Range, output Out, operation Op, operation Transform, class T>
    requires range_before_output<Range, Out, Op>
output_end<Out> transform_inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op, Transform transform_op,
                                         T init)
{
    if constexpr (tilewise::can_transform<Transform, std::ranges::iterator_t<Range>>())
        return tilewise::transform_scan_range<scan_form::inclusive, T>("transform_inclusive_scan", policy, range,
                                                                       std::forward<Out>(out), std::move(init),
                                                                       std::move(op), std::move(transform_op));
    else
        std::abort();
}

/// Scans the transformed elements of a range in their own type.
template <execution_policy Policy, class Range, output Out, operation Op, operation Transform>
    requires range_before_output<Range, Out, Op>
output_end<Out> transform_inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op, Transform transform_op)
{
    using It = std::ranges::iterator_t<Range>;
    if constexpr (tilewise::can_transform<Transform, It>())
        return tilewise::transform_scan_range<scan_form::inclusive, transformed_value<Transform, It>>(
            "transform_inclusive_scan", policy, range, std::forward<Out>(out), std::nullopt, std::move(op),
            std::move(transform_op));
    else
        std::abort();
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto transform_inclusive_scan(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::transform_inclusive_scan(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

/// @addtogroup transform_exclusive_scan
/// Writes, for each element of a range, the combination of `init` and all transformed elements before it.
///
/// Header `<tilewise/scan.hpp>`. What `transform_op` returns takes the place of the element in all that is said of
/// @ref exclusive_scan; what is said of `transform_op` in @ref transform_inclusive_scan holds here.
///
/// @par Order, requirements, complexity, errors
/// Those of @ref exclusive_scan and @ref transform_inclusive_scan.
/// @par Example
/// @snippet guide/scans.cpp transform
/// @see [transform.exclusive.scan], https://eel.is/c++draft/transform.exclusive.scan
/// @{

/// Scans the transformed elements of [first, last) after `init`.
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op, operation Transform>
output_end<Out> transform_exclusive_scan(Policy&& policy, It first, It last, Out&& out, T init, Op op,
                                         Transform transform_op)
{
    if constexpr (tilewise::can_transform<Transform, It>())
        return tilewise::transform_scan_pair<scan_form::exclusive, T>(
            "transform_exclusive_scan", policy, std::move(first), std::move(last), std::forward<Out>(out),
            std::move(init), std::move(op), std::move(transform_op));
    else
        std::abort();
}

/// Scans the transformed elements of a range after `init`.
template <execution_policy Policy, class Range, output Out, class T, operation Op, operation Transform>
    requires range_before_output<Range, Out, T>
output_end<Out> transform_exclusive_scan(Policy&& policy, Range&& range, Out&& out, T init, Op op,
                                         Transform transform_op)
{
    if constexpr (tilewise::can_transform<Transform, std::ranges::iterator_t<Range>>())
        return tilewise::transform_scan_range<scan_form::exclusive, T>("transform_exclusive_scan", policy, range,
                                                                       std::forward<Out>(out), std::move(init),
                                                                       std::move(op), std::move(transform_op));
    else
        std::abort();
}

/// Without a policy: the same on the calling thread.
template <class First, class... Rest>
    requires begins_with_range<First, Rest...>
auto transform_exclusive_scan(First&& first, Rest&&... rest)
{
    if constexpr (tilewise::needs_no_policy<First>())
        return tilewise::transform_exclusive_scan(seq, std::forward<First>(first), std::forward<Rest>(rest)...);
}
/// @}

TILEWISE_NAMESPACE_END
