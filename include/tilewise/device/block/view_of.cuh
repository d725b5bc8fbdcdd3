// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Views of inputs: an input is decomposed into the memory that it reads and the functions applied to it. Iterators of
/// unknown types are used as they are.

#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/operators.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>
#include <tilewise/core/unwrap.hpp>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/function_view.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>
#include <tilewise/zip.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Makes a tuple of the elements that a zip iterator reads.
template <class Value>
struct make_value {
    template <class... Elements>
    TILEWISE_DEVICE Value operator()(Elements const&... elements) const
    {
        return Value(elements...);
    }
};
template <class Value>
inline constexpr bool is_computing<make_value<Value>> = false;

/// The integers from `first` on, in place of the iterators of std::views::iota: those have private types, which kernels
/// cannot take, and host-only functions.
template <class Integer>
struct integers_from {
    Integer first;
    TILEWISE_PORTABLE constexpr Integer operator[](offset n) const
    {
        return known::plus{}(first, static_cast<Integer>(n));
    }
    TILEWISE_PORTABLE constexpr integers_from operator+(offset n) const { return {(*this)[n]}; }
};

/// Returns a list of views.
inline parts_list<> list_of()
{
    return {};
}
template <class View, class... Rest>
parts_list<View, Rest...> list_of(View const& view, Rest const&... rest)
{
    return {view, gpu::list_of(rest...)};
}
template <class Function, class... Views>
function_view<Function, Views...> view_of_function(Function const& function, Views const&... views)
{
    return {function, gpu::list_of(views...)};
}

/// Calls `function` with the members of a tuple of any library.
template <class Function, class Tuple>
auto apply_members(Function const& function, Tuple const& tuple)
{
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return function(get<i>(tuple)...);
    }(std::make_index_sequence<std::tuple_size<Tuple>::value>());
}

/// Returns the view of `size` elements from an input on.
template <class Transform, class It>
auto view_of(transformed<Transform, It> const& input, offset size);
template <class Transform, class It1, class It2>
auto view_of(transformed_pairs<Transform, It1, It2> const& input, offset size);
template <class It>
positions_view<It> view_of(positions<It> const& input, offset size);
template <class It>
auto view_of(It const& it, offset size)
{
    if constexpr (std::is_pointer_v<It>) {
        return memory_view<std::iter_value_t<It>>{it, size};
    } else if constexpr (!std::same_as<unwrapped<It>, It>) {
        return gpu::view_of(tilewise::unwrap(it), size);
    } else if constexpr (known::is_named<It>("thrust", "::transform_iterator")) {
        return gpu::view_of_function(gpu::function_for(it.functor()), gpu::view_of(it.base(), size));
    } else if constexpr (is_zip<It> || known::is_named<It>("thrust", "::zip_iterator")) {
        auto const view_of_all = [size]<class... Its>(Its const&... its) {
            return gpu::view_of_function(make_value<typename It::value_type>{}, gpu::view_of(its, size)...);
        };
        if constexpr (is_zip<It>)
            return gpu::apply_members(view_of_all, it.bases());
        else
            return gpu::apply_members(view_of_all, it.get_iterator_tuple());
    } else if constexpr (known::counts_integers<It>) {
        return iterator_view<integers_from<std::iter_value_t<It>>>{{*it}};
    } else {
        return iterator_view<It>{it};
    }
}
template <class Transform, class It>
auto view_of(transformed<Transform, It> const& input, offset size)
{
    return gpu::view_of_function(gpu::function_for(input.transform()), gpu::view_of(input.base(), size));
}
template <class Transform, class It1, class It2>
auto view_of(transformed_pairs<Transform, It1, It2> const& input, offset size)
{
    return gpu::view_of_function(gpu::function_for(input.transform()), gpu::view_of(input.base1(), size),
                                 gpu::view_of(input.base2(), size));
}
template <class It>
positions_view<It> view_of(positions<It> const& input, offset)
{
    return {{*input}};
}

/// Returns by how many bytes the bases of a view are misaligned for the widest loads: the bitwise OR over the bases.
template <class View>
int misalignment_of(View const& view)
{
    std::uintptr_t bits = 0;
    view.for_each_base([&](void const* base, offset) { bits |= reinterpret_cast<std::uintptr_t>(base); });
    return static_cast<int>(bits % vector_bytes);
}

/// After how many elements of so many bytes an alignment, which is a power of two, recurs.
constexpr offset elements_between(offset alignment, offset bytes)
{
    offset count = 1;
    while (count * bytes % alignment != 0)
        count *= 2;
    return count;
}

/// Whether all elements of a view are aligned for the widest loads if its memory is.
template <class View>
inline constexpr bool elements_keep_alignment =
    View::bases == 1 && gpu::elements_between(vector_bytes, View::widest) == 1;

/// At every which element of a view the widest loads are aligned; 0 if none is known to be.
template <class View>
offset aligned_every(View const& view)
{
    if (gpu::misalignment_of(view) != 0)
        return 0;
    return View::bases == 0 ? 1 : View::bases == 1 ? gpu::elements_between(vector_bytes, View::widest) : vector_bytes;
}

/// How a view with misaligned bases loads `count` elements at a time; `aligned`, if its bases cannot be misaligned.
template <class View, int count>
inline constexpr access misaligned_access =
    View::template alignment<count> <= View::element_alignment ? access::aligned
    : View::bases > 0 && View::template can_realign<count>     ? access::realigned
                                                               : access::elementwise;

} // namespace gpu
TILEWISE_NAMESPACE_END
