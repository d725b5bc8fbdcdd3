// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up on a GPU, in a file that nvcc never sees; where there is no GPU, the compiled library has to say so.

#include <tilewise/tilewise.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main()
{
    std::vector<int> const ones(100'000, 1);
    try {
        int const sum = tilewise::reduce(tilewise::device, ones.begin(), ones.end(), 0);
        std::printf("a GPU counts %d\n", sum);
        return sum == 100'000 ? 0 : 1;
    } catch (tilewise::no_device const& error) {
        std::puts(error.what());
        return std::string(error.what()).find("not compiled") == std::string::npos ? 0 : 1;
    }
}
