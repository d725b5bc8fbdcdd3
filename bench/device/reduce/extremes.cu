// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// From call to answer: smallest and largest elements and counts beside reduce, Thrust and CUB, on random data, and on
/// data that increases, of which every element is the largest so far.

#include "baselines.cuh"
#include "parts.cuh"

#include <tilewise/count.hpp>
#include <tilewise/minmax.hpp>

#include <cub/device/device_reduce.cuh>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::reductions {
namespace {

/// Numbers from 0 to `most`, in runs of equal ones.
template <class Element>
__global__ void write_increasing(Element* elements, std::uint64_t count, double most)
{
    std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
        elements[i] = static_cast<Element>(static_cast<double>(i) / static_cast<double>(count) * most);
}

template <class Element>
struct is_above {
    Element limit;
    __host__ __device__ bool operator()(Element const& x) const { return x > limit; }
};

template <class Element>
class search {
public:
    search(session& run, std::string type, std::string data, Element const* first, std::uint64_t count)
        : run_(run), kind_(type + " " + data), first_(first), last_(first + count), count_(count),
          on_(tilewise::device.on(run.queue)), thrusts_(thrust::cuda::par.on(run.queue))
    {}

    void measure()
    {
        Element const *ours[2] = {}, *theirs[2] = {};
        one("min_element", {{"tilewise", [&] { ours[0] = tilewise::min_element(on_, first_, last_); }},
                            {"cub", [&] { theirs[0] = first_ + index_by_cub(smallest); }},
                            {"thrust", [&] { theirs[1] = thrust::min_element(thrusts_, first_, last_); }}});
        expect_same("the smallest by CUB", ours[0], theirs[0]);
        expect_same("the smallest by Thrust", ours[0], theirs[1]);

        one("max_element", {{"tilewise", [&] { ours[1] = tilewise::max_element(on_, first_, last_); }},
                            {"cub", [&] { theirs[0] = first_ + index_by_cub(largest); }},
                            {"thrust", [&] { theirs[1] = thrust::max_element(thrusts_, first_, last_); }}});
        expect_same("the largest by CUB", ours[1], theirs[0]);
        expect_same("the largest by Thrust", ours[1], theirs[1]);

        std::pair<Element const*, Element const*> both;
        one("minmax_element", {{"tilewise", [&] { both = tilewise::minmax_element(on_, first_, last_); }},
                               {"thrust", [&] { theirs[0] = thrust::minmax_element(thrusts_, first_, last_).first; }}});
        expect_same("the smaller of both", both.first, theirs[0]);
        if (fetch(both.second, run_.queue) != fetch(ours[1], run_.queue))
            throw std::runtime_error("another largest element: " + kind_);

        is_above<Element> const above{fetch(first_ + count_ / 2, run_.queue)};
        std::int64_t counted = 0, counted_by_thrust = 0;
        one("count_if", {{"tilewise", [&] { counted = tilewise::count_if(on_, first_, last_, above); }},
                         {"thrust", [&] { counted_by_thrust = thrust::count_if(thrusts_, first_, last_, above); }}});
        if (counted != counted_by_thrust)
            throw std::runtime_error("another count: " + kind_);
    }

private:
    enum which { smallest, largest };

    void one(std::string const& algorithm, std::vector<competitor> competitors)
    {
        competitors.push_back({"reduce", [&] { sum_ = tilewise::reduce(on_, first_, last_); }});
        run_.time_on_host({"extremes", algorithm + " " + kind_, {}, count_, 0, false, count_ * sizeof(Element), {}},
                          competitors, count_ < (std::uint64_t{1} << 26) ? 101 : 31);
    }
    std::int64_t index_by_cub(which wanted)
    {
        auto bytes = run_.scratch.size();
        auto const count = static_cast<std::int64_t>(count_);
        check(wanted == smallest ? cub::DeviceReduce::ArgMin(run_.scratch.data(), bytes, first_, value_.on_device(),
                                                             index_.on_device(), count, run_.queue)
                                 : cub::DeviceReduce::ArgMax(run_.scratch.data(), bytes, first_, value_.on_device(),
                                                             index_.on_device(), count, run_.queue),
              "cub::DeviceReduce");
        run_.queue.wait();
        return index_.get();
    }
    void expect_same(char const* what, Element const* ours, Element const* theirs) const
    {
        if (ours != theirs)
            throw std::runtime_error(std::string(what) + " is another element: " + kind_);
    }

    session& run_;
    std::string kind_;
    Element const *first_, *last_;
    std::uint64_t count_;
    decltype(tilewise::device.on(cudaStream_t())) on_;
    decltype(thrust::cuda::par.on(cudaStream_t())) thrusts_;
    mapped_value<Element> value_;
    mapped_value<std::int64_t> index_;
    Element sum_{};
};

template <class Element>
void search_all(session& run, std::string const& type)
{
    if (!run.chosen.wants_type(type))
        return;
    announced const part("extremes of " + type);
    std::vector<int> const sizes = run.chosen.quick ? std::vector{20, 28} : std::vector{16, 20, 22, 24, 26, 28, 30};
    device_array<Element> const elements(std::size_t{1} << sizes.back());
    double const most = std::is_integral_v<Element> && sizeof(Element) < 4
                            ? static_cast<double>(std::numeric_limits<Element>::max())
                            : 0x1p24;
    for (bool const increases : {false, true})
        for (int const size : sizes) {
            auto const count = std::uint64_t{1} << size;
            if (increases)
                launch(write_increasing<Element>, 4096, 256, run.queue, elements.data(), count, most);
            else
                fill(elements.data(), count, run.queue);
            search<Element>(run, type, increases ? "increasing" : "random", elements.data(), count).measure();
        }
}

} // namespace

void compare_extremes(session& run)
{
    search_all<float>(run, "f32");
    search_all<double>(run, "f64");
    search_all<std::int32_t>(run, "i32");
    search_all<std::int8_t>(run, "i8");
}

} // namespace bench::reductions
