// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Recognises types by name: function objects and iterators of other libraries, without their headers, and lambdas.

#include <tilewise/core/config.hpp>

#include <string_view>

TILEWISE_NAMESPACE_BEGIN
namespace known {

/// Returns the name of a type as the compiler spells it.
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

/// Returns whether a class template specialization has a name. This recognises Thrust's iterators without its headers:
/// a forward declaration is impossible because of its inline namespaces.
template <class Type>
constexpr bool is_named(std::string_view library, std::string_view name)
{
    std::string_view const text = spelling_of<Type>.substr(0, spelling_of<Type>.find('<'));
    return text.find(library) != text.npos && text.ends_with(name);
}

/// Returns whether a type is declared in a namespace, such as "library::", or in a nested one.
template <class Type>
constexpr bool is_in(std::string_view library)
{
    return spelling_of<Type>.starts_with(library);
}

/// Returns whether a type is that of a lambda.
template <class Type>
constexpr bool is_lambda()
{
    std::string_view const text = spelling_of<Type>;                         // "function()::<lambda(arguments)>"
    return text.starts_with("lambda [") || text.starts_with("(lambda at") || // nvcc, clang, g++
           (text.ends_with(")>") && text.find("<lambda(") != text.npos);
}

} // namespace known
TILEWISE_NAMESPACE_END
