// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// regular_axis: bins of equal width.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/config.hpp>
#include <tilewise/error.hpp>
#include <tilewise/host/opaque.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/arch.cuh>
#endif

#include <algorithm>
#include <concepts>
#include <limits>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace binning {

/// A product that is never fused with a sum.
template <std::floating_point A>
TILEWISE_PORTABLE A product(A a, A b)
{
#ifdef TILEWISE_IN_KERNELS
    return gpu::multiply_rounded(a, b);
#elif defined(TILEWISE_STRICT_FP) || (defined(__x86_64__) && !defined(__FMA__) && !defined(__FMA4__))
    return a * b;
#else
    if constexpr (sizeof(A) == 4) { // exact in double: nothing is left to fuse, and vectors stay vectors
        return static_cast<A>(static_cast<double>(a) * static_cast<double>(b));
    } else {
        A result = a * b;
        host::make_opaque(result);
        return result;
    }
#endif
}

/// The bins of a regular axis. They are found by a multiplication whose result is never too high, and sometimes too
/// low, since it is taken from a little above `lower` and a little too small; what it misses the edges tell.
///
/// Why it is never too high, with u half an epsilon, M the larger of |lower| and |upper|, and h the exact width of a
/// bin: edge(i) is at most lower + i h + 12 u M, by the roundings that make it (the step's three, each u of i h, which
/// is at most 2 M; the product's; the sum's. Bins that are too many for A to count exactly have edges that coincide).
/// The guess is g only if (x - origin) / h >= g, as `bins_per_unit` is less than 1 / h by more than the roundings of
/// the guess can add, 2 u. So x >= origin + g h >= edge(g), if origin >= lower + 12 u M. A step below the normal
/// numbers is rounded more coarsely: by 4 u where 1 / h is finite, which the 16 u M of `origin` cover, and otherwise
/// `bins_per_unit` is less than 1 / step, too.
///
/// Why it is too low by one at most where `is_close_`: edge(k) is at least lower + k h - 12 u M, and origin at most
/// lower + 18 u M, of which the latter is at most h / 8 there, and hence the former, too. So, for x >= edge(k), (x -
/// origin) / h >= k - 1/4; and what the guess loses to roundings is at most 16 u k, where k < bins <= 2 M / h, and 16 u
/// M <= h / 8: at most 1/4.
///
/// Simple bins are few enough for a quick way to round, close, and all that is counted. Their code in a kernel is a
/// sixth, and has no branches.
template <std::floating_point A, bool simple = false>
class regular_bins {
public:
    regular_bins(int bins, A lower, A upper, axis_options options)
        : bounds_(bins, lower, upper, options), step_((upper - lower) / static_cast<A>(bins))
    {
        using limits = std::numeric_limits<A>;
        A const u = limits::epsilon() / 2;
        A const largest = std::max(lower < 0 ? -lower : lower, upper < 0 ? -upper : upper);
        origin_ = lower + (16 * u * largest + 4 * limits::denorm_min());
        A const quotient = std::min(static_cast<A>(bins) / (upper - lower), limits::max());
        bins_per_unit_ = next_below(quotient * (1 - 8 * u));
        is_close_ = step_ >= limits::min() && origin_ - lower <= step_ / 8;
    }

    template <bool other_is_simple>
        requires(simple && !other_is_simple)
    explicit regular_bins(regular_bins<A, other_is_simple> const& other)
        : bounds_(other.bounds_), step_(other.step_), origin_(other.origin_), bins_per_unit_(other.bins_per_unit_),
          is_close_(true)
    {}
    bool is_simple() const
        requires(!simple)
    {
        return is_close_ && size() <= most_simple_bins && !bounds_.count_outside();
    }
    regular_bins<A, true> simplified() const
        requires(!simple)
    {
        return regular_bins<A, true>(*this);
    }

    TILEWISE_PORTABLE int size() const { return bounds_.size(); }
    TILEWISE_PORTABLE int extent() const { return bounds_.extent(); }
    TILEWISE_PORTABLE A edge(int i) const
    {
        return i == bounds_.size() ? bounds_.upper() : bounds_.lower() + product(static_cast<A>(i), step_);
    }
    template <class S>
    TILEWISE_PORTABLE int index(S const& sample) const
    {
        return bounds_.place(sample, [this](A x) { return find(x); });
    }

    /// The cells of `count` samples, in a loop that compilers turn into vector instructions, and what lies outside in a
    /// second one.
    void index_all(int count, A const* samples, int* cells) const
    {
        if (!is_close_) {
            for (int i = 0; i < count; ++i)
                cells[i] = index(samples[i]);
            return;
        }
        A const lower = bounds_.lower(), upper = bounds_.upper(), last = static_cast<A>(bounds_.size() - 1);
        int outside = 0;
        for (int i = 0; i < count; ++i) {
            A const x = samples[i];
            int const inside = -(static_cast<int>(x >= lower) & static_cast<int>(x < upper));
            A guess = (x - origin_) * bins_per_unit_;
            guess = guess > 0 ? guess : 0; // NaN, too
            int const bin = static_cast<int>(guess < last ? guess : last);
            cells[i] = ((bin + reaches(x, bin + 1, last)) & inside) | (no_cell & ~inside);
            outside |= ~inside;
        }
        if (outside != 0 && bounds_.count_outside()) {
            for (int i = 0; i < count; ++i)
                if (cells[i] == no_cell)
                    cells[i] = index(samples[i]);
        }
    }

private:
    /// Whether `x` is at or above edge i, which is none but the last; without a branch.
    int reaches(A x, int i, A last) const
    {
        A const number = static_cast<A>(i);
        return static_cast<int>(number <= last) & static_cast<int>(x >= bounds_.lower() + product(number, step_));
    }
    TILEWISE_PORTABLE int find(A x) const
    {
        int const last = bounds_.size() - 1;
#ifdef TILEWISE_IN_KERNELS
        if constexpr (simple) {
            static_assert(most_simple_bins <= gpu::most_of_floor);
            auto const guess = gpu::floor_of_product(x - origin_, bins_per_unit_);
            bool const reaches_next = x >= bounds_.lower() + product(guess.next, step_);
            return guess.index + (reaches_next && guess.index < last ? 1 : 0);
        }
#endif
        A const guess = (x - origin_) * bins_per_unit_;
        int bin = guess > 0 ? guess < static_cast<A>(last) ? static_cast<int>(guess) : last : 0;
        TILEWISE_AS_IT_STANDS
        while (bin < last && x >= bounds_.lower() + product(static_cast<A>(bin + 1), step_))
            ++bin;
        return bin;
    }

    template <std::floating_point, bool>
    friend class regular_bins;
    static constexpr int most_simple_bins = 1 << 22;

    bounds<A, simple> bounds_;
    A step_, origin_, bins_per_unit_;
    bool is_close_; ///< a guess is never too low by more than one
};

template <class A>
inline constexpr bool is_quick<regular_bins<A>> = true;

} // namespace binning

/// Bins of equal width between two bounds.
///
/// edge(i) is `lower + i * step` with `step = (upper - lower) / bins`, where every operation is rounded to A, and
/// edge(bins) is `upper`. The bins are defined by these edges: bin i has every sample x with edge(i) <= x < edge(i +
/// 1), exactly, of whatever type x is. Bounds of integral types make an axis of double, those of half precision one of
/// float.
template <std::floating_point A = double>
class regular_axis : public binning::computed_axis<A, binning::regular_bins<A>> {
public:
    /// Throws `std::invalid_argument` without bins, if a bound is not finite or no number of type A, if the width is
    /// not finite, if `lower` is not less than `upper`, or if two edges coincide.
    template <std::integral B, class L, class U>
    regular_axis(B bins, L lower, U upper, axis_options options = {})
        : binning::computed_axis<A, binning::regular_bins<A>>(
              checked_view(binning::checked_bins(name, bins), binning::checked_bound<A>(name, lower),
                           binning::checked_bound<A>(name, upper), options))
    {}

private:
    static constexpr char const* name = "regular_axis";

    static binning::regular_bins<A> checked_view(int bins, A lower, A upper, axis_options options)
    {
        using binning::text_of;
        binning::check_bounds(name, lower, upper);
        if (!(upper - lower <= std::numeric_limits<A>::max()))
            reject_argument(name, "upper (" + text_of(upper) + ") - lower (" + text_of(lower) + ") is not finite");
        binning::regular_bins<A> const view(bins, lower, upper, options);
        A const largest = std::max(lower < 0 ? -lower : lower, upper < 0 ? -upper : upper);
        A const step = (upper - lower) / static_cast<A>(bins);
        bool const apart = step > 4 * std::numeric_limits<A>::epsilon() * largest && // by more than roundings take
                           step >= std::numeric_limits<A>::min();
        for (int i = 0; !apart && i < bins; ++i)
            if (!(view.edge(i) < view.edge(i + 1)))
                reject_argument(name, "edges " + text_of(i) + " and " + text_of(i + 1) + " coincide at " +
                                          text_of(view.edge(i)) + ": there are too many bins for the type");
        return view;
    }
};

template <std::integral B, class L, class U>
regular_axis(B, L, U, axis_options = {}) -> regular_axis<binning::floating_bound<L, U>>;

TILEWISE_NAMESPACE_END
