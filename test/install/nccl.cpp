// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/nccl.hpp>

#include <cstdio>

/// Links what the communicator calls, and asks NCCL for its version, which needs no GPU.
int main(int argc, char**)
{
    if (argc > 1) {
        tilewise::nccl_communicator communicator(nullptr, nullptr);
        return communicator.size();
    }
    int version = 0;
    if (ncclGetVersion(&version) != ncclSuccess || version < NCCL_VERSION(2, 8, 0))
        return 1;
    std::printf("NCCL %d", version);
    return 0;
}
