// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/functional.hpp>
#include <tilewise/reduce.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

//! [matrix]
struct matrix {
    std::uint64_t a, b, c, d;
};
struct product {
    matrix operator()(matrix const& l, matrix const& r) const
    {
        return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c, l.c * r.b + l.d * r.d};
    }
};
//! [matrix]

//! [no_default]
struct money {
    explicit money(std::int64_t amount) : cents(amount) {}
    std::int64_t cents;
    friend money operator+(money a, money b) { return money(a.cents + b.cents); }
};
//! [no_default]

} // namespace

int main()
{
    //! [order_of_operands]
    std::vector<std::string> const words{"never ", "out ", "of ", "order"};
    expect(tw::reduce(tw::par, words) == "never out of order");
    //! [order_of_operands]

    //! [matrix_call]
    std::vector<matrix> const steps(90, matrix{1, 1, 1, 0});
    matrix const fibonacci = tw::reduce(tw::par, steps, matrix{1, 0, 0, 1}, product{});
    expect(fibonacci.b == 2'880'067'194'370'816'120);
    //! [matrix_call]

    //! [no_default_call]
    std::vector<money> const prices(1000, money(199));
    expect(tw::reduce(tw::par, prices, money(0)).cents == 199'000);
    //! [no_default_call]

    //! [minimum]
    std::vector<float> const x{3, 1, 2};
    float const highest = std::numeric_limits<float>::infinity();
    expect(tw::reduce(tw::par, x, highest, tw::minimum<>{}) == 1);
    //! [minimum]

    //! [wrapping]
    std::vector<int> const two{std::numeric_limits<int>::max(), 1};
    expect(tw::reduce(tw::par, two) == std::numeric_limits<int>::min());
    //! [wrapping]
}
