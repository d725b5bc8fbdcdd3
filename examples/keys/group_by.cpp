// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the rows of a CSV file by a column, and computes several aggregates of another column in one pass: the mean,
// the extremes and the growth of the CO2 over Mauna Loa for each year. A transform makes an accumulator of each value,
// and reduce_by_key combines those of a run of equal keys. The operator does not commute, since it keeps the first and
// the last value; operands keep their order under every policy. So do the bits of the sums.

#include "../describe/csv.hpp"
#include "../describe/input_file.hpp"
#include "../scans/everywhere.hpp"

#include <tilewise/reduce_by_key.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

using namespace example;

/// The aggregates of a group.
struct summary {
    double sum, least, most, first, last;
    int count;
    double mean() const { return sum / count; }
};

struct summary_of_one {
    constexpr summary operator()(double value) const { return {value, value, value, value, value, 1}; }
};

struct joined {
    constexpr summary operator()(summary const& a, summary const& b) const
    {
        return {
            a.sum + b.sum,    b.least < a.least ? b.least : a.least, a.most < b.most ? b.most : a.most, a.first, b.last,
            a.count + b.count};
    }
};

struct groups {
    shared_vector<double> keys;
    shared_vector<summary> summaries;
};

template <class Policy>
groups grouped(Policy const& policy, shared_vector<double> const& keys, shared_vector<double> const& values)
{
    groups result{shared_vector<double>(keys.size()), shared_vector<summary>(keys.size())};
    auto const ends =
        tilewise::transform_reduce_by_key(policy, keys.begin(), keys.end(), values.begin(), result.keys.begin(),
                                          result.summaries.begin(), std::equal_to<>(), joined(), summary_of_one());
    result.keys.erase(ends.first, result.keys.end());
    result.summaries.erase(ends.second, result.summaries.end());
    return result;
}

groups grouped_by_a_loop(shared_vector<double> const& keys, shared_vector<double> const& values)
{
    groups result;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        auto const one = summary_of_one()(values[i]);
        if (i > 0 && keys[i] == keys[i - 1]) {
            result.summaries.back() = joined()(result.summaries.back(), one);
        } else {
            result.keys.push_back(keys[i]);
            result.summaries.push_back(one);
        }
    }
    return result;
}

/// Whether all but the sums are equal, and those are up to rounding.
bool agree(groups const& a, groups const& b)
{
    return a.keys == b.keys && std::equal(a.summaries.begin(), a.summaries.end(), b.summaries.begin(),
                                          b.summaries.end(), [](summary const& x, summary const& y) {
                                              return x.least == y.least && x.most == y.most && x.first == y.first &&
                                                     x.last == y.last && x.count == y.count &&
                                                     std::abs(x.sum - y.sum) <= 1e-12 * std::abs(y.sum);
                                          });
}

bool have_equal_sums(groups const& a, groups const& b)
{
    return std::equal(a.summaries.begin(), a.summaries.end(), b.summaries.begin(), b.summaries.end(),
                      [](summary const& x, summary const& y) { return x.sum == y.sum; });
}

shared_vector<double> column(std::string_view text, std::string const& name)
{
    auto const values = std::get<std::vector<double>>(read_csv(text, name).values);
    return {values.begin(), values.end()};
}

} // namespace

int main(int argc, char** argv)
try {
    input_file const file(argc > 1 ? argv[1] : "examples/data/mauna_loa_co2.csv");
    auto const keys = column(file.text(), argc > 3 ? argv[2] : "year");
    auto const values = column(file.text(), argc > 3 ? argv[3] : "ppm");

    auto const expected = grouped_by_a_loop(keys, values), by_seq = grouped(tilewise::seq, keys, values);
    for (std::size_t i = 0; i < by_seq.keys.size(); i += 6) {
        auto const& of = by_seq.summaries[i];
        std::printf("%g: mean %.2f, from %.2f to %.2f, growth %+.2f\n", by_seq.keys[i], of.mean(), of.least, of.most,
                    of.last - of.first);
    }
    return check_everywhere([&](auto const& policy) {
        auto const result = grouped(policy, keys, values);
        return agree(result, expected) && have_equal_sums(result, by_seq);
    });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
