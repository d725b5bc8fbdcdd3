// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../histogram.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_integer_histograms<signed_integers, signed_integers>();
    make_integer_histograms<unsigned_integers, signed_integers>();
}

} // namespace
} // namespace tilewise::compiled
