// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../scan.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_scans<known_operator::bit_and, unsigned_integers, unsigned_integers>();
    make_scans<known_operator::bit_or, unsigned_integers, unsigned_integers>();
    make_scans<known_operator::bit_xor, unsigned_integers, unsigned_integers>();
}

} // namespace
} // namespace tilewise::compiled
