// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of reduce_by_index and weighted_histogram for the device policy.
///
/// * Sums of integers, which are exact in any order: `sum_cells`, in tables in shared memory if the cells fit, and
///   `write_sums`.
/// * Up to 256 cells of values of up to 8 bytes: blocks combine the lane vectors of each cell (see
///   by_index/lane_vectors.cuh), and then a cell's aggregates are combined as a segment (see segmented.cuh).
/// * Everything else: values are sorted stably by cell (see by_index/partition.cuh), and then the values of each cell
///   are combined as a segment.
///
/// Host memory is staged in pieces, if necessary, for sums of integers. Values that are sorted are staged as a whole.
///
/// Scratch memory: for sums of integers, 4 or 8 bytes per cell. Otherwise, a T per element, or 8 bytes if T is wider
/// than 16, and for more than 256 cells twice that and twice 4 bytes; 8 bytes per cell; and at
/// most about 20 MB.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/by_index/cell_sorter.cuh>
#include <tilewise/device/by_index/cells.cuh>
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

/// Combines values by lane vectors, without sorting them in memory: up to a cell for each thread of a block.
template <class Tuning, class Geometry, class Samples, class Axis, class Values, class T>
class cells_by_lane_vectors {
    static constexpr int threads = Tuning::threads, n = static_cast<int>(order<T, Geometry>::lane_vector);
    static constexpr int items = Tuning::template items_per_thread<static_cast<int>(sizeof(T))>;
    static constexpr int of_counting = counting_threads<Tuning, items>;
    using source_type = cells_of_samples<Samples, Axis>;
    using lists = lane_vectors_by_cell<T, n>;

public:
    device_call& call;
    source_type source;
    Values values;
    int multiprocessors;

    /// Whether lane vectors have several elements, so that their aggregates are fewer.
    static constexpr bool pays = n > 1 && sizeof(T) <= Tuning::most_payload_bytes;
    static constexpr offset most_cells = offset{1} << Tuning::digit_bits;

    /// Launches the kernels. Calls `use(begins, view)` while the aggregates exist: those of a cell are the elements of
    /// `view` from `begins[cell]` up to `begins[cell + 1]`, in memory of the device.
    template <class Op, class Use>
    void start(Op const& op, Use const& use)
    {
        int const cells = static_cast<int>(source.cells);
        int const blocks = gpu::blocks_for(source.count, threads * items,
                                           offset{multiprocessors} * Tuning::moving_blocks_per_multiprocessor);
        whole_cells const whole = {cells};
        offset const of_blocks = offset{cells} * blocks;
        layout_of_arrays layout;
        auto const counts = layout.add<offset>(of_blocks), totals = layout.add<offset>(cells),
                   begins = layout.add<offset>(cells + 1), aggregates = layout.add<T>(source.count / n + cells),
                   heads = layout.add<typename lists::vector>(of_blocks),
                   tails = layout.add<typename lists::vector>(of_blocks);
        scratch<unsigned char> const memory(call, static_cast<offset>(layout.bytes()));
        tables_on_device const tables(source.axis, call); // after the larger allocation
        auto const at = [&]<class E>(std::type_identity<E>, std::size_t begin) {
            return static_cast<E*>(static_cast<void*>(memory.begin() + begin));
        };
        constexpr std::type_identity<offset> offsets;
        constexpr std::type_identity<typename lists::vector> vectors;
        lists const of = {at(offsets, counts), at(offsets, totals),
                          at(offsets, begins), at(std::type_identity<T>{}, aggregates),
                          at(vectors, heads),  at(vectors, tails)};
        if (source.count == 0) {
            call.clear(at(offsets, begins), static_cast<std::size_t>(cells + 1) * sizeof(offset));
        } else {
            call.launch(&count_digits<Tuning, of_counting, threads * items, source_type, whole_cells>, "count_digits",
                        {blocks, of_counting}, source, whole, at(offsets, counts));
            call.launch(&scan_digit_counts<threads>, "scan_digit_counts", {cells, threads}, at(offsets, counts), blocks,
                        at(offsets, totals));
            call.launch(&begin_digits<threads>, "begin_digits", {1, threads}, cells, of.totals, n, at(offsets, begins));
            if (cells <= 1 << Tuning::few_cells_bits)
                combine<Tuning::few_cells_bits>(blocks, of, op);
            else
                combine<Tuning::digit_bits>(blocks, of, op);
        }
        use(of.begins, memory_view<T>{of.aggregates, 0});
    }

private:
    template <int bits, class Op>
    void combine(int blocks, lists const& of, Op const& op)
    {
        int const cells = static_cast<int>(source.cells);
        using taken = converted_values<Values, T>;
        call.launch(&combine_lane_vectors<Tuning, bits, items, n, source_type, taken, Op>, "combine_lane_vectors",
                    {blocks, threads}, source, taken{values}, cells, of, op);
        call.launch(&join_lane_vectors<threads, n, T, Op>, "join_lane_vectors",
                    {gpu::blocks_for(offset{cells} * blocks, threads, multiprocessors * 8), threads}, cells, blocks, of,
                    op);
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
            using by_lane_vectors =
                cells_by_lane_vectors<Tuning, Geometry, decltype(samples), Cells, decltype(elements), T>;
            if constexpr (by_lane_vectors::pays)
                if (cells <= by_lane_vectors::most_cells)
                    return by_lane_vectors{call, from, elements, call.multiprocessors()}.start(
                        op, [&](offset const* begins, auto const& aggregates) {
                            gpu::combine_cells<geometry_of_lane_vectors<Geometry, T>, Tuning>(
                                call, aggregates, begins, cells, count / order<T, Geometry>::lane_vector + cells, sink,
                                init, op);
                        });
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
