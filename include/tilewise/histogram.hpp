// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `histogram`, `histogram_add` and `weighted_histogram`.

#include <tilewise/axis.hpp>
#include <tilewise/core/arguments.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/output.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/range.hpp>
#include <tilewise/core/sequence.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/engine/call.hpp>
#include <tilewise/engine/histogram.hpp>
#include <tilewise/engine/reduce_by_cell.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>
#include <tilewise/reduce_by_index.hpp>

#include <concepts>
#include <cstdlib>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
/// Counts the samples of the sequence that `begin()` returns in the cells of an axis. Checks the output before it calls
/// `begin()`, because beginning a single-pass view consumes an element.
template <engine::counting how, class Policy, class Begin, class Axis, class Out>
output_end<Out> count_sequence(char const* algorithm, Policy const& policy, Begin const& begin, Axis const& axis,
                               Out&& counts)
{
    return engine::in_call(policy, algorithm, [&](auto on) -> output_end<Out> {
        offset const cells = engine::results_for(on, static_cast<offset>(axis.extent()));
        auto to = tilewise::output_begin<Policy>(algorithm, cells, std::forward<Out>(counts));
        tilewise::check_output(algorithm, offset{0}, cells, to);
        auto samples = begin();
        tilewise::check_sequence(samples);
        return tilewise::output_position<Out>(
            counts, engine::histogram<how>(on, std::move(samples.first), std::move(samples.end), axis, std::move(to)));
    });
}
/// @endcond

/// @addtogroup histogram
/// Counts the samples of a range that fall in each cell of an axis.
///
/// Header `<tilewise/histogram.hpp>`. Overwrites the `axis.extent()` counters that begin at `counts`, and returns their
/// end. The edges that an axis reports define its bins: bin i contains every sample x with edge(i) <= x < edge(i + 1),
/// exactly. The axis determines how samples outside its bins are handled; by default they are not counted. Counts are
/// exact, so they are the same under every policy. A counter that is too narrow counts modulo its range; 64 bits are
/// always enough.
///
/// @par Output
/// `counts` is an output iterator, or a range whose length is checked and whose first elements are overwritten: see
/// @ref tilewise::output.
/// @par Requirements
/// The axis accepts the samples; the axes of the library accept all arithmetic types, and half and bfloat16. seq reads
/// input iterators, par forward iterators; both write through any writable iterator. device reads through random access
/// iterators, and counts in integers of 4 or 8 bytes.
/// @par Complexity
/// At most one call of `axis.index` for each sample, and possibly one more under par, to measure its duration. Samples
/// of one byte may be counted by value first, and each value looked up once. O(extent) steps and memory for each thread
/// of par and for each block of device. The tables of all threads of par together have no more counters than there are
/// samples, unless they are small.
/// @par Errors
/// An exception from the axis or an iterator propagates to the caller; the values of the counters are then unspecified.
/// par and device throw `std::bad_alloc` if there is no memory for tables. device also throws the exceptions of
/// basic_device_policy. The hardened mode throws `std::invalid_argument` if `last` is before `first`, or for a null
/// pointer that would be used.
/// @par Example
/// @snippet reference/histogram.cpp program
/// @{

/// Counts the samples [first, last) in the cells of an axis.
template <execution_policy Policy, any_iterator It, axis Axis, output Out>
output_end<Out> histogram(Policy&& policy, It first, It last, Axis const& axis, Out&& counts)
{
    return tilewise::count_sequence<engine::counting::overwrites>(
        "histogram", policy, [&] { return tilewise::sequence_between("histogram", std::move(first), last); }, axis,
        std::forward<Out>(counts));
}

/// Counts the samples of a range in the cells of an axis.
template <execution_policy Policy, std::ranges::input_range Range, axis Axis, output Out>
output_end<Out> histogram(Policy&& policy, Range&& range, Axis const& axis, Out&& counts)
{
    return tilewise::count_sequence<engine::counting::overwrites>(
        "histogram", policy, [&] { return tilewise::sequence_in<Policy>("histogram", range); }, axis,
        std::forward<Out>(counts));
}

/// Counts the samples [first, last) in the bins of equal width of a regular_axis.
template <execution_policy Policy, any_iterator It, std::integral Bins, class Lower, class Upper, output Out>
output_end<Out> histogram(Policy&& policy, It first, It last, Bins bins, Lower lower, Upper upper, Out&& counts)
{
    return tilewise::histogram(policy, std::move(first), std::move(last), regular_axis(bins, lower, upper),
                               std::forward<Out>(counts));
}

/// Counts the samples of a range in bins of equal width.
template <execution_policy Policy, std::ranges::input_range Range, std::integral Bins, class Lower, class Upper,
          output Out>
output_end<Out> histogram(Policy&& policy, Range&& range, Bins bins, Lower lower, Upper upper, Out&& counts)
{
    return tilewise::histogram(policy, range, regular_axis(bins, lower, upper), std::forward<Out>(counts));
}

/// Counts the samples [first, last) in the bins of a variable_axis with the edges [edges_first, edges_last).
template <execution_policy Policy, any_iterator It, std::input_iterator Edges, output Out>
output_end<Out> histogram(Policy&& policy, It first, It last, Edges edges_first, Edges edges_last, Out&& counts)
{
    return tilewise::histogram(policy, std::move(first), std::move(last), variable_axis(edges_first, edges_last),
                               std::forward<Out>(counts));
}

/// Counts the samples of a range in the bins between given edges.
template <execution_policy Policy, std::ranges::input_range Range, std::ranges::input_range Edges, output Out>
output_end<Out> histogram(Policy&& policy, Range&& range, Edges&& edges, Out&& counts)
{
    return tilewise::histogram(policy, range, variable_axis(edges), std::forward<Out>(counts));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(histogram, begins_with_range)
/// @}

/// @addtogroup histogram_add
/// Adds to the counter of each cell of an axis the number of samples that fall in the cell.
///
/// Header `<tilewise/histogram.hpp>`. Several calls compute the histogram of samples that arrive in parts. The counters
/// are also read, so they must be initialized.
///
/// @par Requirements, complexity, errors
/// As for @ref histogram.
/// @par Example
/// @snippet reference/histogram_add.cpp program
/// @{

/// Adds the counts of the samples [first, last).
template <execution_policy Policy, any_iterator It, axis Axis, output Out>
output_end<Out> histogram_add(Policy&& policy, It first, It last, Axis const& axis, Out&& counts)
{
    return tilewise::count_sequence<engine::counting::adds>(
        "histogram_add", policy, [&] { return tilewise::sequence_between("histogram_add", std::move(first), last); },
        axis, std::forward<Out>(counts));
}

/// Adds the counts of the samples of a range.
template <execution_policy Policy, std::ranges::input_range Range, axis Axis, output Out>
output_end<Out> histogram_add(Policy&& policy, Range&& range, Axis const& axis, Out&& counts)
{
    return tilewise::count_sequence<engine::counting::adds>(
        "histogram_add", policy, [&] { return tilewise::sequence_in<Policy>("histogram_add", range); }, axis,
        std::forward<Out>(counts));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(histogram_add, begins_with_range)
/// @}

/// @cond internals
/// The type in which the weights of a cell are summed: the value type of the output if that is arithmetic, and that of
/// the weights otherwise.
template <class Out, class Weights>
struct sum_of_weights {
    using type = value_of<Weights>;
};
template <class Out, class Weights>
    requires std::is_arithmetic_v<std::iter_value_t<Out>>
struct sum_of_weights<Out, Weights> {
    using type = std::iter_value_t<Out>;
};

/// Returns whether weights keep their values in sums of type T. If not, a static_assert says why.
template <class T, class Weights>
constexpr bool can_sum()
{
    constexpr bool unknown = known::has_device_lambda<Weights>; // the host cannot query its return type
    constexpr bool keeps = unknown || !binning::integer<T> ||
                           !std::floating_point<binning::number_of<decltype(*std::declval<Weights&>())>>;
    static_assert(keeps, "tilewise: weights are converted to the type of the sums, and integers would truncate "
                         "floating-point weights; use floating-point sums, or integral weights");
    return keeps;
}
/// @endcond

/// @addtogroup weighted_histogram
/// Computes, for each cell of an axis, the sum of the weights of the samples that fall in it.
///
/// Header `<tilewise/histogram.hpp>`. `weights` has one weight for each sample. Overwrites the `axis.extent()` elements
/// that begin at `sums`, and returns their end.
///
/// @par Order
/// The sum of a cell is the result of @ref reduce for its weights, in the order of the input, with zero as `init`.
/// Therefore floating-point sums, too, have the same bits under every policy. The sums have the value type of the
/// output, which must not be integral if the weights are floating-point numbers.
/// @par Requirements, errors
/// As for @ref histogram for samples and axis, and as for @ref reduce for weights. A range of samples must be a forward
/// range.
/// @par Complexity
/// As for @ref reduce_by_index.
/// @par Example
/// @snippet reference/weighted_histogram.cpp program
/// @{

/// Sums the weights of the samples [first, last) in the cells of an axis.
template <execution_policy Policy, any_iterator It, any_iterator Weights, axis Axis, output Out>
output_end<Out> weighted_histogram(Policy&& policy, It first, It last, Weights weights, Axis const& axis, Out&& sums)
{
    auto samples = tilewise::sequence_between("weighted_histogram", std::move(first), last, weights);
    return engine::in_call(policy, samples.algorithm, [&](auto on) -> output_end<Out> {
        tilewise::check_sequence(samples);
        auto const cells = static_cast<offset>(axis.extent());
        auto to = tilewise::output_begin<Policy>(samples.algorithm, cells, std::forward<Out>(sums));
        tilewise::check_output(samples.algorithm, offset{0}, cells, to);
        using T = typename sum_of_weights<decltype(to), Weights>::type;
        if constexpr (tilewise::can_sum<T, Weights>())
            return tilewise::output_position<Out>(
                sums,
                engine::reduce_by_cell(samples.algorithm, on, std::move(samples.first), samples.end, std::move(weights),
                                       tilewise::axis_view(axis), std::move(to), T{}, std::plus<>{}));
        else
            std::abort();
    });
}

/// Sums the weights of the samples of a range. There must be at least as many weights as samples.
template <execution_policy Policy, std::ranges::forward_range Range, std::ranges::input_range Weights, axis Axis,
          output Out>
output_end<Out> weighted_histogram(Policy&& policy, Range&& range, Weights&& weights, Axis const& axis, Out&& sums)
{
    tilewise::check_lengths("weighted_histogram", range, weights);
    return tilewise::weighted_histogram(policy, tilewise::begin_of<Policy>(range), tilewise::end_of<Policy>(range),
                                        tilewise::begin_of<Policy>(weights), axis, std::forward<Out>(sums));
}

/// Sums the weights of the samples [first, last) in bins of equal width.
template <execution_policy Policy, any_iterator It, any_iterator Weights, std::integral Bins, class Lower, class Upper,
          output Out>
output_end<Out> weighted_histogram(Policy&& policy, It first, It last, Weights weights, Bins bins, Lower lower,
                                   Upper upper, Out&& sums)
{
    return tilewise::weighted_histogram(policy, std::move(first), std::move(last), std::move(weights),
                                        regular_axis(bins, lower, upper), std::forward<Out>(sums));
}

/// Sums the weights of the samples [first, last) in the bins between the edges [edges_first, edges_last).
template <execution_policy Policy, any_iterator It, any_iterator Weights, std::input_iterator Edges, output Out>
output_end<Out> weighted_histogram(Policy&& policy, It first, It last, Weights weights, Edges edges_first,
                                   Edges edges_last, Out&& sums)
{
    return tilewise::weighted_histogram(policy, std::move(first), std::move(last), std::move(weights),
                                        variable_axis(edges_first, edges_last), std::forward<Out>(sums));
}

/// Sums the weights of the samples of a range in bins of equal width.
template <execution_policy Policy, std::ranges::forward_range Range, std::ranges::input_range Weights,
          std::integral Bins, class Lower, class Upper, output Out>
output_end<Out> weighted_histogram(Policy&& policy, Range&& range, Weights&& weights, Bins bins, Lower lower,
                                   Upper upper, Out&& sums)
{
    return tilewise::weighted_histogram(policy, range, weights, regular_axis(bins, lower, upper),
                                        std::forward<Out>(sums));
}

/// Sums the weights of the samples of a range in the bins between given edges.
template <execution_policy Policy, std::ranges::forward_range Range, std::ranges::input_range Weights,
          std::ranges::input_range Edges, output Out>
output_end<Out> weighted_histogram(Policy&& policy, Range&& range, Weights&& weights, Edges&& edges, Out&& sums)
{
    return tilewise::weighted_histogram(policy, range, weights, variable_axis(edges), std::forward<Out>(sums));
}

/// The overload without a policy runs on the calling thread.
TILEWISE_WITHOUT_POLICY(weighted_histogram, begins_with_range)
/// @}

TILEWISE_NAMESPACE_END
