// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Types known by name: other libraries' function objects and iterators, without their headers, and lambdas.

#include <tilewise/core/config.hpp>

#include <string_view>

TILEWISE_NAMESPACE_BEGIN
namespace known {

/// A type as the compiler spells it.
template <class Type>
constexpr auto spelled()
{
    std::string_view text = __PRETTY_FUNCTION__; // ... [with Type = library::...::name<arguments>]
    text.remove_prefix(text.find("Type =") + 6);
    text.remove_suffix(1);
    if (text.starts_with(' '))
        text.remove_prefix(1);
    return text;
}
template <class Type>
inline constexpr std::string_view spelling_of = known::spelled<Type>();

/// Whether a class template's instance goes by a name: the way to know Thrust's iterators without its headers, whose
/// inline namespaces rule out a declaration.
template <class Type>
constexpr bool is_named(std::string_view library, std::string_view name)
{
    std::string_view const text = spelling_of<Type>.substr(0, spelling_of<Type>.find('<'));
    return text.find(library) != text.npos && text.ends_with(name);
}

/// Whether a type is declared in a namespace, or in one within: "library::".
template <class Type>
constexpr bool is_in(std::string_view library)
{
    return spelling_of<Type>.starts_with(library);
}

/// Whether a type is that of a lambda.
template <class Type>
constexpr bool is_lambda()
{
    std::string_view const text = spelling_of<Type>;                         // "function()::<lambda(arguments)>"
    return text.starts_with("lambda [") || text.starts_with("(lambda at") || // nvcc, clang, g++
           (text.ends_with(")>") && text.find("<lambda(") != text.npos);
}

} // namespace known
TILEWISE_NAMESPACE_END
