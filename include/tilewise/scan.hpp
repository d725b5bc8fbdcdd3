// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `inclusive_scan` and `exclusive_scan`, and their forms that transform the elements.

#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/scan.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// The type in which a scan accumulates: the type of `init`; without `init`, the type of the elements or of the results
/// of a transform.
template <class Init, class It, class... Transform>
struct accumulator_of_scan {
    using type = Init;
};
template <class It>
struct accumulator_of_scan<std::nullopt_t, It> {
    using type = value_of<It>;
};
template <class It, class Transform>
struct accumulator_of_scan<std::nullopt_t, It, Transform> {
    using type = std::remove_cvref_t<std::invoke_result_t<Transform&, decltype(*std::declval<It&>())>>;
};

/// The implementation of all scans. `init` may be std::nullopt, and a transform is optional.
template <scan_form form, class Policy, class It, class Extent, class Out, class Init, class Op, class... Transform>
output_end<Out> scan_sequence(Policy const& policy, sequence<It, Extent> elements, Out&& out, Init init, Op op,
                              Transform... transform_op)
{
    if constexpr (tilewise::can_transform_sequence<It, Transform...>()) {
        using T = typename accumulator_of_scan<Init, It, Transform...>::type;
        return engine::in_call(policy, elements.algorithm, [&](auto on) -> output_end<Out> {
            tilewise::check_sequence(elements);
            auto to =
                tilewise::output_for<Policy>(elements.algorithm, elements.first, elements.end, std::forward<Out>(out));
            tilewise::check_output(elements.algorithm, elements.first, elements.end, to);
            auto input = tilewise::transform_sequence(std::move(elements), std::move(transform_op)...);
            auto const end = engine::scan<form, T>(on, std::move(input.first), std::move(input.end), std::move(to),
                                                   std::optional<T>(std::move(init)), std::move(op));
            return tilewise::output_position<Out>(out, end); // NOLINT(bugprone-use-after-move): a range is not moved
        });
    } else {
        std::abort();
    }
}
/// @endcond

/// @addtogroup inclusive_scan
/// Writes, for each element of a range, the combination of `init` and all elements up to and including that element.
///
/// Header `<tilewise/scan.hpp>`.
///
/// @par Order
/// The library defines [the order of combination](../../docs/order.md), which is the same under every policy. Operands
/// keep their order, so `op` needs to be associative, but not commutative. The last result has the same bits as the
/// result of @ref reduce for the same `init`, and the scan of a prefix is the prefix of the scan.
/// @par Results
/// Every element is first converted to T, the type of `init`, or of the elements if there is no `init`, and so is every
/// result of `op(T, T)`. `op` defaults to `std::plus<>`. Signed integers wrap. Results are converted to the type that
/// the output accepts when they are written, and are never read back. The output may be the input; otherwise the two
/// must not overlap. Returns the end of the output. For an empty range, nothing is read or written.
///
/// @par Output
/// `out` is an output iterator, or a range whose length is checked and whose first elements are overwritten: see
/// @ref tilewise::output.
/// @par Requirements
/// T is copy constructible; elements convert to T; `op(T, T)` converts to T, which converts to the type that `out`
/// accepts. seq reads input iterators and writes through output iterators. par needs forward iterators for both; if
/// both are random access iterators, it uses several threads from smaller sizes on. It copies `op` and calls the copies
/// concurrently, and it may read an element twice. `op` may be called on any two neighboring partial results, even if
/// the result is discarded, and must not modify elements or invalidate iterators. device reads and writes through
/// random access iterators over GPU memory, or over host memory as described in [policies](../../docs/policies.md), and
/// calls `op` in kernels; T is then trivially copyable and has at most 256 bytes.
/// @par Complexity
/// With N = max(1, 16 / sizeof(T)), at most 2 + 5 / N + O(1 / tile) applications of `op` for each element. The order
/// has no chain of applications longer than O(log n). seq reads each element once; par reads some elements twice, and
/// applies `op` to them once more. With p threads, n / p + O(n / tile) steps. par stores one T per tile of 2048 * N
/// elements.
/// @par Errors
/// An exception from `op`, a conversion or an iterator propagates to the caller, with some of the results written;
/// under par, one of them if there are several. par and device throw `std::bad_alloc` if there is no memory for the
/// partial results. device also throws the exceptions of basic_device_policy. The hardened mode throws
/// `std::invalid_argument` if `last` is before `first`, or for a null pointer to a range that is not empty.
/// @par Example
/// @snippet reference/inclusive_scan.cpp program
/// @see [inclusive.scan], https://eel.is/c++draft/inclusive.scan
/// @{

/// Scans [first, last), starting with `init`.
template <execution_policy Policy, any_iterator It, output Out, operation Op, class T>
output_end<Out> inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op, T init)
{
    return tilewise::scan_sequence<scan_form::inclusive>(
        policy, tilewise::sequence_between("inclusive_scan", std::move(first), last), std::forward<Out>(out),
        std::move(init), std::move(op));
}

/// Scans [first, last) without `init`, in the type of the elements.
template <execution_policy Policy, any_iterator It, output Out, operation Op = std::plus<>>
output_end<Out> inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op = {})
{
    return tilewise::scan_sequence<scan_form::inclusive>(
        policy, tilewise::sequence_between("inclusive_scan", std::move(first), last), std::forward<Out>(out),
        std::nullopt, std::move(op));
}

/// Scans a range, starting with `init`.
template <execution_policy Policy, class Range, output Out, operation Op, class T>
    requires range_before_output<Range, Out, Op>
output_end<Out> inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op, T init)
{
    return tilewise::scan_sequence<scan_form::inclusive>(policy, tilewise::sequence_in<Policy>("inclusive_scan", range),
                                                         std::forward<Out>(out), std::move(init), std::move(op));
}

/// Scans a range without `init`, in the type of the elements.
template <execution_policy Policy, class Range, output Out, operation Op = std::plus<>>
    requires range_before_output<Range, Out, Op>
output_end<Out> inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op = {})
{
    return tilewise::scan_sequence<scan_form::inclusive>(policy, tilewise::sequence_in<Policy>("inclusive_scan", range),
                                                         std::forward<Out>(out), std::nullopt, std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(inclusive_scan, begins_with_range)
/// @}

/// @addtogroup exclusive_scan
/// Writes, for each element of a range, the combination of `init` and all elements before that element.
///
/// Header `<tilewise/scan.hpp>`. T is the type of `init`, and the first result is `init` itself.
///
/// @par Order
/// As for @ref inclusive_scan, with the element itself dropped at every step of the order. Therefore a result equals
/// the inclusive result of the preceding element only up to rounding.
/// @par Requirements, complexity, errors
/// As for @ref inclusive_scan.
/// @par Example
/// @snippet reference/exclusive_scan.cpp program
/// @see [exclusive.scan], https://eel.is/c++draft/exclusive.scan
/// @{

/// Scans [first, last), starting with `init`.
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op = std::plus<>>
    requires pair_before_output<It, Out, T, Op>
output_end<Out> exclusive_scan(Policy&& policy, It first, It last, Out&& out, T init, Op op = {})
{
    return tilewise::scan_sequence<scan_form::exclusive>(
        policy, tilewise::sequence_between("exclusive_scan", std::move(first), last), std::forward<Out>(out),
        std::move(init), std::move(op));
}

/// Scans a range, starting with `init`.
template <execution_policy Policy, class Range, output Out, class T, operation Op = std::plus<>>
    requires range_before_output<Range, Out, T>
output_end<Out> exclusive_scan(Policy&& policy, Range&& range, Out&& out, T init, Op op = {})
{
    return tilewise::scan_sequence<scan_form::exclusive>(policy, tilewise::sequence_in<Policy>("exclusive_scan", range),
                                                         std::forward<Out>(out), std::move(init), std::move(op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(exclusive_scan, begins_with_range)
/// @}

/// @addtogroup transform_inclusive_scan
/// Writes, for each element of a range, the combination of `init` and all transformed elements up to and including that
/// element.
///
/// Header `<tilewise/scan.hpp>`. The results of `transform_op` take the place of the elements in the description of
/// @ref inclusive_scan. Without `init`, T is the type of these results, without reference.
///
/// @par Order
/// As for @ref inclusive_scan. The result of `transform_op` is never contracted with the combination that follows.
/// @par Requirements, complexity, errors
/// As for @ref inclusive_scan. `transform_op` is called once per element under seq and up to twice under par, where
/// copies are called concurrently, and in kernels under device. An exception from it propagates to the caller.
/// @par Example
/// @snippet reference/transform_inclusive_scan.cpp program
/// @see [transform.inclusive.scan], https://eel.is/c++draft/transform.inclusive.scan
/// @{

/// Scans the transformed elements of [first, last), starting with `init`.
template <execution_policy Policy, any_iterator It, output Out, operation Op, transformation Transform, class T>
output_end<Out> transform_inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op, Transform transform_op,
                                         T init)
{
    return tilewise::scan_sequence<scan_form::inclusive>(
        policy, tilewise::sequence_between("transform_inclusive_scan", std::move(first), last), std::forward<Out>(out),
        std::move(init), std::move(op), std::move(transform_op));
}

/// Scans the transformed elements of [first, last) without `init`, in their own type.
template <execution_policy Policy, any_iterator It, output Out, operation Op, transformation Transform>
output_end<Out> transform_inclusive_scan(Policy&& policy, It first, It last, Out&& out, Op op, Transform transform_op)
{
    return tilewise::scan_sequence<scan_form::inclusive>(
        policy, tilewise::sequence_between("transform_inclusive_scan", std::move(first), last), std::forward<Out>(out),
        std::nullopt, std::move(op), std::move(transform_op));
}

/// Scans the transformed elements of a range, starting with `init`.
template <execution_policy Policy, class Range, output Out, operation Op, transformation Transform, class T>
    requires range_before_output<Range, Out, Op>
output_end<Out> transform_inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op, Transform transform_op,
                                         T init)
{
    return tilewise::scan_sequence<scan_form::inclusive>(
        policy, tilewise::sequence_in<Policy>("transform_inclusive_scan", range), std::forward<Out>(out),
        std::move(init), std::move(op), std::move(transform_op));
}

/// Scans the transformed elements of a range without `init`, in their own type.
template <execution_policy Policy, class Range, output Out, operation Op, transformation Transform>
    requires range_before_output<Range, Out, Op>
output_end<Out> transform_inclusive_scan(Policy&& policy, Range&& range, Out&& out, Op op, Transform transform_op)
{
    return tilewise::scan_sequence<scan_form::inclusive>(
        policy, tilewise::sequence_in<Policy>("transform_inclusive_scan", range), std::forward<Out>(out), std::nullopt,
        std::move(op), std::move(transform_op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_inclusive_scan, begins_with_range)
/// @}

/// @addtogroup transform_exclusive_scan
/// Writes, for each element of a range, the combination of `init` and all transformed elements before that element.
///
/// Header `<tilewise/scan.hpp>`. The results of `transform_op` take the place of the elements in the description of
/// @ref exclusive_scan. For `transform_op`, as for @ref transform_inclusive_scan.
///
/// @par Order, requirements, complexity, errors
/// As for @ref exclusive_scan and @ref transform_inclusive_scan.
/// @par Example
/// @snippet reference/transform_exclusive_scan.cpp program
/// @see [transform.exclusive.scan], https://eel.is/c++draft/transform.exclusive.scan
/// @{

/// Scans the transformed elements of [first, last), starting with `init`.
template <execution_policy Policy, any_iterator It, output Out, class T, operation Op, transformation Transform>
output_end<Out> transform_exclusive_scan(Policy&& policy, It first, It last, Out&& out, T init, Op op,
                                         Transform transform_op)
{
    return tilewise::scan_sequence<scan_form::exclusive>(
        policy, tilewise::sequence_between("transform_exclusive_scan", std::move(first), last), std::forward<Out>(out),
        std::move(init), std::move(op), std::move(transform_op));
}

/// Scans the transformed elements of a range, starting with `init`.
template <execution_policy Policy, class Range, output Out, class T, operation Op, transformation Transform>
    requires range_before_output<Range, Out, T>
output_end<Out> transform_exclusive_scan(Policy&& policy, Range&& range, Out&& out, T init, Op op,
                                         Transform transform_op)
{
    return tilewise::scan_sequence<scan_form::exclusive>(
        policy, tilewise::sequence_in<Policy>("transform_exclusive_scan", range), std::forward<Out>(out),
        std::move(init), std::move(op), std::move(transform_op));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(transform_exclusive_scan, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
