// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Views that apply a function to the elements of other views, which load their vectors as without the function.

#include <tilewise/core/config.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/functors.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A list of views, or of their vectors.
template <class... Parts>
struct parts_list {
    template <class Function>
    TILEWISE_PORTABLE parts_list map(Function const&) const
    {
        return {};
    }
    TILEWISE_CALLS_ANY
    template <class Function, class... Before>
    TILEWISE_PORTABLE decltype(auto) apply(Function const& function, Before&... before) const
    {
        return function(before...);
    }
};
template <class Part, class... Rest>
struct parts_list<Part, Rest...> {
    Part head;
    parts_list<Rest...> tail;

    /// Returns the list of the results of `function(part)`, called in order.
    TILEWISE_CALLS_ANY
    template <class Function>
    TILEWISE_PORTABLE auto map(Function const& function) const
        -> parts_list<std::invoke_result_t<Function const&, Part const&>,
                      std::invoke_result_t<Function const&, Rest const&>...>
    {
        return {function(head), tail.map(function)};
    }
    /// Returns `function(parts...)`.
    template <class Function, class... Before>
    TILEWISE_PORTABLE decltype(auto) apply(Function const& function, Before&... before)
    {
        return tail.apply(function, before..., head);
    }
    template <class Function, class... Before>
    TILEWISE_PORTABLE decltype(auto) apply(Function const& function, Before&... before) const
    {
        return tail.apply(function, before..., head);
    }
};

/// Returns the base of the one view that reads memory.
template <class View, class... Rest>
TILEWISE_DEVICE auto const& base_of(View const& view, Rest const&... rest)
{
    if constexpr (View::bases == 1)
        return view.base();
    else
        return gpu::base_of(rest...);
}

/// Whether a function computes its result, rather than only assembling it from its arguments.
template <class Function>
inline constexpr bool is_computing = !std::is_same_v<Function, same_as_given>;

/// A view of the results of a function of the elements of one or more views.
template <class Function, class... Views>
struct function_view {
    Function function;
    parts_list<Views...> views;

    static constexpr int bases = (Views::bases + ...);
    static constexpr int widest = std::max({Views::widest...});
    static constexpr int narrowest = std::min({vector_bytes, Views::narrowest...});
    static constexpr int element_alignment = std::min({vector_bytes, Views::element_alignment...});
    static constexpr bool computes = is_computing<Function> || (Views::computes || ...);

    template <int count>
    using vector = parts_list<typename Views::template vector<count>...>;
    template <int count>
    static constexpr int alignment = std::max({Views::template alignment<count>...});
    template <int count>
    static constexpr bool can_realign = ((Views::bases == 0 || Views::template can_realign<count>) && ...);

    template <class Visit>
    void for_each_base(Visit const& visit) const
    {
        views.apply([&](auto const&... view) { (view.for_each_base(visit), ...); });
    }
    template <class Visit>
    void for_each_memory(Visit const& visit)
    {
        views.apply([&](auto&... view) { (view.for_each_memory(visit), ...); });
    }
    template <class Visit>
    void for_each_hidden(Visit const& visit) const
    {
        views.apply([&](auto const&... view) { (view.for_each_hidden(visit), ...); });
    }

    template <access how, int count, memory where = memory::global>
    TILEWISE_DEVICE vector<count> fetch(offset position) const
    {
        return views.map([&](auto const& view) { return view.template fetch<how, count, where>(position); });
    }
    template <access how, int count>
    TILEWISE_DEVICE void finish(vector<count>& loaded, offset position) const
    {
        views.apply([&](auto const&... view) {
            loaded.apply([&](auto&... own) { (view.template finish<how, count>(own, position), ...); });
        });
    }
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_clamped(offset position, offset last) const
    {
        return views.map([&](auto const& view) { return view.template fetch_clamped<count>(position, last); });
    }
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_wanted(offset position, wanted_elements const& wanted) const
    {
        return views.map([&](auto const& view) { return view.template fetch_wanted<count>(position, wanted); });
    }
    template <int count>
    TILEWISE_DEVICE vector<count> adopt(vector16 const& bytes, offset position) const
    {
        return views.map([&](auto const& view) { return view.template adopt<count>(bytes, position); });
    }
    TILEWISE_DEVICE auto const& base() const
    {
        return views.apply([](auto const&... view) -> auto const& { return gpu::base_of(view...); });
    }
    template <class Vector>
    TILEWISE_DEVICE auto element(Vector const& loaded, int i)
    {
        auto const call = [&](auto const&... elements) { return function(elements...); };
        return views.apply([&](auto&... view) {
            return loaded.apply([&](auto const&... own) { return call(view.element(own, i)...); });
        });
    }

    TILEWISE_PORTABLE function_view from(offset position) const
    {
        return {function, views.map([&](auto const& view) { return view.from(position); })};
    }
    TILEWISE_DEVICE function_view part(offset position, offset count) const
    {
        return {function, views.map([&](auto const& view) { return view.part(position, count); })};
    }
    TILEWISE_PORTABLE static constexpr int stage_bytes(int count) { return (Views::stage_bytes(count) + ...); }
    template <class Copy>
    TILEWISE_DEVICE void for_each_copy(unsigned char* stage, int room, int count, shared_ends shared,
                                       Copy const& copy) const
    {
        views.apply([&](auto const&... view) {
            ((view.for_each_copy(stage, room, count, shared, copy), stage += view.stage_bytes(room)), ...);
        });
    }
    TILEWISE_DEVICE function_view staged(unsigned char* stage, int room) const
    {
        return {function, views.map([&](auto const& view) {
                    auto* const own = stage;
                    stage += view.stage_bytes(room);
                    return view.staged(own, room);
                })};
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
