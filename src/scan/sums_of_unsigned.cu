// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../scan.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_scans<known_operator::plus, unsigned_integers, unsigned_integers>();
}

} // namespace
} // namespace tilewise::compiled
