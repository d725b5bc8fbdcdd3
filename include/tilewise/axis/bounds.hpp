// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What axes have in common: the bins between two edges, and what becomes of samples outside.

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

/// What becomes of samples outside the bins of an axis.
enum class flow {
    drop, ///< they are not counted
    bins, ///< three cells follow the bins: below the first edge, from the last edge on, and NaN
    clamp ///< they count in the first and in the last bin; NaN is not counted
};

/// How an axis takes what is at its ends and outside.
struct axis_options {
    tilewise::flow flow = tilewise::flow::drop; ///< what becomes of samples outside
    bool closed_upper = false;                  ///< the last bin includes the last edge, as NumPy's does
};

/// The cell of a sample that is not counted.
inline constexpr int no_cell = -1;

/// What histograms can have at most, cells outside the bins included.
inline constexpr offset most_cells = std::numeric_limits<int>::max() - 1;

/// @}

namespace binning {
/// @cond internals

/// The cells after the bins under flow::bins.
inline constexpr int flow_cells = 3;

/// Views that find a cell in a few nanoseconds, and call nothing of the user's.
template <class View>
inline constexpr bool is_quick = false;

/// Of these, views that tell the cells of an array of samples faster than one by one.
template <class View, class Sample>
concept indexes_arrays = is_quick<View> && requires(View const& view, Sample const* samples, int* cells) {
    view.index_all(0, samples, cells);
};

/// Simple views, which have `locate(sample)` in place of `index(sample)`.
template <class View>
inline constexpr bool locates = false;

/// The view without what kernels can do without, if it has one: `is_simple()` tells whether it may stand for the view.
template <class View>
concept has_simple_view = requires(View const& view) {
    { view.is_simple() } -> std::convertible_to<bool>;
    view.simplified();
};

/// Calls `visit` with the simple view, if there is one that may stand for `view`, and says so.
template <class View, class Visit>
bool visit_simple_view(View const& view, Visit const& visit)
{
    if constexpr (has_simple_view<View>) {
        if (view.is_simple()) {
            visit(view.simplified());
            return true;
        }
    }
    return false;
}

/// The cell of a sample, if it lies in one; otherwise `cell` is any number.
struct located {
    unsigned cell;
    bool inside;
};

/// Bins between two edges of type A, and what becomes of the rest. Where they are simple, the rest is not counted.
template <class A, bool simple = false>
class bounds {
public:
    bounds(int bins, A lower, A upper, axis_options options)
        : lower_(lower), upper_(upper), bins_(bins), closed_upper_(options.closed_upper)
    {
        if (options.flow == flow::bins) {
            below_ = bins;
            above_ = bins + 1;
            nan_ = bins + 2;
        } else if (options.flow == flow::clamp) {
            below_ = 0;
            above_ = bins - 1;
        }
    }

    template <bool other_is_simple>
        requires(simple && !other_is_simple)
    explicit bounds(bounds<A, other_is_simple> const& other)
        : lower_(other.lower()), upper_(other.upper()), bins_(other.size()), closed_upper_(false)
    {}

    TILEWISE_PORTABLE constexpr A lower() const { return lower_; }
    TILEWISE_PORTABLE constexpr A upper() const { return upper_; }
    TILEWISE_PORTABLE constexpr int size() const { return bins_; }
    TILEWISE_PORTABLE constexpr int extent() const { return nan_ != no_cell ? bins_ + flow_cells : bins_; }

    axis_options options() const
    {
        flow const fate = nan_ != no_cell ? flow::bins : below_ != no_cell ? flow::clamp : flow::drop;
        return {fate, closed_upper_};
    }

    /// Whether a sample outside may be counted all the same.
    TILEWISE_PORTABLE constexpr bool count_outside() const { return below_ != no_cell || closed_upper_; }
    TILEWISE_PORTABLE constexpr bool contain(A value) const { return value >= lower_ && value < upper_; }

    /// The cell of a sample: what `find(value)` says of a value of type A inside, and its fate outside.
    template <class S, class Find>
    TILEWISE_PORTABLE int place(S const& sample, Find const& find) const
    {
        auto const x = binning::number<A>(sample);
        if constexpr (std::integral<A>) {
            if (binning::is_nan(x))
                return nan_;
            if (binning::is_below_all<A>(x))
                return below_;
        }
        A const value = binning::round_down<A>(x);
        bool const inside = contain(value);
        int const bin = find(inside ? value : lower_); // and select: a branch would be one for every sample of a kernel
        return inside ? bin : outside(x, value);
    }

    /// The same without selecting: `find` gets what is outside, too, and says anything.
    template <class S, class Find>
    TILEWISE_PORTABLE located locate(S const& sample, Find const& find) const
        requires simple
    {
        auto const x = binning::number<A>(sample);
        if constexpr (std::integral<A>) {
            if (binning::is_nan(x) || binning::is_below_all<A>(x))
                return {0, false};
        }
        A const value = binning::round_down<A>(x);
        return {static_cast<unsigned>(find(value)), contain(value)};
    }

private:
    template <class X>
    TILEWISE_PORTABLE int outside(X x, A value) const
    {
        int const beyond = value < lower_ ? below_ : above_, fate = binning::is_nan(value) ? nan_ : beyond;
        return closed_upper_ && value == upper_ && binning::is_exact(x, value) ? bins_ - 1 : fate;
    }

    A lower_, upper_;
    int bins_;
    int below_ = no_cell, above_ = no_cell, nan_ = no_cell;
    bool closed_upper_;
};
/// @endcond

/// What axes whose edges are computed have in common: the view that kernels get says it all.
template <class A, class View>
class computed_axis {
public:
    offset size() const { return view_.size(); }                       ///< the number of bins
    offset extent() const { return view_.extent(); }                   ///< the number of cells
    A edge(offset i) const { return view_.edge(static_cast<int>(i)); } ///< the lower edge of bin i; the last edge
    /// the cell of a sample, or no_cell
    template <class S>
    int index(S const& sample) const
    {
        return view_.index(sample);
    }
    /// all of them, one more than bins
    std::vector<A> edges() const
    {
        std::vector<A> result(static_cast<std::size_t>(size() + 1));
        for (offset i = 0; i <= size(); ++i)
            result[static_cast<std::size_t>(i)] = edge(i);
        return result;
    }
    View view() const { return view_; } ///< for kernels

    /// @cond internals
protected:
    explicit computed_axis(View const& view) : view_(view) {}
    /// @endcond

private:
    View view_;
};

} // namespace binning
TILEWISE_NAMESPACE_END
