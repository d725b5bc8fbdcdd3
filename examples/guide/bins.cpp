// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bin a sample belongs to: what the scaling formula gets wrong, and what the axes promise.

#include "expect.hpp"

#include <tilewise/axis.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tw = tilewise;

namespace {

//! [scaled]
/// The bin of x among bins of equal width, by the usual formula.
int scaled(float x, int bins, float lower, float upper)
{
    return static_cast<int>((x - lower) * static_cast<float>(bins) / (upper - lower));
}
//! [scaled]

//! [corrected]
/// The same as a guess, which the edges correct.
int corrected(float x, tw::regular_axis<float> const& axis, float lower, float upper)
{
    int const last = static_cast<int>(axis.size()) - 1;
    int bin = std::min(scaled(x, last + 1, lower, upper), last);
    bin -= x < axis.edge(bin) ? 1 : 0;
    bin += bin < last && x >= axis.edge(bin + 1) ? 1 : 0;
    return bin;
}
//! [corrected]

/// How many of the floats from 1 up to 2 the formula has in a wrong bin.
int misbinned(int bins)
{
    tw::regular_axis<float> const axis{bins, 1.0F, 2.0F};
    int wrong = 0;
    for (float x = 1; x < 2; x = std::nextafter(x, 2.0F)) {
        wrong += scaled(x, bins, 1, 2) != axis.index(x) ? 1 : 0;
        expect(corrected(x, axis, 1, 2) == axis.index(x));
    }
    return wrong;
}

void scaling()
{
    //! [misbinned]
    tw::regular_axis<float> const tenths{10, 1.0F, 2.0F};
    expect(1.3F == tenths.edge(3));                     // so it begins bin 3,
    expect(scaled(1.3F, 10, 1, 2) == 2);                // but the formula says 2
    expect(1.9F < tenths.edge(9));                      // edge 9 is 1.9000001,
    expect(scaled(1.9F, 10, 1, 2) == 9);                // but the formula says 9
    expect(scaled(0.99999994F, 256, -1, 1) == 256);     // bins end at 255: this is past the table
    expect(misbinned(10) == 4 && misbinned(100) == 39); // of 8388608 floats from 1 to 2

    expect(tenths.index(1.3F) == 3 && tenths.index(1.9F) == 8);
    expect(tw::regular_axis{256, -1.0F, 1.0F}.index(0.99999994F) == 255);
    //! [misbinned]
}

void types()
{
    //! [types]
    tw::regular_axis const of_float{10, 0.0F, 1.0F};
    expect(of_float.edge(1) == 0.1F);
    expect(of_float.index(0.1F) == 1); // the edge itself
    expect(of_float.index(0.1) == 0);  // the double is a little less than the float, though it rounds to it

    tw::integer_axis const small{-2, 3};
    expect(small.index(-0.5) == 1);                            // between -1 and 0
    expect(small.index(4'294'967'295U) == tw::no_cell);        // is not -1
    expect(small.index(std::int64_t{1} << 32) == tw::no_cell); // is not 0
    //! [types]
}

void outside()
{
    double const nan = std::numeric_limits<double>::quiet_NaN();

    //! [flow]
    tw::regular_axis const drop{4, 0.0, 1.0}; // samples outside are not counted
    expect(drop.extent() == 4 && drop.index(1.0) == tw::no_cell && drop.index(nan) == tw::no_cell);

    tw::regular_axis const bins{4, 0.0, 1.0, {.flow = tw::flow::bins}}; // three more cells: counts sum to n
    expect(bins.extent() == 7 && bins.index(-0.1) == 4 && bins.index(1.0) == 5 && bins.index(nan) == 6);

    tw::regular_axis const clamp{4, 0.0, 1.0, {.flow = tw::flow::clamp}}; // in the first bin and the last
    expect(clamp.extent() == 4 && clamp.index(-0.1) == 0 && clamp.index(1e9) == 3);
    expect(clamp.index(nan) == tw::no_cell);

    tw::regular_axis const closed{4, 0.0, 1.0, {.closed_upper = true}}; // the last bin has the last edge, too
    expect(closed.index(1.0) == 3 && closed.index(1.0000001) == tw::no_cell);
    //! [flow]
}

} // namespace

int main()
{
    scaling();
    types();
    outside();
}
