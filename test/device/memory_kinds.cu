// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The rows of the table of kinds of memory in docs/policies.md: a call works, or throws and leaves CUDA as it was.

#include <tilewise/device/cuda/memory_kind.cuh>
#include <tilewise/tilewise.hpp>

#include "on_device.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __CUDACC__
#include <cuda.h>
#include <thrust/iterator/transform_iterator.h>
#else
#include <simt/runtime.hpp>
#endif

namespace tw = tilewise;

namespace {

using on_device::device_array;
using on_device::expect_success;
using on_device::stream;
using testing::HasSubstr;

constexpr int count = 300;

/// Makes a device the current one while it lives.
class current {
public:
    explicit current(int device) { expect_success(cudaSetDevice(device)); }
    current(current const&) = delete;
    current& operator=(current const&) = delete;
    ~current() { static_cast<void>(cudaSetDevice(0)); }
};

/// Memory for `count` ints, and how it is given back.
class memory {
public:
    memory(void* first, std::function<void(void*)> release) : first_(static_cast<int*>(first)), release_(release) {}
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;
    ~memory()
    {
        if (release_)
            release_(first_);
    }
    int* begin() const { return first_; }
    int* end() const { return first_ + count; }
    unsigned* counters() const { return reinterpret_cast<unsigned*>(first_); }

private:
    int* first_;
    std::function<void(void*)> release_;
};

constexpr std::size_t bytes = count * sizeof(int);

void free_plain(void* first)
{
    static_cast<void>(cudaFree(first));
}
void free_pinned(void* first)
{
    static_cast<void>(cudaFreeHost(first));
}
void free_in_order(void* first)
{
    static_cast<void>(cudaFreeAsync(first, nullptr));
    static_cast<void>(cudaDeviceSynchronize());
}

memory plain(int device = 0)
{
    current const device_copy(device);
    void* first = nullptr;
    expect_success(cudaMalloc(&first, bytes));
    return {first, free_plain};
}
memory from_default_pool(int device = 0)
{
    current const device_copy(device);
    void* first = nullptr;
    expect_success(cudaMallocAsync(&first, bytes, nullptr));
    expect_success(cudaStreamSynchronize(nullptr));
    return {first, [device](void* each) {
                current const again(device);
                free_in_order(each);
            }};
}
memory pinned(int device = 0)
{
    current const device_copy(device);
    void* first = nullptr;
    expect_success(cudaHostAlloc(&first, bytes, cudaHostAllocDefault));
    return {first, free_pinned};
}
memory managed(int device = 0)
{
    current const device_copy(device);
    void* first = nullptr;
    expect_success(cudaMallocManaged(&first, bytes));
    return {first, free_plain};
}

/// Memory of a device, mapped so that some devices may read and write it, a bit for each.
memory mapped(int owner, unsigned devices)
{
#ifdef __CUDACC__
    auto const find = []<class Function>(char const* name, Function*) {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult outcome;
        expect_success(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &outcome));
        return reinterpret_cast<Function*>(found);
    };
    auto const reserve = find("cuMemAddressReserve", static_cast<decltype(&cuMemAddressReserve)>(nullptr));
    auto const create = find("cuMemCreate", static_cast<decltype(&cuMemCreate)>(nullptr));
    auto const map = find("cuMemMap", static_cast<decltype(&cuMemMap)>(nullptr));
    auto const give_access = find("cuMemSetAccess", static_cast<decltype(&cuMemSetAccess)>(nullptr));
    auto const unmap = find("cuMemUnmap", static_cast<decltype(&cuMemUnmap)>(nullptr));
    auto const release = find("cuMemRelease", static_cast<decltype(&cuMemRelease)>(nullptr));
    auto const give_back = find("cuMemAddressFree", static_cast<decltype(&cuMemAddressFree)>(nullptr));
    constexpr std::size_t size = 2 << 20; // of a page
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, owner};
    CUdeviceptr first = 0;
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(reserve(&first, size, 0, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(create(&handle, size, &properties, 0), CUDA_SUCCESS);
    EXPECT_EQ(map(first, size, 0, handle, 0), CUDA_SUCCESS);
    for (int device = 0; device < 2; ++device)
        if ((devices >> device & 1u) != 0) {
            CUmemAccessDesc const access = {{CU_MEM_LOCATION_TYPE_DEVICE, device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
            EXPECT_EQ(give_access(first, size, &access, 1), CUDA_SUCCESS);
        }
    return {reinterpret_cast<void*>(first), [=](void* each) {
                auto const address = reinterpret_cast<CUdeviceptr>(each);
                EXPECT_EQ(unmap(address, size), CUDA_SUCCESS);
                EXPECT_EQ(release(handle), CUDA_SUCCESS);
                EXPECT_EQ(give_back(address, size), CUDA_SUCCESS);
            }};
#else
    return {simt::runtime::map_memory(bytes, owner, devices), free_plain};
#endif
}

struct twice {
    TILEWISE_PORTABLE int operator()(int x) const { return 2 * x; }
};

/// Fills memory with 1, 2, 3, ... by a device that can.
void fill(memory const& filled)
{
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    expect_success(cudaMemcpy(filled.begin(), numbers.data(), bytes, cudaMemcpyDefault));
    expect_success(cudaDeviceSynchronize());
}
int value(int const* at)
{
    int copy = 0;
    expect_success(cudaMemcpy(&copy, at, sizeof(int), cudaMemcpyDefault));
    return copy;
}

constexpr int sum = count * (count + 1) / 2;

/// All calls work on elements, results and counters there.
void expect_usable(char const* kind, memory const& used)
{
    SCOPED_TRACE(kind);
    stream const where;
    auto const policy = tw::device.on(where);
    fill(used);
    EXPECT_EQ(tw::reduce(policy, used.begin(), used.end()), sum);
    EXPECT_EQ(tw::reduce(policy, std::span<int const>(used.begin(), count)), sum);
    EXPECT_EQ(tw::transform_reduce(policy, used.begin(), used.end(), used.begin(), 0L),
              long{count} * (count + 1) * (2 * count + 1) / 6);
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
    EXPECT_EQ(tw::reduce(policy, std::span<int const>(used.begin(), count) | std::views::transform(twice{})), 2 * sum);
#endif
    EXPECT_EQ(tw::min_element(policy, used.begin(), used.end()), used.begin());
#ifdef __CUDACC__
    auto const doubled = thrust::make_transform_iterator(used.begin(), twice{});
    EXPECT_EQ(tw::reduce(policy, doubled, doubled + count), 2 * sum);
#endif
    tw::inclusive_scan(policy.nosync(), used.begin(), used.end(), used.begin());
    where.wait();
    EXPECT_EQ(value(used.end() - 1), sum);
    fill(used);
    tw::reduce_into(policy.nosync(), used.begin(), used.end(), used.begin() + 1);
    where.wait();
    EXPECT_EQ(value(used.begin() + 1), sum);
    device_array<int> const samples(std::vector<int>(count, 2));
    tw::histogram(policy.nosync(), samples.begin(), samples.end(), tw::integer_axis{0, 4}, used.counters());
    where.wait();
    EXPECT_EQ(value(used.begin() + 2), count);
}

/// Every call throws a sentence with `part`, and CUDA is as it was.
void expect_refused(char const* kind, memory const& used, bool waits, char const* part)
{
    SCOPED_TRACE(kind);
    stream const where;
    device_array<int> const own(std::vector<int>(count, 1));
    auto const expect_refused_by = [&](auto const& policy) {
        auto const expect_thrown = [&](char const* name, auto call) {
            EXPECT_THAT(call, testing::ThrowsMessage<std::invalid_argument>(HasSubstr(part))) << name;
            EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        };
        auto const span = std::span<int const>(used.begin(), count);
        expect_thrown("elements", [&] { tw::reduce_into(policy, used.begin(), used.end(), own.data()); });
        expect_thrown("a span", [&] { tw::inclusive_scan(policy, span, own.data()); });
#if !defined(__clang__) || __clang_major__ >= 16 // which older ones cannot compile the views of libstdc++ 12
        expect_thrown("a view", [&] { tw::reduce_into(policy, span | std::views::transform(twice{}), own.data()); });
#endif
        expect_thrown("the second elements",
                      [&] { tw::transform_reduce_into(policy, own.begin(), own.end(), used.begin(), own.data(), 0); });
        expect_thrown("a result", [&] { tw::reduce_into(policy, own.begin(), own.end(), used.begin()); });
        expect_thrown("the output", [&] { tw::inclusive_scan(policy, own.begin(), own.end(), used.begin()); });
        expect_thrown("counters",
                      [&] { tw::histogram(policy, own.begin(), own.end(), tw::integer_axis{0, 4}, used.counters()); });
        expect_thrown("keys",
                      [&] { tw::reduce_by_index(policy, used.begin(), used.end(), own.begin(), 4, own.data()); });
    };
    expect_refused_by(tw::device.on(where).nosync());
    if (waits) {
        expect_refused_by(tw::device.on(where));
        EXPECT_THROW(tw::min_element(tw::device.on(where), used.begin(), used.end()), std::invalid_argument);
    }
    where.wait();
    EXPECT_EQ(tw::reduce(tw::device.on(where), own.begin(), own.end()), count);
}

DEVICE_TEST_WITH_STREAMS(memory_kinds, of_one_device_are_used_where_they_can_be)
{
    expect_usable("cudaMalloc", plain());
    expect_usable("cudaMallocAsync", from_default_pool());
    expect_usable("mapped", mapped(0, 1));
    expect_usable("managed", managed());
    expect_usable("pinned", pinned());
    expect_refused("mapped for nobody", mapped(0, 0), true, "cannot access");
    std::vector<int> pageable(count);
    expect_refused("pageable", {pageable.data(), nullptr}, false, "host memory");
}

/// The question leaves CUDA as it was, whatever the answer.
void expect_size(char const* kind, int const* first, bool is_known)
{
    SCOPED_TRACE(kind);
    std::size_t const size = tw::gpu::allocated_bytes(first);
    EXPECT_TRUE(size >= bytes || (size == 0 && !is_known)) << size;
    EXPECT_EQ(tw::gpu::allocated_bytes(first + count / 2), size);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

DEVICE_TEST_WITH_STREAMS(memory_kinds, have_a_size_if_cuda_knows_it)
{
    expect_size("cudaMalloc", plain().begin(), true);
    expect_size("cudaMallocAsync", from_default_pool().begin(), false);
    expect_size("mapped", mapped(0, 1).begin(), false);
    expect_size("managed", managed().begin(), false);
    expect_size("pinned", pinned().begin(), false);
    std::vector<int> const pageable(count);
    EXPECT_EQ(tw::gpu::allocated_bytes(pageable.data()), 0u);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

/// Also of memory of the graph, which has none before it runs.
DEVICE_TEST_WITH_STREAMS(memory_kinds, have_a_size_during_a_capture)
{
    memory const of_program = plain();
    stream const where;
    void* of_graph = nullptr;
    cudaGraph_t graph = nullptr;
    expect_success(cudaStreamBeginCapture(where, cudaStreamCaptureModeGlobal));
    expect_success(cudaMallocAsync(&of_graph, bytes, where));
    expect_size("of the program", of_program.begin(), true);
    expect_size("of the graph", static_cast<int const*>(of_graph), false);
    expect_success(cudaFreeAsync(of_graph, where));
    expect_success(cudaStreamEndCapture(where, &graph));
    expect_success(cudaGraphDestroy(graph));
}

#ifdef __CUDACC__
__device__ int variable[count];

/// The test starts its own program once more, which finds the memory's handle in its environment.
TEST(memory_kinds, of_another_process_are_used_where_they_are)
{
    constexpr char const* name = "TILEWISE_TEST_IPC_HANDLE";
    cudaIpcMemHandle_t handle = {};
    if (char const* const text = std::getenv(name)) {
        for (std::size_t i = 0; i < sizeof handle; ++i)
            handle.reserved[i] = static_cast<char>(std::stoi(std::string(text + 2 * i, 2), nullptr, 16));
        void* first = nullptr;
        ASSERT_EQ(cudaIpcOpenMemHandle(&first, handle, cudaIpcMemLazyEnablePeerAccess), cudaSuccess);
        expect_usable("of another process", {first, [](void* each) { expect_success(cudaIpcCloseMemHandle(each)); }});
        return;
    }
    memory const own = plain();
    if (cudaIpcGetMemHandle(&handle, own.begin()) != cudaSuccess) {
        cudaGetLastError();
        GTEST_SKIP() << "memory cannot be given to another process here";
    }
    std::string text;
    for (char const byte : handle.reserved) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
        text += digits;
    }
    ASSERT_EQ(setenv(name, text.c_str(), 1), 0);
    std::string const program = std::filesystem::read_symlink("/proc/self/exe").string();
    EXPECT_EQ(std::system(("'" + program + "' --gtest_brief=1 --gtest_filter='*of_another_process*'").c_str()), 0);
    unsetenv(name);
}

DEVICE_TEST_WITH_STREAMS(memory_kinds, of_the_gpu_are_used_where_they_can_be)
{
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool = nullptr;
    expect_success(cudaMemPoolCreate(&pool, &properties));
    {
        void* first = nullptr;
        expect_success(cudaMallocFromPoolAsync(&first, bytes, pool, nullptr));
        expect_usable("a pool of the program's", {first, free_in_order});
    }
    expect_success(cudaMemPoolDestroy(pool));

    void* global = nullptr;
    expect_success(cudaGetSymbolAddress(&global, variable));
    expect_usable("a variable", {global, nullptr});

    std::vector<int> registered(count);
    expect_success(cudaHostRegister(registered.data(), bytes, cudaHostRegisterDefault));
    expect_usable("registered", {registered.data(), [](void* first) { expect_success(cudaHostUnregister(first)); }});
    void* write_combined = nullptr;
    expect_success(cudaHostAlloc(&write_combined, bytes, cudaHostAllocWriteCombined | cudaHostAllocMapped));
    expect_usable("write-combined", {write_combined, free_pinned});

#if CUDART_VERSION >= 13000
    cudaMemLocation const host = {cudaMemLocationTypeHost, 0}, device = {cudaMemLocationTypeDevice, 0};
    memory const on_host = managed(), on_device = managed(), read_mostly = managed(), prefers_host = managed();
    fill(on_host);
    expect_success(cudaMemPrefetchAsync(on_host.begin(), bytes, host, 0, nullptr));
    expect_success(cudaMemPrefetchAsync(on_device.begin(), bytes, device, 0, nullptr));
    expect_success(cudaMemAdvise(read_mostly.begin(), bytes, cudaMemAdviseSetReadMostly, device));
    expect_success(cudaMemAdvise(prefers_host.begin(), bytes, cudaMemAdviseSetPreferredLocation, host));
    expect_success(cudaDeviceSynchronize());
    expect_usable("managed, on the host", on_host);
    expect_usable("managed, on the device", on_device);
    expect_usable("managed, read-mostly", read_mostly);
    expect_usable("managed, prefers the host", prefers_host);
#endif
}
#endif

/// A second device that the first one may reach, if there is one.
bool has_a_peer()
{
#ifndef __CUDACC__
    simt::runtime::set_devices({{.reaches_peers = true}, {.reaches_peers = true}});
#endif
    int devices = 0, can = 0;
    expect_success(cudaGetDeviceCount(&devices));
    if (devices > 1)
        expect_success(cudaDeviceCanAccessPeer(&can, 0, 1));
    return can != 0;
}

/// Lets device 0 use the default pool of device 1, or not.
void share_pool(cudaMemAccessFlags how)
{
    cudaMemPool_t pool = nullptr;
    expect_success(cudaDeviceGetDefaultMemPool(&pool, 1));
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 0;
    access.flags = how;
    expect_success(cudaMemPoolSetAccess(pool, &access, 1));
}

DEVICE_TEST_WITH_STREAMS(memory_kinds, of_another_device_are_used_where_the_program_has_enabled_that)
{
    if (!has_a_peer())
        GTEST_SKIP() << "there is no second GPU that the first one reaches";
    memory const of_peer = plain(1), of_pool = from_default_pool(1);
    expect_refused("cudaMalloc of a peer", of_peer, true, "cudaDeviceEnablePeerAccess");
    expect_refused("cudaMallocAsync of a peer", of_pool, true, "cudaMemPoolSetAccess");
    expect_refused("mapped for the peer", mapped(1, 2), true, "cuMemSetAccess");
    expect_refused("of this device, mapped for the peer", mapped(0, 2), true, "cuMemSetAccess");

    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess); // nobody has enabled it by looking at a pointer
    expect_usable("cudaMalloc of a peer", of_peer);
    expect_refused("cudaMallocAsync of a peer", of_pool, true, "cudaMemPoolSetAccess");
    expect_refused("mapped for the peer", mapped(1, 2), true, "cuMemSetAccess");
    share_pool(cudaMemAccessFlagsProtReadWrite);
    expect_usable("cudaMallocAsync of a peer", of_pool);
    share_pool(cudaMemAccessFlagsProtNone);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
    expect_refused("cudaMalloc of a peer", of_peer, true, "cudaDeviceEnablePeerAccess");

    expect_usable("mapped for both", mapped(1, 3));
    expect_usable("mapped for this one", mapped(1, 1));
    expect_usable("pinned by the peer", pinned(1));
    expect_usable("managed by the peer", managed(1));
}

#ifndef __CUDACC__
#if !defined(__clang__) || __clang_major__ >= 16 // as above
DEVICE_TEST_WITH_STREAMS(memory_kinds, of_the_host_are_read_behind_views_where_the_gpu_can)
{
    std::vector<int> const pageable(count, 1);
    auto const view = std::span<int const>(pageable) | std::views::transform(twice{});
    device_array<int> const result(1);
    stream const where;
    auto const sum_into = [&] { tw::reduce_into(tw::device.on(where).nosync(), view, result.data()); };
    EXPECT_THROW(sum_into(), std::invalid_argument);
    simt::runtime::set_devices({{.reads_host_memory = true}});
    sum_into();
    where.wait();
    EXPECT_EQ(result.value(), 2 * count);
    EXPECT_EQ(tw::reduce(tw::device.on(where), pageable), count);
    EXPECT_THROW(tw::reduce_into(tw::device.on(where).nosync(), pageable, result.data()), std::invalid_argument);
}
#endif

DEVICE_TEST_WITH_STREAMS(memory_kinds, without_atomic_operations_hold_no_counters)
{
    simt::runtime::set_devices({{.reaches_peers = true, .has_peer_atomics = false}, {}});
    memory const of_peer = plain(1);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    fill(of_peer);
    device_array<int> const samples(std::vector<int>(count, 2));
    EXPECT_EQ(tw::reduce(tw::device, of_peer.begin(), of_peer.end()), sum);
    tw::inclusive_scan(tw::device, samples.begin(), samples.end(), of_peer.begin());
    EXPECT_EQ(value(of_peer.end() - 1), 2 * count);
    EXPECT_THAT(
        [&] { tw::histogram(tw::device, samples.begin(), samples.end(), tw::integer_axis{0, 4}, of_peer.counters()); },
        testing::ThrowsMessage<std::invalid_argument>(HasSubstr("atomic")));
}
#endif

} // namespace
