// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked with tilewise::hardened.

#include "expect.hpp"

#include <tilewise/reduce.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace tw = tilewise;

int main()
{
    std::vector<int> const x(1'000'000, 1);

    //! [throwing_operator]
    auto const checked_plus = [](int a, int b) {
        int sum = 0;
        if (__builtin_add_overflow(a, b, &sum))
            throw std::overflow_error("too much");
        return sum;
    };
    std::string message;
    try {
        tw::reduce(tw::par, x, 2'147'000'000, checked_plus);
    } catch (std::overflow_error const& error) {
        message = error.what();
    }
    expect(message == "too much");
    //! [throwing_operator]

    //! [hardened]
    message = {};
    try {
        tw::reduce(tw::par, x.end(), x.begin());
    } catch (std::invalid_argument const& error) {
        message = error.what();
    }
    expect(message == "tilewise::reduce: last is before first");
    //! [hardened]

    int const* const null = nullptr;
    expect(tw::reduce(tw::par, null, null, 7) == 7);
    message = {};
    try {
        tw::reduce(tw::par, null, x.data(), 7);
    } catch (std::invalid_argument const& error) {
        message = error.what();
    }
    expect(message == "tilewise::reduce: first is null, but the range is not empty");
}
