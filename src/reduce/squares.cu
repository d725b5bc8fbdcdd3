// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_reductions<known_operator::plus, known_function::square, unsigned_integers, unsigned_integers>();
    make_reductions<known_operator::plus, known_function::square, signed_integers, unsigned_integers>();
    make_reductions<known_operator::plus, known_function::square, floats, floats>();
    make_reductions<known_operator::plus, known_function::square_of_element, floats, floats>();
}

} // namespace
} // namespace tilewise::compiled
