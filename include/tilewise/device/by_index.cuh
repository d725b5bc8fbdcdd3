// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of reduce_by_index and weighted_histogram for the device policy.
///
/// * Sums of integers, which are exact in any order: `sum_cells`, in tables in shared memory if the cells fit, and
///   `write_sums`.
/// * Up to 2048 cells of values of up to 8 bytes: blocks combine the lane vectors of each cell (see
///   by_index/combine_lane_vectors.cuh), and then a cell's aggregates are combined as a segment (see segmented.cuh).
/// * Everything else: values are sorted stably by cell (see by_index/partition.cuh), and then the values of each cell
///   are combined as a segment.
///
/// Host memory is staged in pieces, if necessary, for sums of integers. Values that are sorted are staged as a whole.
///
/// Scratch memory: for sums of integers, 4 or 8 bytes per cell. With lane vectors, a T for each of them, and 40 bytes
/// per cell for each block, at most about 30 MB. Otherwise, a T per element, or 8 bytes if T is wider than 16, and for
/// more than 256 cells twice that and twice 4 bytes; 8 bytes per cell; and at most about 20 MB.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/by_index/cell_sorter.cuh>
#include <tilewise/device/by_index/cells.cuh>
#include <tilewise/device/by_index/combine_lane_vectors.cuh>
#include <tilewise/device/by_index/integer_sums.cuh>
#include <tilewise/device/by_index/lane_vectors.cuh>
#include <tilewise/device/by_index/partition.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/segmented.cuh>
#include <tilewise/device/segmented/segments.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Combines `init` and the sorted values of each cell.
template <class Geometry, class Tuning, class View, class Sink, class T, class Op>
void combine_cells(device_call& call, View const& view, offset const* begins, offset cells, offset count,
                   Sink const& sink, T const& init, Op const& op)
{
    using results_type = result_per_segment<Sink>;
    using scan_type = scan_of<View, typename results_type::sink, T, Op, scan_form::inclusive, order<T, Geometry>>;
    using list_type = segment_list<memory_view<offset>, memory_view<offset>>;
    using segmented = segmented_of<scan_type, results_type, list_type>;
    gpu::start_segmented<segmented, typename Tuning::segments>(call, view, results_type{sink},
                                                               list_type{{begins, cells}, {begins + 1, cells}, true},
                                                               cells, count, std::optional<T>(init), op);
}

/// Combines values by lane vectors, without sorting them in memory, if the cells are few enough.
template <class Tuning, class Geometry, class Samples, class Axis, class Values, class T>
class cells_by_lane_vectors {
    static constexpr int threads = Tuning::threads, n = static_cast<int>(order<T, Geometry>::lane_vector);
    static constexpr int items = Tuning::template items_per_thread<static_cast<int>(sizeof(T))>;
    using source_type = cells_of_samples<Samples, Axis>;
    using taken_type = converted_values<Values, T>;
    using lists = lane_vectors_by_cell<T, n>;
    template <int bits>
    using blocks_of = lane_vector_blocks<Tuning, bits, items>;

public:
    device_call& call;
    source_type source;
    Values values;
    int multiprocessors;

    /// Launches the kernels, unless there are too many cells, too few elements, or lane vectors of one element. Calls
    /// `use(begins, view)` while the aggregates exist: those of a cell are the elements of `view` from `begins[cell]`
    /// up to `begins[cell + 1]`, in memory of the device.
    template <class Op, class Use>
    bool start(Op const& op, Use const& use)
    {
        if constexpr (n > 1 && sizeof(T) <= Tuning::most_payload_bytes) {
            if (source.count < Tuning::least_for_lane_vectors)
                return false;
            if (source.cells <= 1 << Tuning::few_cells_bits)
                return combine<blocks_of<Tuning::few_cells_bits>>(op, use);
            if (source.cells <= 1 << Tuning::digit_bits)
                return combine<blocks_of<Tuning::digit_bits>>(op, use);
            if (source.cells <= 1 << Tuning::many_cells_bits)
                return combine<blocks_of<Tuning::many_cells_bits>>(op, use);
        }
        return false;
    }

private:
    template <class Blocks, class Op, class Use>
    bool combine(Op const& op, Use const& use)
    {
        using memory_type = lane_vectors_in_block<Blocks, T, n>;
        if constexpr (!memory_type::fits) {
            return false;
        } else {
            constexpr auto kernel = &combine_lane_vectors<Blocks, n, source_type, taken_type, Op>;
            constexpr int shared_bytes = sizeof(memory_type);
            if (Blocks::are_wide &&
                gpu::resident_blocks_with<kernel>(call.device(), Blocks::threads, shared_bytes) == 0)
                return false;
            int const cells = static_cast<int>(source.cells);
            int const blocks =
                gpu::blocks_for(source.count, Blocks::tile, offset{multiprocessors} * Blocks::per_multiprocessor);
            if (source.count > offset{blocks} << 31) // a block counts in 32 bits
                return false;
            offset const of_blocks = offset{cells} * blocks;
            layout_of_arrays layout;
            auto const counts = layout.add<offset>(of_blocks), totals = layout.add<offset>(cells),
                       begins = layout.add<offset>(cells + 1), aggregates = layout.add<T>(source.count / n + cells),
                       heads = layout.add<typename lists::vector>(of_blocks),
                       tails = layout.add<typename lists::vector>(of_blocks);
            scratch<unsigned char> const memory(call, static_cast<offset>(layout.bytes()));
            tables_on_device const tables(source.axis, call); // after the larger allocation
            auto const at = [&](std::size_t begin) -> void* { return memory.begin() + begin; };
            auto* const own_counts = static_cast<offset*>(at(counts));
            auto* const own_totals = static_cast<offset*>(at(totals));
            auto* const own_begins = static_cast<offset*>(at(begins));
            lists const of = {own_counts,
                              own_totals,
                              own_begins,
                              static_cast<T*>(at(aggregates)),
                              static_cast<typename lists::vector*>(at(heads)),
                              static_cast<typename lists::vector*>(at(tails))};
            if (source.count == 0) {
                call.clear(own_begins, static_cast<std::size_t>(cells + 1) * sizeof(offset));
            } else {
                constexpr int of_counting = counting_threads<Blocks::threads, Blocks::items>;
                call.launch(&count_digits<of_counting, Blocks::per_multiprocessor, Blocks::tile, Blocks::digits,
                                          source_type, whole_cells>,
                            "count_digits", {blocks, of_counting}, source, whole_cells{cells}, own_counts);
                call.launch(&scan_digit_counts<threads>, "scan_digit_counts", {cells, threads}, own_counts, blocks,
                            own_totals);
                call.launch(&begin_digits<threads>, "begin_digits", {1, threads}, cells, of.totals, n, own_begins);
                launch_shape const shape = {blocks, Blocks::threads, 1, false, shared_bytes};
                if constexpr (Blocks::are_wide)
                    call.launch_with_array<kernel>("combine_lane_vectors", shape, shared_bytes, source,
                                                   taken_type{values}, cells, of, op);
                else
                    call.launch(kernel, "combine_lane_vectors", shape, source, taken_type{values}, cells, of, op);
                call.launch(&join_lane_vectors<threads, n, T, Op>, "join_lane_vectors",
                            {gpu::blocks_for(of_blocks, threads, multiprocessors * 8), threads}, cells, blocks, of, op);
            }
            use(of.begins, memory_view<T>{of.aggregates, 0});
            return true;
        }
    }
};

/// Combines, for each cell of an axis, `init` and the values of its samples, in the policy's stream.
template <class Geometry, class Tuning = by_index_tuning, class Policy, class Keys, class Values, class View, class Out,
          class T, class Op>
void reduce_by_cell(char const* algorithm, Policy const& policy, Keys const& first, offset count, Values const& values,
                    View const& axis, Out const& out, T const& init, Op const& op)
{
    offset const cells = axis.extent();
    if (cells <= 0)
        return;
    count = std::max(offset{0}, count);
    device_call call(algorithm, count, policy);
    auto samples = gpu::view_of(first, count);
    auto elements = gpu::view_of(values, count);
    auto sink = gpu::sink_of(out);
    constexpr bool adds = adds_integers<Op, T>; // in pieces, if necessary
    staging staged(call);
    std::size_t const bytes_each = staged.bytes_per_element(samples) + staged.bytes_per_element(elements),
                      of_results = staged.bytes_per_result(sink) * static_cast<std::size_t>(cells);
    offset const at_once =
        adds ? staged.elements_at_once(count, bytes_each, staging_tuning::least_elements, of_results) : count;
    if (bytes_each > 0 && at_once == count) {
        staged.stage_in(samples);
        staged.stage_in(elements);
    }
    staged.stage_out(sink, cells);

    auto const combine_in = [&]<class Cells>(Cells const& axis_for_kernels) {
        cells_of_samples<decltype(samples), Cells> const from = {samples, axis_for_kernels, cells, count};
        if constexpr (adds)
            integer_sums<Tuning, decltype(samples), Cells, decltype(elements), decltype(sink), T>{
                call, from, elements, sink, init, call.multiprocessors()}
                .start(at_once);
        else {
            using vectors_geometry = with_lane_vectors<Geometry, static_cast<int>(sizeof(T))>;
            auto const combine_vectors = [&](offset const* begins, auto const& aggregates) {
                offset const about = count / order<T, Geometry>::lane_vector + cells;
                gpu::combine_cells<vectors_geometry, Tuning>(call, aggregates, begins, cells, about, sink, init, op);
            };
            if (cells_by_lane_vectors<Tuning, Geometry, decltype(samples), Cells, decltype(elements), T>{
                    call, from, elements, call.multiprocessors()}
                    .start(op, combine_vectors))
                return;
            cell_sorter<Tuning, decltype(samples), Cells, decltype(elements), T>{call, from, elements,
                                                                                 call.multiprocessors()}
                .start([&](offset const* begins, auto const& sorted) {
                    gpu::combine_cells<Geometry, Tuning>(call, sorted, begins, cells, count, sink, init, op);
                });
        }
    };
    if (!binning::visit_simple_view(axis, combine_in))
        combine_in(axis);
    staged.copy_out();
    call.finish();
}

/// Sorts the values of samples by the cell of an axis, and calls `use(call, begins, view)`: see `cell_sorter::start`.
template <class T, class Tuning = by_index_tuning, class Policy, class Keys, class Values, class View, class Use>
void with_values_by_cell(char const* algorithm, Policy const& policy, Keys const& first, offset count,
                         Values const& values, View const& axis, Use const& use)
{
    count = std::max(offset{0}, count);
    device_call call(algorithm, count, policy);
    auto samples = gpu::view_of(first, count);
    auto elements = gpu::view_of(values, count);
    staging staged(call);
    if (staged.bytes_per_element(samples) + staged.bytes_per_element(elements) > 0) {
        staged.stage_in(samples);
        staged.stage_in(elements);
    }
    auto const sort_in = [&]<class Cells>(Cells const& axis_for_kernels) {
        cells_of_samples<decltype(samples), Cells> const from = {samples, axis_for_kernels, axis.extent(), count};
        cell_sorter<Tuning, decltype(samples), Cells, decltype(elements), T>{call, from, elements,
                                                                             call.multiprocessors()}
            .start([&](offset const* begins, auto const& sorted) { use(call, begins, sorted); });
    };
    if (!binning::visit_simple_view(axis, sort_in))
        sort_in(axis);
    call.finish();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
