// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../order_shapes.hpp"

namespace shape {
using types = testing::Types<unsigned char, std::uint16_t, bytes<3>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Narrow, Shape, types);
} // namespace shape
