// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// What axes have in common: samples are compared with edges exactly, whatever their types, and what lies outside has
/// one of a few fates.

#include <tilewise/core/config.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
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

/// @name Integers
/// Of 128 bits, too, which is none to the standard library in its strict mode.
/// @{
#ifdef __SIZEOF_INT128__
__extension__ using wide_signed = __int128;
__extension__ using wide_unsigned = unsigned __int128;
#else
using wide_signed = std::intmax_t;
using wide_unsigned = std::uintmax_t;
#endif
template <class I>
concept integer = std::integral<I> || std::same_as<I, wide_signed> || std::same_as<I, wide_unsigned>;
/// Numbers of these kinds.
template <class S>
concept arithmetic = integer<S> || std::floating_point<S>;
template <integer I>
inline constexpr bool has_sign = std::is_same_v<I, wide_signed> || std::is_signed_v<I>;
/// @}

/// Half precision of any library: its numbers are exact as float.
template <class S>
concept small_float =
    !std::is_arithmetic_v<S> && !std::is_enum_v<S> && sizeof(S) == 2 && requires(S const& x) { static_cast<float>(x); };

/// Of a class, or what stands for an element, that is a number of one type without being asked for another.
template <class S>
concept promotes =
    std::is_class_v<S> && requires(S const& x) { requires arithmetic<std::remove_cvref_t<decltype(+x)>>; };

/// A sample as an arithmetic type that has its value: of an enumeration, or a class, the type that it stands for. A
/// class that stands for several, or converts only where it is asked to, is converted to A.
TILEWISE_CALLS_ANY
template <class A, class S>
TILEWISE_PORTABLE constexpr auto number(S const& x)
{
    if constexpr (arithmetic<S>)
        return x;
    else if constexpr (std::is_enum_v<S>)
        return static_cast<std::underlying_type_t<S>>(x);
    else if constexpr (promotes<S>)
        return +x;
    else if constexpr (small_float<S>)
        return static_cast<float>(x);
    else
        return static_cast<A>(x);
}

/// The type of that number, or void where there is none.
template <class S>
struct number_type {
    using type = void;
};
template <class S>
    requires(arithmetic<S> || std::is_enum_v<S> || small_float<S> || promotes<S>)
struct number_type<S> {
    using type = decltype(binning::number<offset>(std::declval<S const&>()));
};
template <class S>
using number_of = typename number_type<std::remove_cvref_t<S>>::type;

/// a < b, whatever their signs.
template <integer A, integer B>
TILEWISE_PORTABLE constexpr bool less(A a, B b)
{
    using wide = std::conditional_t<(sizeof(A) > 8 || sizeof(B) > 8), wide_unsigned, std::uintmax_t>;
    if constexpr (has_sign<A> == has_sign<B>)
        return a < b;
    else if constexpr (has_sign<A>)
        return a < 0 || static_cast<wide>(a) < b;
    else
        return b >= 0 && a < static_cast<wide>(b);
}

/// @name Numbers of a type
/// Constants: kernels cannot call the functions of numeric_limits.
/// @{
template <class A>
inline constexpr A least = std::numeric_limits<A>::lowest();
template <class A>
inline constexpr A largest = std::numeric_limits<A>::max();
template <class A>
inline constexpr A nearest_to_zero = std::numeric_limits<A>::denorm_min();
/// @}

template <integer I>
inline constexpr int digits = static_cast<int>(8 * sizeof(I)) - (has_sign<I> ? 1 : 0);
/// The first power of two that is too large for an integral type.
template <integer I, std::floating_point F>
inline constexpr F above = static_cast<F>(wide_unsigned{1} << (digits<I> / 2)) *
                           static_cast<F>(wide_unsigned{1} << (digits<I> - digits<I> / 2));
/// Whether that is finite: 2^128 is not as float.
template <class I, std::floating_point F>
inline constexpr bool reaches_above = true;
template <integer I, std::floating_point F>
inline constexpr bool reaches_above<I, F> = digits<I> < std::numeric_limits<F>::max_exponent;

template <class X>
TILEWISE_PORTABLE constexpr bool is_nan(X x)
{
    if constexpr (std::is_floating_point_v<X>)
        return x != x;
    else
        return false;
}

/// The number of its type next below a finite one or infinity.
template <std::floating_point A>
TILEWISE_PORTABLE A next_below(A x)
{
    if constexpr (sizeof(A) > 8) {
        return std::nextafter(x, -std::numeric_limits<A>::infinity());
    } else {
        using bits_type = std::conditional_t<sizeof(A) == 4, std::int32_t, std::int64_t>;
        if (x == 0)
            return -nearest_to_zero<A>;
        bits_type bits;
        std::memcpy(&bits, &x, sizeof x);
        bits += x > 0 ? -1 : 1;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
}

/// Whether a number is below all of an integral type.
template <std::integral A, class X>
TILEWISE_PORTABLE constexpr bool is_below_all(X x)
{
    if constexpr (integer<X>)
        return binning::less(x, least<A>);
    else
        return x < static_cast<X>(least<A>);
}

/// Whether all numbers of type X are numbers of type A, as far as those reach.
template <std::floating_point A, class X>
inline constexpr bool has_digits_for = std::numeric_limits<X>::digits <= std::numeric_limits<A>::digits;
template <std::floating_point A, integer X>
inline constexpr bool has_digits_for<A, X> = digits<X> <= std::numeric_limits<A>::digits;

/// The largest number of type A that is not above `x`, so that `edge <= x` is `edge <= round_down<A>(x)` for every edge
/// of type A: comparisons are exact, though the sample is rounded. NaN stays NaN; for an integral A `x` is not NaN and
/// not below all.
template <class A, class X>
TILEWISE_PORTABLE A round_down(X x)
{
    if constexpr (std::is_same_v<A, X>) {
        return x;
    } else if constexpr (std::integral<A> && integer<X>) {
        return binning::less(largest<A>, x) ? largest<A> : static_cast<A>(x);
    } else if constexpr (std::integral<A>) {
        return x >= above<A, X> ? largest<A> : static_cast<A>(std::floor(x));
    } else if constexpr (has_digits_for<A, X>) {
        return static_cast<A>(x);
    } else if constexpr (integer<X> && !reaches_above<X, A>) {
        return binning::round_down<A>(binning::round_down<double>(x));
    } else {
        A const nearest = static_cast<A>(x);
        bool is_above = false;
        if constexpr (integer<X>)
            is_above = nearest >= above<X, A> || static_cast<X>(nearest) > x;
        else
            is_above = static_cast<X>(nearest) > x;
        return is_above ? binning::next_below(nearest) : nearest;
    }
}

/// Whether `rounded`, which is round_down<A>(x), is `x`.
template <class A, class X>
TILEWISE_PORTABLE constexpr bool is_exact(X x, A rounded)
{
    if constexpr (std::is_same_v<A, X>)
        return true;
    else if constexpr (std::integral<A> && integer<X>)
        return !binning::less(x, rounded) && !binning::less(rounded, x);
    else if constexpr (std::integral<A>)
        return x < above<A, X> && x == std::floor(x);
    else if constexpr (integer<X> && !reaches_above<X, A>)
        return binning::is_exact<double>(x, static_cast<double>(rounded));
    else if constexpr (integer<X>)
        return rounded < above<X, A> && static_cast<X>(rounded) == x;
    else
        return static_cast<X>(rounded) == x;
}

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

/// @cond internals
/// @name Checks of constructors
/// @{
template <class X>
std::string text_of(X x)
{
    if constexpr (std::integral<X> && !std::is_same_v<X, decltype(+x)>) { // of bool and wide characters there is none
        return binning::text_of(+x);
    } else if constexpr (integer<X> && sizeof(X) > sizeof(offset)) {
        return binning::text_of(static_cast<double>(x));
    } else {
        char buffer[64];
        auto const end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
        return {static_cast<char const*>(buffer), static_cast<char const*>(end)};
    }
}

/// The number of cells of an axis that may be a user's.
inline void check_cells(char const* algorithm, offset cells)
{
    if (cells < 0 || cells > most_cells)
        reject_argument(algorithm, "an axis can have at most 2^31 - 2 cells, not " + text_of(cells));
}

/// The number of bins, of any integral type.
template <std::integral B>
int checked_bins(char const* axis, B bins)
{
    if (!binning::less(0, bins))
        tilewise::reject_argument(axis, "there must be at least one bin, not " + binning::text_of(bins));
    if (binning::less(most_cells - flow_cells, bins))
        tilewise::reject_argument(axis, "there can be at most 2^31 - 5 bins, not " + binning::text_of(bins));
    return static_cast<int>(bins);
}

/// An edge as type A. What A cannot hold is rejected, but rounded if A is a floating-point type.
template <class A, class X>
A checked_edge(char const* axis, X const& edge)
{
    auto const x = binning::number<A>(edge);
    bool has_value = true;
    if constexpr (integer<A> && std::floating_point<decltype(x)>)
        has_value = x >= static_cast<decltype(x)>(least<A>) && x < above<A, std::remove_const_t<decltype(x)>> &&
                    x == std::floor(x);
    else if constexpr (integer<A>)
        has_value = !binning::less(x, least<A>) && !binning::less(largest<A>, x);
    if (!has_value)
        tilewise::reject_argument(axis, "the edge " + binning::text_of(x) + " is not a number of the axis' type");
    return static_cast<A>(x);
}

/// A bound as type A. Integers must have exactly that value.
template <class A, class X>
A checked_bound(char const* axis, X x)
{
    A const bound = static_cast<A>(binning::number<A>(x));
    if constexpr (std::integral<X> && std::floating_point<A>) {
        if (!binning::is_exact(x, bound))
            tilewise::reject_argument(axis, "the bound " + binning::text_of(x) + " is not a number of the axis' type");
    } else if constexpr (std::integral<X>) {
        if (binning::less(bound, x) || binning::less(x, bound))
            tilewise::reject_argument(axis, "the bound " + binning::text_of(x) + " is not a number of the axis' type");
    }
    if constexpr (std::floating_point<A>) {
        if (!(bound - bound == 0))
            tilewise::reject_argument(axis, "the bound " + binning::text_of(bound) + " is not finite");
    }
    return bound;
}

template <class A>
void check_bounds(char const* axis, A lower, A upper)
{
    if (!(lower < upper))
        tilewise::reject_argument(axis, "lower (" + binning::text_of(lower) + ") must be less than upper (" +
                                            binning::text_of(upper) + ")");
}
/// @}

/// The type of an axis between bounds of these types: floating-point ones as they are, half precision as float, and
/// integers as double.
template <class L, class U = L, class B = std::common_type_t<L, U>>
using floating_bound = std::conditional_t<std::is_floating_point_v<B> && sizeof(B) >= sizeof(float), B,
                                          std::conditional_t<std::is_integral_v<B>, double, float>>;

/// The type of an axis between edges of type E: half precision becomes float.
template <class E>
using edge_of =
    std::conditional_t<(std::is_floating_point_v<E> && sizeof(E) < sizeof(float)) || small_float<E>, float, E>;

/// Whether an axis can have edges of type A. If not, one sentence says why.
template <class A>
constexpr bool can_be_edges()
{
    constexpr bool numbers = !std::is_same_v<A, bool>;
    constexpr bool wide_enough = !std::is_floating_point_v<A> || sizeof(A) >= sizeof(float);
    constexpr bool narrow_enough = !std::is_integral_v<A> || sizeof(A) <= sizeof(offset);
    static_assert(numbers,
                  "tilewise: the edges of an axis are numbers, and bool is none; use an axis of int, which takes "
                  "samples of bool");
    static_assert(wide_enough,
                  "tilewise: an axis of half precision cannot compute its bins; use float, which has all its "
                  "numbers, and takes its samples");
    static_assert(narrow_enough, "tilewise: the edges of an axis have at most 64 bits");
    return numbers && wide_enough && narrow_enough;
}

/// @endcond
} // namespace binning
TILEWISE_NAMESPACE_END
