// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Converts iterators over contiguous memory to pointers, whatever wraps them.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/core/type_names.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace known {

/// Thrust's iterators: over GPU memory, over a container, and at an offset from another iterator.
template <class It>
concept device_pointer = known::is_named<It>("thrust", "::device_ptr");
template <class It>
concept container_iterator = known::is_named<It>("thrust", "::normal_iterator");
template <class It>
concept behind_offset = known::is_named<It>("thrust", "::offset_iterator") &&
                        requires(It const& it) { requires std::integral<std::remove_cvref_t<decltype(it.offset())>>; };

} // namespace known

/// Returns the pointer equivalent to an iterator over contiguous memory, and any other iterator unchanged.
template <class It>
constexpr auto unwrap(It const& it)
{
    if constexpr (std::contiguous_iterator<It>)
        return std::to_address(it);
    else if constexpr (known::device_pointer<It>)
        return it.get();
    else if constexpr (known::container_iterator<It>)
        return tilewise::unwrap(it.base());
    else if constexpr (known::behind_offset<It>)
        return tilewise::unwrap(it.base() + it.offset());
    else
        return it;
}
/// The type of an iterator after unwrap().
template <class It>
using unwrapped = decltype(tilewise::unwrap(std::declval<It const&>()));

/// Whether an iterator reads GPU memory, which a host thread would copy element by element.
template <class It>
inline constexpr bool reads_device_memory = known::device_pointer<It>;
template <known::container_iterator It>
inline constexpr bool reads_device_memory<It> =
    known::device_pointer<std::remove_cvref_t<decltype(std::declval<It const&>().base())>>;

TILEWISE_NAMESPACE_END
