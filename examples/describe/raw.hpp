// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bad_input.hpp"
#include "number_column.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace example {

/// The numbers of a file that holds nothing else, little-endian; refers to `bytes`.
/// Throws `bad_input` when their size is no multiple of the type's.
inline number_column read_raw(std::span<std::byte const> bytes, named_element_type const& type,
                              std::optional<std::string> const& wanted = std::nullopt)
{
    auto const size = size_of(type.type);
    if (bytes.size() % size != 0) {
        throw bad_input("the size, " + std::to_string(bytes.size()) + " bytes, is not a multiple of the " +
                        std::to_string(size) + " bytes of " + std::string(type.name));
    }
    if (wanted) {
        find_column(*wanted, 1);
    }
    return {
        .label = {}, .type = type.name, .values = view_elements(type.type, bytes.data(), size, bytes.size() / size)};
}

} // namespace example
