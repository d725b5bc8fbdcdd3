// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A year of an electricity meter, which tells the watts of every minute. This program knows the standard library and
// nothing else; scripts/to_tilewise.sed makes one of tilewise of it, and that must print the same. The standard leaves
// open in which order numbers are added up: of those with a fraction it prints the digits that do not depend on it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace {

constexpr std::size_t day = 24 * 60, days = 365;

/// Quiet nights, busy evenings, and now and then a minute that was lost, which is negative.
std::vector<int> generated_readings()
{
    std::vector<int> watts(days * day);
    std::uint32_t random = 2024;
    for (std::size_t minute = 0; minute < watts.size(); ++minute) {
        random = 1664525 * random + 1013904223;
        int const noise = static_cast<int>(random >> 24U), hour = static_cast<int>(minute % day / 60);
        int const use = hour < 6 || hour > 21 ? 0 : 150 * (12 - std::abs(18 - hour));
        watts[minute] = random % 10007 == 0 ? -1 : 80 + noise + use;
    }
    return watts;
}

//! [struct]
/// How many numbers, their mean, and the sum of the squares of their distances from it.
struct moments {
    double count = 0, mean = 0, squares = 0;
};

/// The moments of two sets of numbers taken together.
struct together {
    moments operator()(moments const& a, moments const& b) const
    {
        double const count = a.count + b.count, distance = b.mean - a.mean;
        return count == 0 ? moments{}
                          : moments{count, a.mean + distance * b.count / count,
                                    a.squares + b.squares + distance * distance * a.count * b.count / count};
    }
};
//! [struct]

void print_totals(std::vector<int> const& watts)
{
    //! [totals]
    auto const lost = std::count_if(std::execution::par, watts.begin(), watts.end(), [](int w) { return w < 0; });
    auto const total = std::reduce(std::execution::par, watts.begin(), watts.end(), std::int64_t{0});
    auto const all = std::transform_reduce(std::execution::par, watts.begin(), watts.end(), moments{}, together{},
                                           [](int w) { return moments{1, static_cast<double>(w), 0}; });
    //! [totals]
    std::printf("%td lost, %td of 80 W\n", lost, std::count(watts.begin(), watts.end(), 80));
    std::printf("%lld watt minutes, mean %.6f, deviation %.6f\n", static_cast<long long>(total), all.mean,
                std::sqrt(all.squares / all.count));

    std::vector<double> const price(watts.size(), 0.31);
    double const cost =
        std::transform_reduce(std::execution::par_unseq, price.begin(), price.end(), watts.begin(), 0.0);
    auto const jumps = std::transform_reduce(std::execution::par, watts.begin() + 1, watts.end(), watts.begin(), 0,
                                             std::plus<>{}, [](int after, int before) { return after > 2 * before; });
    std::printf("cost %.4f, %d jumps\n", cost / 60'000, jumps);
}

void print_extremes(int const* first, int const* last)
{
    auto const [lowest, highest] = std::minmax_element(std::execution::par, first, last);
    auto const closest = std::min_element(std::execution::seq, first, last,
                                          [](int a, int b) { return std::abs(a - 1000) < std::abs(b - 1000); });
    std::printf("lowest %d at %td, highest %d at %td, 1000 W at %td\n", *lowest, lowest - first, *highest,
                highest - first, closest - first);
}

void print_days(std::span<int const> watts)
{
    std::vector<int> of_day(days);
    for (std::size_t i = 0; i < days; ++i) {
        auto const minutes = watts.subspan(i * day, day);
        of_day[i] = std::reduce(minutes.begin(), minutes.end());
    }
    auto const most = std::max_element(of_day.begin(), of_day.end());
    std::printf("day %td had the most, %d watt minutes\n", most - of_day.begin(), *most);
}

void print_running(std::vector<int> const& watts)
{
    //! [scans]
    std::vector<std::int64_t> before(watts.size());
    std::exclusive_scan(std::execution::par, watts.begin(), watts.end(), before.begin(), std::int64_t{0});
    std::vector<int> peak(watts.size());
    std::inclusive_scan(std::execution::par_unseq, watts.begin(), watts.end(), peak.begin(),
                        [](int a, int b) { return std::max(a, b); });
    std::vector<double> mean(watts.size());
    std::transform_inclusive_scan(std::execution::par, watts.begin(), watts.end(), mean.begin(), std::plus<>{},
                                  [](int w) { return w / 1000.0; });
    //! [scans]
    for (std::size_t at = 1000; at < watts.size(); at *= 3)
        std::printf("until %zu: %lld, peak %d, mean %.6f kW\n", at, static_cast<long long>(before[at]), peak[at],
                    mean[at] / static_cast<double>(at + 1));
}

/// Those above a limit, in their order: a scan says where each goes.
void print_filtered(std::vector<int> const& watts, int limit)
{
    auto const is_high = [limit](int w) { return w > limit; };
    std::vector<std::size_t> position(watts.size());
    std::transform_exclusive_scan(std::execution::par, watts.begin(), watts.end(), position.begin(), std::size_t{0},
                                  std::plus<>{}, [is_high](int w) { return std::size_t{is_high(w)}; });
    std::vector<int> high(position.back() + std::size_t{is_high(watts.back())});
    for (std::size_t i = 0; i < watts.size(); ++i)
        if (is_high(watts[i]))
            high[position[i]] = watts[i];
    std::printf("%zu above %d W, from %d to %d, together %d\n", high.size(), limit, high.front(), high.back(),
                std::reduce(high.begin(), high.end()));
}

} // namespace

int main()
{
    std::vector<int> const watts = generated_readings();
    print_totals(watts);
    print_extremes(watts.data(), watts.data() + watts.size());
    print_days(watts);
    print_running(watts);
    print_filtered(watts, 2050);
}
