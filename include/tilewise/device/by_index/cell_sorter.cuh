// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Sorts values by cell in memory, with the kernels of partition.cuh.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/by_index/partition.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/order.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Lays out arrays in one block of memory.
class layout_of_arrays {
public:
    /// Adds an array of `count` elements. \returns its offset in bytes
    template <class E>
    std::size_t add(offset count)
    {
        std::size_t const begin = bytes_;
        bytes_ += (static_cast<std::size_t>(count) * sizeof(E) + alignment - 1) / alignment * alignment;
        return begin;
    }
    std::size_t bytes() const { return bytes_; }

private:
    static constexpr std::size_t alignment = 256; // that of the largest accumulator
    std::size_t bytes_ = 0;
};

/// Sorts values by cell.
template <class Tuning, class Samples, class Axis, class Values, class T>
class cell_sorter {
    static constexpr int threads = Tuning::threads;
    static constexpr bool moves_values = sizeof(T) <= Tuning::most_payload_bytes;
    using moved = std::conditional_t<moves_values, T, offset>;
    static constexpr int items = Tuning::template items_per_thread<static_cast<int>(sizeof(moved))>;
    static constexpr int of_counting = counting_threads<threads, items>;
    using source_type = cells_of_samples<Samples, Axis>;

public:
    device_call& call;
    source_type source;
    Values values;
    int multiprocessors;

    /// Launches the kernels. Calls `use(begins, view)` while the sorted values exist: those of a cell are the elements
    /// of `view` from `begins[cell]` up to `begins[cell + 1]`, in memory of the device.
    template <class Use>
    void start(Use const& use)
    {
        int const bits = static_cast<int>(std::bit_width(static_cast<unsigned>(cells() - 1)));
        int const passes = std::max(1, (bits + Tuning::digit_bits - 1) / Tuning::digit_bits);
        radix_digit const lowest = {0, (bits + passes - 1) / passes};
        int const blocks = gpu::blocks_for(count(), threads * items,
                                           offset{multiprocessors} * Tuning::moving_blocks_per_multiprocessor);
        bool const sorts_cells = passes > 1;
        layout_of_arrays layout;
        auto const digit_counts = layout.add<offset>(offset{lowest.count()} * blocks);
        auto const digit_begins = layout.add<offset>(lowest.count() + 1);
        auto const begins = layout.add<offset>(sorts_cells ? cells() + 1 : 0);
        auto const now = layout.add<moved>(count()), then = layout.add<moved>(sorts_cells ? count() : 0);
        auto const cells_now = layout.add<unsigned>(sorts_cells ? count() : 0),
                   cells_then = layout.add<unsigned>(sorts_cells ? count() : 0);
        scratch<unsigned char> const memory(call, static_cast<offset>(layout.bytes()));
        tables_on_device const tables(source.axis, call); // after the larger allocation
        auto const at = [&](std::size_t begin) -> void* { return memory.begin() + begin; };
        arrays const in = {static_cast<offset*>(at(digit_counts)),
                           static_cast<offset*>(at(digit_begins)),
                           static_cast<offset*>(at(sorts_cells ? begins : digit_begins)),
                           static_cast<moved*>(at(now)),
                           static_cast<moved*>(at(then)),
                           static_cast<unsigned*>(at(cells_now)),
                           static_cast<unsigned*>(at(cells_then))};
        if (count() == 0)
            call.clear(in.begins, static_cast<std::size_t>(cells() + 1) * sizeof(offset));
        else
            sort(in, lowest, passes, blocks);
        moved const* const sorted = passes % 2 == 1 ? in.now : in.then;
        if constexpr (moves_values)
            use(in.begins, memory_view<T>{sorted, 0});
        else
            use(in.begins, gpu::view_of(values_in_order<Values, T>{values, sorted}, 0));
    }

private:
    offset cells() const { return source.cells; }
    offset count() const { return source.count; }

    /// The arrays, in one block of memory.
    struct arrays {
        offset* digit_counts; ///< one row per digit, one column per block
        offset* digit_begins;
        offset* begins; ///< of the cells, and the end of the last one
        moved *now, *then;
        unsigned *cells_now, *cells_then;
    };

    /// Sorts by one digit, stably.
    template <class Source, class What>
    void sort_by_digit(arrays const& in, radix_digit radix, int blocks, Source const& from, What const& what, moved* to,
                       unsigned* cells_to)
    {
        call.launch(&count_digits<of_counting, Tuning::moving_blocks_per_multiprocessor, threads * items,
                                  1 << Tuning::digit_bits, Source, radix_digit>,
                    "count_digits", {blocks, of_counting}, from, radix, in.digit_counts);
        call.launch(&scan_digit_counts<threads>, "scan_digit_counts", {radix.count(), threads}, in.digit_counts, blocks,
                    in.digit_begins);
        call.launch(&begin_digits<threads>, "begin_digits", {1, threads}, radix.count(),
                    static_cast<offset const*>(in.digit_begins), 1, in.digit_begins);
        call.launch(&move_by_digit<Tuning, items, Source, What>, "move_by_digit", {blocks, threads}, from, what, radix,
                    static_cast<offset const*>(in.digit_counts), static_cast<offset const*>(in.digit_begins), to,
                    cells_to);
    }

    /// Sorts by cell, and finds where each cell begins. The result is in `now` after an odd number of passes.
    void sort(arrays const& in, radix_digit radix, int passes, int blocks)
    {
        offset const* const kept = in.digit_begins + radix.count();
        unsigned *cells_now = passes > 1 ? in.cells_now : nullptr, *cells_then = in.cells_then;
        moved *now = in.now, *then = in.then;
        if constexpr (moves_values)
            sort_by_digit(in, radix, blocks, source, converted_values<Values, T>{values}, now, cells_now);
        else
            sort_by_digit(in, radix, blocks, source, positions_of_values{}, now, cells_now);
        for (int pass = 1; pass < passes; ++pass) {
            radix.shift += radix.bits;
            converted_values<memory_view<moved>, moved> const moved_before = {{now, count()}};
            sort_by_digit(in, radix, blocks, known_cells{cells_now, kept}, moved_before, then, cells_then);
            std::swap(now, then);
            std::swap(cells_now, cells_then);
        }
        if (passes > 1)
            call.launch(&find_cells<threads>, "find_cells",
                        {gpu::blocks_for(cells() + 1, threads, multiprocessors * 8), threads},
                        known_cells{cells_now, kept}, cells(), in.begins);
    }
};

} // namespace gpu
TILEWISE_NAMESPACE_END
