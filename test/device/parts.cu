// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "same_bits.hpp"

#include <tilewise/device/reduce/part.cuh>
#include <tilewise/device/scan/part.cuh>
#include <tilewise/host/fragment.hpp>
#include <tilewise/host/part.hpp>

#include <array>
#include <functional>
#include <optional>
#include <random>
#include <type_traits>

namespace {

/// Tiles of 1024 elements of 4 bytes, so that some ten thousand cross all levels.
struct small_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 4;
    static constexpr int tiles_per_group = 8, groups_per_super_group = 4;
};
/// Subtrees of a tile for every two iterations; of 32 and more, some are folded.
template <int warp_iterations>
struct small_tuning : tw::gpu::reduce_tuning {
    static constexpr int threads = 64, least_folded = 32;
    static constexpr int iterations(tw::offset) { return warp_iterations; }
};

using bounds = std::array<tw::offset, 2>;

/// Parts that begin and end at every kind of boundary.
template <class Order>
std::vector<bounds> parts(tw::offset most, std::mt19937& random)
{
    std::vector<bounds> result{{0, 0}, {5, 5}, {3, 4}, {1, Order::lane_vector + 1}};
    for (tw::offset const unit : {Order::lane_vector, Order::row, Order::chunk, Order::tile, Order::group})
        if (3 * unit < most) {
            result.push_back({0, unit});
            result.push_back({unit, 2 * unit});
            result.push_back({unit - 1, 2 * unit + 1});
            result.push_back({unit + 1, 2 * unit - 1});
        }
    result.push_back({0, most});
    result.push_back({Order::tile, most / Order::tile * Order::tile});
    for (int i = 0; i < on_device::amount(60, 12, 6); ++i) {
        auto const a = static_cast<tw::offset>(random()) % (most + 1),
                   b = static_cast<tw::offset>(random()) % (most + 1);
        result.push_back({std::min(a, b), std::max(a, b)});
    }
    std::size_t number = 0;
    std::erase_if(
        result, [&](bounds const& each) { return each[0] > each[1] || on_device::leaves_to_other_schedule(number++); });
    return result;
}

/// Expects the same units and the same bits as on the host, wherever the elements are and however they are aligned.
template <class Geometry, class Tuning, class E, class T, class Op>
void expect_the_fragments_of_the_host(tw::offset most, Op op)
{
    using order = tw::order<T, Geometry>;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    auto const x = on_device::some_elements<E>(static_cast<std::size_t>(most) + 1);
    for (bounds const& each : parts<order>(most, random)) {
        tw::offset const begin = each[0], end = each[1];
        std::vector<E> const own(x.begin() + begin, x.begin() + end + 1);
        tw::host::aggregates<T> tiles;
        auto const expected = tw::host::fragment_of<order, T>(tw::seq, own.data(), begin, end, op, tiles);
        for (int where = 0; where < 3; ++where) { // aligned, misaligned, in pieces from the host
            on_device::device_array<E> const device_copy(own, where == 1 ? sizeof(E) : 0);
            bool const has_last = where != 1;
            tw::host::fragment<order, T> result(begin);
            std::optional<T> last;
            auto const run = [&](auto const& policy, E const* elements) {
                tw::gpu::reduce_part<order, T, Tuning>(policy, elements, begin, end, has_last,
                                                       tw::gpu::operator_on<T>(op), [&](int level, T const& aggregate) {
                                                           if (result.end() < end)
                                                               result.append(op, level, aggregate);
                                                           else
                                                               last.emplace(aggregate);
                                                       });
            };
            if (where == 2)
                run(tw::device.budget(static_cast<std::size_t>(2 * order::group) * sizeof(E)), own.data());
            else
                run(tw::device, device_copy.begin());
            ASSERT_EQ(result.end(), end);
            ASSERT_EQ(result.aggregates().size(), expected.aggregates().size());
            for (std::size_t i = 0; i < expected.aggregates().size(); ++i)
                EXPECT_TRUE(on_device::same_bits(result.aggregates()[i], expected.aggregates()[i]))
                    << "unit " << i << " of [" << begin << ", " << end << "), " << where;
            ASSERT_EQ(last.has_value(), has_last);
            if (has_last) {
                EXPECT_TRUE(on_device::same_bits(*last, static_cast<T>(own.back())));
            }
        }
    }
}

DEVICE_TEST(parts_of_a_reduction, have_the_units_of_the_order)
{
    using words = values::words<std::uint32_t, 3>;
    expect_the_fragments_of_the_host<small_geometry, small_tuning<2>, float, float>(70'000, std::plus<>());
    expect_the_fragments_of_the_host<small_geometry, small_tuning<8>, float, float>(80'000, std::plus<>());
    expect_the_fragments_of_the_host<small_geometry, small_tuning<8>, words, words>(40'000, values::compose{});
}

/// Kernels read them in vectors of several lane vectors. (The operator is not associative, so the order shows. Products
/// would overflow to NaN, whose bits are not the same on every machine.)
DEVICE_TEST(parts_of_a_reduction, read_narrow_elements)
{
    expect_the_fragments_of_the_host<small_geometry, small_tuning<2>, std::int8_t, float>(
        on_device::amount<tw::offset>(20'000, 9000, 5000), std::minus<>());
    expect_the_fragments_of_the_host<small_geometry, small_tuning<2>, double, double>(
        on_device::amount<tw::offset>(20'000, 9000, 5000), std::plus<>());
}

DEVICE_TEST(parts_of_a_reduction, are_as_large_as_any)
{
    using words = values::words<std::uint64_t, 3>;
    using reduce_tuning = tw::gpu::reduce_tuning;
    expect_the_fragments_of_the_host<tw::standard_geometry, reduce_tuning, float, float>(
        on_device::amount<tw::offset>(30'000'000, 300'000, 20'000), std::plus<>());
    expect_the_fragments_of_the_host<tw::standard_geometry, reduce_tuning, words, words>(
        on_device::amount<tw::offset>(2'000'000, 50'000, 6'000), values::compose{});
}

/// Expects the results of the host for parts of a scan, onto what precedes them, if it is not the first one.
template <class Geometry, class Tuning, tw::scan_form form, class E, class T, class Op>
void expect_the_scans_of_the_host(tw::offset most, std::optional<T> init, Op op)
{
    using order = tw::order<T, Geometry>;
    std::mt19937 random(static_cast<unsigned>(on_device::variation()));
    auto const x = on_device::some_elements<E>(static_cast<std::size_t>(most));
    for (bounds const& each : parts<order>(most, random)) {
        tw::offset const begin = each[0], end = each[1];
        if (begin == end)
            continue;
        auto const count = static_cast<std::size_t>(end - begin);
        std::vector<E> const own(x.begin() + begin, x.begin() + end);
        tw::host::aggregates<T> tiles;
        auto const before = tw::host::fragment_of<order, T>(tw::seq, x.data(), 0, begin, op, tiles);
        tw::host::entry<order, T> entry(most);
        entry.move_behind(op, init, before);
        std::vector<T> expected(count, x[0]);
        tw::host::scan_part<order, form>(entry, own.data(), end - begin, expected.data(), op, tiles);
        for (int where = 0; where < 4; ++where) { // aligned, misaligned, in place, in pieces from and to the host
            on_device::device_array<E> const device_copy(own, where == 1 ? sizeof(E) : 0);
            on_device::device_array<T> out(count, where == 1 ? sizeof(T) : 0);
            std::vector<T> on_host(count, x[0]);
            tw::host::fragment<order, T> part(begin);
            auto const run = [&](auto const& policy, E const* elements, T* results) {
                auto const device_op = tw::gpu::operator_on<T>(op);
                tw::gpu::part_scanner<Geometry, form, T, std::remove_cvref_t<decltype(policy)>, E const*, T*,
                                      std::remove_const_t<decltype(device_op)>, tw::gpu::scan_tuning, Tuning>
                    scanner(policy, elements, results, begin, end, device_op);
                scanner.reduce([&](int level, T const& aggregate) { part.append(op, level, aggregate); });
                scanner.scan(entry, op);
                scanner.wait();
            };
            if (where == 3)
                run(tw::device.budget(static_cast<std::size_t>(2 * order::group) * (sizeof(E) + sizeof(T))), own.data(),
                    on_host.data());
            else if (where == 2 && std::is_same_v<E, T>)
                run(tw::device, device_copy.begin(), reinterpret_cast<T*>(device_copy.begin()));
            else
                run(tw::device, device_copy.begin(), out.begin());
            EXPECT_EQ(part.end(), end);
            auto const results = where == 3 ? on_host
                                 : where == 2 && std::is_same_v<E, T>
                                     ? on_device::values_at(reinterpret_cast<T const*>(device_copy.begin()), count)
                                     : out.values(count);
            for (std::size_t i = 0; i < count; ++i)
                ASSERT_TRUE(on_device::same_bits(results[i], expected[i]))
                    << "element " << i << " of [" << begin << ", " << end << "), " << where;
        }
    }
}

DEVICE_TEST(parts_of_a_scan, continue_what_precedes_them)
{
    using words = values::words<std::uint32_t, 3>;
    constexpr auto inclusive = tw::scan_form::inclusive, exclusive = tw::scan_form::exclusive;
    expect_the_scans_of_the_host<small_geometry, small_tuning<1>, inclusive, float, float>(20'000, std::nullopt,
                                                                                           std::plus<>());
    expect_the_scans_of_the_host<small_geometry, small_tuning<1>, exclusive, float, float>(20'000, 0.5f, std::plus<>());
    expect_the_scans_of_the_host<small_geometry, small_tuning<1>, exclusive, words, words>(9000, words(77),
                                                                                           values::compose{});
    expect_the_scans_of_the_host<small_geometry, small_tuning<1>, inclusive, std::int8_t, float>(9000, 3.0f,
                                                                                                 std::plus<>());
}

DEVICE_TEST(parts_of_a_scan, are_as_large_as_any)
{
    using words = values::words<std::uint64_t, 3>;
    expect_the_scans_of_the_host<tw::standard_geometry, tw::gpu::reduce_tuning, tw::scan_form::inclusive, float, float>(
        on_device::amount<tw::offset>(2'000'000, 300'000, 20'000), std::nullopt, std::plus<>());
    expect_the_scans_of_the_host<tw::standard_geometry, tw::gpu::reduce_tuning, tw::scan_form::exclusive, words, words>(
        on_device::amount<tw::offset>(300'000, 50'000, 6'000), words(77), values::compose{});
}

} // namespace
