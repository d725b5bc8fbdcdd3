// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tilewise/policy.hpp>

#include <string>

/// What the same calls do in one translation unit. Its mode decides about all but the first three.
struct observation {
    float sum;               ///< of the same elements everywhere
    float last_of_scan;      ///< the same number again
    unsigned in_first_bin;   ///< how many elements a histogram has there
    bool rejects_last_first; ///< a range whose last is before its first
    double error_of_product; ///< what rounding a product drops: 0 where it is dropped, and not where it is fused
    std::string on_device;   ///< the sum of no elements and 7, or the reason why there is none
};

/// What a mode passes to another: policies are the same in all.
using policy = tilewise::device_policy;

/// Throws a tilewise::no_device in the hardened mode.
void throw_no_device();

namespace plain {
observation observe(policy device);
}
namespace hardened {
observation observe(policy device);
}
namespace strict_fp {
observation observe(policy device);
}
namespace header_only {
observation observe(policy device);
}
namespace avx2 { // more instructions of the processor
observation observe(policy device);
}
namespace kernels {
observation observe(policy device);
}
namespace per_thread {
observation observe(policy device);
}
