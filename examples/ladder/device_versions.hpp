// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The versions that run on a GPU, in order.

#include "counted.cuh"
#include "histogram.cuh"
#include "measure.hpp"
#include "reduction.cuh"
#include "scan.cuh"

#include <tilewise/tilewise.hpp>

#ifdef __CUDACC__
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder {

/// Memory of the GPU.
template <class T>
class device_memory {
public:
    explicit device_memory(std::size_t size) : size_(size)
    {
        void* memory = nullptr;
        TILEWISE_CUDA(cudaMalloc, &memory, size * sizeof(T));
        first_ = static_cast<T*>(memory);
    }
    explicit device_memory(std::vector<T> const& values) : device_memory(values.size())
    {
        TILEWISE_CUDA(cudaMemcpy, first_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
    }
    device_memory(device_memory const&) = delete;
    device_memory& operator=(device_memory const&) = delete;
    ~device_memory() { static_cast<void>(cudaFree(first_)); }

    T* begin() const { return first_; }
    T* end() const { return first_ + size_; }
    T at(std::size_t position) const
    {
        T value;
        TILEWISE_CUDA(cudaMemcpy, &value, first_ + position, sizeof(T), cudaMemcpyDeviceToHost);
        return value;
    }
    std::vector<T> values() const
    {
        std::vector<T> copy(size_);
        TILEWISE_CUDA(cudaMemcpy, copy.data(), first_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
        return copy;
    }

private:
    T* first_ = nullptr;
    std::size_t size_;
};

/// A stream, and times in it.
class device_clock {
public:
    device_clock()
    {
        TILEWISE_CUDA(cudaStreamCreateWithFlags, &stream_, cudaStreamNonBlocking);
        TILEWISE_CUDA(cudaEventCreate, &begin_);
        TILEWISE_CUDA(cudaEventCreate, &end_);
    }
    device_clock(device_clock const&) = delete;
    device_clock& operator=(device_clock const&) = delete;
    ~device_clock()
    {
        static_cast<void>(cudaEventDestroy(begin_));
        static_cast<void>(cudaEventDestroy(end_));
        static_cast<void>(cudaStreamDestroy(stream_));
    }
    cudaStream_t stream() const { return stream_; }

    /// Seconds that the GPU takes for what `run` puts in the stream.
    double operator()(std::function<void()> const& run) const
    {
        TILEWISE_CUDA(cudaEventRecord, begin_, stream_);
        run();
        TILEWISE_CUDA(cudaEventRecord, end_, stream_);
        TILEWISE_CUDA(cudaEventSynchronize, end_);
        float milliseconds = 0;
        TILEWISE_CUDA(cudaEventElapsedTime, &milliseconds, begin_, end_);
        return milliseconds / 1e3;
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

inline int multiprocessors_of_device()
{
    int device = 0, count = 0;
    TILEWISE_CUDA(cudaGetDevice, &device);
    TILEWISE_CUDA(cudaDeviceGetAttribute, &count, cudaDevAttrMultiProcessorCount, device);
    return count;
}

/// What reads and does nothing else: the ceiling of reductions and histograms. It is a version that adds up words.
inline double read_ceiling(void const* memory, std::size_t bytes, device_clock const& clock)
{
    auto const words = static_cast<offset>(bytes / sizeof(int));
    int const blocks = multiprocessors_of_device() * 8;
    device_memory<int> const work(static_cast<std::size_t>(blocks));
    auto const run = [&] {
        launch_version(clock.stream(), &reduction::sum_vectors_at_strides<int>, blocks, reduction::threads,
                       static_cast<int const*>(memory), offset{0}, words / 4, offset{0}, work.begin());
    };
    return static_cast<double>(words) * sizeof(int) / median_microseconds(run, std::cref(clock), 21);
}

/// What copies: the ceiling of scans.
inline double copy_ceiling(void* to, void const* from, std::size_t bytes, device_clock const& clock)
{
    auto const run = [&] { TILEWISE_CUDA(cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToDevice, clock.stream()); };
    return 2.0 * static_cast<double>(bytes) / median_microseconds(run, std::cref(clock), 21);
}

/// Temporary memory for CUB, whose functions return the size that they need if they are called without it.
template <class Call>
std::function<void()> with_temporary_memory(Call call)
{
    std::size_t bytes = 0;
    check(call(nullptr, bytes), "CUB");
    auto const memory = std::make_shared<device_memory<unsigned char>>(bytes);
    return [=] {
        std::size_t size = bytes;
        check(call(memory->begin(), size), "CUB");
    };
}

/// The ladder of reductions.
template <class T>
report climb_reductions(std::vector<T> const& values, std::string const& name, device_clock const& clock, int runs)
{
    namespace tw = tilewise;
    using namespace reduction;
    device_memory<T> const in(values), work(values.size() + 1), out(1);
    task<T> const t = {in.begin(),  static_cast<offset>(values.size()), work.begin(),
                       out.begin(), multiprocessors_of_device(),        clock.stream()};
    T const expected = tw::reduce(tw::seq, values.begin(), values.end(), T{});
    auto const is_right = [&] { return out.at(0) == expected; };
    std::vector<version> versions;
    auto const add = [&](char const* what, std::function<void()> run) {
        versions.push_back({what, std::move(run), is_right, static_cast<double>(values.size() * sizeof(T))});
    };
    auto const add_version = [&](char const* what, void (*run)(task<T> const&)) { add(what, [=] { run(t); }); };
    auto const policy = tw::device.on(clock.stream()).nosync();

    add_version("tree in global memory", &global_tree<T>);
    add_version("an atomic addition per element", &one_atomic_per_element<T>);
    add_version("grid stride, an atomic per thread", &one_atomic_per_thread<T>);
    add_version("interleaved, modulo", &sum_by_levels<interleaved_modulo, 1, T>);
    add_version("interleaved, strided index", &sum_by_levels<interleaved_strided, 1, T>);
    add_version("sequential addressing", &sum_by_levels<sequential, 1, T>);
    add_version("first addition while loading", &sum_by_levels<sequential, 2, T>);
    add_version("last warp unrolled", &sum_by_levels<last_warp_unrolled, 2, T>);
    add_version("completely unrolled", &sum_by_levels<completely_unrolled, 2, T>);
    add_version("warp shuffles, 1 element", &sum_by_levels<warp_shuffles, 1, T>);
    add_version("warp shuffles, 2 elements", &sum_by_levels<warp_shuffles, 2, T>);
    add_version("warp shuffles, 4 elements", &sum_by_levels<warp_shuffles, 4, T>);
    add_version("warp shuffles, 8 elements", &sum_by_levels<warp_shuffles, 8, T>);
    add_version("an atomic per block of 8 a thread", &one_atomic_per_block<T>);
    add_version("grid stride, two passes", &two_passes<T>);
    add_version("loads of 16 bytes, two passes", &two_passes_of_vectors<&sum_vectors_at_strides<T>, T>);
    add_version("even shares, two passes", &two_passes_of_vectors<&sum_even_shares<T>, T>);
    add("tilewise::reduce_into", [&, policy] { tw::reduce_into(policy, in.begin(), in.end(), out.begin(), T{}); });
#ifdef __CUDACC__
    T by_thrust{}; // it returns the sum to the host
    add("thrust::reduce",
        [&] { by_thrust = thrust::reduce(thrust::cuda::par.on(clock.stream()), in.begin(), in.end(), T{}); });
    versions.back().is_right = [&] { return by_thrust == expected; };
    add("cub::DeviceReduce::Sum", with_temporary_memory([&in, &out, &clock](void* memory, std::size_t& bytes) {
            return cub::DeviceReduce::Sum(memory, bytes, in.begin(), out.begin(),
                                          static_cast<std::int64_t>(in.end() - in.begin()), clock.stream());
        }));
#endif
    double const ceiling = read_ceiling(in.begin(), values.size() * sizeof(T), clock);
    return climb("Reductions: the sum of " + std::to_string(values.size()) + " " + name, versions, "read bandwidth",
                 ceiling, std::cref(clock), runs);
}

/// What a scan of `count` elements costs, counted by running it on elements that count.
inline std::string cost_of(void (*run)(scan::task<counted> const&), offset count, cudaStream_t stream)
{
    auto const size = static_cast<std::size_t>(count);
    device_memory<counted> const in(std::vector<counted>(size, counted{0})), work(size + size / 100 + 3000), out(size);
    device_memory<unsigned long long> const words(size / scan::tile + 2);
    device_memory<unsigned> const additions(1);
    launch_version(stream, &take_additions, 1, warp_size, additions.begin());
    run({in.begin(), count, work.begin(), out.begin(), words.begin(), stream});
    launch_version(stream, &take_additions, 1, warp_size, additions.begin());
    TILEWISE_CUDA(cudaStreamSynchronize, stream);
    int steps = 0;
    for (counted const& one : out.values())
        steps = std::max(steps, one.steps);
    char text[80];
    std::snprintf(text, sizeof text, "work %.2f n, %d steps",
                  static_cast<double>(additions.at(0)) / static_cast<double>(count), steps);
    return text;
}

/// The ladder of scans. The work and the steps are those of 2^`log2_counted` elements.
template <class T>
report climb_scans(std::vector<T> const& values, std::string const& name, device_clock const& clock, int runs,
                   int log2_counted)
{
    namespace tw = tilewise;
    using namespace scan;
    std::size_t const size = values.size();
    device_memory<T> const in(values), work(size + size / 100 + 3000), out(size);
    device_memory<unsigned long long> const words(size / tile + 2);
    task<T> const t = {in.begin(), static_cast<offset>(size), work.begin(), out.begin(), words.begin(), clock.stream()};
    std::vector<T> expected(size);
    tw::inclusive_scan(tw::seq, values.begin(), values.end(), expected.begin());
    auto const is_right = [&] { return out.values() == expected; };
    std::vector<version> versions;
    auto const add = [&](char const* what, std::function<void()> run, std::string remark) {
        versions.push_back(
            {what, std::move(run), is_right, 2.0 * static_cast<double>(size * sizeof(T)), std::move(remark)});
    };
    auto const add_version = [&](char const* what, char const* traffic, void (*run)(task<T> const&),
                                 void (*count)(scan::task<counted> const&)) {
        add(
            what, [=] { run(t); },
            std::string(traffic) + ", " + cost_of(count, offset{1} << log2_counted, clock.stream()));
    };
    auto const policy = tw::device.on(clock.stream()).nosync();
    if (size <= std::size_t{1} << 25)
        add_version("serial", "2n", &serial<T>, &serial<counted>);
    add_version("Hillis-Steele", "2n log2 n", &hillis_steele<T>, &hillis_steele<counted>);
    add_version("Blelloch", "8n", &blelloch<T>, &blelloch<counted>);
    add_version("Hillis-Steele in blocks", "4n", &scan_then_add<hillis_steele_in_block, T>,
                &scan_then_add<hillis_steele_in_block, counted>);
    add_version("Blelloch in blocks", "4n", &scan_then_add<blelloch_in_block, T>,
                &scan_then_add<blelloch_in_block, counted>);
    add_version("warp shuffles in blocks", "4n", &scan_then_add<warp_shuffles, T>,
                &scan_then_add<warp_shuffles, counted>);
    add_version("reduce, then scan", "3n", &reduce_then_scan<T>, &reduce_then_scan<counted>);
    add_version("one pass, chained", "2n", &one_pass<chained, T>, &one_pass<chained, counted>);
    add_version("one pass, looking back", "2n", &one_pass<look_back, T>, &one_pass<look_back, counted>);
    add(
        "tilewise::inclusive_scan", [&, policy] { tw::inclusive_scan(policy, in.begin(), in.end(), out.begin()); },
        "2n");
#ifdef __CUDACC__
    add("cub::DeviceScan::InclusiveSum", with_temporary_memory([&in, &out, &clock](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, in.begin(), out.begin(),
                                                 static_cast<std::int64_t>(in.end() - in.begin()), clock.stream());
        }),
        "2n");
#endif
    double const ceiling = copy_ceiling(work.begin(), in.begin(), size * sizeof(T), clock);
    return climb("Scans: the running sums of " + std::to_string(size) + " " + name + " (work and steps of 2^" +
                     std::to_string(log2_counted) + ")",
                 versions, "copy bandwidth", ceiling, std::cref(clock), runs);
}

/// The ladder of histograms.
inline report climb_histograms(std::vector<unsigned char> const& values, std::string const& name,
                               device_clock const& clock, int runs)
{
    namespace tw = tilewise;
    using namespace histogram;
    device_memory<unsigned char> const in(values);
    device_memory<unsigned> const counts(bins),
        work(std::min<std::size_t>(private_threads, (values.size() / threads + 1) * threads) * bins);
    task const t = {in.begin(),   static_cast<offset>(values.size()), counts.begin(),
                    work.begin(), multiprocessors_of_device(),        clock.stream()};
    std::vector<unsigned> expected(bins);
    tw::histogram(tw::seq, values, tw::integer_axis(0, bins), expected.begin());
    std::vector<version> versions;
    auto const add = [&](char const* what, std::function<void()> run) {
        versions.push_back(
            {what, std::move(run), [&] { return counts.values() == expected; }, static_cast<double>(values.size())});
    };
    auto const policy = tw::device.on(clock.stream()).nosync();
    if (values.size() <= std::size_t{1} << 25)
        add("serial", [=] { serial(t); });
#ifdef __CUDACC__ // (the interpreter stops it: it is a race)
    add("bins[b]++", [=] { racy(t); });
    versions.back().is_wrong_on_purpose = true;
#endif
    add("atomics in global memory", [=] { global_atomics(t); });
    add("a table per thread", [=] { table_per_thread(t); });
    add("a table per block", [=] { table_per_block(t); });
#ifdef __CUDACC__
    device_memory<unsigned char> const sorted(values.size());
    device_memory<unsigned> const ends(bins);
    add("thrust: sort, then search", [&] {
        auto const par = thrust::cuda::par_nosync.on(clock.stream());
        TILEWISE_CUDA(cudaMemcpyAsync, sorted.begin(), in.begin(), values.size(), cudaMemcpyDeviceToDevice,
                      clock.stream());
        thrust::sort(par, sorted.begin(), sorted.end());
        thrust::counting_iterator<int> const bin(0);
        thrust::upper_bound(par, sorted.begin(), sorted.end(), bin, bin + bins, ends.begin());
        thrust::adjacent_difference(par, ends.begin(), ends.end(), counts.begin());
    });
#endif
    add("tilewise::histogram",
        [&, policy] { tw::histogram(policy, in.begin(), in.end(), tw::integer_axis(0, bins), counts.begin()); });
#ifdef __CUDACC__
    add("cub::DeviceHistogram::HistogramEven", with_temporary_memory([&](void* memory, std::size_t& bytes) {
            return cub::DeviceHistogram::HistogramEven(memory, bytes, in.begin(), counts.begin(), bins + 1, 0, bins,
                                                       static_cast<std::int64_t>(values.size()), clock.stream());
        }));
#endif
    double const ceiling = read_ceiling(in.begin(), values.size(), clock);
    return climb("Histograms: " + std::to_string(values.size()) + " bytes, " + name, versions, "read bandwidth",
                 ceiling, std::cref(clock), runs);
}

} // namespace ladder
