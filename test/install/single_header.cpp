// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints results of every kind of algorithm, under seq and par: scripts/single_header.py compares those of the single
// header with those of the headers it is made of. HEADER names what to include; there may be nothing else of tilewise.
#include HEADER

#include <cstdio>
#include <functional>
#include <vector>

namespace {

template <class Policy>
void print_results(char const* name, Policy const& policy)
{
    std::vector<float> x;
    std::vector<int> keys;
    for (int i = 0; i < 100'000; ++i) {
        x.push_back(1.0F / static_cast<float>(1 + i * 7919 % 100'003));
        keys.push_back(i / 1000);
    }
    std::vector<float> sums(x.size());
    tilewise::inclusive_scan(policy, x, sums.begin());
    std::vector<long> counts(16);
    tilewise::histogram(policy, x, tilewise::regular_axis(16, 0.0, 0.001), counts.begin());
    std::vector<int> run_keys(100);
    std::vector<float> run_sums(100);
    tilewise::reduce_by_key(policy, keys, x, run_keys.begin(), run_sums.begin());
    std::vector<int> const offsets{0, 17, 17, 70'000, 100'000};
    std::vector<float> segments(4);
    tilewise::segmented_reduce(policy, x.begin(), offsets.begin(), offsets.end() - 1, offsets.begin() + 1,
                               segments.begin());

    std::printf("%s: sum %a, scan %a, segment %a, run %a, bin %ld, largest at %td, above 1e-4 %td\n", name,
                static_cast<double>(tilewise::reduce(policy, x)), static_cast<double>(sums[77'777]),
                static_cast<double>(segments[2]), static_cast<double>(run_sums[55]), counts[3],
                tilewise::max_element(policy, x) - x.begin(),
                tilewise::count_if(policy, x, [](float value) { return value > 1e-4F; }));
}

} // namespace

int main()
{
    print_results("seq", tilewise::seq);
    print_results("par", tilewise::par);
}
