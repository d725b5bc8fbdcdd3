// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "any_communicator.hpp"
#include "number_column.hpp"
#include "slice.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace example {

/// One column of a text of separated values (see `csv_reader` for what that is): the one `wanted` says, else the first
/// whose first field that is not missing is a number. Missing are empty fields, `-`, `NA`, `N/A`, `nan`, `none` and
/// `null`, in capitals or not; they are read as NaN. A number too small for f64 is read as the nearest one.
/// The first record is a header when it holds some text and no number. Every record has as many fields as the first.
/// Throws `bad_input`, with the place, for records of another length and for fields that are not numbers, of which
/// numbers with commas are some, and for text with zero bytes.
number_column read_csv(std::string_view text, std::optional<std::string> const& wanted = std::nullopt);

/// One rank's part of such a column: the numbers in the records that begin in its slice. The slices of all ranks, in
/// their order, are the text. Every rank calls this; where reading all of it would throw, all throw `failed_on_a_rank`.
number_column read_csv(any_communicator& ranks, std::string_view text, std::optional<std::string> const& wanted,
                       slice own);

} // namespace example
