// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same job over ranks. A file of its own, since it is all compiled once more.

#include "over_ranks.hpp"

#include "any_communicator.hpp"
#include "bad_input.hpp"
#include "gpu.hpp"
#include "mpi.hpp"
#include "on_all_ranks.hpp"
#include "policies.hpp"
#include "reports.hpp"
#include "text.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>

#include <cstddef>
#include <stdexcept>

namespace example {
namespace {

/// Throws on all ranks where not all have the same files.
void expect_same_files(any_communicator& ranks, options const& chosen, input_files const& files)
{
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto const sizes = all_gathered(ranks, files[i].bytes().size());
        on_all_ranks(ranks, [&] {
            if (files[i].bytes().size() != sizes[0]) {
                throw std::runtime_error(shown_name(chosen.files[i].name) + ": is not the same file on all ranks");
            }
        });
    }
}

} // namespace

void describe_with_threads(options const& chosen)
{
    with_policy(chosen.policy, [&](auto const& policy) { // under which each rank works on its part
        auto const files = open_files(chosen);
        tilewise::thread_communicator::run(*chosen.ranks, [&](tilewise::thread_communicator& communicator) {
            communicator_reference ranks(communicator);
            on_all_ranks(ranks, [&] { use_gpu_of_rank(policy, ranks.rank()); });
            run_job(ranks, chosen, tilewise::distributed<any_communicator>(ranks, policy), files);
        });
    });
}

void describe_under_mpi(options const& chosen)
{
    for (auto const& [name, format] : chosen.files) {
        if (name == "-") {
            throw usage_error("standard input cannot be read by several processes");
        }
    }
    with_policy(chosen.policy, [&](auto const& policy) {
        run_under_mpi([&](any_communicator& ranks) {
            on_all_ranks(ranks, [&] { use_gpu_of_rank(policy, ranks.rank()); });
            input_files files;
            on_all_ranks(ranks, [&] { files = open_files(chosen); });
            expect_same_files(ranks, chosen, files);
            run_job(ranks, chosen, tilewise::distributed(ranks, policy), files);
        });
    });
}

} // namespace example
