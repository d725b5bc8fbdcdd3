// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once for each mode, of which MODE is the name.

#include "modes.hpp"

#include <tilewise/tilewise.hpp>

#include <functional>
#include <stdexcept>
#include <vector>

namespace tw = tilewise;

namespace {

/// x * x - y, on processors that could do it with one rounding.
struct square_minus {
    double y;

#ifdef __x86_64__
    [[gnu::target("fma")]]
#endif
    double operator()(double x) const
    {
        return x * x - y;
    }
};

bool can_fuse()
{
#ifdef __x86_64__
    return __builtin_cpu_supports("fma");
#else
    return true;
#endif
}

bool rejects_last_first(std::vector<float> const& x)
try {
    tw::reduce(tw::par, x.data() + 1, x.data(), 0.0F);
    return false;
} catch (std::invalid_argument const&) {
    return true;
}

double error_of_product()
{
    double const volatile unknown = 0x1.0000002p0; // squared, 1 + 2^-26 + 2^-54, which is one bit too long
    double const x = unknown;
    return can_fuse() ? tw::transform_reduce(tw::seq, &x, &x + 1, 0.0, std::plus<>{}, square_minus{0x1.0000004p0}) : 0;
}

std::string on_device(policy device)
try {
    int const* const none = nullptr;
    return std::to_string(tw::reduce(device, none, none, 7));
} catch (tw::no_device const& error) {
    return error.what();
}

} // namespace

#ifdef TILEWISE_HARDENED
void throw_no_device()
{
    throw tw::no_device("from another mode");
}
#endif

observation MODE::observe(policy device)
{
    std::vector<float> const x(100'000, 0.1F);
    std::vector<float> sums(x.size());
    std::vector<unsigned> counts(4);
    tw::inclusive_scan(tw::par, x.begin(), x.end(), sums.begin());
    tw::histogram(tw::par, x, tw::regular_axis{4, 0.0F, 1.0F}, counts.begin());
    return {.sum = tw::reduce(tw::par, x.begin(), x.end(), 0.0F),
            .last_of_scan = sums.back(),
            .in_first_bin = counts.front(),
            .rejects_last_first = rejects_last_first(x),
            .error_of_product = error_of_product(),
            .on_device = on_device(device)};
}
