// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "number_column.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace example {

/// The numbers of a NumPy array file of format 1.0, 2.0 or 3.0, or one column of its two dimensions (the first unless
/// `wanted` says which); refers to `bytes`.
/// Throws `bad_input` for what cannot be described: byte orders, layouts and types other than C-ordered little-endian
/// real numbers, more than two dimensions, and files that are damaged or end early. Bytes after the array are ignored,
/// as NumPy does.
/// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
number_column read_npy(std::span<std::byte const> bytes, std::optional<std::string> const& wanted = std::nullopt);

} // namespace example
