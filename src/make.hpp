// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// How the sources of the compiled library instantiate its functions: all functions of <tilewise/compiled.hpp> for some
/// types.

#include <tilewise/compiled.hpp>

#include <cstdint>

namespace tilewise::compiled {

/// A list of types.
template <class... Types>
struct types {};
using floats = types<float, double>;
using signed_integers = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using unsigned_integers = types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using counters = types<std::uint32_t, std::uint64_t>;

/// Makes the compiler instantiate functions that nothing here calls.
template <auto... functions>
void make()
{
    (..., [](void (*made)()) { asm volatile("" : : "r"(made)); }(reinterpret_cast<void (*)()>(functions)));
}

/// Calls `use` with a pointer to each type of a list.
template <class... Types, class Use>
void for_each_type(types<Types...>, Use const& use)
{
    (use(static_cast<Types*>(nullptr)), ...);
}

/// Calls `use` with pointers to the types of each pair from two lists.
template <class First, class Second, class Use>
void for_each_pair(First first, Second second, Use const& use)
{
    for_each_type(first, [&]<class A>(A* a) { for_each_type(second, [&]<class B>(B* b) { use(a, b); }); });
}

} // namespace tilewise::compiled
