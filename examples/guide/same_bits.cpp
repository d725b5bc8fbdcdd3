// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sum on one thread, on all cores, over two ranks and on a GPU. Tests compile it with the host's compiler, which
// has no kernels, with nvcc, and for the interpreter of kernels.

#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>
#include <tilewise/tilewise.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

namespace tw = tilewise;

int main()
try {
    //! [same_bits]
    std::vector<float> x(1'000'000);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 1.0F / static_cast<float>(i + 1); // a loop that adds these in order returns 14.357358

    float const one_thread = tw::reduce(tw::seq, x);
    float const all_cores = tw::reduce(tw::par, x);

    float two_ranks = 0; // here threads; or processes of MPI, or GPUs
    tw::thread_communicator::run(2, [&](tw::thread_communicator& ranks) {
        auto const own = ranks.rank() == 0 ? std::span(x).first(123'456) : std::span(x).subspan(123'456);
        float const sum = tw::reduce(tw::distributed(ranks, tw::par), own);
        if (ranks.rank() == 0)
            two_ranks = sum;
    });
    std::printf("one thread  %.9g\nall cores   %.9g\ntwo ranks   %.9g\n", one_thread, all_cores, two_ranks);

    float const gpu = tw::reduce(tw::device, x); // in a file compiled by nvcc
    std::printf("GPU         %.9g\n", gpu);
    return one_thread == all_cores && all_cores == two_ranks && two_ranks == gpu ? 0 : 1;
    //! [same_bits]
} catch (tw::no_device const& error) {
    std::printf("%s\n", error.what());
    return 77; // CTest: skipped
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
