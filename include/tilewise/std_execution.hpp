// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// @ingroup policies
/// Accepts the policies of `std::execution`: `seq` and `unseq` mean tilewise::seq, `par` and `par_unseq` tilewise::par.
///
/// Opt-in: a program that names no standard policy need not depend on its standard library's parallel algorithms.

#include <tilewise/policy.hpp>

#include <execution>

#if defined(_LIBCPP_VERSION) && !defined(_LIBCPP_ENABLE_EXPERIMENTAL) && !defined(__cpp_lib_execution)
#error "tilewise/std_execution.hpp: libc++ has the policies of std::execution only with -fexperimental-library"
#endif

namespace tilewise {

/// @cond
template <>
struct policy_traits<std::execution::sequenced_policy> {
    using type = sequenced_policy;
};
template <>
struct policy_traits<std::execution::unsequenced_policy> {
    using type = sequenced_policy;
};
template <>
struct policy_traits<std::execution::parallel_policy> {
    using type = parallel_policy;
};
template <>
struct policy_traits<std::execution::parallel_unsequenced_policy> {
    using type = parallel_policy;
};
/// @endcond

} // namespace tilewise
