// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Barriers against floating-point contraction. A compiler that may contract (g++ does by default) fuses a
/// multiplication of the user's with an addition of the library's into one operation, which rounds once and gives other
/// bits than the order. An empty `asm` statement that claims to change the value prevents this.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// Whether the compiler may contract. This is assumed even without `-mfma`, since an attribute may enable the
/// instructions for the calling function. It is also assumed for clang, which contracts only within an expression
/// unless -ffp-contract=fast is given: no macro shows that.
#ifdef TILEWISE_STRICT_FP
inline constexpr bool contracts = false;
#else
inline constexpr bool contracts = true;
#endif

/// Whether no floating-point operation can produce a value of this type.
template <class T>
inline constexpr bool is_never_contracted = std::is_integral_v<T> || std::is_enum_v<T> || std::is_pointer_v<T> ||
                                            std::is_member_pointer_v<T> || std::is_empty_v<T>;

/// Whether T is a pair or tuple whose elements can be made opaque one by one, in registers.
template <class T>
inline constexpr bool has_opaque_elements = false;
template <class... Elements>
inline constexpr bool has_opaque_elements<std::tuple<Elements...>> =
    ((std::is_object_v<Elements> && !std::is_const_v<Elements>) && ...);
template <class First, class Second>
inline constexpr bool has_opaque_elements<std::pair<First, Second>> = has_opaque_elements<std::tuple<First, Second>>;

/// Whether T is a small class, most likely of numbers of one type, that may stay in registers. With g++ 12, sums of
/// three doubles that a transform computes from a float run at 5.8 GB/s through registers, with and without
/// -march=native, and at 3.0 GB/s through memory.
template <class T>
inline constexpr bool has_opaque_words =
#if defined(__x86_64__) || defined(__aarch64__)
    std::is_class_v<T> && std::is_trivially_copyable_v<T> && (alignof(T) == 4 || alignof(T) == 8) && sizeof(T) <= 64;
#else
    false;
#endif

/// Makes one word of a value opaque.
template <class Word, class T>
TILEWISE_INLINE void make_word_opaque(T& value, std::size_t i)
{
    Word word;
    auto* const address = reinterpret_cast<char*>(std::addressof(value)) + i * sizeof(Word);
    __builtin_memcpy(&word, address, sizeof word);
#if defined(__x86_64__)
    asm("" : "+x"(word));
#elif defined(__aarch64__)
    asm("" : "+w"(word));
#endif
    __builtin_memcpy(address, &word, sizeof word);
}
template <class T, std::size_t... i>
TILEWISE_INLINE void make_words_opaque(T& value, std::index_sequence<i...>)
{
    using word = std::conditional_t<alignof(T) == 4, float, double>;
    (host::make_word_opaque<word>(value, i), ...);
}

/// Hides the origin of a value from the compiler.
template <class T>
TILEWISE_INLINE void make_opaque(T& value)
{
    if constexpr (!contracts || is_never_contracted<T>) {
    } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
#if defined(__x86_64__)
        asm("" : "+x"(value));
#elif defined(__aarch64__)
        asm("" : "+w"(value));
#else
        asm("" : "+m"(value));
#endif
    } else if constexpr (has_opaque_elements<T>) {
        std::apply([](auto&... elements) { (host::make_opaque(elements), ...); }, value);
    } else if constexpr (has_opaque_words<T>) {
        host::make_words_opaque(value, std::make_index_sequence<sizeof(T) / alignof(T)>());
    } else if constexpr (std::is_trivially_copyable_v<T>) {
        asm("" : "+m"(value));
    } else {
        asm("" : "+m"(value) : : "memory"); // and what it owns
    }
}

/// Hides the contents of the memory behind a pointer from the compiler. Returns the pointer.
template <class T>
TILEWISE_INLINE T const* opaque_memory(T const* first)
{
    if constexpr (contracts)
        asm volatile("" : "+r"(first) : : "memory");
    return first;
}

} // namespace host
TILEWISE_NAMESPACE_END
