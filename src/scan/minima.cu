// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../scan.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_scans<known_operator::minimum, signed_integers, signed_integers>();
    make_scans<known_operator::minimum, unsigned_integers, unsigned_integers>();
    make_scans<known_operator::minimum, floats, floats>();
}

} // namespace
} // namespace tilewise::compiled
