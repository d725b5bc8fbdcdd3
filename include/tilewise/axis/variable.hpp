// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// `variable_axis`: bins between given edges.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/axis/keyed.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/error.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
/// @cond internals
namespace binning {

/// Divides the numbers from `lower` upward into ranges of equal length. The length is measured in numbers if
/// `ranges_per_unit` is not 0, and otherwise in keys, which are nearly logarithms of floating-point numbers. A larger
/// number is never in a lower range.
template <class A>
struct ranges {
    A lower, ranges_per_unit;
    int shift;
    key_of<A> first_key;

    TILEWISE_PORTABLE int operator()(A x) const
    {
        if constexpr (std::floating_point<A>) {
            if (ranges_per_unit != 0)
                return static_cast<int>((x - lower) * ranges_per_unit);
        }
        return static_cast<int>((binning::key(x) >> shift) - first_key);
    }
};

/// The tables of an axis. They never change, and the copies of the axis share them.
template <class A>
struct edge_tables : std::enable_shared_from_this<edge_tables<A>> {
    std::vector<A> edges;
    std::vector<int> edges_before; ///< the number of edges before each range
    ranges<A> range_of;
    key_table<A> keys;

    explicit edge_tables(std::vector<A> own) : edges(std::move(own)), keys(edges) { find_ranges(); }

private:
    /// Divides the axis into up to four ranges for each bin: ranges of numbers or ranges of keys, whichever separate
    /// more edges.
    void find_ranges()
    {
        auto const most = std::min(4 * edges.size(), std::size_t{1} << 30);
        range_of = {edges.front(), 0, 0, binning::key(edges.front())};
        auto const last_key = binning::key(edges.back());
        while ((last_key >> range_of.shift) - (range_of.first_key >> range_of.shift) >= most)
            ++range_of.shift;
        range_of.first_key >>= range_of.shift;
        if constexpr (std::floating_point<A>) {
            auto linear = range_of;
            linear.ranges_per_unit = static_cast<A>(most - 1) / (edges.back() - edges.front());
            if (linear.ranges_per_unit > 0 && linear.ranges_per_unit <= std::numeric_limits<A>::max() &&
                separated_edges(linear) > separated_edges(range_of))
                range_of = linear;
        }
        edges_before.resize(static_cast<std::size_t>(range_of(edges.back())) + 2);
        std::size_t edge = 0;
        for (std::size_t range = 0; range < edges_before.size(); ++range) {
            while (edge < edges.size() && static_cast<std::size_t>(range_of(edges[edge])) < range)
                ++edge;
            edges_before[range] = static_cast<int>(edge);
        }
    }
    /// Returns the number of neighboring edges that are in different ranges.
    offset separated_edges(ranges<A> const& candidate) const
    {
        offset count = 0;
        for (std::size_t i = 1; i < edges.size(); ++i)
            count += candidate(edges[i - 1]) < candidate(edges[i]);
        return count;
    }
};

/// Bins between the edges in a table. A second table holds the number of edges before each of several ranges, which
/// determines the edges that a sample must be compared with.
template <class A>
class variable_bins {
public:
    variable_bins(edge_tables<A> const& tables, axis_options options)
        : bounds_(static_cast<int>(tables.edges.size()) - 1, tables.edges.front(), tables.edges.back(), options),
          edges_(tables.edges.data()), edges_before_(tables.edges_before.data()), range_of_(tables.range_of),
          ranges_(static_cast<int>(tables.edges_before.size())), tables_(&tables)
    {}

    bool is_branchless() const
        requires has_exact_keys<A>
    {
        return !tables_->keys.entries.empty();
    }
    auto branchless_form() const
        requires has_exact_keys<A>
    {
        return keyed_form<form::branchless>();
    }
    bool is_simple() const
        requires has_exact_keys<A>
    {
        return is_branchless() && !bounds_.count_out_of_range();
    }
    auto simple_form() const
        requires has_exact_keys<A>
    {
        return keyed_form<form::simple>();
    }

    axis_options options() const { return bounds_.options(); }
    TILEWISE_PORTABLE int size() const { return bounds_.size(); }
    TILEWISE_PORTABLE int extent() const { return bounds_.extent(); }
    TILEWISE_PORTABLE A edge(int i) const { return edges_[i]; }
    template <class S>
    TILEWISE_PORTABLE int index(S const& sample) const
    {
        return bounds_.cell_of(sample, [this](A x) { return find(x); });
    }

    /// Calls `visit(pointer, count)` for each table. `visit` may change the pointer, to move the table.
    TILEWISE_CALLS_ANY
    template <class Visit>
    TILEWISE_PORTABLE void for_each_table(Visit const& visit)
    {
        visit(edges_, offset{bounds_.size()} + 1);
        visit(edges_before_, offset{ranges_});
    }
    /// Returns the owner of the tables: two views with the same owner have the same tables.
    std::weak_ptr<void const> owner_of_tables() const { return tables_->weak_from_this(); }

private:
    template <form of>
    auto keyed_form() const
    {
        return keyed_bins<A, of>(bounds_, tables_->keys.where, tables_->keys.entries, tables_->keys.log2_range);
    }
    /// Returns the bin of `x`, which is at or above the first edge and below the last.
    TILEWISE_PORTABLE int find(A x) const
    {
        int const range = range_of_(x);
        int not_above = edges_before_[range], end = edges_before_[range + 1]; // the first not_above edges are <= x
        TILEWISE_AS_IT_STANDS
        while (not_above < end) {
            int const middle = not_above + (end - not_above) / 2;
            if (edges_[middle] <= x)
                not_above = middle + 1;
            else
                end = middle;
        }
        return not_above - 1;
    }

    bounds<A> bounds_;
    A const* edges_;
    int const* edges_before_;
    ranges<A> range_of_;
    int ranges_;
    edge_tables<A> const* tables_; ///< of the axis, in host memory
};

template <class A>
inline constexpr bool is_quick<variable_bins<A>> = true;

} // namespace binning
/// @endcond

/// @addtogroup axes
/// @{

/// Bins between given edges: bin i contains every sample x with edge(i) <= x < edge(i + 1), exactly, whatever the type
/// of x.
template <class A = double>
    requires std::is_arithmetic_v<A>
class variable_axis {
    static_assert(binning::can_be_edges<A>());

public:
    /// Makes a bin between each two neighboring edges of a range.
    ///
    /// Throws `std::invalid_argument` for fewer than two edges, for more than 2^31 - 5 bins, and for an edge that is
    /// not finite, that is not greater than the edge before it, or that an integral A cannot represent.
    template <std::ranges::input_range Edges>
        requires(!std::is_same_v<std::remove_cvref_t<Edges>, variable_axis>)
    explicit variable_axis(Edges&& edges, axis_options options = {})
        : variable_axis("variable_axis", edges_from(std::ranges::begin(edges), std::ranges::end(edges)), options)
    {}
    /// Likewise, for a list of edges.
    variable_axis(std::initializer_list<A> edges, axis_options options = {})
        : variable_axis("variable_axis", std::vector<A>(edges), options)
    {}
    /// Likewise, for the edges [first, last).
    template <std::input_iterator It>
    variable_axis(It first, It last, axis_options options = {})
        : variable_axis("variable_axis", edges_from(first, last), options)
    {}

    /// Copies the axis in constant time. A move copies as well, because an axis always has edges, even after a move.
    variable_axis(variable_axis const&) = default;
    /// Assigns the axis, likewise.
    variable_axis& operator=(variable_axis const&) = default;

    offset size() const { return static_cast<offset>(edges().size()) - 1; } ///< the number of bins
    offset extent() const { return view().extent(); }                       ///< the number of cells
    A edge(offset i) const { return edges()[static_cast<std::size_t>(i)]; } ///< edge i of 0 to size()
    /// Returns the cell of a sample, or no_cell.
    template <class S>
    int index(S const& sample) const
    {
        return view().index(sample);
    }
    std::vector<A> const& edges() const { return tables_->edges; } ///< all edges, one more than bins
    /// Returns the view for kernels. The axis must outlive it.
    binning::variable_bins<A> view() const { return {*tables_, options_}; }

    /// @cond internals
protected:
    variable_axis(char const* name, std::vector<A> edges, axis_options options) : options_(options)
    {
        using binning::text_of;
        if (edges.size() < 2)
            reject_argument(name, "there must be at least two edges");
        binning::checked_bins(name, edges.size() - 1);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (!(edges[i] - edges[i] == 0))
                tilewise::reject_argument(name, "edge " + binning::text_of(i) + " (" + binning::text_of(edges[i]) +
                                                    ") is not finite");
            if (i > 0 && !(edges[i - 1] < edges[i]))
                tilewise::reject_argument(name, "edge " + binning::text_of(i) + " (" + binning::text_of(edges[i]) +
                                                    ") is not greater than the edge before it (" +
                                                    binning::text_of(edges[i - 1]) + ")");
        }
        tables_ = std::make_shared<binning::edge_tables<A> const>(std::move(edges));
    }
    /// @endcond

private:
    template <class It, class Sentinel>
    static std::vector<A> edges_from(It it, Sentinel const& last)
    {
        std::vector<A> edges;
        for (; !(it == last); ++it)
            edges.push_back(binning::checked_edge<A>("variable_axis", *it));
        return edges;
    }

    std::shared_ptr<binning::edge_tables<A> const> tables_;
    axis_options options_;
};

/// @cond internals
template <std::ranges::input_range Edges>
variable_axis(Edges&&, axis_options = {}) -> variable_axis<binning::edge_of<std::ranges::range_value_t<Edges>>>;
template <std::input_iterator It>
variable_axis(It, It, axis_options = {}) -> variable_axis<binning::edge_of<std::iter_value_t<It>>>;
/// @endcond

/// @}

TILEWISE_NAMESPACE_END
