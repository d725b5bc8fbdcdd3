// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix times a vector is a sum for each row, over its entries alone: a segmented reduction. Here the matrix
// says which pages link to which, in compressed rows, and the product, again and again, gives the rank of each page:
// how often somebody is there who follows links at random, and now and then begins anew anywhere. Most rows have four
// entries and one has all, which suits neither a thread for a row nor all threads for each. And every policy finds the
// same ranks, bit for bit.
//
// L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the web", 1999.

#include "everywhere.hpp"

#include <tilewise/segmented.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>

namespace example {

/// The entries of the matrix times the entries of the vector that they meet: what each link hands on.
struct handed_on {
    using value_type = double;
    using difference_type = std::ptrdiff_t;

    int const* from;
    double const* share;

    constexpr double operator*() const { return share[*from]; }
    constexpr double operator[](std::ptrdiff_t i) const { return share[from[i]]; }
    constexpr handed_on operator+(std::ptrdiff_t i) const { return {from + i, share}; }
    constexpr std::ptrdiff_t operator-(handed_on const& other) const { return from - other.from; }
    constexpr handed_on& operator++() { return *this = *this + 1; }
};

} // namespace example

namespace {

using namespace example;

/// Row i has the pages that link to page i: those from `rows[i]` to `rows[i + 1]` in `from`.
struct links {
    shared_vector<int> rows{0}, from;
    shared_vector<double> links_of; ///< how many links each page has
};

/// Every page links to the next three pages, and home to page 0, which links to all.
links small_web(int pages)
{
    links web;
    for (int page = 0; page < pages; ++page) {
        if (page == 0) {
            for (int other = 1; other < pages; ++other) {
                web.from.push_back(other);
            }
        } else {
            web.from.push_back(0);
            for (int before = page > 3 ? page - 3 : 1; before < page; ++before) {
                web.from.push_back(before);
            }
        }
        web.rows.push_back(static_cast<int>(web.from.size()));
    }
    web.links_of.resize(static_cast<std::size_t>(pages));
    for (int const page : web.from) {
        web.links_of[static_cast<std::size_t>(page)] += 1;
    }
    return web;
}

/// Calls `multiply(share, init, rank)`, which writes `init` and what the links of each page hand on to `rank`.
template <class Multiply>
shared_vector<double> ranks(links const& web, Multiply multiply)
{
    std::size_t const pages = web.links_of.size();
    double const stays = 0.85, anew = (1 - stays) / static_cast<double>(pages);
    shared_vector<double> rank(pages, 1 / static_cast<double>(pages)), share(pages);
    for (int step = 0; step < 20; ++step) {
        for (std::size_t page = 0; page < pages; ++page) {
            share[page] = stays * rank[page] / web.links_of[page];
        }
        multiply(share, anew, rank);
    }
    return rank;
}

} // namespace

int main()
try {
    links const web = small_web(200'000);
    auto const by_a_loop = ranks(web, [&](auto const& share, double init, auto& rank) {
        for (std::size_t page = 0; page < rank.size(); ++page) {
            rank[page] = init;
            for (int i = web.rows[page]; i < web.rows[page + 1]; ++i) {
                rank[page] += share[static_cast<std::size_t>(web.from[static_cast<std::size_t>(i)])];
            }
        }
    });
    auto const reduced = [&](auto const& policy) {
        return ranks(web, [&](auto const& share, double init, auto& rank) {
            tilewise::segmented_reduce(policy, handed_on{web.from.data(), share.data()}, web.rows.begin(),
                                       web.rows.end() - 1, web.rows.begin() + 1, rank.begin(), init);
        });
    };
    auto const by_seq = reduced(tilewise::seq);
    std::printf("%zu links; somebody is at home %.2f %% of the time\n", web.from.size(), 100 * by_seq[0]);
    return check_everywhere([&](auto const& policy) {
        auto const found = reduced(policy);
        bool right = found == by_seq;
        for (std::size_t page = 0; right && page < found.size(); ++page) { // the loop rounds in another order
            right = std::abs(found[page] - by_a_loop[page]) <= 1e-10 * by_a_loop[page];
        }
        return right;
    });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
