// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../scan.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_scans<known_operator::multiplies, unsigned_integers, unsigned_integers>();
    make_scans<known_operator::multiplies, floats, floats>();
}

} // namespace
} // namespace tilewise::compiled
