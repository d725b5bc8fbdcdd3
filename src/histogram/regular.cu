// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../histogram.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_regular_histograms<floats, floats>();
    make_regular_histograms<signed_integers, floats>();
    make_regular_histograms<unsigned_integers, floats>();
}

} // namespace
} // namespace tilewise::compiled
