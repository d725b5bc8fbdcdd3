// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace tw = tilewise;

namespace {

//! [fma]
struct affine { // x -> scale * x + shift
    double scale, shift;
};
struct then { // first a, then b
    affine operator()(affine const& a, affine const& b) const
    {
        return {a.scale * b.scale, std::fma(b.scale, a.shift, b.shift)};
    }
};
//! [fma]

} // namespace

int main()
{
    //! [apart]
    std::vector<float> const x(100'000, 0.1F);
    auto const square = [](float value) { return value * value; };
    float const fused_nowhere = tw::transform_reduce(tw::par, x, 0.0F, std::plus<>{}, square);
    //! [apart]

    std::vector<float> squares;
    for (float value : x) {
        float volatile const rounded = value * value;
        float const copy = rounded;
        squares.push_back(copy);
    }
    expect(fused_nowhere == tw::reduce(tw::seq, squares, 0.0F));

    std::vector<affine> maps(100'000, affine{0.5, 0.1});
    for (std::size_t i = 1; i < maps.size(); i += 2)
        maps[i].scale = 2;
    affine const one = tw::reduce(tw::seq, maps, affine{1, 0}, then{});
    affine const all = tw::reduce(tw::par, maps, affine{1, 0}, then{});
    expect(one.scale == all.scale && one.shift == all.shift);
}
