// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once for each architecture, of which ARCHITECTURE is the number.

#include "calls.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>

#define JOIN_EXPANDED(name, number) name##_##number
#define JOIN(name, number) JOIN_EXPANDED(name, number)

namespace tw = tilewise;

architectures JOIN(architectures_of_reduce, ARCHITECTURE)(int const* elements, int count)
{
    return {tw::transform_reduce(tw::device, elements, elements + count, 1'000'000, tw::minimum<>{}, compiled_for{}),
            tw::transform_reduce(tw::device, elements, elements + count, -1, tw::maximum<>{}, compiled_for{})};
}

int JOIN(architecture_of_last_scanned, ARCHITECTURE)(int const* elements, int count, int* out)
{
    tw::transform_inclusive_scan(tw::device, elements, elements + count, out, tw::maximum<>{}, compiled_for{});
    int last = -1;
    static_cast<void>(cudaMemcpy(&last, out + count - 1, sizeof(int), cudaMemcpyDefault));
    return last;
}

std::type_info const& JOIN(type_in_mode, ARCHITECTURE)()
{
    return typeid(tw::gpu::launch_shape);
}
