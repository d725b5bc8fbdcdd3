// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// @ingroup policies
/// Makes the algorithms accept the execution policies of Thrust. `thrust::seq` maps to tilewise::seq. `thrust::host`
/// maps to tilewise::seq, or to tilewise::par if Thrust is configured to run host algorithms on oneTBB or OpenMP.
/// `thrust::device`, `thrust::cuda::par` and `thrust::cuda::par_nosync` map to tilewise::device, also with
/// `.on(stream)`, whose stream is then used.
///
/// A call under `par_nosync` also waits: it returns a value, for which Thrust waits, too.
/// `tilewise::device.on(stream).nosync()` does not wait. An allocator attached to a policy is not used; see
/// `device.with(resource)`.
///
/// Opt-in: requires the headers of Thrust.

#include <tilewise/core/config.hpp>
#include <tilewise/policy.hpp>

#include <thrust/execution_policy.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <thrust/system/cuda/execution_policy.h>
#endif

#include <concepts>
#include <type_traits>

namespace tilewise {

/// @cond
template <>
struct policy_traits<thrust::detail::seq_t> {
    using type = sequenced_policy;
};
template <>
struct policy_traits<thrust::detail::host_t> {
    using type = std::conditional_t<THRUST_HOST_SYSTEM == THRUST_HOST_SYSTEM_CPP, sequenced_policy, parallel_policy>;
};
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
template <class Policy>
    requires std::is_class_v<Policy> && std::derived_from<Policy, thrust::cuda::execution_policy<Policy>>
struct policy_traits<Policy> {
    using type = device_policy;
    static type from(Policy policy) { return device.on(thrust::cuda_cub::stream(policy)); }
};
#endif
/// @endcond

} // namespace tilewise
