// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../order_shapes.hpp"

namespace shape {
using types = testing::Types<bytes<12>, bytes<16>, bytes<24>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Vectors, Shape, types);
} // namespace shape
