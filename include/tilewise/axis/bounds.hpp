// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The common parts of all axes: the bins between two edges, and the handling of samples outside.

#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

TILEWISE_NAMESPACE_BEGIN

/// @addtogroup axes
/// @{

/// How an axis handles samples outside its bins.
enum class flow {
    drop, ///< they are not counted
    bins, ///< three cells follow the bins: underflow (below the first edge), overflow (from the last edge on), NaN
    clamp ///< they are counted in the first or the last bin; NaN is not counted
};

/// How an axis handles samples that are outside its bins or equal to its last edge.
struct axis_options {
    tilewise::flow flow = tilewise::flow::drop; ///< how samples outside are handled
    bool closed_upper = false;                  ///< whether the last bin includes the last edge, as in NumPy
};

/// The cell of a sample that is not counted.
inline constexpr int no_cell = -1;

/// The maximum number of cells of a histogram, including cells outside the bins.
inline constexpr offset most_cells = std::numeric_limits<int>::max() - 1;

/// @}

namespace binning {
/// @cond internals

/// The number of cells after the bins under flow::bins.
inline constexpr int flow_cells = 3;

/// Whether a view finds a cell in a few nanoseconds, and calls no code of the user.
template <class View>
inline constexpr bool is_quick = false;

/// A quick view that finds the cells of an array of samples faster than one by one.
template <class View, class Sample>
concept indexes_arrays = is_quick<View> && requires(View const& view, Sample const* samples, int* cells) {
    view.index_all(0, samples, cells);
};

/// The forms of a view.
enum class form {
    general,    ///< for every axis: has `index(sample)`
    branchless, ///< for kernels that count in tables: has `locate(sample)`, and handles samples outside by selections
    simple      ///< likewise, without the selections: samples outside are not counted
};

/// Whether a view has `locate(sample)` instead of `index(sample)`.
template <class View>
inline constexpr bool locates = false;

/// A view that has a simple form. `is_simple()` returns whether the form can replace the view.
template <class View>
concept has_simple_form = requires(View const& view) {
    { view.is_simple() } -> std::convertible_to<bool>;
    view.simple_form();
};

/// A view that has a branchless form. `is_branchless()` returns whether the form can replace the view.
template <class View>
concept has_branchless_form = requires(View const& view) {
    { view.is_branchless() } -> std::convertible_to<bool>;
    view.branchless_form();
};

/// Whether the branchless form can replace almost every view of a type. For the few others, kernels that count in
/// tables are not compiled.
template <class View>
inline constexpr bool is_mostly_branchless = false;

/// Calls `visit` with the simple form of a view if it can replace the view, and returns whether it did. Views with
/// tables are left out: their forms are for kernels that copy the tables to shared memory.
template <class View, class Visit>
bool visit_simple_view(View const& view, Visit const& visit)
{
    if constexpr (has_simple_form<View> && is_mostly_branchless<View>) {
        if (view.is_simple()) {
            visit(view.simple_form());
            return true;
        }
    }
    return false;
}

/// The cell of a sample if it is inside a cell; otherwise `cell` is unspecified.
struct located {
    unsigned cell;
    bool inside;
};

/// Bins between two edges of type A, and the handling of samples outside.
template <class A, form of = form::general>
class bounds {
public:
    bounds(int bins, A lower, A upper, axis_options options)
        : lower_(lower), upper_(upper), end_(upper), bins_(bins), closed_upper_(options.closed_upper)
    {
        if (options.flow == flow::bins) {
            below_ = bins;
            above_ = bins + 1;
            nan_ = bins + 2;
        } else if (options.flow == flow::clamp) {
            below_ = 0;
            above_ = bins - 1;
        }
        if constexpr (std::floating_point<A>) {
            if (closed_upper_)
                end_ = -binning::next_below(-upper);
        }
    }

    /// Another form of the same bounds. A simple one requires that samples out of range are not counted.
    template <form other>
        requires(of != form::general && other == form::general)
    explicit bounds(bounds<A, other> const& general)
        : lower_(general.lower_), upper_(general.upper_), end_(general.end_), bins_(general.bins_),
          below_(general.below_), above_(general.above_), nan_(general.nan_), closed_upper_(general.closed_upper_)
    {}

    TILEWISE_PORTABLE constexpr A lower() const { return lower_; }
    TILEWISE_PORTABLE constexpr A upper() const { return upper_; }
    TILEWISE_PORTABLE constexpr int size() const { return bins_; }
    TILEWISE_PORTABLE constexpr int extent() const
    {
        if constexpr (of == form::simple)
            return bins_;
        return nan_ != no_cell ? bins_ + flow_cells : bins_;
    }

    axis_options options() const
    {
        flow const out_of_range = nan_ != no_cell ? flow::bins : below_ != no_cell ? flow::clamp : flow::drop;
        return {out_of_range, closed_upper_};
    }

    /// Returns whether samples below or above the bins may be counted.
    TILEWISE_PORTABLE constexpr bool count_out_of_range() const { return below_ != no_cell; }
    /// Returns whether a sample outside [lower, upper) may be counted.
    TILEWISE_PORTABLE constexpr bool count_outside() const { return count_out_of_range() || closed_upper_; }

    /// Returns the cell of a sample: the result of `find(value)`, with a value of type A, if the sample is inside the
    /// bins, and otherwise the cell that the options give it.
    template <class S, class Find>
    TILEWISE_PORTABLE int cell_of(S const& sample, Find const& find) const
    {
        auto const x = binning::number<A>(sample);
        if constexpr (std::integral<A>) {
            if (binning::is_nan(x))
                return nan_;
            if (binning::is_below_all<A>(x))
                return below_;
        }
        A const value = binning::round_down<A>(x);
        bool const inside = value >= lower_ && value < upper_;
        int const bin = find(inside ? value : lower_); // a select, since kernels would branch for each sample
        return inside ? bin : outside(x, value);
    }

    /// Finds the same cell without branches, if A is a floating-point type: `find` also gets values outside the bins,
    /// for which it may return anything. At the upper edge it returns the last bin.
    template <class S, class Find>
    TILEWISE_PORTABLE located locate(S const& sample, Find const& find) const
        requires(of != form::general)
    {
        auto const x = binning::number<A>(sample);
        if constexpr (std::integral<A>) {
            if (binning::is_nan(x))
                return located_in(nan_);
            if (binning::is_below_all<A>(x))
                return located_in(below_);
        }
        A const value = binning::round_down<A>(x);
        int const bin = find(value);
        bool const is_from_lower = value >= lower_, is_before_end = before_end(x, value);
        if constexpr (of == form::simple) {
            return {static_cast<unsigned>(bin), is_from_lower && is_before_end};
        } else {
            int cell = is_before_end ? bin : above_;
            cell = is_from_lower ? cell : below_;
            return located_in(binning::is_nan(value) ? nan_ : cell);
        }
    }

private:
    template <class, form>
    friend class bounds;

    template <class X>
    TILEWISE_PORTABLE int outside(X x, A value) const
    {
        int const beyond = value < lower_ ? below_ : above_, out_of_range = binning::is_nan(value) ? nan_ : beyond;
        return closed_upper_ && value == upper_ && binning::is_exact(x, value) ? bins_ - 1 : out_of_range;
    }
    /// Returns whether a sample, whose value is rounded down, is not above the bins. False for NaN.
    template <class X>
    TILEWISE_PORTABLE bool before_end(X x, A value) const
    {
        if constexpr (std::floating_point<A>)
            return value < (binning::is_exact(x, value) ? end_ : upper_);
        else
            return value < upper_ || (closed_upper_ && value == upper_ && binning::is_exact(x, value));
    }
    TILEWISE_PORTABLE located located_in(int cell) const
    {
        auto const number = static_cast<unsigned>(cell); // with `extent()` for other samples, one minimum of the two
        return {number, number < static_cast<unsigned>(extent())};
    }

    A lower_, upper_;
    A end_; ///< if A is a floating-point type: the number after the last one in the bins
    int bins_;
    int below_ = no_cell, above_ = no_cell, nan_ = no_cell;
    bool closed_upper_;
};
/// @endcond

/// The base of axes whose edges are computed. The view for kernels holds all their data.
template <class A, class View>
class computed_axis {
public:
    offset size() const { return view_.size(); }                       ///< the number of bins
    offset extent() const { return view_.extent(); }                   ///< the number of cells
    A edge(offset i) const { return view_.edge(static_cast<int>(i)); } ///< edge i of 0 to size()
    /// Returns the cell of a sample, or no_cell.
    template <class S>
    int index(S const& sample) const
    {
        return view_.index(sample);
    }
    /// Returns all edges, one more than there are bins.
    std::vector<A> edges() const
    {
        std::vector<A> result(static_cast<std::size_t>(size() + 1));
        for (offset i = 0; i <= size(); ++i)
            result[static_cast<std::size_t>(i)] = edge(i);
        return result;
    }
    View view() const { return view_; } ///< the view for kernels

    /// @cond internals
protected:
    explicit computed_axis(View const& view) : view_(view) {}
    /// @endcond

private:
    View view_;
};

} // namespace binning
TILEWISE_NAMESPACE_END
