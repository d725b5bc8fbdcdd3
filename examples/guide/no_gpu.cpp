// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

//! [fall_back]
/// On the GPU, if this was compiled for one and one is there: the elements must be where it can read them.
double sum_of(float const* first, float const* last)
{
    try {
        return tw::reduce(tw::device, first, last, 0.0);
    } catch (tw::no_device const&) {
        return tw::reduce(tw::par, first, last, 0.0); // the same bits
    }
}
//! [fall_back]

} // namespace

int main()
{
    std::vector<float> const x(100'000, 0.1F);
    expect(sum_of(x.data(), x.data() + x.size()) == tw::reduce(tw::seq, x, 0.0));
    try {
        tw::reduce(tw::device, x, 0.0);
        expect(false);
    } catch (tw::no_device const& error) {
        expect(std::string(error.what()).find("not compiled for tilewise::device") != std::string::npos);
    }
}
