// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Scans through iterators and transforms: does wrapping cost anything? Each alternates with a scan of raw pointers,
/// with CUB on the same iterators, and with Thrust, which allocates its scratch and waits. Speeds are compared as GB/s.

#include "check.cuh"
#include "parts.cuh"
#include "scans.cuh"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace bench::scans {
namespace {

struct multiply_members {
    template <class Tuple>
    __host__ __device__ float operator()(Tuple const& pair) const
    {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};
using sum_of_floats = running_sum<float>;
using sum_of_squares = sum_of_transformed<float, float, square>;
using sum_of_products = sum_of_transformed<float, float, multiply_members>;
using sum_of_bytes = wider_sum<std::uint8_t, float>;
using sum_of_squared_bytes = sum_of_transformed<std::uint8_t, float, square>;

/// Iterators of the standard library that run on the host alone: CUB and Thrust take what they point to.
template <class It>
auto for_thrust(It it)
{
    if constexpr (std::is_same_v<It, std::span<float>::iterator> ||
                  std::is_same_v<It, std::span<float const>::iterator>)
        return std::to_address(it);
    else
        return it;
}

class wrappings {
public:
    wrappings(session& run, std::uint64_t count)
        : run_(run), count_(count), x_(count), y_(count), out_(count), plain_(count), theirs_(count), bytes_(count),
          expected_(std::min(count, most_on_host<float>()))
    {
        fill(thrust::raw_pointer_cast(x_.data()), count, run.queue);
        fill(thrust::raw_pointer_cast(y_.data()), count, run.queue);
        fill(bytes_.data(), count, run.queue);
        run.queue.wait();
    }

    void measure()
    {
        float const* const pointer = thrust::raw_pointer_cast(x_.data());
        float* const out = thrust::raw_pointer_cast(out_.data());
        std::span<float const> const span(pointer, count_);
        std::span<float> const out_span(out, count_);
        auto const squares = thrust::make_transform_iterator(pointer, square{});
        auto const pairs = thrust::make_zip_iterator(x_.cbegin(), y_.cbegin());
        std::uint8_t const* const bytes = bytes_.data();
        auto const plain = [=, this] { tilewise_into<sum_of_floats>(run_.queue, pointer, count_, plain_.data()); };
        auto const plain_bytes = [=, this] { tilewise_into<sum_of_bytes>(run_.queue, bytes, count_, plain_.data()); };

        expect_of<sum_of_floats>(pointer);
        one<sum_of_floats>("pointer", pointer, out, 8, plain, 8);
        one<sum_of_floats>("device_vector", x_.cbegin(), out_.begin(), 8, plain, 8);
        one<sum_of_floats>("span", span.begin(), out_span.begin(), 8, plain, 8);
        expect_of<sum_of_squares>(pointer);
        one<sum_of_floats>("transform_iterator", squares, out, 8, plain, 8);
        one<sum_of_squares>("transform_inclusive_scan", pointer, out, 8, plain, 8);
        one<sum_of_products>("zip_iterator", pairs, out, 12, plain, 8); // x and y are the same numbers
        expect_of<sum_of_squared_bytes>(bytes);
        one<sum_of_squared_bytes>("u8_to_f32_squares", bytes, out, 5, plain_bytes, 5);
    }

private:
    template <class Scan>
    void expect_of(typename Scan::element const* first)
    {
        seq_into<Scan>(first, expected_.size(), expected_.data(), run_.queue);
    }

    template <class Scan, class It, class Out>
    void one(std::string const& name, It first, Out out, std::uint64_t bytes_each, std::function<void()> const& plain,
             std::uint64_t plain_bytes_each)
    {
        auto const with_tilewise = [&] { tilewise_into<Scan>(run_.queue, first, count_, out); };
        auto const with_cub = [&] {
            cub_into<Scan>(run_.scratch, run_.queue, for_thrust(first), count_, theirs_.data());
        };
        auto const with_thrust = [&] {
            auto const begin = for_thrust(first);
            Scan::by_thrust(thrust::cuda::par.on(run_.queue), begin, begin + static_cast<std::ptrdiff_t>(count_),
                            theirs_.data());
        };
        auto const expect_theirs = [&](char const* who) {
            expect_value("tilewise beside " + (who + (", " + name)), thrust::raw_pointer_cast(out_.data()),
                         theirs_.data(), count_, run_.queue);
        };

        thrust::fill(thrust::cuda::par.on(run_.queue), out_.begin(), out_.end(), -1.0f);
        with_tilewise();
        expect_bits("tilewise beside seq, " + name, thrust::raw_pointer_cast(out_.data()), expected_.data(),
                    expected_.size(), run_.queue);
        with_cub();
        expect_theirs("CUB");
        with_thrust();
        expect_theirs("Thrust");

        run_.time_on_gpu({"wrappings", name, {}, count_, 0, true, count_ * bytes_each, {}},
                         {{"tilewise", with_tilewise},
                          {"tilewise_pointer", plain, count_ * plain_bytes_each},
                          {"cub", with_cub},
                          {"thrust", with_thrust}});
    }

    session& run_;
    std::uint64_t count_;
    thrust::device_vector<float> x_, y_, out_;
    device_array<float> plain_, theirs_;
    device_array<std::uint8_t> bytes_;
    device_array<float> expected_;
};

} // namespace

void compare_wrappings(session& run)
{
    for (int const size : run.chosen.quick ? std::vector{24, 28} : std::vector{20, 22, 24, 26, 28}) {
        announced const part("wrappings, 2^" + std::to_string(size));
        wrappings(run, std::uint64_t{1} << size).measure();
    }
}

} // namespace bench::scans
