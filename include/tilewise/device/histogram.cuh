// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of histogram for the device policy. Every block counts in a table of its own, which it adds to the
/// counters at the end. The number of cells decides where that table is:
///
/// * `count_bytes`: for samples of one byte, in a table of their values.
/// * `count_in_table`: a table of 32-bit counters in shared memory, of which a multiprocessor has two, or one.
/// * `count_in_packed_table`: one of 16-bit counters.
/// * `count_by_partition`: samples are parted by ranges of cells first, or counted in the counters themselves.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/device/block/axis_tables.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/context.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/launch.cuh>
#include <tilewise/device/cuda/runtime.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/histogram/bytes.cuh>
#include <tilewise/device/histogram/packed.cuh>
#include <tilewise/device/histogram/partition.cuh>
#include <tilewise/device/histogram/samples.cuh>
#include <tilewise/device/histogram/tables.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Whether an iterator is one over memory for integers of 4 or 8 bytes.
template <class Sink>
inline constexpr bool stores_counters = false;
template <class O>
inline constexpr bool stores_counters<memory_sink<O>> =
    std::is_integral_v<O> && !std::is_const_v<O> && (sizeof(O) == 4 || sizeof(O) == 8);
template <class Out>
inline constexpr bool counts_in_memory = stores_counters<decltype(gpu::sink_of(std::declval<Out const&>()))>;

inline int attribute_of(int device, cudaDeviceAttr attribute)
{
    int value = 0;
    TILEWISE_CUDA(cudaDeviceGetAttribute, &value, attribute, device);
    return value;
}

/// How many blocks of so much shared memory a device runs at once: as many as the kernel is compiled for, unless the
/// device has room for fewer.
template <class Home>
int blocks_at_once(int device, int shared_bytes)
{
    int const of_threads = attribute_of(device, cudaDevAttrMaxThreadsPerMultiProcessor) / Home::threads;
    constexpr int reserved = 1024; // for each block
    int const of_memory = attribute_of(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor) / (shared_bytes + reserved);
    int const per_multiprocessor = std::min({Home::blocks_per_multiprocessor, of_threads, of_memory});
    return std::max(1, per_multiprocessor) * attribute_of(device, cudaDevAttrMultiProcessorCount);
}

/// Lets a kernel have arrays of up to `most_bytes` in shared memory, which is to leave little to the cache.
template <auto* kernel>
void allow_large_arrays(current_device const& device, int most_bytes)
{
    static known_of_context allowed;
    allowed(device.context(), [&] {
        TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes);
        TILEWISE_CUDA(cudaFuncSetAttribute, kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
        return 1;
    });
}

/// The kernels for one kind of samples and axis, and the choice among them.
template <class Tuning, class View, class Bins, class Counter>
class sample_counter {
public:
    View view;
    offset count;
    Bins bins;
    unsigned cells;
    Counter* counts;
    bool adds;

    template <class Policy>
    void run([[maybe_unused]] Policy const& policy, current_device const& device, call const& by)
    {
        if (!adds)
            clear(by);
        if (count == 0)
            return;
        if constexpr (has_bytes<View>) {
            if (count >= Tuning::columns_from)
                run_bytes<typename Tuning::byte_columns>(device, by);
            else
                run_bytes<typename Tuning::byte_table>(device, by);
        } else {
            int const words = attribute_of(device.index(), cudaDevAttrMaxSharedMemoryPerBlockOptin) / 4;
            constexpr bool can_copy = Tuning::copies_tables && has_tables<Bins>;
            offset const table = table_words(cells), copies = gpu::room_of_tables(bins) / 4;
            if (can_copy && fits<typename Tuning::small_table>(table + copies, words))
                run_table<typename Tuning::small_table, can_copy>(device, by, table + copies);
            else if (can_copy && fits<typename Tuning::large_table>(table + copies, words))
                run_table<typename Tuning::large_table, can_copy>(device, by, table + copies);
            else if (fits<typename Tuning::small_table>(table, words))
                run_table<typename Tuning::small_table, false>(device, by, table);
            else if (fits<typename Tuning::large_table>(table, words))
                run_table<typename Tuning::large_table, false>(device, by, table);
            else if (packed_layout const packed(cells, std::min(Tuning::packed_table::wanted_words, words - warp_size));
                     fits<typename Tuning::packed_table>(packed.table_words(), words))
                run_packed_table<typename Tuning::packed_table>(device, by, packed);
            else
                gpu::count_by_partition<typename Tuning::no_table>(policy, by, device, view, count, bins, counts);
        }
    }

private:
    template <class Home>
    static bool fits(offset words, int of_device)
    {
        return words <= std::min(Home::most_words, of_device);
    }

    void clear(call const& by)
    {
        constexpr int threads = Tuning::clearing_threads;
        auto const blocks = static_cast<int>((offset{cells} + threads - 1) / threads);
        gpu::launch<&clear_counters<Tuning, Counter>>(by, "clear_counters", {blocks, threads}, counts, offset{cells});
    }

    template <class Home>
    void run_bytes(current_device const& device, call const& by)
    {
        with_access<Home>([&]<access how>(std::integral_constant<access, how>) {
            constexpr int bytes = static_cast<int>(byte_counters<Home::columns>::words * sizeof(unsigned));
            start<Home, how, &count_bytes<Home, how, View, Bins, Counter>>(device, by, "count_bytes", bytes);
        });
    }
    template <class Home, bool copies>
    void run_table(current_device const& device, call const& by, offset words)
    {
        with_access<Home>([&]<access how>(std::integral_constant<access, how>) {
            start<Home, how, &count_in_table<Home, how, copies, View, Bins, Counter>>(device, by, "count_in_table",
                                                                                      static_cast<int>(words * 4));
        });
    }
    template <class Home>
    void run_packed_table(current_device const& device, call const& by, packed_layout layout)
    {
        with_access<Home>([&]<access how>(std::integral_constant<access, how>) {
            start<Home, how, &count_in_packed_table<Home, how, View, Bins, Counter>>(
                device, by, "count_in_packed_table", static_cast<int>(layout.table_words() * 4), layout);
        });
    }
    /// Calls `run` with how packets can be loaded.
    template <class Home, class Run>
    void with_access(Run const& run) const
    {
        constexpr int packet = shared_samples<Home, access::aligned, View>::packet;
        constexpr bool can_be_unaligned = View::template alignment<packet> > View::element_alignment;
        constexpr access unaligned =
            View::bases > 0 && View::template can_cover<packet> ? access::covering : access::elementwise;
        std::uintptr_t misalignment = 0;
        view.for_each_base([&](void const* base, offset) { misalignment |= reinterpret_cast<std::uintptr_t>(base); });
        if (misalignment % static_cast<std::uintptr_t>(View::template alignment<packet>) == 0)
            run(std::integral_constant<access, access::aligned>());
        else if constexpr (can_be_unaligned)
            run(std::integral_constant<access, unaligned>());
    }

    /// Starts a kernel: no more blocks than have something to do or the device runs at once, unless a block would count
    /// too much.
    template <class Home, access how, auto* kernel, class... More>
    void start(current_device const& device, call const& by, char const* name, int shared_bytes, More const&... more)
    {
        if (shared_bytes > 0)
            gpu::allow_large_arrays<kernel>(device,
                                            gpu::attribute_of(device.index(), cudaDevAttrMaxSharedMemoryPerBlockOptin));
        offset const useful = std::min(offset{gpu::blocks_at_once<Home>(device.index(), shared_bytes)},
                                       gpu::useful_blocks<shared_samples<Home, how, View>>(count, Home::threads));
        offset const needed = (count + Tuning::most_per_block - 1) / Tuning::most_per_block;
        bool const dependent =
            !adds && Tuning::dependent_launches && !is_timed(by) && gpu::has_sm90_features<kernel>(device);
        gpu::launch<kernel>(by, name,
                            {static_cast<int>(std::max(useful, needed)), Home::threads, 1, dependent, shared_bytes},
                            view, count, bins, cells, counts, more...);
    }
};

/// Counts `count` samples in the cells of an axis' view, in the policy's stream: in counters that are cleared first, or
/// added to.
template <class Tuning = histogram_tuning, class Policy, class It, class Bins, class Out>
void histogram(char const* algorithm, Policy const& policy, It const& first, offset count, Bins bins, Out const& counts,
               bool adds)
{
    auto const cells = static_cast<offset>(bins.extent());
    count = std::max(offset{0}, count);
    if (cells <= 0 || (adds && count == 0))
        return;
    binning::check_cells(algorithm, cells);
    profiler_range const range(adds ? "tilewise::histogram_add" : "tilewise::histogram");
    reject_earlier_error();
    auto view = gpu::view_of(first, count);
    auto sink = gpu::sink_of(counts);
    device_call<Policy> started(algorithm, count, policy);
    bool const captured = started.captured();
    current_device const& device = started.device();
    call const& by = started.by();
    stand_ins stand_in(algorithm, policy, device, captured);
    std::size_t const bytes_each = stand_in.bytes_per_element(view),
                      of_counters = stand_in.bytes_per_result(sink, &check_counters) * static_cast<std::size_t>(cells);
    offset const at_once =
        gpu::elements_at_once(policy, count, bytes_each, staging_tuning::least_elements, of_counters);
    if (bytes_each > 0 && at_once == count)
        stand_in.bring(view);
    stand_in.take(sink, cells, adds);

    using counter = std::conditional_t<sizeof(*sink.first) == 4, unsigned, unsigned long long>;
    tables_on_device const tables(bins, policy, device, captured);
    auto const count_in = [&]<class Cells>(Cells const& bins_for_kernels) {
        sample_counter<Tuning, decltype(view), Cells, counter> counting{
            view, count, bins_for_kernels, static_cast<unsigned>(cells), reinterpret_cast<counter*>(sink.first), adds};
        if (at_once == count)
            return counting.run(policy, device, by);
        for (offset begin = 0; begin < count; begin += at_once, counting.adds = true) {
            counting.view = view.from(begin);
            counting.count = std::min(at_once, count - begin);
            stand_ins of_piece(algorithm, policy, device, captured);
            of_piece.bring(counting.view, counting.count);
            counting.run(policy, device, by);
        }
    };
    if (!binning::visit_simple_view(bins, count_in))
        count_in(bins);
    stand_in.deliver();
    started.finish();
}

} // namespace gpu
TILEWISE_NAMESPACE_END
