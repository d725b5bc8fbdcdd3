// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_reductions<known_operator::plus, known_function::identity, floats, floats>();
    make_reductions<known_operator::multiplies, known_function::identity, floats, floats>();
    make_reductions<known_operator::minimum, known_function::identity, floats, floats>();
    make_reductions<known_operator::maximum, known_function::identity, floats, floats>();
}

} // namespace
} // namespace tilewise::compiled
