// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: tilewise: a call without a policy runs on the calling thread, which cannot access these elements
// lines: 15
#include <tilewise/reduce.hpp>

#include <thrust/device_vector.h>

float sum(thrust::device_vector<float> const& x)
{
#ifdef TILEWISE_REJECT_FIXED
    return tilewise::reduce(tilewise::device, x.begin(), x.end());
#else
    return tilewise::reduce(x.begin(), x.end());
#endif
}
