// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_products<unsigned_integers, unsigned_integers>();
    make_products<floats, floats>();
}

} // namespace
} // namespace tilewise::compiled
