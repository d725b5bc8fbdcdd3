// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// @ingroup policies
/// Makes the algorithms accept the policies of `std::execution`: `seq` and `unseq` map to tilewise::seq, `par` and
/// `par_unseq` to tilewise::par.
///
/// Opt-in, so that programs without standard policies do not depend on the parallel algorithms of the standard library.

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
