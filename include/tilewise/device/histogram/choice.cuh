// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Which table has enough cells for a histogram.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/histogram/packed.cuh>
#include <tilewise/device/histogram/tables.cuh>
#include <tilewise/order.hpp>

#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// The kernels that are compiled for a form of a view.
enum class kernel_set {
    all,
    in_tables, ///< those that count in tables; if the view has tables, only in small ones beside copies of them
    others
};
template <kernel_set kernels>
using kernels_of = std::integral_constant<kernel_set, kernels>;

/// Where a block counts.
enum class table_kind { small, large, packed, none };
struct table_choice {
    table_kind kind;
    bool copies; ///< whether the tables of the axis are in shared memory, too
};

template <class Tuning>
packed_layout packed_layout_for(unsigned cells, int words)
{
    return {cells, std::min(Tuning::packed_table::wanted_words, words - warp_size)};
}

/// Returns the smallest table that has enough cells.
template <class Tuning, class Bins>
table_choice table_for(device_call const& call, Bins& bins, unsigned cells)
{
    int const words = gpu::attribute_of(call.device(), cudaDevAttrMaxSharedMemoryPerBlockOptin) / 4;
    offset const table = table_words(cells), copies = gpu::room_of_tables(bins) / 4;
    offset const small = std::min(Tuning::small_table::most_words, words),
                 large = std::min(Tuning::large_table::most_words, words),
                 packed = std::min(Tuning::packed_table::most_words, words);
    if (Tuning::copies_tables && has_tables<Bins> && table + copies <= std::max(small, large))
        return {table + copies <= small ? table_kind::small : table_kind::large, true};
    if (table <= std::max(small, large))
        return {table <= small ? table_kind::small : table_kind::large, false};
    bool const fits_packed = gpu::packed_layout_for<Tuning>(cells, words).table_words() <= packed;
    return {fits_packed ? table_kind::packed : table_kind::none, false};
}

} // namespace gpu
TILEWISE_NAMESPACE_END
