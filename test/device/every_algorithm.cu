// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// All algorithms side by side: in many streams at once, in one graph, between kernels of the user's. In the
/// interpreter also what they ask of the CUDA runtime.

#include "same_bits.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using on_device::amount;
using on_device::device_array;
using on_device::expect_success;
using on_device::graph;
using on_device::stream;

using words = std::vector<std::uint32_t>;

constexpr int cells = 21, segments = 9;

/// What all of them read, on the host or on the device.
struct inputs {
    float const* x;
    int const* keys; ///< of cells, and some of none
    int const* offsets;
    std::size_t count;

    float const* end() const { return x + count; }
};

struct halved {
    TILEWISE_PORTABLE float operator()(float value) const { return value / 2; }
};
struct is_positive {
    TILEWISE_PORTABLE bool operator()(float value) const { return value > 0; }
};

tw::variable_axis<float> const& axis() // captured calls read its edges again
{
    static tw::variable_axis<float> const made{-1e9f, -1e8f, -1e3f, 0.0f, 1.0f, 1e5f, 1e7f, 1e9f};
    return made;
}

// ---- the algorithms: each writes so many results of four bytes

struct one_result {
    static std::size_t results(std::size_t) { return 1; }
};
struct result_per_element {
    static std::size_t results(std::size_t count) { return count; }
};

struct reduce_into : one_result {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::reduce_into(policy, in.x, in.end(), out, 0.5f);
    }
};
struct transform_reduce_into : one_result {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::transform_reduce_into(policy, in.x, in.end(), in.x, out, 0.5f);
    }
};
struct inclusive_scan : result_per_element {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::inclusive_scan(policy, in.x, in.end(), out, std::plus<>{}, 0.5f);
    }
};
struct exclusive_scan : result_per_element {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::exclusive_scan(policy, in.x, in.end(), out, 0.5f);
    }
};
struct transform_inclusive_scan : result_per_element {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::transform_inclusive_scan(policy, in.x, in.end(), out, std::plus<>{}, halved{});
    }
};
struct transform_exclusive_scan : result_per_element {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::transform_exclusive_scan(policy, in.x, in.end(), out, 0.5f, std::plus<>{}, halved{});
    }
};
struct segmented_reduce {
    static std::size_t results(std::size_t) { return segments; }
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::segmented_reduce(policy, in.x, in.offsets, in.offsets + segments, in.offsets + 1, out, 0.5f);
    }
};
struct segmented_inclusive_scan : result_per_element {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::segmented_inclusive_scan(policy, in.x, in.offsets, in.offsets + segments, in.offsets + 1, out);
    }
};
struct segmented_exclusive_scan : result_per_element {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::segmented_exclusive_scan(policy, in.x, in.offsets, in.offsets + segments, in.offsets + 1, out, 0.5f);
    }
};
struct histogram {
    static std::size_t results(std::size_t) { return static_cast<std::size_t>(axis().extent()); }
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        tw::histogram(policy, in.x, in.end(), axis(), out);
    }
};
struct histogram_of_keys {
    static std::size_t results(std::size_t) { return cells; }
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        tw::integer_axis const of_cells(0, cells);
        tw::histogram(policy, in.keys, in.keys + in.count, of_cells, out);
        tw::histogram_add(policy, in.keys, in.keys + in.count / 2, of_cells, out);
    }
};
struct weighted_histogram {
    static std::size_t results(std::size_t) { return static_cast<std::size_t>(axis().extent()); }
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::weighted_histogram(policy, in.keys, in.keys + in.count, in.x, axis(), out);
    }
};
struct reduce_by_index {
    static std::size_t results(std::size_t) { return cells; }
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        tw::reduce_by_index(policy, in.keys, in.keys + in.count, in.x, cells, out, 0.5f);
    }
};
struct reduce_keys_by_index { // integers, which are not sorted
    static std::size_t results(std::size_t) { return cells; }
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        tw::reduce_by_index(policy, in.keys, in.keys + in.count, in.keys, cells, out, 3u);
    }
};

/// Those that return a value have no other form, and wait.
struct returned : one_result {
    using waits = void;
};
struct reduce : returned {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        *out = tw::reduce(policy, in.x, in.end(), 0.5f);
    }
};
struct transform_reduce : returned {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, float* out)
    {
        *out = tw::transform_reduce(policy, in.x, in.end(), 0.5f, std::plus<>{}, halved{});
    }
};
struct min_element : returned {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        *out = static_cast<std::uint32_t>(tw::min_element(policy, in.x, in.end()) - in.x);
    }
};
struct minmax_element : returned {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        auto const [low, high] = tw::minmax_element(policy, in.x, in.end());
        *out = static_cast<std::uint32_t>((low - in.x) * 5 + (high - in.x));
    }
};
struct count : returned {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        *out = static_cast<std::uint32_t>(tw::count(policy, in.keys, in.keys + in.count, 4));
    }
};
struct count_if : returned {
    template <class Policy>
    static void run(Policy const& policy, inputs const& in, std::uint32_t* out)
    {
        *out = static_cast<std::uint32_t>(tw::count_if(policy, in.x, in.end(), is_positive{}));
    }
};

/// One of them.
struct algorithm {
    char const* name;
    std::size_t (*results)(std::size_t count);
    words (*expected)(inputs here);
    void (*wait)(inputs, void* out, cudaStream_t);
    void (*start)(inputs, void* out, cudaStream_t); ///< without waiting; null if there is no such form
    bool returns_a_value;                           ///< to host memory
};

template <class A, class Result>
algorithm algorithm_of(char const* name, void (*)(tw::sequenced_policy const&, inputs const&, Result*))
{
    algorithm made = {};
    made.name = name;
    made.results = &A::results;
    made.expected = [](inputs here) {
        std::vector<Result> results(A::results(here.count));
        A::run(tw::seq, here, results.data());
        words bits(results.size());
        std::memcpy(bits.data(), results.data(), bits.size() * sizeof(Result));
        return bits;
    };
    made.wait = [](inputs device_copy, void* out, cudaStream_t where) {
        A::run(tw::device.on(where), device_copy, static_cast<Result*>(out));
    };
    made.returns_a_value = requires { typename A::waits; };
    if constexpr (!requires { typename A::waits; })
        made.start = [](inputs device_copy, void* out, cudaStream_t where) {
            A::run(tw::device.on(where).nosync(), device_copy, static_cast<Result*>(out));
        };
    return made;
}

std::vector<algorithm> const& algorithms()
{
#define ALGORITHM(name) algorithm_of<name>(#name, &name::run<tw::sequenced_policy>)
    static std::vector<algorithm> const all{ALGORITHM(reduce_into),
                                            ALGORITHM(transform_reduce_into),
                                            ALGORITHM(inclusive_scan),
                                            ALGORITHM(exclusive_scan),
                                            ALGORITHM(transform_inclusive_scan),
                                            ALGORITHM(transform_exclusive_scan),
                                            ALGORITHM(segmented_reduce),
                                            ALGORITHM(segmented_inclusive_scan),
                                            ALGORITHM(segmented_exclusive_scan),
                                            ALGORITHM(histogram),
                                            ALGORITHM(histogram_of_keys),
                                            ALGORITHM(weighted_histogram),
                                            ALGORITHM(reduce_by_index),
                                            ALGORITHM(reduce_keys_by_index),
                                            ALGORITHM(reduce),
                                            ALGORITHM(transform_reduce),
                                            ALGORITHM(min_element),
                                            ALGORITHM(minmax_element),
                                            ALGORITHM(count),
                                            ALGORITHM(count_if)};
#undef ALGORITHM
    return all;
}

// ---- what they are run on

/// Elements on the host and on the device.
class workload {
public:
    explicit workload(std::size_t count) : x(on_device::some_elements<float>(count)), device_x(x)
    {
        for (std::uint32_t const bits : on_device::some_elements<std::uint32_t>(count))
            keys.push_back(static_cast<int>(bits % (cells + 2)) - 1);
        for (std::size_t i = 0; i <= segments; ++i) // some short ones, and a long one
            offsets.push_back(static_cast<int>(count * i * i * i / (segments * segments * segments)));
        device_keys.assign(keys);
        device_offsets.assign(offsets);
    }
    inputs here() const { return {x.data(), keys.data(), offsets.data(), x.size()}; }
    inputs device_copy() const { return {device_x.data(), device_keys.data(), device_offsets.data(), x.size()}; }

    /// Other elements, on both sides.
    void change()
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = x[i] / 3 + static_cast<float>(i % 100);
            keys[i] = (keys[i] + 2 + static_cast<int>(i % 3)) % (cells + 1);
        }
        device_x.assign(x);
        device_keys.assign(keys);
    }

    std::vector<float> x;
    std::vector<int> keys, offsets;
    device_array<float> device_x;
    device_array<int> device_keys{x.size()}, device_offsets{segments + 1};
};

/// Room for the results of a call, where it writes them.
class results {
public:
    results(algorithm const& of, std::size_t count)
        : memory_(of.results(count), 0, of.returns_a_value ? kind::pinned : kind::device)
    {}
    void* begin() const { return memory_.data(); }
    std::uint32_t* words_of_device() const { return memory_.data(); }

    /// What the call wrote, after everything in the stream.
    words values(cudaStream_t where) const
    {
        words copied(memory_.size());
        expect_success(cudaMemcpyAsync(static_cast<void*>(copied.data()), static_cast<void const*>(memory_.data()),
                                       copied.size() * sizeof(std::uint32_t), cudaMemcpyDefault, where));
        expect_success(cudaStreamSynchronize(where));
        return copied;
    }

private:
    using kind = device_array<std::uint32_t>::kind;
    device_array<std::uint32_t> memory_;
};

/// From one block to many, with the kernels for each.
std::vector<std::size_t> sizes()
{
    if (on_device::interpreted)
        return {300, 2500, 9000};
    return {300, 2500, 9000, 70'000, 400'000};
}

// ---- in many streams

DEVICE_TEST_WITH_STREAMS(every_algorithm, serves_8_threads_on_16_streams)
{
    std::vector<workload> work;
    std::vector<std::vector<words>> expected;
    for (std::size_t const size : sizes()) {
        auto const& added = work.emplace_back(size);
        auto& of_size = expected.emplace_back();
        for (auto const& each : algorithms())
            of_size.push_back(each.expected(added.here()));
    }
    std::vector<stream> const own(13);
    std::vector<cudaStream_t> streams(own.begin(), own.end());
    streams.insert(streams.end(), {nullptr, cudaStreamLegacy, cudaStreamPerThread});
    std::size_t const rounds = amount<std::size_t>(100, 10, 7), at_once = 4; // 224 calls at least
    auto const calls = [&](std::size_t thread) {
        for (std::size_t round = 0; round < rounds; ++round) {
            struct call {
                algorithm const* what;
                words const* expected;
                cudaStream_t where;
                results out;
            };
            std::vector<call> made;
            for (std::size_t i = 0; i < at_once; ++i) { // the last of them waits
                std::size_t const turn = thread * 11 + round * at_once + i;
                std::size_t const what = turn % algorithms().size(), size = (thread + round + i) % work.size();
                auto const& each = algorithms()[what];
                cudaStream_t const where = streams[(thread * 5 + turn * 3) % streams.size()];
                made.push_back({&each, &expected[size][what], where, results(each, work[size].x.size())});
                if (each.start == nullptr || i + 1 == at_once)
                    each.wait(work[size].device_copy(), made.back().out.begin(), where);
                else
                    each.start(work[size].device_copy(), made.back().out.begin(), where);
            }
            for (auto const& each : made)
                EXPECT_TRUE(each.out.values(each.where) == *each.expected) << each.what->name;
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 8; ++i)
        threads.emplace_back([&, i] {
            try {
                calls(i);
            } catch (std::exception const& error) {
                ADD_FAILURE() << error.what();
            }
        });
    for (auto& each : threads)
        each.join();
}

// ---- in graphs

DEVICE_TEST_WITH_STREAMS(every_algorithm, is_captured_and_replayed_on_changed_elements)
{
    for (std::size_t const size : {sizes().front(), sizes().back()}) {
        workload work(size);
        stream const where, other;
        std::vector<std::pair<algorithm const*, results>> calls, outside;
        for (auto const& each : algorithms())
            if (each.start != nullptr) {
                calls.emplace_back(&each, results(each, size));
                outside.emplace_back(&each, results(each, size));
            }

        auto const start_ordinary_calls = [&] {
            for (auto const& [each, out] : outside)
                each->start(work.device_copy(), out.begin(), where);
        };
        start_ordinary_calls(); // which leave scratch for later ones
        where.wait();
        graph const captured(where, [&] {
            for (auto const& [each, out] : calls)
                each->start(work.device_copy(), out.begin(), where);
        });
        for (int i = 0; i < 3; ++i) {
            work.change();
            expect_success(cudaDeviceSynchronize());
            captured.launch(other);
            if (i == 1) // in the stream that was captured, at the same time
                start_ordinary_calls();
            for (auto const& [each, out] : calls)
                EXPECT_TRUE(out.values(other) == each->expected(work.here()))
                    << each->name << " of " << size << ", launch " << i;
            for (auto const& [each, out] : outside)
                EXPECT_TRUE(i != 1 || out.values(where) == each->expected(work.here()))
                    << each->name << " of " << size << " beside the graph";
        }
    }
}

// ---- between kernels of the user's

constexpr int user_threads = 64;

/// Adds a number to elements.
template <int threads>
TILEWISE_KERNEL(threads, 1)
user_writes(float const* from, float* to, int count, float added)
{
    int const i = tw::gpu::block_index() * threads + tw::gpu::thread_index();
    if (i < count)
        to[i] = from[i] + added;
}

/// Turns all bits around.
template <int threads>
TILEWISE_KERNEL(threads, 1)
user_reads(std::uint32_t const* from, std::uint32_t* to, int count)
{
    int const i = tw::gpu::block_index() * threads + tw::gpu::thread_index();
    if (i < count)
        to[i] = ~from[i];
}

int blocks_for(int count)
{
    return (count + user_threads - 1) / user_threads;
}

/// An event.
class event {
public:
    event() { expect_success(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming)); }
    event(event const&) = delete;
    event& operator=(event const&) = delete;
    ~event() { static_cast<void>(cudaEventDestroy(handle_)); }

    /// Has `later` wait for what is in `earlier` by now.
    void order(cudaStream_t earlier, cudaStream_t later) const
    {
        expect_success(cudaEventRecord(handle_, earlier));
        expect_success(cudaStreamWaitEvent(later, handle_, 0));
    }

private:
    cudaEvent_t handle_ = nullptr;
};

/// One kernel writes what an algorithm reads, another reads what it writes, all three in streams of their own. Nobody
/// waits before the end.
DEVICE_TEST_WITH_STREAMS(every_algorithm, is_ordered_by_events_among_kernels_of_the_user)
{
    std::size_t const size = amount<std::size_t>(70'000, 9000, 2500);
    auto const count = static_cast<int>(size);
    workload const work(size);
    device_array<float> const x(size);
    inputs const read_after = {x.data(), work.device_keys.data(), work.device_offsets.data(), size};
    stream const before, where, after;
    event const written, computed, read;
    std::vector<std::pair<algorithm const*, results>> calls;
    std::vector<device_array<std::uint32_t>> turned;
    float added = 0;
    for (auto const& each : algorithms()) {
        if (each.start == nullptr)
            continue;
        auto const& out = calls.emplace_back(&each, results(each, size)).second;
        auto const outputs = static_cast<int>(each.results(size));
        turned.emplace_back(each.results(size));
        expect_success(tw::gpu::start(user_writes<user_threads>, {blocks_for(count), user_threads}, before,
                                      work.device_x.data(), x.data(), count, added += 1));
        written.order(before, where);
        each.start(read_after, out.begin(), where);
        computed.order(where, after);
        expect_success(tw::gpu::start(user_reads<user_threads>, {blocks_for(outputs), user_threads}, after,
                                      out.words_of_device(), turned.back().data(), outputs));
        read.order(after, before); // the elements may change
    }
    after.wait();
    auto elements = work.x;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (std::size_t k = 0; k < size; ++k)
            elements[k] = work.x[k] + static_cast<float>(i + 1);
        auto expected = calls[i].first->expected({elements.data(), work.keys.data(), work.offsets.data(), size});
        for (auto& each : expected)
            each = ~each;
        EXPECT_TRUE(turned[i].values(expected.size()) == expected) << calls[i].first->name;
    }
}

// ---- what they ask of the runtime

#ifndef __CUDACC__

/// Expects that a call does nothing but launch, look things up and copy in its stream, and waits so many times for that
/// stream, and for nothing else.
void expect_quiet(char const* name, cudaStream_t where, int waits)
{
    int waited = 0;
    for (auto const& made : simt::runtime::calls()) {
        EXPECT_EQ(made.result, cudaSuccess) << name << ": " << made.name;
        EXPECT_THAT(made.name,
                    testing::AnyOf("cudaGetDevice", "cuCtxGetId", "cudaStreamGetDevice", "cudaStreamGetId",
                                   "cudaStreamIsCapturing", "cudaPointerGetAttributes", "cudaDeviceGetAttribute",
                                   "cudaThreadExchangeStreamCaptureMode", "cudaMemcpyAsync", "cudaMemsetAsync",
                                   "cudaLaunchKernelEx", "cudaStreamSynchronize"))
            << name;
        if (made.name == "cudaStreamSynchronize" || made.name == "cudaLaunchKernelEx" ||
            made.name == "cudaMemcpyAsync" || made.name == "cudaMemsetAsync") {
            EXPECT_EQ(made.stream, where) << name << ": " << made.name;
        }
        waited += made.name == "cudaStreamSynchronize" ? 1 : 0;
    }
    EXPECT_EQ(waited, waits) << name;
}

/// Nothing is allocated or freed, and nothing but the call's own stream is waited for, once a call was made before.
DEVICE_TEST_WITH_STREAMS(every_algorithm, waits_for_its_own_stream_at_most)
{
    tw::release_cached_memory(); // the streams of the tests before may have left no room in the cache
    stream const own;
    auto const expect_quiet_call = [](workload const& work, algorithm const& each, bool waits, cudaStream_t where) {
        results const out(each, work.x.size());
        auto const call = waits ? each.wait : each.start;
        call(work.device_copy(), out.begin(), where);
        simt::runtime::forget_calls();
        call(work.device_copy(), out.begin(), where);
        int const calls = std::string(each.name) == "histogram_of_keys" ? 2 : 1;
        expect_quiet(each.name, where, waits ? calls : 0);
        expect_success(cudaStreamSynchronize(where));
    };
    workload const small(sizes().front()), large(sizes().back());
    for (auto const& each : algorithms()) {
        for (cudaStream_t const where : {own.get(), cudaStreamPerThread, cudaStream_t{}}) {
            expect_quiet_call(small, each, true, where);
            if (each.start != nullptr)
                expect_quiet_call(small, each, false, where);
        }
        expect_quiet_call(large, each, each.start == nullptr, own);
    }
}

#endif

} // namespace
