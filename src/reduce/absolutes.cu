// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_reductions<known_operator::plus, known_function::absolute, signed_integers, unsigned_integers>();
    make_reductions<known_operator::plus, known_function::absolute, floats, floats>();
    make_reductions<known_operator::maximum, known_function::absolute, signed_integers, signed_integers>();
    make_reductions<known_operator::maximum, known_function::absolute, floats, floats>();
}

} // namespace
} // namespace tilewise::compiled
