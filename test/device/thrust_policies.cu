// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/thrust_execution.hpp>

#include "same_bits.hpp"

#include <thrust/device_vector.h>
#include <thrust/mr/allocator.h>
#include <thrust/system/cuda/memory.h>

#include <cuda/stream_ref>

#include <concepts>

namespace {

using on_device::same_bits;
using on_device::stream;

template <class Policy>
using tilewise_policy = tw::policy_for<Policy>;

DEVICE_TEST_WITH_STREAMS(thrust_execution, policies_stand_for_those_of_the_library)
{
    static_assert(std::same_as<tilewise_policy<decltype(thrust::host)>, tw::sequenced_policy>);
    static_assert(std::same_as<tilewise_policy<decltype(thrust::seq)>, tw::sequenced_policy>);
    static_assert(std::same_as<tilewise_policy<decltype(thrust::device)>, tw::device_policy>);
    static_assert(std::same_as<tilewise_policy<decltype(thrust::cuda::par) const&>, tw::device_policy>);
    static_assert(std::same_as<tilewise_policy<decltype(thrust::cuda::par.on(nullptr))>, tw::device_policy>);
    static_assert(std::same_as<tilewise_policy<decltype(thrust::cuda::par_nosync)>, tw::device_policy>);
    static_assert(std::same_as<tilewise_policy<decltype(thrust::cuda::par_nosync.on(nullptr))>, tw::device_policy>);
    static_assert(!tw::execution_policy<thrust::device_vector<int>>);
    static_assert(!tw::execution_policy<thrust::device_vector<int>::iterator>);
    stream const where;
    EXPECT_EQ(tw::resolve(thrust::cuda::par.on(where)).stream(), where.get());
    EXPECT_EQ(tw::resolve(thrust::cuda::par_nosync.on(where)).stream(), where.get());
    thrust::device_allocator<char> memory;
    EXPECT_EQ(tw::resolve(thrust::cuda::par(memory).on(where)).stream(), where.get());
}

DEVICE_TEST_WITH_STREAMS(thrust_execution, policies_give_the_same_bits)
{
    auto const x = on_device::some_elements<float>(values::many_tiles(sizeof(float)));
    float const expected = tw::reduce(tw::seq, x, 0.5f);
    thrust::device_vector<float> const device_copy(x.begin(), x.end());
    stream const where;
    auto const check = [&](auto policy, auto const& range) {
        EXPECT_TRUE(same_bits(tw::reduce(policy, range.begin(), range.end(), 0.5f), expected));
    };
    check(thrust::host, x);
    check(thrust::seq, x);
    check(thrust::device, device_copy);
    check(thrust::cuda::par, device_copy);
    check(thrust::cuda::par.on(where), device_copy);
    check(thrust::cuda::par_nosync, device_copy);
    check(thrust::cuda::par_nosync.on(where), device_copy);
    EXPECT_EQ(tw::count(thrust::cuda::par.on(where), device_copy.begin(), device_copy.end(), x[3]),
              tw::count(tw::seq, x, x[3]));
}

/// The forms that write have written when they return, also under par_nosync.
DEVICE_TEST_WITH_STREAMS(thrust_execution, policies_wait)
{
    auto const x = on_device::some_elements<float>(values::many_tiles(sizeof(float)));
    thrust::device_vector<float> const device_copy(x.begin(), x.end());
    on_device::device_array<float> const result(1, 0, on_device::device_array<float>::kind::pinned);
    stream const where;
    *result.data() = 0;
    tw::reduce_into(thrust::cuda::par_nosync.on(where), device_copy.begin(), device_copy.end(), result.data(), 0.5f);
    EXPECT_TRUE(same_bits(*static_cast<float volatile*>(result.data()) + 0.0f, tw::reduce(tw::seq, x, 0.5f)));
}

DEVICE_TEST_WITH_STREAMS(device_policy, runs_in_a_stream_ref)
{
    auto const x = on_device::some_elements<float>(5000);
    thrust::device_vector<float> const device_copy(x.begin(), x.end());
    stream const where;
    auto const policy = tw::device.on(cuda::stream_ref(where.get()));
    EXPECT_EQ(policy.stream(), where.get());
    EXPECT_TRUE(
        same_bits(tw::reduce(policy, device_copy.begin(), device_copy.end(), 0.5f), tw::reduce(tw::seq, x, 0.5f)));
}

/// With libcu++'s stream type, as its and RMM's resources have them.
struct pool {
    int allocations = 0;
    void* allocate_async(std::size_t bytes, std::size_t, cuda::stream_ref where)
    {
        void* memory = nullptr;
        on_device::expect_success(cudaMallocAsync(&memory, bytes, where.get()));
        ++allocations;
        return memory;
    }
    void deallocate_async(void* memory, std::size_t, std::size_t, cuda::stream_ref where)
    {
        on_device::expect_success(cudaFreeAsync(memory, where.get()));
        --allocations;
    }
};

DEVICE_TEST(device_policy, takes_scratch_from_a_resource_with_stream_refs)
{
    auto const x = on_device::some_elements<float>(values::many_tiles(sizeof(float)));
    thrust::device_vector<float> const device_copy(x.begin(), x.end());
    pool memory;
    EXPECT_TRUE(same_bits(tw::reduce(tw::device.with(memory), device_copy.begin(), device_copy.end(), 0.5f),
                          tw::reduce(tw::seq, x, 0.5f)));
    EXPECT_EQ(memory.allocations, 0);
}

} // namespace
