// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `product_axis`: cells for samples of several dimensions.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/concept.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// @cond internals
namespace binning {

/// A view that has tables.
template <class View, class Visit>
concept has_tables_for = requires(View& view, Visit const& visit) { view.for_each_table(visit); };

namespace tuples {
using std::get;

/// The type of member i of a tuple of any library.
template <std::size_t i, class S>
using member = std::remove_cvref_t<decltype(get<i>(std::declval<S const&>()))>;
} // namespace tuples

/// A member of a sample that is copied to an array for a view: a number, since other types may be expensive to copy.
template <class View, class Member>
concept indexes_copies = std::is_arithmetic_v<Member> && indexes_arrays<View, Member>;

/// The views of the axes of a product. The index of the last axis varies fastest.
template <class... Views>
struct product_bins {
    template <std::size_t, class>
    static constexpr bool indexes_arrays_of()
    {
        return false;
    }

    TILEWISE_PORTABLE int extent() const { return 1; }
    template <std::size_t, class S>
    TILEWISE_PORTABLE int member(S&&, int cell) const
    {
        return cell;
    }
    template <std::size_t, class S>
    TILEWISE_PORTABLE located locate_member(S const&, located before) const
    {
        return before;
    }
    template <std::size_t, class S>
    void index_rest(int, S const*, int*) const
    {}
    bool is_simple() const { return true; }
    product_bins simple_form() const { return {}; }
    bool is_branchless() const { return true; }
    product_bins branchless_form() const { return {}; }
};
template <class... Views>
inline constexpr bool is_quick<product_bins<Views...>> = (is_quick<Views> && ...);
template <class... Views>
inline constexpr bool locates<product_bins<Views...>> = (locates<Views> && ...);
template <class... Views>
inline constexpr bool is_mostly_branchless<product_bins<Views...>> = (is_mostly_branchless<Views> && ...);

template <class View, class... Rest>
product_bins<View, Rest...> product_bins_of(View const& head, product_bins<Rest...> const& tail);

template <class View, class... Rest>
struct product_bins<View, Rest...> {
    View head;
    product_bins<Rest...> tail;

    TILEWISE_PORTABLE int extent() const { return static_cast<int>(head.extent()) * tail.extent(); }
    static constexpr int part_size = 256;

    template <class S>
    TILEWISE_PORTABLE int index(S&& sample) const
        requires(!locates<product_bins>)
    {
        return member<0>(static_cast<S&&>(sample), 0);
    }
    template <class S>
    TILEWISE_PORTABLE located locate(S const& sample) const
        requires locates<product_bins>
    {
        return locate_member<0>(sample, {0, true});
    }

    TILEWISE_CALLS_ANY
    template <std::size_t i, class S>
    TILEWISE_PORTABLE int member(S&& sample, int before) const
    {
        using std::get;
        auto const own = head.index(get<i>(static_cast<S&&>(sample))); // (moves member i alone)
        auto const cells = head.extent();
        if (own < 0 || own >= cells)
            return no_cell;
        return tail.template member<i + 1>(static_cast<S&&>(sample),
                                           before * static_cast<int>(cells) + static_cast<int>(own));
    }

    template <std::size_t i, class S>
    TILEWISE_PORTABLE located locate_member(S const& sample, located before) const
    {
        using std::get;
        auto const own = head.locate(get<i>(sample));
        auto const cells = static_cast<unsigned>(head.extent());
        return tail.template locate_member<i + 1>(sample,
                                                  {before.cell * cells + own.cell, before.inside && own.inside});
    }

    /// Returns whether this axis or a later one is faster with arrays of its members. Member i, of type S, belongs to
    /// this axis.
    template <std::size_t i, class S>
    static constexpr bool indexes_arrays_of() // (nvcc cannot evaluate a variable in a constraint.)
    {
        return indexes_copies<View, tuples::member<i, S>> ||
               product_bins<Rest...>::template indexes_arrays_of<i + 1, S>();
    }

    /// Finds the cells of `count` samples in parts: for each part, first the cells on the first axis, then on the
    /// second, and so on.
    template <class S>
    void index_all(int count, S const* samples, int* cells) const
        requires(indexes_arrays_of<0, S>())
    {
        for (int part; count > 0; samples += part, cells += part, count -= part) {
            part = std::min(count, part_size);
            index_member<0>(part, samples, cells);
            tail.template index_rest<1>(part, samples, cells);
        }
    }

    /// Extends cells on the axes before this one to cells on this axis and the later ones, too.
    template <std::size_t i, class S>
    void index_rest(int count, S const* samples, int* cells) const
    {
        int own[part_size];
        index_member<i>(count, samples, own);
        int const extent = head.extent();
        for (int k = 0; k < count; ++k)
            cells[k] = (cells[k] | own[k]) < 0 ? no_cell : cells[k] * extent + own[k];
        tail.template index_rest<i + 1>(count, samples, cells);
    }

    /// Finds the cells of member i on this axis alone.
    template <std::size_t i, class S>
    void index_member(int count, S const* samples, int* cells) const
    {
        using std::get;
        if constexpr (indexes_copies<View, tuples::member<i, S>>) {
            tuples::member<i, S> members[part_size];
            for (int k = 0; k < count; ++k)
                members[k] = get<i>(samples[k]);
            head.index_all(count, members, cells);
        } else {
            for (int k = 0; k < count; ++k)
                cells[k] = head.index(get<i>(samples[k]));
        }
    }

    bool is_simple() const
        requires has_simple_form<View> && has_simple_form<product_bins<Rest...>>
    {
        return head.is_simple() && tail.is_simple();
    }
    auto simple_form() const
        requires has_simple_form<View> && has_simple_form<product_bins<Rest...>>
    {
        return binning::product_bins_of(head.simple_form(), tail.simple_form());
    }
    bool is_branchless() const
        requires has_branchless_form<View> && has_branchless_form<product_bins<Rest...>>
    {
        return head.is_branchless() && tail.is_branchless();
    }
    auto branchless_form() const
        requires has_branchless_form<View> && has_branchless_form<product_bins<Rest...>>
    {
        return binning::product_bins_of(head.branchless_form(), tail.branchless_form());
    }

    TILEWISE_CALLS_ANY
    template <class Visit>
    TILEWISE_PORTABLE void for_each_table(Visit const& visit)
        requires has_tables_for<View, Visit> || has_tables_for<product_bins<Rest...>, Visit>
    {
        if constexpr (has_tables_for<View, Visit>)
            head.for_each_table(visit);
        if constexpr (has_tables_for<product_bins<Rest...>, Visit>)
            tail.for_each_table(visit);
    }
};

template <class View, class... Rest>
product_bins<View, Rest...> product_bins_of(View const& head, product_bins<Rest...> const& tail)
{
    return {head, tail};
}

inline product_bins<> product_of()
{
    return {};
}
template <class View, class... Rest>
product_bins<View, Rest...> product_of(View const& view, Rest const&... rest)
{
    return binning::product_bins_of(view, binning::product_of(rest...));
}

} // namespace binning
/// @endcond

/// @addtogroup axes
/// @{

/// One cell for each combination of cells of several axes. Samples are tuples of any library, such as the elements of a
/// zip iterator. Cell (i, j, ...) has the number (i * extent of the second axis + j) * ... : the index of the last axis
/// varies fastest. A sample that any axis does not count is not counted.
template <axis... Axes>
    requires(sizeof...(Axes) > 0)
class product_axis {
public:
    /// Makes a cell for each combination of cells of the axes.
    ///
    /// Throws `std::invalid_argument` if there are more than 2^31 - 2 cells.
    explicit product_axis(Axes... axes) : axes_(std::move(axes)...)
    {
        // Checks the product of the other extents, too, if an axis has no cells.
        if (product([](auto const& a) { return std::max(offset{1}, static_cast<offset>(a.extent())); }) >
            static_cast<double>(most_cells))
            reject_argument("product_axis", "there can be at most 2^31 - 2 cells");
    }

    /// Returns the number of bins.
    offset size() const
    {
        return static_cast<offset>(product([](auto const& a) { return a.size(); }));
    }
    /// Returns the number of cells.
    offset extent() const
    {
        return static_cast<offset>(product([](auto const& a) { return a.extent(); }));
    }
    /// Returns axis i.
    template <std::size_t i>
    auto const& axis() const
    {
        return std::get<i>(axes_);
    }
    /// Returns the cell of a sample, or no_cell.
    template <class S>
    int index(S&& sample) const
    {
        return view().index(static_cast<S&&>(sample));
    }
    /// Returns the view for kernels. The axis must outlive it.
    auto view() const
    {
        return std::apply([](auto const&... axes) { return binning::product_of(tilewise::axis_view(axes)...); }, axes_);
    }

private:
    template <class Number>
    double product(Number const& number) const
    {
        return std::apply([&](auto const&... axes) { return (1.0 * ... * static_cast<double>(number(axes))); }, axes_);
    }

    std::tuple<Axes...> axes_;
};

/// @}

TILEWISE_NAMESPACE_END
