// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/reduce.hpp>
//! [std_policies_include]
#include <tilewise/std_execution.hpp>
//! [std_policies_include]

#include <tbb/task_arena.h>

#include <execution>
#include <vector>

namespace tw = tilewise;

//! [own_policy]
namespace engine {
struct background {};
} // namespace engine

template <>
struct tilewise::policy_traits<engine::background> {
    using type = tilewise::parallel_policy;
};
//! [own_policy]

int main()
{
    std::vector<double> const x(1'000'000, 0.1);

    //! [seq_and_par]
    double const here = tw::reduce(tw::seq, x);
    double const everywhere = tw::reduce(tw::par, x);
    expect(here == everywhere);
    //! [seq_and_par]

    //! [arena]
    tbb::task_arena two_threads(2);
    double const on_two = two_threads.execute([&] { return tw::reduce(tw::par, x); });
    expect(on_two == here);
    //! [arena]

    //! [std_policies]
    expect(tw::reduce(std::execution::par, x) == here);
    //! [std_policies]
    expect(tw::reduce(std::execution::seq, x) == here);
    expect(tw::reduce(std::execution::unseq, x) == here);
    expect(tw::reduce(std::execution::par_unseq, x) == here);

    //! [own_policy_call]
    expect(tw::reduce(engine::background{}, x) == here);
    //! [own_policy_call]
}
