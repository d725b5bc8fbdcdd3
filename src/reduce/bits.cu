// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_reductions<known_operator::multiplies, known_function::identity, unsigned_integers, unsigned_integers>();
    make_reductions<known_operator::bit_and, known_function::identity, unsigned_integers, unsigned_integers>();
    make_reductions<known_operator::bit_or, known_function::identity, unsigned_integers, unsigned_integers>();
    make_reductions<known_operator::bit_xor, known_function::identity, unsigned_integers, unsigned_integers>();
}

} // namespace
} // namespace tilewise::compiled
