// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Axes as kernels use them: user functions within the library's axes are guarded (see callable.cuh), since nvcc would
/// drop calls of host-only functions.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/concept.hpp>
#include <tilewise/axis/exact.hpp>
#include <tilewise/axis/function.hpp>
#include <tilewise/axis/product.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstddef>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A user-defined axis within a product.
template <class View>
struct guarded_axis {
    View view;
    int cells;

    TILEWISE_PORTABLE int extent() const { return cells; }
    template <class S>
    TILEWISE_DEVICE auto index(S const& sample) const
    {
        return view.index(sample);
    }
    TILEWISE_CALLS_ANY
    template <class Visit>
    TILEWISE_PORTABLE void for_each_table(Visit const& visit)
        requires binning::has_tables_for<View, Visit>
    {
        view.for_each_table(visit);
    }
};

/// Returns the view of an axis that is passed to kernels.
template <class View>
View const& axis_for(View const& view)
{
    return view;
}
template <class Function>
auto axis_for(function_axis<Function> const& axis)
{
    return axis.with(gpu::guarded(axis.function()));
}
template <class... Views>
auto axis_for(binning::product_bins<Views...> const& product);

/// The same for an axis within a product.
template <class View>
auto member_for(View const& view)
{
    if constexpr (binning::is_quick<View>)
        return view;
    else
        return guarded_axis<View>{view, static_cast<int>(view.extent())};
}
template <class Function>
auto member_for(function_axis<Function> const& axis)
{
    return gpu::axis_for(axis);
}
template <class... Views>
auto member_for(binning::product_bins<Views...> const& product)
{
    return gpu::axis_for(product);
}
template <class... Views>
auto axis_for(binning::product_bins<Views...> const& product)
{
    if constexpr (sizeof...(Views) == 0)
        return product;
    else
        return binning::product_bins_of(gpu::member_for(product.head), gpu::axis_for(product.tail));
}

/// The calls that finding a sample's cell makes to user functions, made from `__device__` functions: nvcc does not
/// check them in the library's `__host__ __device__` functions.
template <class Bins>
struct calls_of_axis {
    template <class Sample>
    TILEWISE_DEVICE static void all(Bins& bins, Sample const& sample)
    {
        if constexpr (binning::is_quick<Bins> && std::is_class_v<Sample> && !binning::small_float<Sample>)
            static_cast<void>(static_cast<decltype(bins.edge(0))>(sample));
        if constexpr (std::is_class_v<Sample> && requires { typename Bins::number; })
            static_cast<void>(static_cast<typename Bins::number>(sample));
        if constexpr (has_tables<Bins> && !binning::is_quick<Bins>)
            bins.for_each_table(ignore_table{});
    }
};
template <class View>
struct calls_of_axis<guarded_axis<View>> {
    template <class Sample>
    TILEWISE_DEVICE static void all(guarded_axis<View>& bins, Sample const& sample)
    {
        calls_of_axis<View>::all(bins.view, sample);
    }
};
template <class... Views>
struct calls_of_axis<binning::product_bins<Views...>> {
    template <class Sample, std::size_t i = 0>
    TILEWISE_DEVICE static void all(binning::product_bins<Views...>& bins, Sample const& sample)
    {
        using std::get;
        if constexpr (sizeof...(Views) > 0) {
            calls_of_axis<decltype(bins.head)>::all(bins.head, get<i>(sample));
            calls_of_axis<decltype(bins.tail)>::template all<Sample, i + 1>(bins.tail, sample);
        }
    }
};

/// Returns the cell of a sample, and whether it is one of the `cells` cells; if not, the returned number is
/// unspecified.
template <class Bins, class Sample>
TILEWISE_DEVICE binning::located locate(Bins const& bins, Sample const& sample, unsigned cells)
{
    static_cast<void>(&calls_of_axis<Bins>::template all<Sample>);
    if constexpr (binning::locates<Bins>) {
        return bins.locate(sample);
    } else {
        auto const cell = bins.index(sample);
        if constexpr (std::is_integral_v<decltype(cell)> && sizeof(cell) <= sizeof(unsigned)) {
            return {static_cast<unsigned>(cell), static_cast<unsigned>(cell) < cells};
        } else {
            auto const number = static_cast<offset>(cell);
            return {static_cast<unsigned>(number), number >= 0 && number < offset{cells}};
        }
    }
}

} // namespace gpu
TILEWISE_NAMESPACE_END
