// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small part of the library: made as the whole of it is.

#include "few.hpp"

#include "../../src/histogram.hpp"
#include "../../src/reduce.hpp"
#include "../../src/scan.hpp"

namespace tilewise::compiled {
namespace {

[[gnu::used]] void make_few()
{
    using few::accumulators, few::counters, few::elements;
    make_reductions<known_operator::plus, known_function::identity, elements, accumulators>();
    make_reductions<known_operator::plus, known_function::square_of_element, elements, accumulators>();
    make_products<elements, accumulators>();
    make_scans<known_operator::plus, elements, accumulators>();
    make_regular_histograms<elements, accumulators, counters>();
}

} // namespace
} // namespace tilewise::compiled
