// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// The same floats behind iterators: does wrapping cost anything? Each wrapping alternates with the raw pointer, with
/// CUB on the same iterator, and with Thrust, which allocates its scratch and waits for the value.

#include "baselines.cuh"
#include "parts.cuh"
#include "reference.cuh"

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/offset_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace bench::reductions {
namespace {

struct multiply_members {
    template <class Tuple>
    __host__ __device__ float operator()(Tuple const& pair) const
    {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};
struct halved {
    __host__ __device__ float operator()(float x) const { return x / 2; }
};
struct twice {
    __host__ __device__ float operator()(float x) const { return 2 * x; }
};
struct at {
    float const* memory;
    __host__ __device__ float operator()(std::int64_t i) const { return memory[i]; }
};
using sum_of_floats = sum_of<float, float>;
struct sum_of_integers : sum_of<std::int64_t, std::int64_t> {};
struct dot_product : sum_of_floats {
    using transform = multiply_members;
};

/// Iterators of the standard library that run on the host alone: CUB and Thrust take what they point to.
template <class It>
auto for_thrust(It it)
{
    if constexpr (std::is_same_v<It, std::span<float const>::iterator>)
        return thrust::device_pointer_cast(std::to_address(it));
    else
        return it;
}

class wrappings {
public:
    wrappings(session& run, std::uint64_t count) : run_(run), count_(count), x_(count), y_(count)
    {
        fill(thrust::raw_pointer_cast(x_.data()), count, run.queue);
        fill(thrust::raw_pointer_cast(y_.data()), count, run.queue);
        run.queue.wait();
    }

    void measure()
    {
        float const* const pointer = thrust::raw_pointer_cast(x_.data());
        std::span<float const> const span(pointer, count_);
        auto const squares = thrust::make_transform_iterator(pointer, square{});
        auto const pairs = thrust::make_zip_iterator(x_.cbegin(), y_.cbegin());
        thrust::counting_iterator<std::int64_t> const numbers(0);

        double const sum = widened(pointer, sum_of_floats::widen{});
        double const sum_of_squares = widened(pointer, sum_of<float, float, square>::widen{});
        auto const sum_of_numbers = static_cast<std::int64_t>(count_ * (count_ - 1) / 2);

        one<sum_of_floats>("pointer", pointer, 4, sum);
        one<sum_of_floats>("device_vector", x_.cbegin(), 4, sum);
        one<sum_of_floats>("span", span.begin(), 4, sum);
        one<sum_of_floats>("transform_iterator", squares, 4, sum_of_squares);
        one<dot_product>("zip_iterator", pairs, 8, sum_of_squares);
        one<sum_of_integers>("counting_iterator", numbers, 0, sum_of_numbers);

        auto const backwards = thrust::make_reverse_iterator(x_.cend());
        one<sum_of_floats>("device_ptr", x_.data(), 4, sum);
        one<sum_of_floats>(
            "transform of transform",
            thrust::make_transform_iterator(thrust::make_transform_iterator(x_.cbegin(), halved{}), twice{}), 4, sum);
        one<sum_of_floats>("transform of zip", thrust::make_transform_iterator(pairs, multiply_members{}), 8,
                           sum_of_squares);
        one<sum_of_floats>("offset_iterator", thrust::offset_iterator(x_.cbegin() - 8, std::ptrdiff_t{8}), 4, sum);
        one<sum_of_floats>("reverse_iterator", backwards, 4, sum);
        one<sum_of_floats>("transform of counting", thrust::make_transform_iterator(numbers, at{pointer}), 4, sum);
        one<sum_of_floats>("permutation_iterator", thrust::make_permutation_iterator(x_.cbegin(), numbers), 4, sum);
    }

private:
    template <class Widen>
    double widened(float const* first, Widen widen)
    {
        return reference(first, count_, widen, wide_sum{}, 0.0, run_.queue);
    }

    template <class Reduction, class It, class Wide>
    void one(std::string const& name, It first, std::uint64_t bytes_per_element, Wide expected)
    {
        using accumulator = typename Reduction::accumulator;
        device_array<accumulator> const outs(256);
        accumulator thrusts_result{};
        auto const with_tilewise = [&] { tilewise_into<Reduction>(run_.queue, first, count_, outs.data()); };
        auto const with_cub = [&] {
            cub_into<Reduction>(run_.scratch, run_.queue, for_thrust(first), count_, outs.data() + 128);
        };
        auto const with_thrust = [&] {
            auto const policy = thrust::cuda::par.on(run_.queue);
            auto const begin = for_thrust(first);
            auto const end = begin + static_cast<std::ptrdiff_t>(count_);
            if constexpr (std::is_same_v<typename Reduction::transform, no_transform>)
                thrusts_result = thrust::reduce(policy, begin, end, Reduction::init());
            else
                thrusts_result = thrust::transform_reduce(policy, begin, end, typename Reduction::transform{},
                                                          Reduction::init(), cuda::std::plus<>{});
        };
        float const* const pointer = thrust::raw_pointer_cast(x_.data());
        device_array<float> const out_of_pointer(1);

        with_tilewise();
        with_cub();
        with_thrust();
        expect("tilewise, " + name, fetch(outs.data(), run_.queue), expected, count_);
        expect("CUB, " + name, fetch(outs.data() + 128, run_.queue), expected, count_, 256);
        expect("Thrust, " + name, thrusts_result, expected, count_, 256);

        run_.time_on_gpu({"wrappings", name, {}, count_, 0, true, count_ * bytes_per_element, {}},
                         {{"tilewise", with_tilewise},
                          {"tilewise_pointer",
                           [&] { tilewise_into<sum_of_floats>(run_.queue, pointer, count_, out_of_pointer.data()); },
                           count_ * sizeof(float)},
                          {"cub", with_cub},
                          {"thrust", with_thrust}});
    }

    session& run_;
    std::uint64_t count_;
    thrust::device_vector<float> x_, y_;
};

} // namespace

void compare_wrappings(session& run)
{
    for (int const size : run.chosen.quick ? std::vector{24, 28} : std::vector{22, 26, 28}) {
        announced const part("wrappings, 2^" + std::to_string(size));
        wrappings(run, std::uint64_t{1} << size).measure();
    }
}

} // namespace bench::reductions
