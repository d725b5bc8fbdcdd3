// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan_kernels.hpp"

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using namespace scan_kernels;
using on_device::amount;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

/// Elements, and what their scans have to be.
class workload {
public:
    using T = float;
    using geometry = steep_geometry;
    static constexpr T init = 0.5f;

    explicit workload(std::size_t most = amount<std::size_t>(1 << 17, 1 << 14, 3 * tw::order<T, geometry>::group + 77))
    {
        for (std::uint32_t const bits : shape::some_values<std::uint32_t>(most))
            elements.push_back(static_cast<T>(static_cast<std::int32_t>(bits)) / static_cast<T>(1 << (bits % 16)));
        device_copy.emplace(elements);
        expected.emplace(geometry(), elements, init, std::plus<>());
    }
    std::size_t size() const { return elements.size(); }

    /// Starts a scan of the first elements into memory, or in place.
    template <class Tuning, class Policy>
    void start(Policy const& policy, std::size_t count, T* out, tw::scan_form form = exclusive) const
    {
        if (form == exclusive)
            scan<geometry, Tuning, exclusive, T>(policy, device_copy->data(), count, out, init, std::plus<>());
        else
            scan<geometry, Tuning, inclusive, T>(policy, device_copy->data(), count, out, init, std::plus<>());
    }
    /// Runs one and looks at the results.
    template <class Tuning, class Policy>
    void run(Policy const& policy, std::size_t count) const
    {
        device_array<T> const out(count);
        start<Tuning>(policy, count, out.data());
        expect_success(cudaStreamSynchronize(policy.stream()));
        expect_same(out.values(count), expected->excluding, "the scan");
    }

    std::vector<T> elements;
    std::optional<device_array<T>> device_copy;
    std::optional<scanned<T>> expected;
};
template <class T>
using tuning_of = std::remove_cvref_t<T>;

DEVICE_TEST_WITH_STREAMS(scan_streams, keep_the_order_of_calls_that_do_not_wait)
{
    workload const work;
    stream const where;
    std::size_t const repeats = amount<std::size_t>(200, 4, 3);
    by_every_kernel<steep_geometry>([&](auto tuning) {
        std::vector<std::pair<std::size_t, device_array<float>>> results;
        for (std::size_t i = 0; i < repeats; ++i) {
            std::size_t const count = work.size() - i * 1000 % work.size();
            results.emplace_back(count, device_array<float>(count));
            work.start<tuning_of<decltype(tuning)>>(tw::device.on(where).nosync(), count, results.back().second.data());
        }
        where.wait();
        for (auto const& [count, out] : results)
            expect_same(out.values(count), work.expected->excluding, "a scan");
    });
}

/// A scan of what the one before it wrote, in the same place.
DEVICE_TEST_WITH_STREAMS(scan_streams, read_what_the_call_before_wrote)
{
    workload const work;
    stream const where;
    scanned<float> const again(steep_geometry(), work.expected->excluding, work.init, std::plus<>());
    by_every_kernel<steep_geometry>([&](auto tuning) {
        device_array<float> const out(work.size());
        work.start<tuning_of<decltype(tuning)>>(tw::device.on(where).nosync(), work.size(), out.data());
        scan<steep_geometry, tuning_of<decltype(tuning)>, inclusive, float>(
            tw::device.on(where).nosync(), out.data(), work.size(), out.data(), {work.init}, std::plus<>());
        where.wait();
        expect_same(out.values(work.size()), again.with_init, "the second scan");
    });
}

DEVICE_TEST_WITH_STREAMS(scan_streams, are_several_at_once)
{
    workload const work;
    std::vector<stream> const streams(4);
    std::size_t const repeats = amount<std::size_t>(50, 2, 2);
    by_every_kernel<steep_geometry>([&](auto tuning) {
        std::vector<device_array<float>> results;
        for (std::size_t i = 0; i < repeats * streams.size(); ++i) {
            results.emplace_back(work.size());
            work.start<tuning_of<decltype(tuning)>>(tw::device.on(streams[i % streams.size()]).nosync(), work.size(),
                                                    results.back().data());
        }
        for (auto const& each : streams)
            each.wait();
        for (auto const& out : results)
            expect_same(out.values(work.size()), work.expected->excluding, "a scan");
    });
}

DEVICE_TEST_WITH_STREAMS(scan_streams, serve_threads_that_share_them)
{
    workload const work;
    std::vector<stream> const streams(3);
    by_every_kernel<steep_geometry>([&](auto tuning) {
        std::vector<std::thread> threads;
        for (std::size_t thread = 0; thread < 4; ++thread)
            threads.emplace_back([&, thread] {
                for (std::size_t i = 0; i < amount<std::size_t>(50, 2, 1); ++i)
                    work.run<tuning_of<decltype(tuning)>>(tw::device.on(streams[(thread + i) % streams.size()]),
                                                          work.size() - thread);
            });
        for (auto& each : threads)
            each.join();
    });
}

DEVICE_TEST_WITH_STREAMS(scan_streams, give_the_same_bits_100_times_under_load)
{
    workload const work;
    stream const where, busy;
    std::size_t const load = amount<std::size_t>(256 << 20, 1 << 20, 1 << 12);
    device_array<unsigned char> const memory(load);
    by_every_kernel<steep_geometry>([&](auto tuning) {
        for (int i = 0; i < amount(100, 3, 2); ++i) {
            for (int burst = 0; burst < 3; ++burst)
                expect_success(cudaMemsetAsync(memory.data(), burst, load, busy));
            work.run<tuning_of<decltype(tuning)>>(tw::device.on(where), work.size());
        }
        busy.wait();
    });
}

/// Sets the last epoch of the status memory of a stream, if there is any.
bool set_last_epoch(cudaStream_t where, unsigned epoch)
{
    unsigned long long id = 0;
    expect_success(cudaStreamGetId(where, &id));
    tw::gpu::current_device const device(where);
    auto block = tw::gpu::scratch_cache::of_status().take({id, device.context(), device.index(), nullptr, 1});
    if (block.memory == nullptr)
        return false;
    block.state.epoch = epoch;
    tw::gpu::scratch_cache::of_status().keep(block);
    return true;
}

DEVICE_TEST_WITH_STREAMS(scan_streams, survive_the_last_epoch)
{
    workload const work;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = tuning_of<decltype(tuning)>;
        if (std::is_same_v<tuning_type, in_three_passes<steep_geometry>> ||
            std::is_same_v<tuning_type, in_cluster<steep_geometry>>)
            return; // have no status memory
        stream const where;
        work.run<tuning_type>(tw::device.on(where), work.size() / 2); // with epoch 1
        for (unsigned const epoch : {0xFFFFFFFDu, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
            if (bool const has_status = set_last_epoch(where, epoch); !has_status) {
                EXPECT_FALSE((std::is_same_v<tuning_type, in_one_pass<steep_geometry>>));
                return; // more tiles than fit side by side
            }
            for (std::size_t i = 0; i < 3; ++i)
                work.run<tuning_type>(tw::device.on(where), work.size() / 2 - i * 300);
        }
    });
}

DEVICE_TEST_WITH_STREAMS(scan_graphs, compute_anew_from_changed_elements)
{
    workload const work;
    auto elements = work.elements;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = tuning_of<decltype(tuning)>;
        stream const where;
        device_array<float> const out(work.size());
        graph const replayed(where, [&] {
            work.start<tuning_type>(tw::device.on(where).nosync(), work.size() / 2, out.data());
            work.start<tuning_type>(tw::device.on(where).nosync(), work.size(), out.data(), inclusive);
        });
        for (int i = 0; i < 3; ++i) {
            elements[0] += 1000;
            work.device_copy->assign(elements);
            expect_success(cudaDeviceSynchronize());
            replayed.launch(where);
            where.wait();
            scanned<float> const expected(steep_geometry(), elements, work.init, std::plus<>());
            expect_same(out.values(work.size()), expected.with_init, "the replayed scan");
        }
    });
}

DEVICE_TEST_WITH_STREAMS(scan_graphs, cannot_be_waited_for_and_survive_the_attempt)
{
    workload const work;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        using tuning_type = tuning_of<decltype(tuning)>;
        stream const where;
        device_array<float> const out(work.size());
        graph const replayed(where, [&] {
            EXPECT_THROW(work.start<tuning_type>(tw::device.on(where), work.size(), out.data()), std::invalid_argument);
            work.start<tuning_type>(tw::device.on(where).nosync(), work.size(), out.data());
        });
        work.run<tuning_type>(tw::device.on(where), work.size());
        replayed.launch(where);
        where.wait();
        expect_same(out.values(work.size()), work.expected->excluding, "the replayed scan");
    });
}

/// Counts, and passes on to the stream's pool.
struct counting_pool {
    int allocations = 0;
    std::size_t bytes = 0;

    void* allocate(std::size_t wanted, cudaStream_t where)
    {
        void* memory = nullptr;
        expect_success(cudaMallocAsync(&memory, wanted, where));
        ++allocations;
        bytes += wanted;
        return memory;
    }
    void deallocate(void* memory, std::size_t returned, cudaStream_t where)
    {
        expect_success(cudaFreeAsync(memory, where));
        bytes -= returned;
    }
};

DEVICE_TEST_WITH_STREAMS(scan_policies, take_scratch_from_a_resource)
{
    workload const work;
    stream const where;
    by_every_kernel<steep_geometry>([&](auto tuning) {
        counting_pool pool;
        for (int i = 0; i < 3; ++i)
            work.run<tuning_of<decltype(tuning)>>(tw::device.on(where).with(pool), work.size());
        EXPECT_EQ(pool.allocations, 3);
        EXPECT_EQ(pool.bytes, 0u);
    });
}

/// The kernels that a tuning chooses for so many tiles.
template <class Tuning>
std::vector<std::string> kernels_for(workload const& work, std::size_t tiles, tw::trace_mode mode)
{
    std::vector<std::string> names;
    auto sink = [&](tw::launch_record const& record) {
        EXPECT_STREQ(record.algorithm, "exclusive_scan");
        EXPECT_GE(record.resident_blocks, 1);
        EXPECT_EQ(record.items, static_cast<std::ptrdiff_t>(tiles * tw::order<float, steep_geometry>::tile));
        names.emplace_back(record.kernel);
    };
    work.run<Tuning>(tw::device.trace(sink, mode), tiles * tw::order<float, steep_geometry>::tile);
    return names;
}

DEVICE_TEST(scan_policies, tell_a_trace_of_every_launch)
{
    workload const work;
    using names = std::vector<std::string>;
    int device = 0, major = 0;
    expect_success(cudaGetDevice(&device));
    expect_success(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    for (auto const mode : {tw::trace_mode::launches, tw::trace_mode::timed}) {
        EXPECT_EQ(kernels_for<in_cluster<steep_geometry>>(work, 1, mode), names{"scan_one_tile"});
        EXPECT_EQ(kernels_for<tile_per_block<steep_geometry>>(work, 2, mode), names{"scan_tile_per_block"});
        EXPECT_EQ(kernels_for<in_three_passes<steep_geometry>>(work, 5, mode),
                  (names{"reduce_tiles", "carry_groups", "scan_with_carries"}));
        if (major >= 9) {
            EXPECT_EQ(kernels_for<in_cluster<steep_geometry>>(work, 4, mode), names{"scan_in_cluster"});
            EXPECT_EQ(kernels_for<in_one_pass<steep_geometry>>(work, 9, mode), names{"scan_in_one_pass"});
        }
    }
}

} // namespace
