// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Views, from which kernels read: memory, in 16-byte loads, or an iterator. (function_view.cuh applies functions to
/// views, so that the loads are as wide however the memory is wrapped.)
///
/// A view provides vectors of consecutive elements: `fetch` issues the loads, `element` computes an element from them.
/// For iterators of unknown types a vector holds positions.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The alignment of stages, chosen for bulk copies (TMA): 16 bytes off it, the one-pass scan lost a quarter of its
/// speed.
inline constexpr int stage_alignment = 128;

/// Whether the 16-byte vectors that a part of a range shares with the parts before and after it may be read.
struct shared_ends {
    bool begin, end;
};

/// A view of elements in memory.
template <class E>
struct memory_view {
    E const* first;
    offset size;

    static constexpr int bases = 1;                                        ///< number of memory ranges that are read
    static constexpr int widest = static_cast<int>(sizeof(E));             ///< size of their largest element
    static constexpr int narrowest = widest;                               ///< size of their smallest element
    static constexpr int element_alignment = static_cast<int>(alignof(E)); ///< alignment of every base
    static constexpr bool computes = false;                                ///< whether elements may be computed

    template <int count>
    union vector {
        TILEWISE_DEVICE vector() {}
        E element[count];
        vector16 vectors[(count * sizeof(E) + vector_bytes - 1) / vector_bytes + 1];
        unsigned char bytes[count * sizeof(E)];
    };

    /// The alignment that `access::aligned` needs.
    template <int count>
    static constexpr int alignment = std::max(widest_unit(count * widest), static_cast<int>(alignof(E)));
    /// Whether `access::realigned` can load vectors.
    template <int count>
    static constexpr bool can_realign = count * widest == vector_bytes && alignof(E) < vector_bytes;

    template <class Visit>
    void for_each_base(Visit visit) const
    {
        visit(static_cast<void const*>(first), size * widest);
    }
    /// Calls `visit(memory)` for each range of memory, which it may redirect to a copy.
    template <class Visit>
    void for_each_memory(Visit const& visit)
    {
        visit(*this);
    }
    /// Calls `visit(pointer)` for memory that is read through an iterator.
    template <class Visit>
    void for_each_hidden(Visit const&) const
    {}

    /// Issues the loads of the elements from `position` on. They are available after `finish`, which waits for them:
    /// call it once all loads are in flight.
    template <access how, int count, memory where = memory::global>
    TILEWISE_DEVICE vector<count> fetch(offset position) const
    {
        vector<count> loaded;
        if constexpr (how == access::realigned) {
            auto const low = reinterpret_cast<vector16 const*>(
                reinterpret_cast<unsigned char const*>(first + position) - address_of(position) % vector_bytes);
            loaded.vectors[0] = gpu::load<where>(low);
            loaded.vectors[1] = gpu::load<where>(low + 1);
        } else {
            constexpr int bytes = widest_unit(how == access::aligned ? count * widest : element_alignment);
            using unit = unit_of<bytes>;
            TILEWISE_UNROLL
            for (int i = 0; i < count * widest / bytes; ++i) {
                unit const value = gpu::load<where>(reinterpret_cast<unit const*>(first + position) + i);
                std::memcpy(loaded.bytes + i * bytes, &value, bytes);
            }
        }
        return loaded;
    }
    template <access how, int count>
    TILEWISE_DEVICE void finish(vector<count>& loaded, offset position) const
    {
        if constexpr (how == access::realigned)
            loaded.vectors[0] = gpu::shifted<element_alignment>(loaded.vectors[0], loaded.vectors[1],
                                                                address_of(position) % vector_bytes);
    }

    /// Loads the elements from `position` on; in place of those past `last` it loads element `last`.
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_clamped(offset position, offset last) const
    {
        vector<count> loaded;
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            gpu::put(loaded.element[i], first[position + i < last ? position + i : last]);
        return loaded;
    }

    /// Loads the wanted ones of the elements from `position` on.
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_wanted(offset position, wanted_elements const& wanted) const
    {
        vector<count> loaded;
        gpu::load_wanted<count * widest, element_alignment>(
            loaded.vectors, address_of(position),
            {wanted.begin * widest, wanted.end * widest, wanted.before * widest, wanted.after * widest});
        return loaded;
    }

    /// Returns the vector whose bytes a 16-byte vector already holds.
    template <int count>
    TILEWISE_DEVICE vector<count> adopt(vector16 const& bytes, offset) const
    {
        vector<count> loaded;
        loaded.vectors[0] = bytes;
        return loaded;
    }
    TILEWISE_DEVICE memory_view const& base() const { return *this; }

    template <class Vector>
    TILEWISE_DEVICE decltype(auto) element(Vector const& loaded, int i) const
    {
        if constexpr (std::is_integral_v<E> && sizeof(E) == 1 && sizeof(loaded.element) % 4 == 0)
            return static_cast<E>(gpu::byte_of<std::is_signed_v<E>>( // right for bool, too, whose bytes are 0 or 1
                loaded.vectors[i / vector_bytes].word[i / 4 % 4], i % 4));
        else
            return (loaded.element[i]); // in parentheses: a reference
    }

    TILEWISE_DEVICE std::uintptr_t address_of(offset position) const
    {
        return reinterpret_cast<std::uintptr_t>(first + position);
    }

    /// Returns the view of the elements from `position` on.
    TILEWISE_PORTABLE memory_view from(offset position) const { return {first + position, size - position}; }
    /// Returns the view of `count` elements from `position` on.
    TILEWISE_DEVICE memory_view part(offset position, offset count) const { return {first + position, count}; }

    /// @name Stages
    /// Shared memory to which a part of the elements is copied, at the same offsets in 16-byte vectors.
    /// @{
    /// Returns the size in bytes of a stage for `count` elements.
    TILEWISE_PORTABLE static constexpr int stage_bytes(int count)
    {
        return (count * widest + vector_bytes + stage_alignment - 1) / stage_alignment * stage_alignment;
    }
    /// Calls `copy(to, from, bytes)` for the copies of the first `count` elements to a stage for `room` elements.
    /// Copies the 16-byte vectors that contain nothing else, and those at the ends that do if `shared` permits it.
    template <class Copy>
    TILEWISE_DEVICE void for_each_copy(unsigned char* stage, int, int count, shared_ends shared, Copy const& copy) const
    {
        auto const begin = address_of(0), first_vector = begin / vector_bytes * vector_bytes;
        auto const from = shared.begin || begin == first_vector ? first_vector : first_vector + vector_bytes;
        auto const end = address_of(count) / vector_bytes * vector_bytes + (shared.end ? vector_bytes : 0);
        if (from < end)
            copy(stage + (from - first_vector), reinterpret_cast<void const*>(from), static_cast<int>(end - from));
    }
    /// Returns the view of a stage for so many elements.
    TILEWISE_DEVICE memory_view staged(unsigned char* stage, int) const
    {
        return {reinterpret_cast<E const*>(stage + address_of(0) % vector_bytes), 0};
    }
    /// Returns the view of a stage at whose beginning the first element is.
    TILEWISE_DEVICE static memory_view at_begin_of(unsigned char* stage)
    {
        return {reinterpret_cast<E const*>(stage), 0};
    }
    /// @}
};

/// Whether an iterator may compute elements.
template <class It>
inline constexpr bool computes_elements = !std::is_lvalue_reference_v<decltype(std::declval<It&>()[offset{}])>;

/// A view of elements that an iterator computes or refers to.
template <class It>
struct iterator_view {
    It it;

    static constexpr int bases = 0;
    static constexpr int widest = 1;
    static constexpr int narrowest = vector_bytes;
    static constexpr int element_alignment = vector_bytes;
    static constexpr bool computes = computes_elements<It>;

    template <int>
    struct vector {
        offset position, last;
    };
    template <int>
    static constexpr int alignment = 1;
    template <int>
    static constexpr bool can_realign = false;

    template <class Visit>
    void for_each_base(Visit) const
    {}
    template <class Visit>
    void for_each_memory(Visit const&)
    {}
    template <class Visit>
    void for_each_hidden([[maybe_unused]] Visit const& visit) const
    {
        if constexpr (requires { it.memory(); })
            visit(it.memory());
    }

    template <access, int count, memory = memory::global>
    TILEWISE_DEVICE vector<count> fetch(offset position) const
    {
        return {position, position + count};
    }
    template <access, int count>
    TILEWISE_DEVICE void finish(vector<count>&, offset) const
    {}
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_clamped(offset position, offset last) const
    {
        return {position, last};
    }
    template <int count>
    TILEWISE_DEVICE vector<count> fetch_wanted(offset position, wanted_elements const&) const
    {
        return {position, position + count};
    }
    template <int count>
    TILEWISE_DEVICE vector<count> adopt(vector16 const&, offset position) const
    {
        return {position, position + count};
    }

    template <class Vector>
    TILEWISE_DEVICE decltype(auto) element(Vector const& at, int i)
    {
        gpu::guard_iterator<It>();
        return gpu::element_at(it, at.position + i < at.last ? at.position + i : at.last);
    }

    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE iterator_view from(offset position) const { return {it + position}; }
    TILEWISE_CALLS_ANY
    TILEWISE_DEVICE iterator_view part(offset position, offset) const { return {it + position}; }
    TILEWISE_PORTABLE static constexpr int stage_bytes(int) { return 0; }
    template <class Copy>
    TILEWISE_DEVICE void for_each_copy(unsigned char*, int, int, shared_ends, Copy const&) const
    {}
    TILEWISE_DEVICE iterator_view staged(unsigned char*, int) const { return *this; }
};

/// A view of the iterators to the elements of a range, in place of the elements.
template <class It>
struct positions_view : iterator_view<It> {
    static constexpr bool computes = false;

    template <class Vector>
    TILEWISE_DEVICE It element(Vector const& at, int i)
    {
        return this->it + (at.position + i < at.last ? at.position + i : at.last);
    }
};

/// Whether a compiler could fuse the computation of a view's Element, or of a T from it, with an Op.
template <class View, class Element, class T, class Op>
inline constexpr bool may_be_fused = host::contracts && !host::is_never_contracted<T> && !accepts_any_operand<Op, T> &&
                                     (View::computes || (std::is_class_v<T> && !std::is_same_v<Element, T>));

/// Returns an element as a T, such that its computation is never fused with the Op of which it is an operand.
template <class T, class Op, class View, class Vector>
TILEWISE_DEVICE T operand(View& view, Vector const& loaded, int i)
{
    using element = std::remove_cvref_t<decltype(view.element(loaded, i))>;
    if constexpr (may_be_fused<View, element, T, Op>)
        return gpu::opaque(static_cast<T>(view.element(loaded, i)));
    else
        return static_cast<T>(view.element(loaded, i));
}

} // namespace gpu
TILEWISE_NAMESPACE_END
