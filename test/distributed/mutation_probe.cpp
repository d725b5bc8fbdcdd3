// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The program that seeded bugs of calls over ranks are tried on: as little to compile as catches them.

#include "../backend.hpp"
#include "ranks.hpp"

#include <tilewise/distributed.hpp>
#include <tilewise/reduce_by_index.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

namespace tw = tilewise;

/// Ends the program where a claim does not hold.
void expect(bool claim, char const* what)
{
    if (!claim) {
        std::fprintf(stderr, "failed: %s\n", what);
        std::_Exit(1);
    }
}

struct words {
    std::uint32_t part[2];
    friend bool operator==(words const&, words const&) = default;
};

/// Neither associative nor commutative, so that every order of combination gives another value.
struct non_associative {
    words operator()(words const& a, words const& b) const
    {
        words result = a;
        for (int i = 0; i < 2; ++i)
            result.part[i] = (a.part[i] ^ (a.part[i] >> 13) ^ (b.part[i] << 7)) * 0x9e3779b1U + b.part[i];
        return result;
    }
};

/// The same, which throws when it has been called so often.
struct failing : non_associative {
    int calls;
    words operator()(words const& a, words const& b)
    {
        if (--calls == 0)
            throw std::runtime_error("failed");
        return non_associative::operator()(a, b);
    }
};

/// So small that a few hundred elements cross every level; three rows, so that a fold is no tree.
struct geometry {
    static constexpr int lane_vector_bytes = 24, lanes_per_row = 4, rows_per_chunk = 3, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};
using communicator = tw::thread_communicator;

/// One call over ranks in that geometry.
template <class Policy, class Algorithm>
void call(communicator& ranks, Algorithm algorithm)
{
    tw::engine::rank_call<communicator> own(ranks, "probe");
    try {
        algorithm(tw::engine::on_ranks<communicator, Policy, geometry>(own, Policy{}));
    } catch (...) {
        own.fail();
    }
}

/// Whether a call ends with an error that names a rank, on this rank.
template <class Algorithm>
bool fails_on(communicator& ranks, int rank, Algorithm algorithm)
{
    try {
        call<tw::sequenced_policy>(ranks, algorithm);
    } catch (tw::distributed_error const& error) {
        return error.rank() == rank;
    }
    return false;
}

template <class Policy>
void compare(std::vector<words> const& x, std::vector<std::size_t> const& cuts)
{
    specification::order<words, non_associative> const order(non_associative(), backend::units_of<geometry>());
    words const init{{1, 2}}, other{{3, 4}};
    auto const inclusive = order.inclusive_scan(x, {}), exclusive = order.exclusive_scan(x, init);
    words const reduction = order.reduce(x, init);
    auto own_inclusive = x, own_exclusive = x;
    ranks::on_each_rank(cuts, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        auto const count = static_cast<tw::offset>(end - begin);
        words const own_init = ranks.rank() == 0 ? init : other;
        call<Policy>(ranks, [&](auto on) {
            words from = own_init;
            expect(on.reduce(x.data() + begin, count, std::move(from), non_associative()) == reduction, "reduction");
        });
        call<Policy>(ranks, [&](auto on) {
            on.template scan<tw::scan_form::inclusive, words>(x.data() + begin, count, own_inclusive.data() + begin,
                                                              std::nullopt, non_associative());
        });
        call<Policy>(ranks, [&](auto on) {
            on.template scan<tw::scan_form::exclusive, words>(x.data() + begin, count, own_exclusive.data() + begin,
                                                              own_init, non_associative());
        });
    });
    expect(own_inclusive == inclusive, "inclusive scan");
    expect(own_exclusive == exclusive, "exclusive scan");
}

/// Values by key, of which some have values on one rank only.
void compare_keys(std::vector<words> const& x, std::vector<std::size_t> const& cuts, std::mt19937& random)
{
    int const keys = 6;
    std::vector<int> key(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        key[i] = i < x.size() / 3 ? 1 : static_cast<int>(random() % 8);
    std::vector<words> expected(keys), results(keys);
    std::vector<int> sums(keys), own_sums(keys);
    tw::reduce_by_index(key, x, keys, expected, words{{1, 2}}, non_associative());
    tw::reduce_by_index(key, key, keys, sums, 5);
    ranks::on_each_rank(cuts, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        auto const on = tw::distributed(ranks);
        std::vector<words> own(keys);
        std::vector<int> own_integers(keys);
        int const* const first = key.data() + begin;
        int const* const last = key.data() + end;
        words const init{{ranks.rank() == 0 ? 1U : 7U, 2}};
        tw::reduce_by_index(on, first, last, x.data() + begin, keys, own, init, non_associative());
        expect(own == expected, "values by key");
        tw::reduce_by_index(on, first, last, first, keys, own_integers, ranks.rank() == 0 ? 5 : 6);
        expect(own_integers == sums, "integers by key");
    });
}

/// What one rank throws at any time, and ranks that differ.
void compare_failures(std::vector<words> const& x)
{
    ranks::on_each_rank({0, 100, 200, 300}, [&](communicator& ranks, std::size_t begin, std::size_t end) {
        auto const count = static_cast<tw::offset>(end - begin);
        words const* const first = x.data() + begin;
        std::vector<words> out(100);
        for (int const calls : {1, 40, 180})
            expect(fails_on(ranks, 1,
                            [&](auto on) {
                                on.template scan<tw::scan_form::inclusive, words>(
                                    first, count, out.data(), std::nullopt,
                                    failing{{}, ranks.rank() == 1 ? calls : -1});
                            }),
                   "an exception on one rank");
        expect(fails_on(ranks, 2,
                        [&](auto on) {
                            if (ranks.rank() == 2)
                                throw std::runtime_error("at once");
                            on.reduce(first, count, words{}, non_associative());
                        }),
               "an exception before the first gather");
        expect(fails_on(ranks, 1,
                        [&](auto on) {
                            if (ranks.rank() == 1)
                                on.reduce(first, count, words{}, failing{{}, -1});
                            else
                                on.reduce(first, count, words{}, non_associative());
                        }),
               "another operator");
    });
}

} // namespace

int main()
{
    std::mt19937 random(4);
    for (int run = 0; run < 60; ++run) {
        std::vector<words> x(300 + random() % 1500);
        for (words& value : x)
            value = {{static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())}};
        auto const unit = static_cast<std::size_t>(tw::order<words, geometry>::tile);
        auto const cuts = ranks::cuts_of(x.size(), unit, random);
        compare<tw::sequenced_policy>(x, cuts);
        compare<tw::parallel_policy>(x, cuts);
        compare_keys(x, cuts, random);
        if (run == 0)
            compare_failures(x);
    }
}
