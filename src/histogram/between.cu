// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../histogram.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_histograms_between<floats, floats>();
    make_histograms_between<signed_integers, signed_integers>();
}

} // namespace
} // namespace tilewise::compiled
