// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sinks, to which kernels write: memory, in 16-byte stores at any alignment, or an output iterator.

#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/opaque.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/unwrap.hpp>
#include <tilewise/device/block/access.cuh>
#include <tilewise/device/block/callable.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/order.hpp>

#include <cstdint>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Returns a value converted to the type that is stored.
template <class Stored, class T>
TILEWISE_DEVICE Stored converted(T const& value)
{
    if constexpr (std::is_arithmetic_v<Stored> || !std::is_convertible_v<T, Stored>)
        return static_cast<Stored>(value);
    else
        return value;
}

/// A sink that stores elements of type O in memory.
template <class O>
struct memory_sink {
    O* first;

    static constexpr int element_bytes = static_cast<int>(sizeof(O)), element_alignment = static_cast<int>(alignof(O));
    static constexpr int unit_bytes = std::min(element_alignment, 4); ///< what one lane stores of a vector
    /// The alignment that `access::aligned` needs to store `count` elements.
    template <int count>
    static constexpr int alignment = widest_unit(count * element_bytes) > static_cast<int>(alignof(O))
                                         ? widest_unit(count* element_bytes)
                                         : static_cast<int>(alignof(O));
    /// Whether `access::realigned` can store `count` elements.
    template <int count>
    static constexpr bool can_realign = count * element_bytes == vector_bytes && alignof(O) < vector_bytes;

    /// The memory to which results are written, or null if it is unknown.
    void const* base() const { return first; }
    static constexpr offset bytes(offset count) { return count * element_bytes; }

    /// A vector of elements to store.
    template <int count>
    union vector {
        TILEWISE_DEVICE vector() {}
        O element[count];
        vector16 vectors[(count * sizeof(O) + vector_bytes - 1) / vector_bytes];
        unsigned char bytes[count * sizeof(O)];
    };
    template <class T, int count>
    TILEWISE_DEVICE static vector<count> pack(registers<T, count> const& values)
    {
        vector<count> packed;
        if constexpr (sizeof(O) < 4 && count * element_bytes % 4 == 0 && std::is_trivially_copyable_v<O>) {
            constexpr int per_word = 4 / element_bytes; // packed in registers, not byte by byte in memory
            TILEWISE_UNROLL
            for (int i = 0; i < count / per_word; ++i) {
                unsigned word = 0;
                TILEWISE_UNROLL
                for (int k = 0; k < per_word; ++k) {
                    O const stored = gpu::converted<O>(values[i * per_word + k]);
                    std::conditional_t<element_bytes == 1, unsigned char, unsigned short> bits;
                    std::memcpy(&bits, &stored, sizeof bits);
                    word |= unsigned{bits} << (8 * element_bytes * k);
                }
                packed.vectors[i / 4].word[i % 4] = word;
            }
        } else {
            TILEWISE_UNROLL
            for (int i = 0; i < count; ++i)
                gpu::put(packed.element[i], gpu::converted<O>(values[i]));
        }
        return packed;
    }

    /// Stores a vector at `position`.
    template <access how, int count>
    TILEWISE_DEVICE void store(offset position, vector<count> const& packed) const
    {
        constexpr int bytes =
            widest_unit(how == access::aligned ? count * element_bytes : static_cast<int>(alignof(O)));
        using unit = unit_of<bytes>;
        auto* const to = reinterpret_cast<unit*>(first + position);
        TILEWISE_UNROLL
        for (int i = 0; i < count * element_bytes / bytes; ++i) {
            unit value;
            std::memcpy(&value, packed.bytes + i * bytes, bytes);
            to[i] = value;
        }
    }
    /// Stores the elements [begin, end) of a vector.
    template <int count>
    TILEWISE_DEVICE void store_some(offset position, vector<count> const& packed, int begin, int end) const
    {
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            if (i >= begin && i < end)
                gpu::put(first[position + i], O(packed.element[i]));
    }

    /// Stores the bytes [begin, end) of a lane's 16-byte vector, one unit per lane. They need not be whole elements, if
    /// those are aligned to less than their size. Every lane passes the vector, and the position of its first byte.
    TILEWISE_DEVICE void store_bytes(offset position, vector16 const& bytes, int begin, int end) const
    {
        int const at = lane_index() * unit_bytes;
        unsigned word = bytes.word[0];
        TILEWISE_UNROLL
        for (int i = 1; i < 4; ++i)
            word = at / 4 == i ? bytes.word[i] : word;
        if (at >= begin && at < end)
            *reinterpret_cast<unit_of<unit_bytes>*>(reinterpret_cast<unsigned char*>(first + position) + at) =
                static_cast<unit_of<unit_bytes>>(word >> at % 4 * 8);
    }

    TILEWISE_PORTABLE memory_sink from(offset position) const { return {first + position}; }
    TILEWISE_DEVICE std::uintptr_t address_of(offset position) const
    {
        return reinterpret_cast<std::uintptr_t>(first + position);
    }
};

/// A sink that writes through an output iterator.
template <class It>
struct iterator_sink {
    It it;

    template <int>
    static constexpr int alignment = 1;
    template <int>
    static constexpr bool can_realign = false;
    void const* base() const { return nullptr; }
    static constexpr offset bytes(offset) { return 0; }

    template <class T, int count>
    TILEWISE_DEVICE static registers<T, count> pack(registers<T, count> const& values)
    {
        return values;
    }
    template <access, class T, int count>
    TILEWISE_DEVICE void store(offset position, registers<T, count> const& values)
    {
        store_some(position, values, 0, count);
    }
    template <class T, int count>
    TILEWISE_DEVICE void store_some(offset position, registers<T, count> const& values, int begin, int end)
    {
        using stored = std::remove_reference_t<decltype(*it)>;
        gpu::guard_iterator<It, T>();
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            if (i >= begin && i < end) {
                constexpr bool converts = std::is_arithmetic_v<stored> && std::is_arithmetic_v<T>;
                if constexpr (host::contracts && !host::is_never_contracted<T> && !converts &&
                              !std::is_same_v<stored, T>)
                    *(it + (position + i)) = gpu::opaque(T(values[i])); // not fused with what the iterator computes
                else
                    *(it + (position + i)) = tilewise::as_stored<stored>(values[i]);
            }
    }
    TILEWISE_CALLS_ANY
    TILEWISE_PORTABLE iterator_sink from(offset position) const { return {it + position}; }
};

/// Whether a sink stores elements in memory.
template <class Sink>
inline constexpr bool is_memory = false;
template <class O>
inline constexpr bool is_memory<memory_sink<O>> = true;

/// Whether a sink stores one-byte integers in memory.
template <class Sink>
inline constexpr bool stores_bytes = false;
template <class O>
inline constexpr bool stores_bytes<memory_sink<O>> =
    std::is_integral_v<O> && sizeof(O) == 1 && !std::is_same_v<O, bool>;

/// Returns the sink for an output iterator.
template <class Out>
auto sink_of(Out const& out)
{
    using to = unwrapped<Out>;
    if constexpr (std::is_pointer_v<to>)
        return memory_sink<std::remove_pointer_t<to>>{tilewise::unwrap(out)};
    else
        return iterator_sink<to>{tilewise::unwrap(out)};
}

} // namespace gpu
TILEWISE_NAMESPACE_END
