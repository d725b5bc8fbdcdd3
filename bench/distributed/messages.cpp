// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// messages [ranks]: prints what each rank sends, receives and computes in a scan of floats over many ranks, for the
/// three ways in which they join fragments, as a table in Markdown. The ranks are threads.
#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace tw = tilewise;

constexpr tw::offset elements_per_rank = 8192;

/// The number of ranks per gather determines how they join fragments; see tw::engine::standard_joining.
struct tuning {
    static inline int most_ranks_per_gather = 0;
};

struct rank_costs {
    tw::communication_statistics sent;
    double microseconds; ///< of the rank's processor time
};

/// The processor time of this thread, in microseconds.
double processor_time()
{
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

/// Cuts anywhere.
std::vector<tw::offset> random_cuts(int ranks)
{
    std::mt19937_64 random(2026);
    std::uniform_int_distribution<tw::offset> anywhere(0, elements_per_rank * ranks);
    std::vector<tw::offset> cuts{0, elements_per_rank * ranks};
    for (int rank = 1; rank < ranks; ++rank)
        cuts.push_back(anywhere(random));
    std::ranges::sort(cuts);
    return cuts;
}

/// An inclusive scan, whose results replace the elements.
template <class Communicator>
void scan(Communicator& communicator, std::vector<float>& x)
{
    tw::engine::rank_call<Communicator> call(communicator, "inclusive_scan");
    try {
        using engine = tw::engine::on_ranks<Communicator, tw::sequenced_policy, tw::standard_geometry, tuning>;
        engine(call, tw::seq)
            .template scan<tw::scan_form::inclusive, float>(x.data(), tw::extent_between(x.data(), x.data() + x.size()),
                                                            x.data(), std::optional<float>(), std::plus<>());
    } catch (...) {
        call.fail();
    }
}

/// The costs of all ranks, of the second of two scans, and the last result.
std::pair<std::vector<rank_costs>, float> costs_of(int ranks, int most_ranks_per_gather)
{
    tuning::most_ranks_per_gather = most_ranks_per_gather;
    auto const cuts = random_cuts(ranks);
    std::vector<rank_costs> costs(static_cast<std::size_t>(ranks));
    float last = 0;
    tw::thread_communicator::run(ranks, [&](tw::thread_communicator& communicator) {
        auto const rank = static_cast<std::size_t>(communicator.rank());
        std::vector<float> x;
        for (tw::offset i = cuts[rank]; i < cuts[rank + 1]; ++i)
            x.push_back(static_cast<float>(i % 1000) / 8);
        auto twice = x;
        scan(communicator, x);
        tw::communication_statistics const before = communicator.statistics();
        double const start = processor_time();
        scan(communicator, twice);
        double const end = processor_time();
        tw::communication_statistics after = communicator.statistics();
        after.collectives -= before.collectives;
        after.messages -= before.messages;
        after.bytes_sent -= before.bytes_sent;
        after.bytes_received -= before.bytes_received;
        costs[rank] = {after, end - start};
        if (cuts[rank] < cuts.back() && cuts[rank + 1] == cuts.back())
            last = twice.back();
    });
    return {costs, last};
}

/// The median and the largest of what the ranks have.
template <class Value>
auto median_and_most(std::vector<rank_costs> const& costs, Value value)
{
    std::vector<decltype(value(costs[0]))> values;
    for (rank_costs const& each : costs)
        values.push_back(value(each));
    std::ranges::sort(values);
    return std::pair(values[values.size() / 2], values.back());
}

/// The time in which one rank joins the fragments of all, by value of those, in nanoseconds: the best of ten.
double time_to_join(int ranks)
{
    using order = tw::order<float>;
    using fragment = tw::host::fragment<order, float>;
    auto const cuts = random_cuts(ranks);
    std::plus<> op;
    std::vector<fragment> parts;
    std::size_t values = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        auto const number = static_cast<std::size_t>(rank);
        std::vector<float> const x(static_cast<std::size_t>(cuts[number + 1] - cuts[number]), 1.f);
        tw::host::aggregates<float> none;
        parts.push_back(
            tw::host::fragment_of<order, float>(tw::seq, x.data(), cuts[number], cuts[number + 1], op, none));
        values += parts.back().aggregates().size();
    }
    double best = 0;
    for (int trial = 0; trial < 10; ++trial) {
        double const start = processor_time();
        fragment all(0);
        for (fragment const& part : parts)
            all.append_part(op, part.end(), [next = part.aggregates().begin()]() mutable { return *next++; });
        double const time = processor_time() - start;
        if (all.aggregates().empty())
            return 0;
        best = trial == 0 ? time : std::min(best, time);
    }
    return best * 1e3 / static_cast<double>(values);
}

int table(int ranks)
{
    struct {
        char const* name;
        int most_ranks_per_gather;
    } const ways[] = {
        {"flat", ranks}, {"groups", std::max(2, static_cast<int>(std::ceil(std::sqrt(ranks))))}, {"doubling", 1}};
    std::printf("%d ranks with %td floats each on average, cut anywhere. One rank joins all fragments in %.1f ns per "
                "value.\n\n",
                ranks, elements_per_rank, time_to_join(ranks));
    std::printf("| way | collectives | messages sent | bytes sent | bytes received, median | bytes received, most | "
                "largest message | processor time, us, median |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    std::optional<float> result;
    for (auto const& [name, most_ranks_per_gather] : ways) {
        auto const [costs, last] = costs_of(ranks, most_ranks_per_gather);
        if (result.value_or(last) != last) {
            std::printf("the results differ\n");
            return 1;
        }
        result = last;
        auto const received = median_and_most(costs, [](auto const& c) { return c.sent.bytes_received; });
        std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu | %.0f |\n", name, costs[0].sent.collectives,
                    median_and_most(costs, [](auto const& c) { return c.sent.messages; }).first,
                    median_and_most(costs, [](auto const& c) { return c.sent.bytes_sent; }).first, received.first,
                    received.second, median_and_most(costs, [](auto const& c) { return c.sent.largest; }).second,
                    median_and_most(costs, [](auto const& c) { return c.microseconds; }).first);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        int const ranks = argc > 1 ? std::atoi(argv[1]) : 1024;
        return table(ranks);
    } catch (std::exception const& exception) {
        std::fprintf(stderr, "%s\n", exception.what());
        return 1;
    }
}
