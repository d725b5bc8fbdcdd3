// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../order_shapes.hpp"

namespace shape {
using types = testing::Types<std::uint32_t, bytes<5>, std::uint64_t>;
INSTANTIATE_TYPED_TEST_SUITE_P(Words, Shape, types);
} // namespace shape
