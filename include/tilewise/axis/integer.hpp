// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `integer_axis`: one bin for each integer.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/error.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
/// @cond internals
namespace binning {

/// The bins of an integer axis.
template <std::integral A, form of = form::general>
class integer_bins {
public:
    integer_bins(int bins, A lower, A upper, axis_options options) : bounds_(bins, lower, upper, options) {}

    template <form other>
        requires(of != form::general && other == form::general)
    explicit integer_bins(integer_bins<A, other> const& general) : bounds_(general.bounds_)
    {}
    bool is_branchless() const
        requires(of == form::general)
    {
        return true;
    }
    integer_bins<A, form::branchless> branchless_form() const
        requires(of == form::general)
    {
        return integer_bins<A, form::branchless>(*this);
    }
    bool is_simple() const
        requires(of == form::general)
    {
        return !bounds_.count_outside();
    }
    integer_bins<A, form::simple> simple_form() const
        requires(of == form::general)
    {
        return integer_bins<A, form::simple>(*this);
    }

    axis_options options() const { return bounds_.options(); }
    TILEWISE_PORTABLE constexpr int size() const { return bounds_.size(); }
    TILEWISE_PORTABLE constexpr int extent() const { return bounds_.extent(); }
    TILEWISE_PORTABLE constexpr A edge(int i) const
    {
        return static_cast<A>(static_cast<std::uintmax_t>(bounds_.lower()) + static_cast<std::uintmax_t>(i));
    }
    template <class S>
    TILEWISE_PORTABLE int index(S const& sample) const
        requires(of == form::general)
    {
        return bounds_.cell_of(sample, [this](A x) { return static_cast<int>(distance(x)); });
    }
    /// Finds the cells of `count` samples without branches, and handles samples outside the bins in a second loop.
    void index_all(int count, A const* samples, int* cells) const
        requires(of == form::general)
    {
        auto const bins = static_cast<wide>(bounds_.size());
        int outside = 0;
        for (int i = 0; i < count; ++i) {
            wide const bin = distance(samples[i]);
            int const inside = -static_cast<int>(bin < bins);
            cells[i] = (static_cast<int>(bin) & inside) | (no_cell & ~inside);
            outside |= ~inside;
        }
        if (outside != 0 && bounds_.count_outside())
            for (int i = 0; i < count; ++i)
                if (cells[i] == no_cell)
                    cells[i] = index(samples[i]);
    }
    template <class S>
    TILEWISE_PORTABLE located locate(S const& sample) const
        requires(of == form::simple)
    {
        auto const x = binning::number<A>(sample);
        if (binning::is_nan(x) || binning::is_below_all<A>(x))
            return {0, false};
        auto const bin = distance(binning::round_down<A>(x)); // for x < lower, beyond the last bin
        return {static_cast<unsigned>(bin), bin < static_cast<wide>(bounds_.size())};
    }

    template <class S>
    TILEWISE_PORTABLE located locate(S const& sample) const
        requires(of == form::branchless)
    {
        return bounds_.locate(sample, [this](A x) {
            auto const bin = distance(x), last = static_cast<wide>(bounds_.size() - 1);
            return static_cast<int>(bin < last ? bin : last);
        });
    }

private:
    using wide = std::conditional_t<sizeof(A) <= 4, std::uint32_t, std::uint64_t>;

    TILEWISE_PORTABLE constexpr wide distance(A x) const
    {
        return static_cast<wide>(x) - static_cast<wide>(bounds_.lower());
    }

    template <std::integral, form>
    friend class integer_bins;

    bounds<A, of> bounds_;
};

template <class A>
inline constexpr bool is_quick<integer_bins<A>> = true;
template <class A>
inline constexpr bool is_mostly_branchless<integer_bins<A>> = true;
template <class A, form of>
inline constexpr bool locates<integer_bins<A, of>> = of != form::general;

} // namespace binning
/// @endcond

/// @addtogroup axes
/// @{

/// One bin for each integer from `lower` up to, but excluding, `upper`. A floating-point sample is counted in the bin
/// of its floor. With closed_upper, the last bin also contains `upper`.
template <class A = int>
    requires std::is_integral_v<A> // (With a concept, clang 14 would take A for the type of a bound: see the guide.)
class integer_axis : public binning::computed_axis<A, binning::integer_bins<A>> {
    static_assert(binning::can_be_edges<A>());

public:
    /// Makes a bin for each integer from `lower` up to, but excluding, `upper`.
    ///
    /// Throws `std::invalid_argument` if `lower` is not less than `upper`, if A cannot represent a bound, or if there
    /// would be more than 2^31 - 5 bins.
    template <std::integral L, std::integral U>
    integer_axis(L lower, U upper, axis_options options = {})
        : binning::computed_axis<A, binning::integer_bins<A>>(
              checked_view(binning::checked_bound<A>(name, lower), binning::checked_bound<A>(name, upper), options))
    {}

private:
    static constexpr char const* name = "integer_axis";

    static binning::integer_bins<A> checked_view(A lower, A upper, axis_options options)
    {
        binning::check_bounds(name, lower, upper);
        return {binning::checked_bins(name, static_cast<std::uintmax_t>(upper) - static_cast<std::uintmax_t>(lower)),
                lower, upper, options};
    }
};

/// @}

/// @cond internals
template <std::integral L, std::integral U>
integer_axis(L, U, axis_options = {}) -> integer_axis<std::common_type_t<L, U>>;
/// @endcond

TILEWISE_NAMESPACE_END
