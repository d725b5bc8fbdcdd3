// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::same_bits;
using on_device::stream;

/// Elements on the device, and what the reductions of their first so many have to be: one size for every kernel.
class workload {
public:
    struct job {
        std::size_t count;
        float expected;
    };

    explicit workload(std::size_t most) : elements_(on_device::some_elements<float>(most)), device_copy_(elements_)
    {
        std::size_t const tile = values::tile_of(sizeof(float));
        for (std::size_t const count : {std::size_t{1}, std::size_t{1000}, tile + 1, 10 * tile, 40 * tile + 3, most})
            if (count <= most)
                jobs_.push_back({count, tw::reduce(tw::seq, elements_.data(), elements_.data() + count, 0.5f)});
    }
    float const* begin() const { return device_copy_.begin(); }
    std::vector<job> const& jobs() const { return jobs_; }

    /// Runs some of the jobs in a stream, and waits for each.
    void run(cudaStream_t where, std::size_t repeats, std::size_t first_job = 0) const
    {
        for (std::size_t i = 0; i < repeats; ++i) {
            auto const& [count, expected] = jobs_[(first_job + i) % jobs_.size()];
            EXPECT_TRUE(same_bits(tw::reduce(tw::device.on(where), begin(), begin() + count, 0.5f), expected))
                << "n = " << count;
        }
    }

private:
    std::vector<float> elements_;
    device_array<float> device_copy_;
    std::vector<job> jobs_;
};

std::size_t most_elements()
{
    return amount<std::size_t>(1 << 22, 1 << 17, 20000);
}

/// Calls `body(i)` in the i-th of so many threads.
template <class Body>
void in_threads(std::size_t count, Body body)
{
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i)
        threads.emplace_back([=] { body(i); });
    for (auto& thread : threads)
        thread.join();
}

DEVICE_TEST_WITH_STREAMS(streams, serve_8_threads_with_16)
{
    workload const work(most_elements());
    std::vector<stream> const streams(16);
    std::size_t const repeats = amount<std::size_t>(500, 2, 2);
    in_threads(8, [&](std::size_t thread) {
        for (std::size_t i = 0; i < repeats; ++i)
            work.run(streams[(thread * 5 + i * 3) % streams.size()], 1, thread + i);
    });
}

DEVICE_TEST_WITH_STREAMS(streams, serve_8_threads_with_one)
{
    workload const work(most_elements());
    stream const shared;
    in_threads(8, [&](std::size_t thread) { work.run(shared, amount<std::size_t>(500, 2, 2), thread); });
}

DEVICE_TEST_WITH_STREAMS(streams, keep_the_order_of_calls_that_do_not_wait)
{
    workload const work(most_elements());
    stream const where;
    std::size_t const repeats = amount<std::size_t>(300, 6, 6);
    device_array<float> const results(repeats);
    for (std::size_t i = 0; i < repeats; ++i)
        tw::reduce_into(tw::device.on(where).nosync(), work.begin(),
                        work.begin() + work.jobs()[i % work.jobs().size()].count, results.data() + i, 0.5f);
    where.wait();
    for (std::size_t i = 0; i < repeats; ++i)
        EXPECT_TRUE(same_bits(results.value(i), work.jobs()[i % work.jobs().size()].expected)) << i;
}

DEVICE_TEST_WITH_STREAMS(streams, give_the_same_bits_100_times_under_load)
{
    workload const work(most_elements());
    stream const where, busy;
    std::size_t const load = amount<std::size_t>(256 << 20, 1 << 20, 1 << 12);
    device_array<unsigned char> const memory(load);
    for (int i = 0; i < amount(100, 3, 4); ++i) {
        for (int burst = 0; burst < 3; ++burst) {
            expect_success(cudaMemsetAsync(memory.data(), burst, load, busy));
            tw::reduce_into(tw::device.on(busy).nosync(), memory.begin(), memory.end(), memory.data(), std::uint8_t{});
        }
        work.run(where, work.jobs().size());
    }
    busy.wait();
}

/// Whether scratch of so many bytes is kept for later calls in its stream, if more than `most` shall not be.
bool is_kept(std::size_t bytes, std::size_t most)
{
    stream const where;
    unsigned long long id = 0;
    expect_success(cudaStreamGetId(where, &id));
    auto& cache = tw::gpu::scratch_cache::of_scratch();
    tw::gpu::device_call const call("streams", 1, tw::device.on(where));
    {
        tw::gpu::leased_memory const used(cache, call, bytes, most);
        EXPECT_NE(used.begin(), nullptr);
    }
    auto const kept = cache.take({id, call.device().context(), call.device().index(), nullptr, bytes});
    if (kept.memory != nullptr)
        expect_success(cudaFreeAsync(kept.memory, where));
    where.wait();
    return kept.memory != nullptr;
}

DEVICE_TEST_WITH_STREAMS(streams, keep_scratch_that_is_not_large)
{
    EXPECT_TRUE(is_kept(1000, 1 << 20));
    EXPECT_TRUE(is_kept(1 << 19, 1 << 20));
    EXPECT_FALSE(is_kept(1 << 20, 1 << 20)); // which is rounded up
    EXPECT_FALSE(is_kept(1 << 21, 1 << 20));
}

/// With hundreds of streams no call waits for the work of another, which a block in the cache may still serve.
DEVICE_TEST_WITH_STREAMS(streams, keep_scratch_while_there_is_room)
{
    constexpr std::size_t most = tw::gpu::scratch_cache::most_blocks;
    tw::gpu::scratch_cache cache;
    stream const where;
    unsigned long long id = 0;
    expect_success(cudaStreamGetId(where, &id));
    tw::gpu::device_call const call("streams", 1, tw::device.on(where));
    {
        std::vector<std::unique_ptr<tw::gpu::leased_memory>> used;
        for (std::size_t i = 0; i < most + 3; ++i)
            used.push_back(std::make_unique<tw::gpu::leased_memory>(cache, call, 1000));
#ifndef __CUDACC__
        simt::runtime::forget_calls();
        used.clear();
        EXPECT_EQ(simt::runtime::count("cudaFreeAsync"), 3);
        EXPECT_EQ(simt::runtime::calls().size(), 3u);
#endif
    }
    std::size_t kept = 0;
    tw::gpu::scratch_cache::block const any = {id, call.device().context(), call.device().index(), nullptr, 1};
    for (auto block = cache.take(any); block.memory != nullptr; block = cache.take(any)) {
        expect_success(cudaFreeAsync(block.memory, where));
        ++kept;
    }
    where.wait();
    EXPECT_EQ(kept, most);
}

/// A graph of what `body` puts into a stream.
class graph {
public:
    template <class Body>
    graph(stream const& where, cudaStreamCaptureMode mode, Body body)
    {
        begin(where, mode);
        body();
        end(where);
    }
    graph() = default;
    graph(graph const&) = delete;
    graph& operator=(graph const&) = delete;
    ~graph()
    {
        if (executable_ != nullptr)
            static_cast<void>(cudaGraphExecDestroy(executable_));
        if (graph_ != nullptr)
            static_cast<void>(cudaGraphDestroy(graph_));
    }
    static void begin(stream const& where, cudaStreamCaptureMode mode)
    {
        expect_success(cudaStreamBeginCapture(where, mode));
    }
    void end(stream const& where) { expect_success(cudaStreamEndCapture(where, &graph_)); }
    void launch(stream const& where)
    {
        if (executable_ == nullptr) // not before: it is refused while other streams are being captured
            expect_success(cudaGraphInstantiate(&executable_, graph_, 0));
        expect_success(cudaGraphLaunch(executable_, where));
    }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

auto const capture_modes = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                            cudaStreamCaptureModeRelaxed};

/// One for each kernel.
std::vector<std::size_t> graph_sizes()
{
    std::size_t const tile = values::tile_of(sizeof(float));
    std::vector<std::size_t> sizes{0, 1, tile / 3};
    if (on_device::interpreted)
        sizes.push_back(2 * tile + 1);
    else if (on_device::is_small())
        sizes.insert(sizes.end(), {5 * tile, 25 * tile});
    else
        sizes.insert(sizes.end(), {5 * tile, 25 * tile, 300 * tile + 11});
    return sizes;
}

DEVICE_TEST_WITH_STREAMS(graphs, compute_anew_from_changed_elements)
{
    for (std::size_t const size : graph_sizes())
        for (auto const mode : capture_modes) {
            stream const where;
            device_array<float> const device_copy(size + 1), result(1);
            graph replayed(where, mode, [&] {
                tw::reduce_into(tw::device.on(where).nosync(), device_copy.begin(), device_copy.begin() + size,
                                result.data(), 0.5f);
            });
            auto elements = on_device::some_elements<float>(size + 1);
            for (int i = 0; i < 3; ++i) {
                elements[0] += 100;
                device_copy.assign(elements);
                expect_success(cudaDeviceSynchronize());
                replayed.launch(where);
                where.wait();
                EXPECT_TRUE(
                    same_bits(result.value(), tw::reduce(tw::seq, elements.data(), elements.data() + size, 0.5f)))
                    << "n = " << size;
            }
        }
}

/// An operator that nothing else in this program uses.
struct larger_square {
    TILEWISE_PORTABLE float operator()(float a, float b) const { return a * a < b * b ? b : a; }
};

DEVICE_TEST_WITH_STREAMS(graphs, capture_the_first_call_of_a_kernel)
{
    std::size_t const size = graph_sizes().back();
    auto const elements = on_device::some_elements<float>(size);
    stream const where;
    device_array<float> const device_copy(elements), result(1);
    graph replayed(where, cudaStreamCaptureModeGlobal, [&] {
        tw::reduce_into(tw::device.on(where).nosync(), device_copy.begin(), device_copy.end(), result.data(), 0.5f,
                        larger_square{});
    });
    replayed.launch(where);
    where.wait();
    EXPECT_TRUE(same_bits(result.value(), tw::reduce(tw::seq, elements, 0.5f, larger_square{})));
}

DEVICE_TEST_WITH_STREAMS(graphs, are_several_at_once_and_beside_ordinary_calls)
{
    workload const work(most_elements());
    constexpr std::size_t count = 4;
    std::vector<stream> const streams(count);
    stream const ordinary;
    graph graphs[count];
    device_array<float> const results(count);
    work.run(ordinary, work.jobs().size());

    auto const& big = work.jobs().back();
    for (auto const& where : streams)
        graph::begin(where, cudaStreamCaptureModeGlobal);
    for (int repeat = 0; repeat < 2; ++repeat) // two calls in each graph, the ones between the others
        for (std::size_t i = 0; i < count; ++i) {
            tw::reduce_into(tw::device.on(streams[i]).nosync(), work.begin(), work.begin() + big.count - i,
                            results.data() + i, 0.5f);
            work.run(ordinary, 2, i);
        }
    for (std::size_t i = 0; i < count; ++i)
        graphs[i].end(streams[i]);

    std::vector<float> expected;
    for (std::size_t i = 0; i < count; ++i)
        expected.push_back(
            tw::reduce(tw::device, work.begin(), work.begin() + big.count - i, 0.5f)); // compared with seq elsewhere
    EXPECT_TRUE(same_bits(expected[0], big.expected));
    for (int repeat = 0; repeat < amount(20, 3, 2); ++repeat) {
        expect_success(cudaMemset(results.data(), 0, count * sizeof(float)));
        expect_success(cudaDeviceSynchronize());
        for (std::size_t i = 0; i < count; ++i) {
            graphs[i].launch(streams[i]);
            work.run(ordinary, 1, i);
            work.run(streams[i], 1, i); // in the stream of the graph, after it
        }
        expect_success(cudaDeviceSynchronize());
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_TRUE(same_bits(results.value(i), expected[i])) << i;
    }
}

DEVICE_TEST_WITH_STREAMS(graphs, cannot_be_waited_for_and_survive_the_attempt)
{
    workload const work(most_elements());
    auto const& job = work.jobs().back();
    auto const count = job.count;
    stream const where;
    device_array<float> const result(1);
    work.run(where, work.jobs().size());
    graph replayed(where, cudaStreamCaptureModeGlobal, [&] {
        EXPECT_THROW(tw::reduce(tw::device.on(where), work.begin(), work.begin() + count, 0.5f), std::invalid_argument);
        EXPECT_THROW(tw::reduce_into(tw::device.on(where), work.begin(), work.begin() + count, result.data(), 0.5f),
                     std::invalid_argument);
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        tw::reduce_into(tw::device.on(where).nosync(), work.begin(), work.begin() + count, result.data(), 0.5f);
    });
    replayed.launch(where);
    where.wait();
    EXPECT_TRUE(same_bits(result.value(), job.expected));
    work.run(where, 2);
}

/// Makes a device the current one while it lives.
class current {
public:
    explicit current(int device)
    {
        expect_success(cudaGetDevice(&before_));
        expect_success(cudaSetDevice(device));
    }
    current(current const&) = delete;
    current& operator=(current const&) = delete;
    ~current() { static_cast<void>(cudaSetDevice(before_)); }

private:
    int before_ = 0;
};

int current_device()
{
    int device = -1;
    expect_success(cudaGetDevice(&device));
    return device;
}

/// A second device, if there is one.
bool has_another_device()
{
#ifndef __CUDACC__
    simt::runtime::set_device_count(2);
#endif
    int devices = 0;
    expect_success(cudaGetDeviceCount(&devices));
    return devices > 1;
}

DEVICE_TEST_WITH_STREAMS(devices, are_those_of_the_streams)
{
    if (!has_another_device())
        GTEST_SKIP() << "there is one device";
    auto const device_copy = [] { return current(1), std::make_pair(stream(), workload(most_elements())); };
    auto const [where, work] = device_copy();
    stream const here;
    workload const other(most_elements());
    for (int i = 0; i < 2; ++i) {
        work.run(where, work.jobs().size());
        EXPECT_EQ(current_device(), 0);
        other.run(here, other.jobs().size());
        other.run(nullptr, other.jobs().size());
    }
    current const wrong(1);
    other.run(here, other.jobs().size());
    EXPECT_EQ(current_device(), 1);
    work.run(where, work.jobs().size());
    work.run(nullptr, work.jobs().size());
    EXPECT_EQ(current_device(), 1);
}

DEVICE_TEST_WITH_STREAMS(devices, leave_the_current_one_when_a_call_fails)
{
    if (!has_another_device())
        GTEST_SKIP() << "there is one device";
    auto const device_copy = [] { return current(1), stream(); };
    stream const where = device_copy();
    auto const device_room = [] { return current(1), device_array<int>(1); };
    device_array<int> const result = device_room();
    std::vector<int> const on_the_host{1, 2, 3};
    EXPECT_THROW(tw::reduce_into(tw::device.on(where).nosync(), on_the_host, result.data()), std::invalid_argument);
    EXPECT_EQ(current_device(), 0);
}

} // namespace
