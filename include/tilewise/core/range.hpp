// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The beginning of a range. Under a device policy, a view is passed to kernels by value and indexed there: its
/// iterators may point to the view itself, which is on the host, and their types may be private to the standard
/// library, so that nvcc does not accept them.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/portability.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN

/// Returns the memory that a view of the standard refers to. Returns null if it is unknown, or inside the view itself.
template <class View>
void const* memory_under(View const& view)
{
    if constexpr (std::ranges::contiguous_range<View const>) {
        auto const address = [](auto const* memory) { return reinterpret_cast<std::uintptr_t>(memory); };
        void const* const memory = std::ranges::data(view);
        bool const inside = address(memory) - address(std::addressof(view)) < sizeof(View);
        return inside || std::ranges::empty(view) ? nullptr : memory;
    } else if constexpr (requires { tilewise::memory_under(view.base()); }) {
        return tilewise::memory_under(view.base());
    } else {
        return nullptr;
    }
}

/// A position in a view, with a copy of the view as bytes: nvcc 13.0 lays out structures that contain a view
/// differently from the host compiler, since it treats a function without members in the view as one with members.
template <class View>
class view_iterator {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::ranges::range_value_t<View const>;
    using reference = std::ranges::range_reference_t<View const>;
    using difference_type = offset;
    using pointer = void;

    /// (On the host, nvcc replaces a lambda by a type that owns memory. That memory remains the original's.)
    view_iterator(View const& view, offset position) : position_(position)
    {
        std::memcpy(view_, static_cast<void const*>(std::addressof(view)), sizeof(View));
    }

    offset position() const { return position_; }
    void const* memory() const { return tilewise::memory_under(*reinterpret_cast<View const*>(view_)); }

    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE reference operator*() const { return (*this)[0]; }
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE reference operator[](offset n) const
    {
        auto const& view = *reinterpret_cast<View const*>(view_);
        return view.begin()[static_cast<std::ranges::range_difference_t<View const>>(position_ + n)];
    }
    TILEWISE_PORTABLE friend view_iterator operator+(view_iterator it, offset n)
    {
        it.position_ += n;
        return it;
    }
    TILEWISE_PORTABLE view_iterator& operator++()
    {
        ++position_;
        return *this;
    }
    TILEWISE_PORTABLE friend offset operator-(view_iterator const& a, view_iterator const& b)
    {
        return a.position_ - b.position_;
    }
    TILEWISE_PORTABLE friend bool operator==(view_iterator const& a, view_iterator const& b)
    {
        return a.position_ == b.position_;
    }

private:
    alignas(View) unsigned char view_[sizeof(View)];
    offset position_;
};

/// Whether a view contains a transform.
template <class View>
inline constexpr bool has_transform = false;
template <template <class, std::size_t> class Kind, class View, std::size_t i> // elements_view
inline constexpr bool has_transform<Kind<View, i>> = has_transform<View>;
template <template <class...> class Kind, class... Parts>
inline constexpr bool has_transform<Kind<Parts...>> =
    known::is_in<Kind<Parts...>>("std::ranges::transform_view<") || (has_transform<Parts> || ...);

/// Whether a view drops elements of a transform: nvcc misplaces the number of elements dropped, for the same reason.
template <class View>
inline constexpr bool drops_from_transform = false;
template <template <class, std::size_t> class Kind, class View, std::size_t i>
inline constexpr bool drops_from_transform<Kind<View, i>> = drops_from_transform<View>;
template <template <class...> class Kind, class... Parts>
inline constexpr bool drops_from_transform<Kind<Parts...>> =
    known::is_in<Kind<Parts...>>("std::ranges::drop_view<") ? (has_transform<Parts> || ...)
                                                            : (drops_from_transform<Parts> || ...);

/// Whether a view refers to a container, or is made of a view that does: kernels cannot reach the container.
template <class View>
inline constexpr bool refers_to_container = false;
template <template <class, std::size_t> class Kind, class View, std::size_t i>
inline constexpr bool refers_to_container<Kind<View, i>> = refers_to_container<View>;
template <template <class...> class Kind, class... Parts>
inline constexpr bool refers_to_container<Kind<Parts...>> =
    known::is_in<Kind<Parts...>>("std::ranges::ref_view<") ||
    known::is_in<Kind<Parts...>>("std::ranges::owning_view<") || (refers_to_container<Parts> || ...);

/// Whether a range is only a pair of iterators, which kernels may support.
template <class Range>
inline constexpr bool is_subrange = false;
template <class It, class Sentinel, std::ranges::subrange_kind kind>
inline constexpr bool is_subrange<std::ranges::subrange<It, Sentinel, kind>> = true;

/// A range whose elements kernels can reach only through a copy of it.
template <class Range>
concept needs_indexing =
    std::ranges::view<Range> && std::ranges::random_access_range<Range> && std::ranges::sized_range<Range> &&
    !std::ranges::contiguous_range<Range> && !is_subrange<Range>;

/// Returns whether a view can be indexed in a kernel. If not, a static_assert says why.
template <class View>
constexpr bool can_be_indexed()
{
    constexpr bool self_contained = !refers_to_container<View>;
    constexpr bool constant = std::ranges::random_access_range<View const>;
    constexpr bool copies = (std::is_trivially_copy_constructible_v<View> && std::is_trivially_destructible_v<View>) ||
                            known::has_portable_lambda<View>;
    constexpr bool well_placed = !drops_from_transform<View>;
    static_assert(copies, "tilewise: device copies a view into kernels, so it must be trivially copyable");
    static_assert(well_placed, "tilewise: under device, std::views::drop must come before std::views::transform");
    static_assert(self_contained, "tilewise: this view refers to a container, which kernels cannot access; make the "
                                  "view from a std::span over the elements, in GPU memory");
    static_assert(constant, "tilewise: kernels can only read a view that is random access when const, which this one "
                            "is not; copy its elements into a vector on the device first");
#if defined(__CUDACC__) && !defined(__CUDACC_RELAXED_CONSTEXPR__)
    constexpr bool callable = sizeof(View) == 0;
    static_assert(callable, "tilewise: kernels call the constexpr functions of this view; compile with nvcc "
                            "--expt-relaxed-constexpr");
#else
    constexpr bool callable = true;
#endif
    return self_contained && constant && callable && copies && well_placed;
}

/// Returns the beginning of a range, as an algorithm under Policy needs it.
template <execution_policy Policy, class Range>
constexpr auto begin_of(Range& range)
{
    if constexpr (is_device_policy<policy_for<Policy>> && needs_indexing<std::remove_cv_t<Range>>) {
        if constexpr (tilewise::can_be_indexed<std::remove_cv_t<Range>>())
            return view_iterator<std::remove_cv_t<Range>>(range, 0);
        else
            return static_cast<std::ranges::range_value_t<Range> const*>(nullptr); // avoids further messages
    } else {
        return std::ranges::begin(range);
    }
}

/// The type of that beginning.
template <class Policy, class Range>
using beginning_of = decltype(tilewise::begin_of<Policy>(std::declval<Range&>()));

/// Returns the end of a range, as an iterator of that type.
template <execution_policy Policy, class Range>
constexpr beginning_of<Policy, Range> end_of(Range& range)
{
    if constexpr (std::same_as<beginning_of<Policy, Range>, std::ranges::iterator_t<Range>>)
        return std::ranges::next(std::ranges::begin(range), std::ranges::end(range));
    else
        return tilewise::begin_of<Policy>(range) + static_cast<offset>(std::ranges::size(range));
}

/// Returns the iterator of a range at the position that an algorithm found.
template <class Range, class It>
constexpr std::ranges::borrowed_iterator_t<Range> position_in(Range& range, It const& found)
{
    if constexpr (std::same_as<It, std::ranges::iterator_t<Range>>)
        return found;
    else
        return std::ranges::begin(range) + static_cast<std::ranges::range_difference_t<Range>>(found.position());
}

TILEWISE_NAMESPACE_END
