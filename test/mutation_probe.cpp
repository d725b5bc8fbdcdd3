// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests, for the mutation list: compiles in seconds, and fails if any result deviates.
/// PROBE_SCANS and PROBE_REDUCTIONS leave everything else out.

#include "backend.hpp"

#include <tilewise/tilewise.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <forward_list>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Ends the program where a claim does not hold.
void expect(bool claim, char const* what)
{
    if (!claim) {
        std::fprintf(stderr, "failed: %s\n", what);
        std::_Exit(1);
    }
}

/// Neither associative nor commutative, so that it tells every order from every other.
template <class T>
struct non_associative {
    T operator()(T const& a, T const& b) const
    {
        T result = a;
        for (std::size_t i = 0; i < std::size(result.part); ++i)
            result.part[i] = (a.part[i] ^ (a.part[i] >> 13) ^ (b.part[i] << 7)) * 0x9e3779b1u + b.part[i];
        return result;
    }
};
template <std::size_t parts>
struct words {
    std::uint32_t part[parts];
};

/// The same, to be destroyed.
struct owned_word : words<1> {
    explicit owned_word(words<1> value) : words<1>(value) {}
    owned_word(owned_word const& other) : words<1>(other) {}
    owned_word& operator=(owned_word const&) = default;
    ~owned_word() {}
};
struct owned_non_associative {
    owned_word operator()(owned_word const& a, owned_word const& b) const
    {
        return owned_word(non_associative<words<1>>()(a, b));
    }
};

template <class T, class Make>
std::vector<T> made(std::size_t count, Make make)
{
    std::vector<T> x;
    std::uint64_t state = 88172645463325252u;
    for (std::size_t i = 0; i < count; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        x.push_back(make(state));
    }
    return x;
}

#ifndef PROBE_REDUCTIONS

/// Both scans of the first `count` elements, after the last one and in place.
template <class Geometry, class T, class Op>
void expect_scans_specified(std::vector<T> const& x, std::vector<std::size_t> const& counts, Op op, char const* what)
{
    constexpr auto inclusive = tilewise::scan_form::inclusive, exclusive = tilewise::scan_form::exclusive;
    specification::order<T, Op> const order(op, backend::units_of<Geometry>());
    auto const including = order.inclusive_scan(x, {}), after = order.inclusive_scan(x, x.back()),
               excluding = order.exclusive_scan(x, x.back());
    for (std::size_t const count : counts) {
        std::vector<T> const part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
        backend::on_all<Geometry>([&](auto on) {
            auto const same = [&](std::vector<T> const& result, std::vector<T> const& expected) {
                expect(std::memcmp(static_cast<void const*>(result.data()), expected.data(), count * sizeof(T)) == 0,
                       what);
            };
            std::optional<T> const none, init = x.back();
            same(on.template scan<inclusive>(part, none, op), including);
            same(on.template scan_in_place<inclusive>(part, init, op), after);
            same(on.template scan<exclusive>(part, init, op), excluding);
        });
    }
}

template <class T, class Make>
void expect_scans_of_numbers(Make make, char const* what)
{
    auto const x = made<T>(70000, make);
    std::vector<std::size_t> counts;
    for (std::size_t i = 1; i < 600; ++i)
        counts.push_back(i);
    std::vector<T> const few(x.begin(), x.begin() + 700);
    expect_scans_specified<backend::tiny_geometry>(few, counts, std::plus<>(), what);
    expect_scans_specified<tilewise::standard_geometry>(few, counts, std::plus<>(), what);
    expect_scans_specified<tilewise::standard_geometry>(x, {1000, 5000, 8192, 8193, 70000}, std::plus<>(), what);
}

void scans()
{
    auto const one =
        made<words<1>>(2500, [](std::uint64_t bits) { return words<1>{{static_cast<std::uint32_t>(bits)}}; });
    std::vector<std::size_t> counts{1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 255, 256, 257, 700, 2500};
    expect_scans_specified<backend::tiny_geometry>(one, counts, non_associative<words<1>>(), "scans of 4-byte structs");
    std::vector<owned_word> const owned(one.begin(), one.end());
    expect_scans_specified<backend::tiny_geometry>(owned, counts, owned_non_associative(), "scans of owned words");
    auto const number = [](std::uint64_t bits) {
        return static_cast<float>(static_cast<std::int32_t>(bits)) * static_cast<float>(1 << bits % 11);
    };
    expect_scans_of_numbers<float>(number, "scans of floats");
    expect_scans_of_numbers<double>([&](std::uint64_t bits) { return number(bits) * 1.1; }, "scans of doubles");
    expect_scans_of_numbers<float>([](std::uint64_t) { return -0.0f; }, "scans of negative zeros");
    expect_scans_of_numbers<std::int32_t>([](std::uint64_t bits) { return static_cast<std::int32_t>(bits >> 40); },
                                          "scans of integers");
    expect_scans_specified<tilewise::standard_geometry>(
        made<std::uint8_t>(70000, [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits | 1); }),
        {1, 31, 32, 33, 100, 70000}, tilewise::minimum<>(), "scans of bytes");

    auto const text =
        made<std::string>(100, [](std::uint64_t bits) { return std::string(1, static_cast<char>('a' + bits % 26)); });
    std::vector<std::string> expected, out;
    std::exclusive_scan(text.begin(), text.end(), std::back_inserter(expected), std::string("-"));
    tilewise::exclusive_scan(text, std::back_inserter(out), std::string("-"));
    expect(out == expected, "scans of strings");

    std::vector<double> const x = made<double>(600000, [&](std::uint64_t bits) { return number(bits) * 1.1; });
    std::vector<double> alone(x.size()), shared(x.size());
    tilewise::inclusive_scan(x, alone.begin());
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([&] {
        for (int i = 0; i < 20; ++i) {
            tilewise::inclusive_scan(tilewise::par, x, shared.begin());
            expect(std::memcmp(shared.data(), alone.data(), x.size() * sizeof(double)) == 0, "shared scans");
        }
    });
    std::forward_list<double> const list(x.begin(), x.begin() + 200000);
    std::fill(shared.begin(), shared.end(), 0);
    expect(tilewise::inclusive_scan(tilewise::par, list, shared.begin()) == shared.begin() + 200000 &&
               std::equal(shared.begin(), shared.begin() + 200000, alone.begin()),
           "scans of lists");
    std::ostringstream written;
    for (int i = 0; i < 20000; ++i)
        written << i << ' ';
    std::istringstream in(written.str());
    std::vector<int> sums;
    tilewise::inclusive_scan(std::istream_iterator<int>(in), std::istream_iterator<int>(), std::back_inserter(sums));
    expect(sums.size() == 20000 && sums[4] == 10 && sums.back() == 199990000, "scans of streams");
}

#endif
#ifndef PROBE_SCANS

template <class Geometry, class T, class Op>
void expect_specified(std::vector<T> const& x, std::size_t step, Op op, char const* what)
{
    auto const scan = specification::order<T, Op>(op, backend::units_of<Geometry>()).inclusive_scan(x, x.back());
    for (std::size_t count = 1; count <= x.size(); count += step)
        backend::on_all<Geometry>([&](auto on) {
            T const result = on.reduce(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), x.back(), op);
            expect(std::memcmp(&result, &scan[count - 1], sizeof(T)) == 0, what);
        });
}

void orders()
{
    auto const one =
        made<words<1>>(2500, [](std::uint64_t bits) { return words<1>{{static_cast<std::uint32_t>(bits)}}; });
    expect_specified<backend::tiny_geometry>(one, 1, non_associative<words<1>>(), "order of 4-byte structs");
    auto const six =
        made<words<6>>(70000, [](std::uint64_t bits) { return words<6>{{static_cast<std::uint32_t>(bits)}}; });
    expect_specified<tilewise::standard_geometry>(six, 6997, non_associative<words<6>>(), "order of 24-byte structs");
    auto const text =
        made<std::string>(100, [](std::uint64_t bits) { return std::string(1, static_cast<char>('a' + bits % 26)); });
    expect(tilewise::reduce(tilewise::par, text, std::string("-")) ==
               std::accumulate(text.begin(), text.end(), std::string("-")),
           "strings");

    auto const number = [](std::uint64_t bits) {
        return static_cast<float>(static_cast<std::int32_t>(bits)) * static_cast<float>(1 << bits % 11);
    };
    auto const floats = made<float>(30000, number);
    expect_specified<backend::tiny_geometry>(std::vector<float>(floats.begin(), floats.begin() + 2500), 1,
                                             std::plus<>(), "order of floats, small");
    expect_specified<tilewise::standard_geometry>(std::vector<float>(floats.begin(), floats.begin() + 200), 1,
                                                  std::plus<>(), "order of a few floats");
    expect_specified<tilewise::standard_geometry>(floats, 149, std::plus<>(), "order of floats");
    auto const doubles =
        made<double>(9000, [&](std::uint64_t bits) { return static_cast<double>(number(bits)) * 1.1; });
    expect_specified<tilewise::standard_geometry>(doubles, 149, std::plus<>(), "order of doubles");
    auto const near_one =
        made<double>(9000, [&](std::uint64_t bits) { return 1 + static_cast<double>(number(bits)) * 0x1p-60; });
    expect_specified<tilewise::standard_geometry>(near_one, 149, std::multiplies<>(), "order of products");
    for (std::ptrdiff_t const count : {1, 8191, 8192, 8193, 16384, 30000}) {
        std::forward_list<float> const list(floats.begin(), floats.begin() + count);
        float const sum = tilewise::reduce(floats.begin(), floats.begin() + count);
        expect(tilewise::reduce(tilewise::seq, list) == sum && tilewise::reduce(tilewise::par, list) == sum, "lists");
    }
    std::ostringstream out;
    for (int i = 0; i < 20000; ++i)
        out << i << ' ';
    std::istringstream in(out.str());
    expect(tilewise::reduce(std::istream_iterator<int>(in), std::istream_iterator<int>(), 1) == 199990001, "streams");
}

void integers()
{
    auto const x = made<std::int32_t>(200000, [](std::uint64_t bits) { return static_cast<std::int32_t>(bits >> 32); });
    std::uint32_t sum = 0;
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        expect(i % 1009 || tilewise::reduce(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i)) ==
                               static_cast<std::int32_t>(sum),
               "sums of integers");
        sum += static_cast<std::uint32_t>(x[i]);
        least = std::min(least, x[i]);
        bits ^= static_cast<std::uint32_t>(x[i]);
    }
    expect(tilewise::reduce(tilewise::par, x) == static_cast<std::int32_t>(sum), "parallel sums of integers");
    expect(tilewise::reduce(x, x[0], tilewise::minimum<>()) == least, "minimum");
    expect(tilewise::reduce(x, 0, std::bit_xor<>()) == static_cast<std::int32_t>(bits), "xor");
    expect(tilewise::minimum<>()(0.0, -0.0) == 0 && !std::signbit(tilewise::minimum<>()(0.0, -0.0)), "first of equals");
    expect(std::signbit(tilewise::maximum<>()(-0.0, 0.0)), "first of equals");
    expect(tilewise::count(x, x[5]) == std::count(x.begin(), x.end(), x[5]), "count");
    std::vector<int> const ties{3, 1, 1, 7, 7, 2};
    expect(tilewise::min_element(ties) - ties.begin() == 1 && tilewise::max_element(ties) - ties.begin() == 3, "ties");
    auto const [low, high] = tilewise::minmax_element(tilewise::par, ties);
    expect(low - ties.begin() == 1 && high - ties.begin() == 4, "ties of minmax");
}

void threads()
{
    tbb::global_control const allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena(4).execute([] {
        std::vector<int> few(41);
        std::iota(few.begin(), few.end(), 1);
        std::atomic<bool> helped = false;
        auto const caller = std::this_thread::get_id();
        auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        int own_calls = 0; // the first tells that the transform is slow; then the caller waits for help
        auto const slow = [&](int i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (std::this_thread::get_id() != caller)
                helped = true;
            else if (own_calls++ > 0)
                while (!helped && std::chrono::steady_clock::now() < deadline)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return 0.1 * i;
        };
        auto const parallel = tilewise::transform_reduce(tilewise::par, few, 0.0, std::plus<>(), slow);
        expect(helped, "threads help with few slow transforms");
        expect(parallel == tilewise::transform_reduce(few, 0.0, std::plus<>(), [](int i) { return 0.1 * i; }),
               "slow transforms");

        helped = false;
        std::vector<double> const many(1 << 22, 0.1);
        for (int i = 0; i < 20 && !helped; ++i)
            tilewise::transform_reduce(tilewise::par, many, 0.0, std::plus<>(), [&](double value) {
                if (std::this_thread::get_id() != caller)
                    helped = true;
                return value;
            });
        expect(helped, "threads help with many elements");
    });
}

void bad_input()
{
    int const some[3] = {1, 2, 3};
    auto const rejects = [](auto call, std::string const& name) {
        try {
            call();
            return false;
        } catch (std::invalid_argument const& error) {
            return std::string(error.what()).find("tilewise::" + name) == 0;
        }
    };
    expect(rejects([&] { tilewise::reduce(some + 2, some); }, "reduce"), "last before first");
    expect(rejects([] { tilewise::reduce(static_cast<int const*>(nullptr), static_cast<int const*>(nullptr) + 1); },
                   "reduce"),
           "null");
    expect(rejects([&] { tilewise::transform_reduce(some, some + 3, static_cast<int const*>(nullptr), 0); },
                   "transform_reduce"),
           "null first2");
    expect(rejects([&] { tilewise::inclusive_scan(some, some + 3, static_cast<int*>(nullptr)); }, "inclusive_scan"),
           "null output");
    expect(
        rejects([&] { tilewise::transform_reduce(std::vector<int>(3), std::vector<int>(2), 0); }, "transform_reduce"),
        "short second range");
}

#endif

} // namespace

int main()
{
#ifndef PROBE_SCANS
    orders();
    integers();
    threads();
    bad_input();
#endif
#ifndef PROBE_REDUCTIONS
    scans();
#endif
}
