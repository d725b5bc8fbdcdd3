// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "expect.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/distributed/threads.hpp>
#include <tilewise/tilewise.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tw = tilewise;

namespace {

//! [own_communicator]
/// Another communicator, whose bytes it counts: five functions are all that it takes.
template <tw::communicator Ranks>
class counting_communicator {
public:
    explicit counting_communicator(Ranks& ranks) : ranks_(ranks) {}

    int rank() const { return ranks_.rank(); }
    int size() const { return ranks_.size(); }
    void all_gather(void const* own, std::size_t bytes, void* all)
    {
        bytes_ += bytes;
        ranks_.all_gather(own, bytes, all);
    }
    void all_gather_v(void const* own, std::span<std::size_t const> sizes, void* all)
    {
        bytes_ += sizes[static_cast<std::size_t>(rank())];
        ranks_.all_gather_v(own, sizes, all);
    }
    void exchange(std::span<tw::outgoing const> out, std::span<tw::incoming const> in)
    {
        for (tw::outgoing const& message : out)
            bytes_ += message.bytes;
        ranks_.exchange(out, in);
    }

    std::size_t bytes() const { return bytes_; } ///< that this rank has sent

private:
    Ranks& ranks_;
    std::size_t bytes_ = 0;
};
//! [own_communicator]

std::vector<float> measured(std::size_t count)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>(i % 1001) / 7;
    return values;
}

} // namespace

int main()
{
    std::vector<float> const x = measured(1'000'000);

    //! [first]
    float const alone = tw::reduce(x);
    tw::thread_communicator::run(4, [&](tw::thread_communicator& ranks) { // four ranks, each a thread
        auto const cuts = tw::even_partition<float>(std::ssize(x), ranks.size());
        auto const begin = cuts[static_cast<std::size_t>(ranks.rank())];
        auto const end = cuts[static_cast<std::size_t>(ranks.rank()) + 1];
        float const sum = tw::reduce(tw::distributed(ranks, tw::par), x.begin() + begin, x.begin() + end);
        expect(sum == alone); // on every rank, the same bits
    });
    //! [first]

    //! [at]
    tw::thread_communicator::run(4, [&](tw::thread_communicator& ranks) {
        auto const cuts = tw::even_partition<float>(std::ssize(x), ranks.size());
        auto const begin = cuts[static_cast<std::size_t>(ranks.rank())];
        auto const end = cuts[static_cast<std::size_t>(ranks.rank()) + 1];
        auto const on = tw::distributed(ranks, tw::par).at(begin, std::ssize(x));
        expect(tw::reduce(on, x.begin() + begin, x.begin() + end) == alone);
        expect(ranks.statistics().collectives == 1); // 2 without at
    });
    //! [at]

    //! [scan]
    std::vector<float> sums(x.size()), expected(x.size());
    tw::inclusive_scan(x, expected);
    std::vector<std::ptrdiff_t> const cuts{0, 17, 17, 600'001, 1'000'000}; // any parts, also empty ones
    tw::thread_communicator::run(4, [&](tw::thread_communicator& ranks) {
        auto const begin = cuts[static_cast<std::size_t>(ranks.rank())];
        auto const end = cuts[static_cast<std::size_t>(ranks.rank()) + 1];
        tw::inclusive_scan(tw::distributed(ranks), x.begin() + begin, x.begin() + end, sums.begin() + begin);
    });
    expect(sums == expected);
    //! [scan]

    //! [position]
    tw::thread_communicator::run(2, [&](tw::thread_communicator& ranks) {
        std::vector<int> const own = ranks.rank() == 0 ? std::vector{3, 1, 4} : std::vector{1, 5, 9, 2};
        tw::rank_position const largest = tw::max_element(tw::distributed(ranks), own);
        expect(largest.rank == 1 && largest.local == 2 && largest.index == 5);
        std::vector<int> counts(10);
        tw::histogram(tw::distributed(ranks), own, tw::integer_axis(0, 10), counts); // of all ranks, on every rank
        expect(counts[1] == 2);
    });
    //! [position]

    //! [segments]
    std::vector<int> const offsets{0, 10, 700'000, 1'000'000}; // three segments
    std::vector<float> sums_alone(3);
    tw::segmented_reduce(x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1, sums_alone);
    tw::thread_communicator::run(4, [&](tw::thread_communicator& ranks) {
        auto const begin = 250'000 * ranks.rank(); // each rank has a quarter of the elements
        auto const on = tw::distributed(ranks).at(begin, std::ssize(x));
        std::vector<float> own_sums(3);
        tw::segmented_reduce(on, x.begin() + begin, offsets.begin(), offsets.end() - 1, offsets.begin() + 1, own_sums);
        expect(own_sums == sums_alone);
    });
    //! [segments]

    //! [by_key]
    std::vector<int> const keys{7, 7, 7, 7, 9, 9}; // two runs
    std::vector<double> const values{1, 2, 3, 4, 5, 6};
    std::vector<int> keys_of_all(2);
    std::vector<double> sums_of_all(2);
    tw::thread_communicator::run(3, [&](tw::thread_communicator& ranks) {
        auto const on = tw::distributed(ranks);
        auto const begin = 2 * ranks.rank(); // each rank has two elements: 7 7, 7 7, 9 9
        std::vector<int> own_keys(2);
        std::vector<double> own_sums(2);
        std::ptrdiff_t runs = 0, position = 0;
        tw::reduce_by_key_into(on, keys.begin() + begin, keys.begin() + begin + 2, values.begin() + begin, own_keys,
                               own_sums, &runs);
        expect(runs == (ranks.rank() == 1 ? 0 : 1)); // the first run begins on rank 0, the second on rank 2
        tw::exclusive_scan(on, &runs, &runs + 1, &position, std::ptrdiff_t(0));
        std::copy_n(own_keys.begin(), runs, keys_of_all.begin() + position);
        std::copy_n(own_sums.begin(), runs, sums_of_all.begin() + position);
    });
    expect(keys_of_all == std::vector{7, 9});
    expect(sums_of_all == std::vector{10.0, 11.0});
    //! [by_key]

    //! [scattered]
    tw::thread_communicator::run(4, [&](tw::thread_communicator& ranks) {
        tw::integer_axis const axis(0, 1000);
        auto const bins = tw::even_partition<std::uint64_t>(axis.extent(), ranks.size());
        auto const rank = static_cast<std::size_t>(ranks.rank());
        std::vector<int> counts(static_cast<std::size_t>(bins[rank + 1] - bins[rank]));
        tw::histogram(tw::distributed(ranks).scattered(), std::vector{1, 500, 999}, axis, counts);
        if (ranks.rank() == 3)
            expect(counts.back() == 4); // 999, once on every rank
    });
    //! [scattered]

    //! [errors]
    tw::thread_communicator::run(3, [&](tw::thread_communicator& ranks) {
        auto const checked_sum = [&](float a, float b) {
            return ranks.rank() == 2 ? throw std::range_error("too large") : a + b;
        };
        try {
            tw::reduce(tw::distributed(ranks), x, 0.F, checked_sum);
            expect(false);
        } catch (tw::distributed_error const& error) { // on every rank
            expect(error.rank() == 2);
            expect(error.what() == std::string("tilewise::reduce: rank 2: too large"));
        }
        tw::reduce(tw::distributed(ranks), x); // all ranks are in step again
    });
    //! [errors]

    //! [counting]
    tw::thread_communicator::run(8, [&](tw::thread_communicator& ranks) {
        counting_communicator counted(ranks);
        auto const n = std::ssize(x) * ranks.rank() / 8, next = std::ssize(x) * (ranks.rank() + 1) / 8;
        tw::reduce(tw::distributed(counted), x.begin() + n, x.begin() + next);
        expect(counted.bytes() < 600); // whatever the number of elements
    });
    //! [counting]
}
