// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../order_shapes.hpp"

namespace shape {
using types = testing::Types<bytes<40>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Large, Shape, types);
} // namespace shape
