// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// nccl_communicator without a GPU: the laws, and what becomes of errors. What it calls of NCCL and of the CUDA runtime
/// is defined here, on ranks that are threads; every stream is done with what it is given.
#include <tilewise/distributed/nccl.hpp>
#include <tilewise/distributed/threads.hpp>

#include "communicators.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace std::chrono_literals;

/// A rank, and the errors that it is to report.
struct ncclComm {
    tw::thread_communicator* ranks;
    ncclResult_t result = ncclSuccess;       // of collectives
    ncclResult_t asynchronous = ncclSuccess; // once a collective was called
    int polls_in_progress = 0;
    bool was_called = false;
    int aborts = 0;
};

/// A stream that never gets done, where there is one.
struct CUstream_st {};

namespace {

struct broadcast {
    void* data;
    std::size_t bytes;
    int root;
};

/// What this thread calls between ncclGroupStart and ncclGroupEnd.
struct group {
    bool is_open = false;
    std::vector<tw::outgoing> out;
    std::vector<tw::incoming> in;
    std::vector<broadcast> broadcasts;
};
thread_local group calls;
thread_local ncclComm* own_comm;                         // the only one of this thread
constexpr std::size_t most_bytes = std::size_t{1} << 30; // of GPU memory

ncclResult_t result_of(ncclComm& comm)
{
    comm.was_called = true;
    return comm.polls_in_progress > 0 ? ncclInProgress : comm.result;
}

} // namespace

extern "C" {

char const* ncclGetErrorString(ncclResult_t result)
{
    return result == ncclRemoteError ? "a remote error" : "some error";
}
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank)
{
    return *rank = comm->ranks->rank(), ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count)
{
    return *count = comm->ranks->size(), ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    return comm->aborts += 1, ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error)
{
    if (comm->polls_in_progress > 0)
        return comm->polls_in_progress -= 1, *error = ncclInProgress, ncclSuccess;
    return *error = comm->was_called ? comm->asynchronous : ncclSuccess, ncclSuccess;
}
ncclResult_t ncclAllGather(void const* own, void* all, std::size_t count, ncclDataType_t, ncclComm_t comm, cudaStream_t)
{
    std::vector<std::byte> const copy(static_cast<std::byte const*>(own), static_cast<std::byte const*>(own) + count);
    comm->ranks->all_gather(copy.data(), count, all);
    return result_of(*comm);
}
ncclResult_t ncclAllReduce(void const* own, void* all, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t)
{
    EXPECT_EQ(own, all);
    EXPECT_EQ(type, ncclUint64);
    EXPECT_EQ(op, ncclSum);
    comm->ranks->all_reduce_add(static_cast<std::uint64_t*>(all), count);
    return result_of(*comm);
}
ncclResult_t ncclGroupStart()
{
    EXPECT_FALSE(calls.is_open);
    calls = {};
    calls.is_open = true;
    return ncclSuccess;
}
ncclResult_t ncclBroadcast(void const* own, void* all, std::size_t bytes, ncclDataType_t, int root, ncclComm_t comm,
                           cudaStream_t)
{
    EXPECT_TRUE(calls.is_open && own == all);
    calls.broadcasts.push_back({all, bytes, root});
    return comm->result;
}
ncclResult_t ncclSend(void const* data, std::size_t bytes, ncclDataType_t, int to, ncclComm_t comm, cudaStream_t)
{
    calls.out.push_back({to, data, bytes});
    return comm->result;
}
ncclResult_t ncclRecv(void* data, std::size_t bytes, ncclDataType_t, int from, ncclComm_t comm, cudaStream_t)
{
    calls.in.push_back({from, data, bytes});
    return comm->result;
}
ncclResult_t ncclGroupEnd()
{
    EXPECT_TRUE(calls.is_open);
    calls.is_open = false;
    if (own_comm->result != ncclSuccess)
        return ncclSuccess;
    tw::thread_communicator& ranks = *own_comm->ranks;
    if (calls.broadcasts.empty()) {
        ranks.exchange(calls.out, calls.in);
        return result_of(*own_comm);
    }
    std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks.size()));
    std::size_t bytes = 0;
    void const* own = nullptr;
    for (broadcast const& call : calls.broadcasts) {
        sizes[static_cast<std::size_t>(call.root)] = call.bytes;
        bytes += call.bytes;
        own = call.root == ranks.rank() ? call.data : own;
    }
    std::vector<std::byte> all(bytes);
    ranks.all_gather_v(own, sizes, all.data());
    std::byte const* next = all.data();
    for (broadcast const& call : calls.broadcasts) {
        std::memcpy(call.data, next, call.bytes);
        next += call.bytes;
    }
    return result_of(*own_comm);
}

char const* CUDARTAPI cudaGetErrorName(cudaError_t)
{
    return "an error of CUDA";
}
cudaError_t CUDARTAPI cudaGetLastError()
{
    return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMallocHost(void** pointer, std::size_t bytes)
{
    return *pointer = std::malloc(bytes), cudaSuccess;
}
cudaError_t CUDARTAPI cudaMalloc(void** pointer, std::size_t bytes)
{
    if (bytes > most_bytes)
        return cudaErrorMemoryAllocation;
    return *pointer = std::malloc(bytes), cudaSuccess;
}
cudaError_t CUDARTAPI cudaFreeHost(void* pointer)
{
    return std::free(pointer), cudaSuccess;
}
cudaError_t CUDARTAPI cudaFree(void* pointer)
{
    return std::free(pointer), cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream)
{
    return stream == nullptr ? cudaSuccess : cudaErrorNotReady;
}
}

namespace {

// ---- laws

template <int count, int polls_in_progress = 0>
struct gpus {
    static int ranks() { return count; }
    static void run(auto function)
    {
        tw::thread_communicator::run(count,
                                     [&](tw::thread_communicator& ranks) {
                                         ncclComm comm{&ranks};
                                         comm.polls_in_progress = polls_in_progress;
                                         own_comm = &comm;
                                         tw::nccl_communicator communicator(&comm, nullptr);
                                         function(communicator);
                                         EXPECT_EQ(comm.aborts, 0);
                                     },
                                     {.timeout = 120s});
    }
};

using worlds = testing::Types<gpus<1>, gpus<2>, gpus<7>, gpus<3, 5>>;
INSTANTIATE_TYPED_TEST_SUITE_P(nccl, communicators, worlds);

// ---- counters in GPU memory

TEST(nccl_communicator, adds_counters_in_gpu_memory)
{
    tw::thread_communicator::run(3, [](tw::thread_communicator& ranks) {
        ncclComm comm{&ranks};
        own_comm = &comm;
        tw::nccl_communicator communicator(&comm, nullptr);
        auto const rank = static_cast<std::uint64_t>(ranks.rank());
        for (std::size_t const count : {std::size_t{2}, std::size_t{100'000}, std::size_t{3}, std::size_t{0}}) {
            std::uint64_t* const counters = communicator.device_counters(count);
            for (std::size_t i = 0; i < count; ++i)
                counters[i] = i + rank;
            std::uint64_t const status = 7; // other collectives leave them alone
            std::array<std::uint64_t, 3> all{};
            communicator.all_gather(&status, sizeof status, all.data());
            communicator.all_reduce_add(counters, count, nullptr);
            communicator.wait(nullptr);
            for (std::size_t i = 0; i < count; ++i)
                ASSERT_EQ(counters[i], 3 * i + 3);
        }
        EXPECT_EQ(comm.aborts, 0);
    });
}

TEST(nccl_communicator, remains_usable_without_memory_for_counters)
{
    tw::thread_communicator::run(1, [](tw::thread_communicator& ranks) {
        ncclComm comm{&ranks};
        own_comm = &comm;
        tw::nccl_communicator communicator(&comm, nullptr);
        communicator.device_counters(2)[1] = 5;
        EXPECT_THROW(communicator.device_counters(most_bytes), std::bad_alloc);
        EXPECT_TRUE(communicator.is_usable());
        std::uint64_t* const counters = communicator.device_counters(1);
        counters[0] = 4;
        communicator.all_reduce_add(counters, 1, nullptr);
        EXPECT_EQ(counters[0], 4u);
    });
}

// ---- errors

/// What a collective of one rank throws, every later one as well, and how often NCCL's communicator is aborted.
std::string error_with(ncclComm prepared, cudaStream_t stream, tw::nccl_options options, int rank, auto call)
{
    std::string text = "nothing";
    tw::thread_communicator::run(1, [&](tw::thread_communicator& ranks) {
        prepared.ranks = &ranks;
        own_comm = &prepared;
        tw::nccl_communicator communicator(&prepared, stream, options);
        for (int repetition = 0; repetition < 2; ++repetition)
            try {
                call(communicator);
                ADD_FAILURE() << "no error";
            } catch (tw::distributed_error const& error) {
                EXPECT_TRUE(repetition == 0 || text == error.what());
                EXPECT_EQ(error.rank(), rank);
                text = error.what();
            }
        EXPECT_FALSE(communicator.is_usable());
    });
    EXPECT_EQ(prepared.aborts, 1);
    EXPECT_FALSE(calls.is_open);
    return text;
}

/// Each collective in turn.
void in_each_collective(auto test)
{
    static std::array<std::byte, 64> own{}, all{};
    static std::array<std::uint64_t, 2> counters{};
    static std::size_t const size = own.size();
    static tw::outgoing const out{0, own.data(), 8};
    static tw::incoming const in{0, all.data(), 8};
    test("all_gather", [](auto& comm) { comm.all_gather(own.data(), size, all.data()); });
    test("all_gather_v", [](auto& comm) { comm.all_gather_v(own.data(), std::span(&size, 1), all.data()); });
    test("exchange", [](auto& comm) { comm.exchange(std::span(&out, 1), std::span(&in, 1)); });
    test("all_reduce_add", [](auto& comm) { comm.all_reduce_add(counters.data(), counters.size()); });
}

TEST(nccl_communicator, aborts_once_where_nccl_reports_an_error_and_ends_its_group)
{
    in_each_collective([](std::string const&, auto call) {
        ncclComm comm{};
        comm.result = ncclInvalidUsage;
        std::string const text = error_with(comm, nullptr, {}, 0, call);
        EXPECT_TRUE(text.starts_with("tilewise::nccl_communicator: rank 0: nccl")) << text;
        EXPECT_TRUE(text.ends_with(": some error")) << text;
    });
}

TEST(nccl_communicator, aborts_once_where_an_error_is_asynchronous)
{
    in_each_collective([](std::string const& name, auto call) {
        ncclComm comm{};
        comm.asynchronous = ncclRemoteError;
        EXPECT_EQ(error_with(comm, nullptr, {}, 0, call),
                  "tilewise::nccl_communicator: rank 0: " + name + ": a remote error");
    });
}

TEST(nccl_communicator, waits_no_longer_than_the_timeout)
{
    in_each_collective([](std::string const& name, auto call) {
        CUstream_st never_done;
        EXPECT_EQ(error_with(ncclComm{}, &never_done, {.timeout = 20ms}, -1, call),
                  "tilewise::nccl_communicator: rank 0 waited 20 ms in " + name);
    });
}

TEST(nccl_communicator, waits_no_longer_than_the_timeout_for_a_call_that_does_not_block)
{
    in_each_collective([](std::string const&, auto call) {
        ncclComm comm{};
        comm.polls_in_progress = 1'000'000'000;
        std::string const text = error_with(comm, nullptr, {.timeout = 20ms}, -1, call);
        EXPECT_TRUE(text.starts_with("tilewise::nccl_communicator: rank 0 waited 20 ms in nccl")) << text;
    });
}

TEST(nccl_communicator, wants_a_size_for_each_rank)
{
    std::array<std::size_t, 2> const sizes{};
    EXPECT_EQ(error_with(ncclComm{}, nullptr, {}, 0, [&](auto& comm) { comm.all_gather_v(nullptr, sizes, nullptr); }),
              "tilewise::nccl_communicator: rank 0 calls all_gather_v of 2 sizes for 1 ranks");
}

TEST(nccl_communicator, reports_the_errors_of_a_sum_in_gpu_memory_and_of_the_wait_for_it)
{
    auto const sum_and_wait = [](cudaStream_t stream) {
        return [=](auto& comm) {
            std::uint64_t* const counters = comm.device_counters(1);
            *counters = 0;
            comm.all_reduce_add(counters, 1, stream);
            comm.wait(stream);
        };
    };
    std::string const name = "tilewise::nccl_communicator: rank 0";
    ncclComm fails{}, fails_later{};
    fails.result = ncclInvalidUsage;
    EXPECT_EQ(error_with(fails, nullptr, {}, 0, sum_and_wait(nullptr)), name + ": ncclAllReduce: some error");
    fails_later.asynchronous = ncclRemoteError;
    EXPECT_EQ(error_with(fails_later, nullptr, {}, 0, sum_and_wait(nullptr)), name + ": wait: a remote error");
    CUstream_st never_done;
    EXPECT_EQ(error_with(ncclComm{}, nullptr, {.timeout = 20ms}, -1, sum_and_wait(&never_done)),
              name + " waited 20 ms in wait");
    EXPECT_EQ(error_with(ncclComm{}, nullptr, {.timeout = 20ms}, -1, [&](auto& comm) { comm.wait(&never_done); }),
              name + " waited 20 ms in wait");
}

} // namespace
