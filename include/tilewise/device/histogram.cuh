// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of histogram for the device policy. Each block counts in a private table, which it adds to the counters
/// at the end. The number of cells determines the placement of that table:
///
/// * `count_bytes`: for one-byte samples, a table with a counter for each value.
/// * `count_in_table`: a table of 32-bit counters in shared memory, two or one per multiprocessor.
/// * `count_in_packed_table`: a table of 16-bit counters in shared memory.
/// * `count_by_partition`: samples are first partitioned by ranges of cells, or counted directly in the counters.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/axis/checks.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/histogram/bytes.cuh>
#include <tilewise/device/histogram/choice.cuh>
#include <tilewise/device/histogram/packed.cuh>
#include <tilewise/device/histogram/partition.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/device/histogram/tables.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether a sink stores integers of 4 or 8 bytes in memory.
template <class Sink>
inline constexpr bool stores_counters = false;
template <class O>
inline constexpr bool stores_counters<memory_sink<O>> =
    std::is_integral_v<O> && !std::is_const_v<O> && (sizeof(O) == 4 || sizeof(O) == 8);
template <class Out>
inline constexpr bool counts_in_memory = stores_counters<decltype(gpu::sink_of(std::declval<Out const&>()))>;

/// Returns how many blocks with so much shared memory a device runs at once: as many as the kernel is compiled for,
/// unless the device has room for fewer.
template <class Placement>
int blocks_at_once(current_device const& device, int shared_bytes)
{
    int const of_threads = gpu::attribute_of(device, cudaDevAttrMaxThreadsPerMultiProcessor) / Placement::threads;
    constexpr int reserved = 1024; // bytes per block
    int const of_memory =
        gpu::attribute_of(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor) / (shared_bytes + reserved);
    int const per_multiprocessor = std::min({Placement::blocks_per_multiprocessor, of_threads, of_memory});
    return std::max(1, per_multiprocessor) * gpu::attribute_of(device, cudaDevAttrMultiProcessorCount);
}

/// Chooses and launches the kernels for one type of samples and axis.
template <class Tuning, kernel_set kernels, class View, class Bins, class Counter>
class sample_counter {
public:
    device_call& call;
    View view;
    offset count;
    Bins bins;
    unsigned cells;
    Counter* counts;
    bool adds;

    /// Launches the kernels.
    void start()
    {
        if (!adds)
            clear();
        if (count == 0)
            return;
        if constexpr (has_bytes<View>) {
            if (count >= Tuning::columns_from)
                count_values<typename Tuning::byte_columns>();
            else
                count_values<typename Tuning::byte_table>();
        } else {
            count_in(gpu::table_for<Tuning>(call, bins, cells));
        }
    }

private:
    void count_in(table_choice table)
    {
        offset const words = table_words(cells);
        if constexpr (kernels != kernel_set::others && Tuning::copies_tables && has_tables<Bins>) {
            offset const copies = gpu::room_of_tables(bins) / 4;
            if (table.copies && table.kind == table_kind::small)
                return count_in_words<typename Tuning::small_table, true>(words + copies);
            if constexpr (kernels == kernel_set::all) {
                if (table.copies)
                    return count_in_words<typename Tuning::large_table, true>(words + copies);
            }
        }
        if constexpr (kernels == kernel_set::all || (kernels == kernel_set::in_tables && !has_tables<Bins>)) {
            if (table.kind == table_kind::small)
                return count_in_words<typename Tuning::small_table, false>(words);
            if (table.kind == table_kind::large)
                return count_in_words<typename Tuning::large_table, false>(words);
            if (table.kind == table_kind::packed)
                return count_packed<typename Tuning::packed_table>(gpu::packed_layout_for<Tuning>(
                    cells, gpu::attribute_of(call.device(), cudaDevAttrMaxSharedMemoryPerBlockOptin) / 4));
        }
        if constexpr (kernels != kernel_set::in_tables)
            gpu::count_by_partition<typename Tuning::no_table>(call, view, count, bins, counts);
    }

    void clear()
    {
        constexpr int threads = Tuning::clearing_threads;
        auto const blocks = static_cast<int>((offset{cells} + threads - 1) / threads);
        call.launch(&clear_counters<Tuning, Counter>, "clear_counters", {blocks, threads}, counts, offset{cells});
    }

    template <class Placement>
    static constexpr int vector_size = shared_samples<Placement, access::aligned, View>::vector_size;
    template <class Placement>
    static constexpr access misaligned = misaligned_access<View, vector_size<Placement>>;
    template <class Placement>
    bool is_aligned() const
    {
        return gpu::misalignment_of(view) % View::template alignment<vector_size<Placement>> == 0;
    }

    /// Counts one-byte samples.
    template <class Placement>
    void count_values()
    {
        constexpr int bytes = static_cast<int>(byte_counters<Placement::columns>::words * sizeof(unsigned));
        if (is_aligned<Placement>())
            start<Placement, access::aligned, &count_bytes<Placement, access::aligned, View, Bins, Counter>>(
                "count_bytes", bytes);
        else
            start<Placement, misaligned<Placement>,
                  &count_bytes<Placement, misaligned<Placement>, View, Bins, Counter>>("count_bytes", bytes);
    }
    /// Counts in tables of 32-bit counters.
    template <class Placement, bool copies>
    void count_in_words(offset words)
    {
        auto const bytes = static_cast<int>(words * 4);
        if (is_aligned<Placement>())
            start<Placement, access::aligned, &count_in_table<Placement, access::aligned, copies, View, Bins, Counter>>(
                "count_in_table", bytes);
        else
            start<Placement, misaligned<Placement>,
                  &count_in_table<Placement, misaligned<Placement>, copies, View, Bins, Counter>>("count_in_table",
                                                                                                  bytes);
    }
    /// Counts in tables of 16-bit counters.
    template <class Placement>
    void count_packed(packed_layout layout)
    {
        auto const bytes = static_cast<int>(layout.table_words() * 4);
        if (is_aligned<Placement>())
            start<Placement, access::aligned, &count_in_packed_table<Placement, access::aligned, View, Bins, Counter>>(
                "count_in_packed_table", bytes, layout);
        else
            start<Placement, misaligned<Placement>,
                  &count_in_packed_table<Placement, misaligned<Placement>, View, Bins, Counter>>(
                "count_in_packed_table", bytes, layout);
    }

    /// Launches a kernel. The number of blocks is limited to those that have work and that the device runs at once,
    /// unless a block would then count too many samples.
    template <class Placement, access how, auto* kernel, class... More>
    void start(char const* name, int shared_bytes, More const&... more)
    {
        if (shared_bytes > 0)
            gpu::allow_large_arrays<kernel>(call.device(),
                                            gpu::attribute_of(call.device(), cudaDevAttrMaxSharedMemoryPerBlockOptin));
        offset const useful =
            std::min(offset{gpu::blocks_at_once<Placement>(call.device(), shared_bytes)},
                     gpu::useful_blocks<shared_samples<Placement, how, View>>(count, Placement::threads));
        offset const needed = (count + Tuning::most_per_block - 1) / Tuning::most_per_block;
        bool const dependent = !adds && Tuning::dependent_launches && call.can_launch_dependent<kernel>();
        call.launch(kernel, name,
                    {static_cast<int>(std::max(useful, needed)), Placement::threads, 1, dependent, shared_bytes}, view,
                    count, bins, cells, counts, more...);
    }
};

/// Calls `visit(kernels, form)` with the form of an axis' view that is counted fastest, and the kernels to compile for
/// it. (One-byte samples are found only once for each value.)
template <class Tuning, class Samples, class Bins, class Visit>
void visit_form(device_call const& call, Bins const& bins, Visit const& visit)
{
    constexpr bool for_samples = !has_bytes<Samples>;
    auto const visit_if_it_fits = [&]<class Form>(Form form) {
        constexpr bool beside_copies = has_tables<Form>;
        auto const table = gpu::table_for<Tuning>(call, form, static_cast<unsigned>(form.extent()));
        bool const fits =
            beside_copies ? table.copies && table.kind == table_kind::small : table.kind != table_kind::none;
        if (fits)
            visit(kernels_of<kernel_set::in_tables>(), form);
        return fits;
    };
    if constexpr (for_samples && binning::has_simple_form<Bins>) {
        if (bins.is_simple()) {
            auto form = bins.simple_form();
            if constexpr (!has_tables<decltype(form)>)
                return visit(kernels_of<kernel_set::all>(), form);
            else if (visit_if_it_fits(form))
                return;
        }
    }
    if constexpr (for_samples && binning::has_branchless_form<Bins>) {
        if (bins.is_branchless() && visit_if_it_fits(bins.branchless_form()))
            return;
    }
    constexpr auto kernels = for_samples && binning::is_mostly_branchless<Bins> ? kernel_set::others : kernel_set::all;
    visit(kernels_of<kernels>(), bins);
}

/// Launches the kernels that count `count` samples in the cells of an axis' view, of which there is at least one. Adds
/// to the counters if `adds`, otherwise clears them first.
template <class Tuning = histogram_tuning, class It, class Bins, class Out>
void start_histogram(device_call& call, It const& first, offset count, Bins const& bins, Out const& counts, bool adds)
{
    auto const cells = static_cast<offset>(bins.extent());
    auto view = gpu::view_of(first, count);
    auto sink = gpu::sink_of(counts);
    staging staged(call);
    std::size_t const bytes_each = staged.bytes_per_element(view),
                      of_counters = staged.bytes_per_result(sink, &check_counters) * static_cast<std::size_t>(cells);
    offset const at_once = staged.elements_at_once(count, bytes_each, staging_tuning::least_elements, of_counters);
    if (bytes_each > 0 && at_once == count)
        staged.stage_in(view);
    staged.stage_out(sink, cells, adds);

    using counter = std::conditional_t<sizeof(*sink.first) == 4, unsigned, unsigned long long>;
    auto const count_in = [&]<kernel_set kernels, class Form>(kernels_of<kernels>, Form form) {
        tables_on_device const tables(form, call);
        sample_counter<Tuning, kernels, decltype(view), Form, counter> counting{
            call, view, count, form, static_cast<unsigned>(cells), reinterpret_cast<counter*>(sink.first), adds};
        if (at_once == count)
            return counting.start();
        for (offset begin = 0; begin < count; begin += at_once, counting.adds = true) {
            counting.view = view.from(begin);
            counting.count = std::min(at_once, count - begin);
            staging of_piece(call);
            of_piece.stage_in_first(counting.view, counting.count);
            counting.start();
            call.report_progress(begin + counting.count, count);
        }
    };
    gpu::visit_form<Tuning, decltype(view)>(call, bins, count_in);
    staged.copy_out();
}

/// Counts `count` samples in the cells of an axis' view, in the policy's stream. Adds to the counters if `adds`,
/// otherwise clears them first.
template <class Tuning = histogram_tuning, class Policy, class It, class Bins, class Out>
void histogram(char const* algorithm, Policy const& policy, It const& first, offset count, Bins bins, Out const& counts,
               bool adds)
{
    auto const cells = static_cast<offset>(bins.extent());
    count = std::max(offset{0}, count);
    if (cells <= 0 || (adds && count == 0))
        return;
    binning::check_cells(algorithm, cells);
    device_call call(algorithm, count, policy);
    gpu::start_histogram<Tuning>(call, first, count, bins, counts, adds);
    call.finish();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
