// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../reduce.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_all()
{
    make_reductions<known_operator::plus, known_function::identity, unsigned_integers, unsigned_integers>();
}

} // namespace
} // namespace tilewise::compiled
