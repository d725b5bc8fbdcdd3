// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Computes the cell numbers of samples, in blocks. The steps that follow depend on neither the axis nor the samples.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/order.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The type of the samples that an input yields.
template <class Input>
using sample_of = std::remove_cvref_t<decltype(*std::declval<Input&>())>;

/// Whether samples can be copied into an array at no cost.
template <class Sample>
inline constexpr bool is_copied_for_free =
    std::default_initializable<Sample> && std::is_trivially_copy_constructible_v<Sample> &&
    std::is_trivially_destructible_v<Sample> && sizeof(Sample) <= 32;

/// Inputs whose samples an axis indexes as arrays: in place, or copied.
template <class Input, class Axis>
concept taken_in_place = binning::indexes_arrays<Axis, sample_of<Input>> && contiguous_of<Input, sample_of<Input>>;
template <class Input, class Axis>
concept taken_as_copies =
    binning::indexes_arrays<Axis, sample_of<Input>> && is_copied_for_free<std::iter_value_t<Input>> &&
    binning::indexes_arrays<Axis, std::iter_value_t<Input>> &&
    std::is_assignable_v<std::iter_value_t<Input>&, std::iter_reference_t<Input>>;

/// The number of samples whose cells are computed at once.
inline constexpr int samples_per_block = 512;

/// Returns the number of a sample's cell, or no_cell.
template <class Axis, class Sample>
TILEWISE_INLINE int cell_of(Axis const& axis, offset cells, Sample&& sample)
{
    if constexpr (binning::is_quick<Axis>) {
        return axis.index(std::forward<Sample>(sample)); // which returns a valid cell or no_cell
    } else {
        offset const cell = static_cast<offset>(axis.index(std::forward<Sample>(sample)));
        return cell >= 0 && cell < cells ? static_cast<int>(cell) : no_cell;
    }
}

/// Writes the cell numbers of the next `count` samples of an input, at most one block, and advances the input past
/// them.
template <class Axis, class Input>
void number_cells(Axis const& axis, [[maybe_unused]] offset cells, Input& input, int count, int* numbers)
{
    if constexpr (taken_in_place<Input, Axis>) {
        axis.index_all(count, std::to_address(input), numbers);
        input += count;
    } else if constexpr (taken_as_copies<Input, Axis>) {
        std::iter_value_t<Input> samples[samples_per_block];
        for (int i = 0; i < count; ++i, (void)++input)
            samples[i] = *input;
        axis.index_all(count, samples, numbers);
    } else {
        for (int i = 0; i < count; ++i, (void)++input)
            numbers[i] = host::cell_of(axis, cells, *input);
    }
}

/// Calls `take(samples, numbers)` for each block of the next `count` samples, with the cell numbers of the block.
template <class Axis, class Input, class Take>
void for_each_block(Axis const& axis, offset cells, Input& input, offset count, Take const& take)
{
    int numbers[samples_per_block];
    for (int part; count > 0; count -= part) {
        part = static_cast<int>(std::min(count, offset{samples_per_block}));
        host::number_cells(axis, cells, input, part, numbers);
        take(part, numbers);
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
