// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Bugs planted in correct kernels and in the programs around them. The interpreter has to catch each of them.
#include "cases.hpp"
#include "programs.hpp"

#include <simt/runtime.hpp>
#include <simt/test.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

namespace {

using kernels::affine;
using kernels::bug;
using kernels::compose;
using kernels::order;

#if defined(SIMT_RACE)
constexpr bool checks_races = true, checks_bounds = true;
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool checks_races = false, checks_bounds = true;
#else
constexpr bool checks_races = false, checks_bounds = false;
#endif

/// Who has to catch a bug.
enum class caught_by {
    values, ///< every build: a wrong result, a deadlock, a rule broken
    bounds, ///< the address sanitizer's build and the race build
    races   ///< the race build
};

struct planted {
    std::string name;
    bool (*run)();
    caught_by least;
    std::string kinds; ///< of report, in the race build; nothing where any will do
    friend std::ostream& operator<<(std::ostream& to, planted const& p) { return to << p.name; }
};

/// Runs schedules until one is caught, in a process of its own: the address sanitizer ends it, and what a kernel that
/// was stopped leaves behind does no harm. Returns what was seen.
std::string outcome_of(planted const& bug)
{
    int ends[2];
    if (pipe(ends) != 0)
        return "no pipe";
    pid_t const child = fork();
    if (child == 0) {
        std::string seen = "nothing";
        dup2(ends[1], STDERR_FILENO); // what a sanitizer says
        for (int seed = 1; seed <= simt::schedule_count(40) && seen == "nothing"; ++seed) {
            bool right = true;
            try {
                auto const report = simt::run_schedule(static_cast<std::uint64_t>(seed), [&] { right = bug.run(); });
                if (report)
                    seen = report->kind + ": " + report->text;
                else if (!right)
                    seen = "wrong: result";
            } catch (std::exception const& thrown) {
                seen = std::string("exception: ") + thrown.what();
            }
        }
        static_cast<void>(!write(ends[1], seen.data(), seen.size()));
        _exit(0);
    }
    close(ends[1]);
    std::string seen;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
        seen.append(buffer, static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? seen : "sanitizer: " + seen;
}

class Bugs : public testing::TestWithParam<planted> {};

TEST_P(Bugs, IsCaught)
{
    planted const& bug = GetParam();
    std::string const seen = outcome_of(bug);
    RecordProperty("seen", seen);
    if (std::getenv("TILEWISE_SIMT_SHOW") != nullptr)
        std::printf("%-28s %s\n", bug.name.c_str(), seen.c_str());
    EXPECT_NE(seen, "nothing");
    if (checks_races && !bug.kinds.empty()) {
        std::string const kind = seen.substr(0, seen.find(':'));
        EXPECT_NE((", " + bug.kinds + ",").find(", " + kind + ","), std::string::npos) << seen;
    }
}

template <bug planted>
bool reduce()
{
    return cases::reduce<planted, affine>(compose{});
}
template <bug planted, order how>
bool scan()
{
    return cases::scan<planted, how, affine>(compose{});
}

constexpr auto values = caught_by::values, bounds = caught_by::bounds, races = caught_by::races;

// clang-format off
planted const all[] = {
    {"NoBarrier", reduce<bug::no_barrier>, values, "race, uninitialised"},
    {"NoBarrierBeforeReuse", reduce<bug::no_barrier_before_reuse>, races, "race"},
    {"BarrierInABranch", reduce<bug::barrier_in_a_branch>, values, "barrier divergence, race, uninitialised"},
    {"BarrierDivergence", reduce<bug::barrier_divergence>, values, "barrier divergence"},
    {"DivergentShuffle", reduce<bug::divergent_shuffle>, values, "deadlock, warp divergence, barrier divergence, warp mask"},
    {"WarpIndexInABranch", reduce<bug::warp_index_in_a_branch>, values, "deadlock, warp divergence, barrier divergence"},
    {"EarlyExit", reduce<bug::early_exit>, values, "warp mask"},
    {"SwappedOperands", reduce<bug::swapped_operands>, values, "wrong"},
    {"PastTheEnd", reduce<bug::past_the_end>, bounds, "out of bounds"},
    {"PastTheEndOfShared", reduce<bug::past_the_end_of_shared>, values, "out of bounds"},
    {"UnwrittenShared", reduce<bug::unwritten_shared>, values, "uninitialised"},
    {"UnwrittenInput", reduce<bug::unwritten_input>, values, "uninitialised"},
    {"NoWaitForPrimary", reduce<bug::no_wait_for_primary>, values, "race, uninitialised, dependent launch"},
    {"NobodyWaitsForPrimary", cases::add_to_others<bug::no_wait_for_primary>, values, "dependent launch"},
    {"WaitForPrimaryInOneThread", reduce<bug::wait_in_one_thread>, races, "race, uninitialised"},
    {"ScanNoBarrier", scan<bug::no_barrier, order::fences>, values, "race, uninitialised"},
    {"ScanNoSecondBarrier", scan<bug::no_barrier_before_reuse, order::fences>, values, "race, uninitialised"},
    {"EarlyPublicationWithFences", scan<bug::early_publication, order::fences>, races, "race, uninitialised"},
    {"EarlyPublicationWithRelease", scan<bug::early_publication, order::acquire_release>, races, "race, uninitialised"},
    {"NoFence", scan<bug::no_fence, order::fences>, races, "race"},
    {"RelaxedPublication", scan<bug::no_fence, order::acquire_release>, races, "race"},
    {"FenceOfTheBlock", scan<bug::block_fence, order::fences>, races, "race"},
    {"BlocksInOrder", scan<bug::blocks_in_order, order::fences>, values, "livelock"},
    {"LostUpdate", cases::histogram<bug::lost_update>, races, "race"},
    {"NoBarrierAfterClearing", cases::histogram<bug::no_barrier_after_clearing>, values, "race, uninitialised"},
    {"NoSyncWarp", cases::reverse<bug::no_sync_warp>, values, "race, uninitialised"},
    {"VoteAsBarrier", cases::reverse<bug::vote_as_barrier>, races, "race"},
    {"WrongMask", cases::reverse<bug::wrong_mask>, values, "warp mask"},
    {"StoreBeforeArrival", cases::gather_in_cluster<bug::store_before_arrival>, values, "cluster"},
    {"NoSecondClusterWait", cases::gather_in_cluster<bug::no_second_cluster_wait>, values, "race, uninitialised, cluster"},
    {"NoLastClusterWait", cases::gather_in_cluster<bug::no_last_cluster_wait>, values, "cluster, wrong"},
    {"CopyNotWaitedFor", cases::sum_of_copies<bug::no_mbarrier_wait>, values, "race, uninitialised"},
    {"CopyOverlapsUse", cases::sum_of_copies<bug::overlapping_copy>, races, "race"},
    {"CopyOfMoreThanExpected", cases::sum_of_copies<bug::too_few_bytes>, values, "deadlock"},
    {"CopyFromAnOddAddress", programs::bulk_copy_from_an_odd_address, values, "bulk copy"},
    {"MisalignedLoad", programs::misaligned_load, values, "misaligned"},
    {"CopyOutlivesItsBlock", programs::bulk_copy_outlives_its_block, values, "bulk copy"},
    {"LessSharedMemoryThanUsed", programs::less_shared_memory_than_used, values, "shared memory"},
    {"MoreSharedMemoryThanAllowed", programs::more_shared_memory_than_allowed, values, "shared memory"},
    {"HostPointerInAKernel", programs::host_pointer_in_a_kernel, races, "host memory"},
    {"HostVariableInAKernel", programs::host_variable_in_a_kernel, races, "host memory"},
    {"AnotherThreadsVariable", programs::another_threads_variable, races, "host memory"},
    {"DeviceMemoryOnTheHost", programs::device_memory_on_the_host, races, "device memory"},
    {"ResultReadBeforeWaiting", programs::result_read_before_waiting, values, "race"},
    {"ArgumentChangedBeforeWaiting", programs::argument_changed_before_waiting, values, "race"},
    {"StreamsWithoutAnEvent", programs::streams_without_an_event, values, "race"},
    {"FreedTooEarly", programs::freed_too_early, races, "race, out of bounds"},
    {"UsedAfterItWasFreed", programs::used_after_it_was_freed, bounds, "out of bounds"},
    {"OutputIsShort", programs::output_is_short, bounds, "out of bounds"},
    {"SecondByteOfALaterEpoch", programs::two_bytes<programs::read_both_of_two_epochs<64>>, races, "race"},
    {"SecondByteOfAnotherWarp", programs::two_bytes<programs::read_both_of_two_warps<64>>, races, "race"},
    {"PaddingWrittenWhileRead", programs::two_bytes<programs::write_what_was_read_as_padding<64>>, races, "race"},
    {"Leak", programs::leak, values, "wrong"},
};
// clang-format on

/// Those that this build has to catch.
std::vector<planted> for_this_build()
{
    std::vector<planted> chosen;
    for (planted const& each : all)
        if (each.least == values || (each.least == bounds && checks_bounds) || (each.least == races && checks_races))
            chosen.push_back(each);
    return chosen;
}

INSTANTIATE_TEST_SUITE_P(Planted, Bugs, testing::ValuesIn(for_this_build()),
                         [](auto const& of) { return of.param.name; });

} // namespace
