// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `regular_axis`: bins of equal width.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#ifdef TILEWISE_DEVICE_ENGINE
#include <tilewise/device/cuda/arch.cuh>
#endif

#include <concepts>
#include <limits>

TILEWISE_NAMESPACE_BEGIN
/// @cond internals
namespace binning {

/// Returns a product that is never fused with an addition.
template <std::floating_point A>
TILEWISE_PORTABLE A product(A a, A b)
{
#ifdef TILEWISE_IN_KERNELS
    return gpu::multiply_rounded(a, b);
#elif defined(TILEWISE_STRICT_FP) || (defined(__x86_64__) && !defined(__FMA__) && !defined(__FMA4__))
    return a * b;
#else
    if constexpr (sizeof(A) == 4) { // exact in double: there is nothing to fuse, and loops stay vectorized
        return static_cast<A>(static_cast<double>(a) * static_cast<double>(b));
    } else {
        A result = a * b;
        host::make_opaque(result);
        return result;
    }
#endif
}

/// The bins of a regular axis. A multiplication yields a guess of the bin that is never too high but sometimes too low,
/// because it uses an origin slightly above `lower` and a factor that is slightly too small. Comparisons with edges
/// correct the guess.
///
/// Why the guess is never too high, with u half an epsilon and h the exact width of a bin: edge(i) is computed with two
/// roundings of the step, one of the product, and one of the sum, which is at most u |lower| + u i h. So edge(i) is at
/// most lower + u |lower| + (1 + 4 u) i h. `origin` is at least lower + u |lower|. Hence, if x were below edge(g), the
/// guess, whose difference and product are rounded, would be less than (1 + 6 u) g h bins_per_unit, and thus less than
/// g, since bins_per_unit is at most (1 - 7 u) / h. (A subnormal step is rounded more coarsely; bins_per_unit is then
/// for bins that are wider by that much. If there are too many bins for A to count exactly, edges coincide.)
///
/// Why the guess is too low by at most one if `is_close`: edge(k) is at least lower - u |lower| + (1 - 4 u) k h, origin
/// is at most lower + 2 u |lower|, and bins_per_unit is at least (1 - 9 u) / h. So, for x at or above edge(k), the
/// guess before truncation is at least (1 - 14 u) k - 3 u |lower| / h, or (1 - 15 u) k - ... if the product is rounded.
/// That is more than k - 1 if 15 u bins + 3 u |lower| / h < 1.
///
/// Branchless bins are few enough for a fast rounding and satisfy `is_close`. Simple ones also do not count samples out
/// of range. Their code in a kernel is a tenth of the size, and has no branches.
template <std::floating_point A, form of = form::general>
class regular_bins {
public:
    regular_bins(int bins, A lower, A upper, axis_options options)
        : bounds_(bins, lower, upper, options), step_((upper - lower) / static_cast<A>(bins))
    {
        using limits = std::numeric_limits<A>;
        using wide = long double;
        constexpr bool is_wider = std::numeric_limits<wide>::digits >= limits::digits + 4;
        constexpr wide u = limits::epsilon() / 2;
        wide const coarser = step_ < limits::min() ? limits::denorm_min() : 0;
        wide const width = (wide{upper} - wide{lower}) / static_cast<wide>(bins) + coarser;
        wide const quotient = (1 - (is_wider ? 7 : 12) * u) / width; // five more roundings if it is not wider
        A const nearest = quotient < limits::max() ? static_cast<A>(quotient) : limits::max();
        origin_ = -binning::next_below(-lower);
        bins_per_unit_ = nearest > quotient ? binning::next_below(nearest) : nearest;
        is_close_ = is_close(is_wider ? 15 : 25);
    }

    template <form other>
        requires(of != form::general && other == form::general)
    explicit regular_bins(regular_bins<A, other> const& general)
        : bounds_(general.bounds_), step_(general.step_), origin_(general.origin_),
          bins_per_unit_(general.bins_per_unit_), is_close_(true)
    {}
    bool is_branchless() const
        requires(of == form::general)
    {
        return (is_close_ || is_close(14)) && size() <= most_branchless_bins;
    }
    regular_bins<A, form::branchless> branchless_form() const
        requires(of == form::general)
    {
        return regular_bins<A, form::branchless>(*this);
    }
    bool is_simple() const
        requires(of == form::general)
    {
        return is_branchless() && !bounds_.count_out_of_range();
    }
    regular_bins<A, form::simple> simple_form() const
        requires(of == form::general)
    {
        return regular_bins<A, form::simple>(*this);
    }

    axis_options options() const { return bounds_.options(); }
    TILEWISE_PORTABLE int size() const { return bounds_.size(); }
    TILEWISE_PORTABLE int extent() const { return bounds_.extent(); }
    TILEWISE_PORTABLE A edge(int i) const
    {
        return i == bounds_.size() ? bounds_.upper() : bounds_.lower() + binning::product(static_cast<A>(i), step_);
    }
    template <class S>
    TILEWISE_PORTABLE int index(S const& sample) const
        requires(of == form::general)
    {
        return bounds_.cell_of(sample, [this](A x) { return find(x); });
    }
    template <class S>
    TILEWISE_PORTABLE located locate(S const& sample) const
        requires(of != form::general)
    {
        return bounds_.locate(sample, [this](A x) { return find(x); });
    }

    /// Finds the cells of `count` samples in a loop that compilers vectorize, and handles samples outside the bins in a
    /// second loop.
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
            guess = guess > 0 ? guess : 0; // also if it is NaN
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
    /// Returns whether a guess is never too low by more than one. `roundings` is the factor of u bins in the bound of
    /// its error.
    bool is_close(int roundings) const
    {
        constexpr A u = std::numeric_limits<A>::epsilon() / 2;
        A const lower = bounds_.lower() < 0 ? -bounds_.lower() : bounds_.lower();
        return step_ >= std::numeric_limits<A>::min() &&
               u * (static_cast<A>(roundings) * static_cast<A>(size()) + A(3.1) * lower / step_) < A(0.99);
    }
    /// Returns 1 if `x` is at or above edge i and edge i is not the last one, and 0 otherwise, without a branch.
    int reaches(A x, int i, A last) const
    {
        A const number = static_cast<A>(i);
        return static_cast<int>(number <= last) &
               static_cast<int>(x >= bounds_.lower() + binning::product(number, step_));
    }
    TILEWISE_PORTABLE int find(A x) const
    {
        int const last = bounds_.size() - 1;
#ifdef TILEWISE_IN_KERNELS
        if constexpr (of != form::general) {
            static_assert(most_branchless_bins <= gpu::most_of_floor);
            auto const guess = gpu::floor_of_product(x - origin_, bins_per_unit_); // also -1, just above `lower`
            int const bin = gpu::floor_or_next(guess, x, bounds_.lower() + binning::product(guess.next, step_));
            return bin < last ? bin : last;
        }
#endif
        A const guess = (x - origin_) * bins_per_unit_;
        int bin = guess > 0 ? guess < static_cast<A>(last) ? static_cast<int>(guess) : last : 0;
        if (bin == last || !is_from(bin + 1, x))
            return bin;
        return is_close_ ? bin + 1 : find_above(bin + 1, x);
    }
    TILEWISE_PORTABLE bool is_from(int i, A x) const
    {
        return x >= bounds_.lower() + binning::product(static_cast<A>(i), step_);
    }
    /// Searches upward from a bin whose lower edge is at or below `x`, with strides that double and then halve: if the
    /// step is subnormal, a guess can be too low by half of the bins.
    TILEWISE_PORTABLE int find_above(int bin, A x) const
    {
        unsigned stride = 1;
        auto const reaches = [&] {
            return stride < static_cast<unsigned>(bounds_.size() - bin) && is_from(bin + static_cast<int>(stride), x);
        };
        TILEWISE_AS_IT_STANDS
        for (; reaches(); stride *= 2)
            bin += static_cast<int>(stride);
        TILEWISE_AS_IT_STANDS
        while ((stride /= 2) > 0)
            if (reaches())
                bin += static_cast<int>(stride);
        return bin;
    }

    template <std::floating_point, form>
    friend class regular_bins;
    static constexpr int most_branchless_bins = 1 << 22;

    bounds<A, of> bounds_;
    A step_, origin_, bins_per_unit_;
    bool is_close_; ///< whether a guess is never too low by more than one, even if its product is rounded
};

template <class A>
inline constexpr bool is_quick<regular_bins<A>> = true;
template <class A>
inline constexpr bool is_mostly_branchless<regular_bins<A>> = true;
template <class A, form of>
inline constexpr bool locates<regular_bins<A, of>> = of != form::general;

} // namespace binning
/// @endcond

/// @addtogroup axes
/// @{

/// Bins of equal width between two bounds.
///
/// edge(i) is `lower + i * step` with `step = (upper - lower) / bins`, where every operation is rounded to A, and
/// edge(bins) is `upper`. These edges define the bins: bin i contains every sample x with edge(i) <= x < edge(i + 1),
/// exactly, whatever the type of x. Integral bounds make an axis of double, and half-precision bounds make an axis of
/// float.
template <std::floating_point A = double>
class regular_axis : public binning::computed_axis<A, binning::regular_bins<A>> {
    static_assert(binning::can_be_edges<A>());

public:
    /// Makes `bins` bins of equal width from `lower` to `upper`.
    ///
    /// Throws `std::invalid_argument` if there are no bins or more than 2^31 - 5, if a bound is not finite or is an
    /// integer that A cannot represent, if `upper - lower` is not finite, if `lower` is not less than `upper`, or if
    /// two edges coincide.
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
            tilewise::reject_argument(name, "upper (" + binning::text_of(upper) + ") - lower (" +
                                                binning::text_of(lower) + ") is not finite");
        binning::regular_bins<A> const view(bins, lower, upper, options);
        A const largest = std::max(lower < 0 ? -lower : lower, upper < 0 ? -upper : upper);
        A const step = (upper - lower) / static_cast<A>(bins);
        bool const apart = step > 4 * std::numeric_limits<A>::epsilon() * largest && // by more than the rounding errors
                           step >= std::numeric_limits<A>::min();
        for (int i = 0; !apart && i < bins; ++i)
            if (!(view.edge(i) < view.edge(i + 1)))
                tilewise::reject_argument(name, "edges " + binning::text_of(i) + " and " + binning::text_of(i + 1) +
                                                    " coincide at " + binning::text_of(view.edge(i)) +
                                                    ": there are too many bins for the type");
        return view;
    }
};

/// @}

/// @cond internals
template <std::integral B, class L, class U>
regular_axis(B, L, U, axis_options = {}) -> regular_axis<binning::floating_bound<L, U>>;
/// @endcond

TILEWISE_NAMESPACE_END
