// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The order of combination of the scans.

#include "scan_shapes.hpp"

#include <tilewise/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

/// Writes down how it was combined.
std::string parenthesised(std::string const& a, std::string const& b)
{
    return "(" + a + b + ")";
}

TEST(SpecificationOfScans, IsWhatThePageSays)
{
    // A lane vector for each letter, since a string is larger than 16 bytes; four lane vectors to a row, two rows to a
    // chunk, two chunks to a tile.
    specification::order<std::string, decltype(&parenthesised)> const order(parenthesised, {16, 4, 2, 2, 2, 2});
    std::vector<std::string> letters;
    for (char letter = 'a'; letter <= 'q'; ++letter)
        letters.emplace_back(1, letter);

    auto const including = order.inclusive_scan(letters, {});
    EXPECT_EQ(including[0], "a");
    EXPECT_EQ(including[1], "(ab)");
    EXPECT_EQ(including[2], "((ab)c)");
    EXPECT_EQ(including[3], "((a(bc))d)");
    EXPECT_EQ(including[4], "(((ab)(cd))e)");
    EXPECT_EQ(including[5], "((((ab)(cd))e)f)");
    EXPECT_EQ(including[8], "((((ab)(cd))((ef)(gh)))i)");
    EXPECT_EQ(including[16], "(((((ab)(cd))((ef)(gh)))(((ij)(kl))((mn)(op))))q)");

    auto const excluding = order.exclusive_scan(letters, "0");
    EXPECT_EQ(excluding[0], "0");
    EXPECT_EQ(excluding[1], "(0a)");
    EXPECT_EQ(excluding[2], "(0(ab))"); // not ((0a)b), which the inclusive scan has before it
    EXPECT_EQ(order.inclusive_scan(letters, "0")[1], "((0a)b)");
    EXPECT_EQ(excluding[5], "(0(((ab)(cd))e))");
    EXPECT_EQ(excluding[8], "(0(((ab)(cd))((ef)(gh))))");
}

TEST(SpecificationOfScans, DropsTheElementInsideALaneVector)
{
    struct pair_of_letters { // two to a lane vector
        char text[8];
    };
    using text = pair_of_letters;
    auto const op = [](text a, text b) { return text{{a.text[0], b.text[0]}}; }; // first and last of its operands
    specification::order<text, decltype(op)> const order(op);
    std::vector<text> const x{{{'a'}}, {{'b'}}, {{'c'}}, {{'d'}}};
    auto const excluding = order.exclusive_scan(x, text{{'0'}});
    EXPECT_EQ(excluding[1].text[1], 'a');
    EXPECT_EQ(excluding[2].text[1], 'a'); // the lane vector (ab), whose operands are a and b, is one operand
    EXPECT_EQ(excluding[3].text[1], 'c');
}

using shape::bytes;
using shape::expect_scans_specified;
using shape::some_values;

TEST(ScanShapeOfManyLevels, IsTheSpecifiedOneAcrossFourLevelsAboveTheTile)
{
    backend::run([] {
        using T = bytes<24>;
        auto const counts = shape::deep_counts<T>();
        auto const x = some_values<T>(*std::max_element(counts.begin(), counts.end()));
        expect_scans_specified<shape::deep_geometry>(x, backend::chosen(counts), shape::non_associative<T>());
        auto const words = some_values<std::uint32_t>(x.size()); // for other kernels
        expect_scans_specified<shape::deep_geometry>(words, {words.size()}, shape::non_associative<std::uint32_t>());
    });
}

TEST(ScanShapeOfManyGroups, IsTheSpecifiedOneBeyondASuperGroup)
{
    backend::run([] {
        using T = bytes<24>;
        using order = tilewise::order<T, shape::tall_geometry>;
        auto const x = some_values<T>(2 * order::super_group + 2 * order::group + order::tile + 2);
        std::vector<std::size_t> counts;
        for (tilewise::offset super_group = order::super_group; super_group <= 2 * order::super_group;
             super_group += order::super_group)
            for (tilewise::offset const more : {tilewise::offset{0}, order::tile, order::group})
                for (tilewise::offset const difference : {-1, 0, 1})
                    counts.push_back(static_cast<std::size_t>(super_group + more + difference));
        expect_scans_specified<shape::tall_geometry>(x, backend::chosen(counts), shape::non_associative<T>());
    });
}

#ifndef TILEWISE_DEVICE_ENGINE // with its tiles these are ten millions of elements
TEST(ScanShapeOfManyGroups, IsTheSpecifiedOneBeyondTheLevelAboveSuperGroups)
{
    using T = bytes<24>;
    using order = tilewise::order<T, shape::tall_geometry>;
    auto const x = some_values<T>(34 * order::super_group + 3 * order::group + order::tile + 2);
    expect_scans_specified<shape::tall_geometry>(x, {x.size()}, shape::non_associative<T>());
}
#endif

#ifndef TILEWISE_DEVICE_ENGINE // which takes only what need not be destroyed

/// A number that has to be destroyed, four to a lane vector.
class owned {
public:
    explicit owned(std::uint32_t value) : value_(value) {}
    owned(owned const&) = default;
    owned& operator=(owned const&) = default;
    ~owned() { value_ = 0; }
    std::uint32_t value() const { return value_; }

private:
    std::uint32_t value_;
};

TEST(ScanShapeOfOwnedValues, IsTheSpecifiedOneForEveryNumberOfElements)
{
    auto const op = [](owned const& a, owned const& b) {
        return owned(shape::non_associative<std::uint32_t>()(a.value(), b.value()));
    };
    std::vector<owned> x;
    for (std::uint32_t const value : some_values<std::uint32_t>(1100))
        x.emplace_back(value);
    std::vector<std::size_t> counts{1100};
    for (std::size_t i = 0; i < 200; ++i)
        counts.push_back(i);
    expect_scans_specified<backend::tiny_geometry>(x, counts, op);
    expect_scans_specified<tilewise::standard_geometry>(x, counts, op);
}

#endif

/// Values of which every other order of addition has other bits.
template <class T>
std::vector<T> floats(std::size_t count)
{
    std::vector<T> x;
    for (std::uint64_t const bits : some_values<std::uint64_t>(count))
        x.push_back(static_cast<T>(static_cast<std::int64_t>(bits)) * static_cast<T>(1ull << (bits % 17)));
    return x;
}

TEST(ScanShapeInRegisters, IsTheSpecifiedOneForEveryNumberOfElements)
{
    backend::run([] {
        std::vector<std::size_t> counts(1500);
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] = i;
        counts = backend::chosen(counts);
        expect_scans_specified<backend::tiny_geometry>(floats<float>(1500), counts, std::plus<>());
        expect_scans_specified<backend::tiny_geometry>(floats<double>(1500), counts, std::plus<>());
        expect_scans_specified<tilewise::standard_geometry>(floats<float>(1500), counts, std::plus<>());
        expect_scans_specified<tilewise::standard_geometry>(floats<double>(1500), counts, std::multiplies<>());
        expect_scans_specified<tilewise::standard_geometry>(floats<float>(1500), counts, tilewise::minimum<>());
    });
}

TEST(ScanShapeInRegisters, IsTheSpecifiedOneAroundTheUnits)
{
    backend::run([] {
        std::vector<std::size_t> counts;
        std::size_t const most = backend::is_slow ? 27000 : 400000;
        for (std::size_t const unit : {512u, 1024u, 4096u, 8192u, 131072u, 262144u, 399000u})
            for (std::size_t const difference : {0u, 1u, 2u, 100u, 130u, 700u})
                if (unit + difference <= most)
                    counts.push_back(unit + difference - 1);
        counts = backend::chosen(counts);
        expect_scans_specified<tilewise::standard_geometry>(floats<float>(most), counts, std::plus<>());
        expect_scans_specified<tilewise::standard_geometry>(floats<double>(most), counts, std::plus<>());
    });
}

TEST(ScanShapeInRegisters, KeepsTheSignOfZero)
{
    // Nothing is dropped by way of an identity: 0.0 + -0.0 would be 0.0.
    backend::run([] {
        std::vector<std::size_t> const counts{1, 3, 100, 1000};
        expect_scans_specified<tilewise::standard_geometry>(std::vector<float>(1000, -0.0f), counts, std::plus<>());
        expect_scans_specified<tilewise::standard_geometry>(std::vector<double>(1000, -0.0), counts, std::plus<>());
    });
}

} // namespace

#ifndef TILEWISE_DEVICE_ENGINE // nvcc takes long: test/device shares them out
namespace shape {
#ifdef TILEWISE_TEST_FEW_SIZES
using types = testing::Types<unsigned char, std::uint32_t, bytes<12>, bytes<24>>;
#else
using types = testing::Types<unsigned char, std::uint16_t, bytes<3>, std::uint32_t, bytes<5>, std::uint64_t, bytes<12>,
                             bytes<16>, bytes<24>, bytes<100>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(All, ScanShape, types);
} // namespace shape
#endif
