// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One type with every distribution of lengths: checked, then timed beside the baselines.

#include "../elements.cuh"
#include "../read.cuh"
#include "../session.cuh"
#include "lengths.hpp"

#include <tilewise/reduce.hpp>
#include <tilewise/scan.hpp>
#include <tilewise/segmented.hpp>

#include <cub/device/device_segmented_reduce.cuh>
#if __has_include(<cub/device/device_segmented_scan.cuh>) // from CCCL 3.3 on
#include <cub/device/device_segmented_scan.cuh>
#define TILEWISE_BENCH_CUB_SEGMENTED_SCAN
#endif

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::segments {

/// Of elements E that are combined in a T.
template <class E, class T, class Op>
class comparison {
public:
    comparison(session& run, std::string name, std::uint64_t count, T init, Op op)
        : run_(run), name_(std::move(name)), count_(count), init_(init), op_(op), elements_(count), out_(2 * count),
          offsets_(2 * count)
    {
        fill(elements_.data(), count, run.queue);
        host_ = fetch_all(elements_.data(), count, run.queue);
        expected_.resize(2 * count, init); // of empty segments, too
        found_.resize(2 * count, init);
    }

    void measure()
    {
        for (auto const& [kind, kind_name] : distributions)
            for (std::uint64_t const mean : mean_lengths(count_)) {
                if (mean == count_ && kind != lengths::constant)
                    continue; // one segment is one segment
                segments::make_offsets(host_offsets_, kind, mean, count_);
                divide();
                auto const what = name_of(name_, kind_name, mean);
                if (run_.chosen.wants_part("reduce"))
                    reduce(what);
                if constexpr (std::is_same_v<E, T>)
                    if (run_.chosen.wants_part("scan"))
                        scan(what);
            }
    }

private:
    void divide()
    {
        segments_ = host_offsets_.size() - 1;
        if (host_offsets_.size() > offsets_.size())
            throw std::runtime_error("more segments than there is room for: " + name_);
        check(cudaMemcpyAsync(offsets_.data(), host_offsets_.data(), host_offsets_.size() * sizeof(std::int32_t),
                              cudaMemcpyHostToDevice, run_.queue),
              "cudaMemcpyAsync");
        run_.queue.wait();
    }

    void reduce(std::string const& what)
    {
        auto const begins = offsets_.data();
        auto const ours = [&] {
            tilewise::segmented_reduce(tilewise::device.on(run_.queue).nosync(), elements_.data(), begins,
                                       begins + segments_, begins + 1, out_.data(), init_, op_);
        };
        ours();
        tilewise::segmented_reduce(tilewise::par, host_.data(), host_offsets_.data(), host_offsets_.data() + segments_,
                                   host_offsets_.data() + 1, expected_.data(), init_, op_);
        expect_same(what, segments_);

        auto const cubs = [&] {
            auto bytes = run_.scratch.size();
            check(cub::DeviceSegmentedReduce::Reduce(run_.scratch.data(), bytes, elements_.data(), out_.data(),
                                                     static_cast<std::int64_t>(segments_), begins, begins + 1,
                                                     for_cub(op_), init_, run_.queue),
                  "cub::DeviceSegmentedReduce");
        };
        std::uint64_t const of_offsets = (segments_ + 1) * sizeof(std::int32_t);
        measurement const setting{
            "reduce", what, {}, count_, 0, true, count_ * sizeof(E) + of_offsets + segments_ * sizeof(T), {}};
        std::vector<competitor> const competitors{
            {"tilewise", ours},
            {"cub", cubs},
            {"whole",
             [&] { // as one range
                 tilewise::reduce_into(tilewise::device.on(run_.queue).nosync(), elements_.data(),
                                       elements_.data() + count_, out_.data(), init_, op_);
             },
             count_ * sizeof(E)},
            {"read", [&] {
                 read_only(run_.queue, elements_.data(), count_ * sizeof(E), out_.data());
                 read_only(run_.queue, begins, of_offsets, out_.data());
             }}};
        run_.time_on_gpu(setting, competitors);
        time_call(setting, competitors);
    }

    void scan(std::string const& what)
    {
        auto const begins = offsets_.data();
        auto const ours = [&] {
            tilewise::segmented_inclusive_scan(tilewise::device.on(run_.queue).nosync(), elements_.data(), begins,
                                               begins + segments_, begins + 1, out_.data(), op_);
        };
        ours();
        tilewise::segmented_inclusive_scan(tilewise::par, host_.data(), host_offsets_.data(),
                                           host_offsets_.data() + segments_, host_offsets_.data() + 1, expected_.data(),
                                           op_);
        expect_same(what, count_);

        std::uint64_t const of_offsets = (segments_ + 1) * sizeof(std::int32_t);
        measurement const setting{"scan", what, {}, count_, 0, true, 2 * count_ * sizeof(T) + of_offsets, {}};
        auto const copies = [&] {
            check(cudaMemcpyAsync(out_.data(), elements_.data(), count_ * sizeof(T), cudaMemcpyDeviceToDevice,
                                  run_.queue),
                  "cudaMemcpyAsync");
        };
        std::vector<competitor> competitors{{"tilewise", ours}, {"copy", copies, 2 * count_ * sizeof(T)}};
        if (segments_ == 1)
            competitors.push_back({"whole",
                                   [&] { // as one range
                                       tilewise::inclusive_scan(tilewise::device.on(run_.queue).nosync(),
                                                                elements_.data(), elements_.data() + count_,
                                                                out_.data(), op_);
                                   },
                                   2 * count_ * sizeof(T)});
#ifdef TILEWISE_BENCH_CUB_SEGMENTED_SCAN
        competitors.push_back({"cub", [&] {
                                   auto bytes = run_.scratch.size();
                                   check(cub::DeviceSegmentedScan::InclusiveSegmentedScan(
                                             run_.scratch.data(), bytes, elements_.data(), out_.data(), begins,
                                             begins + 1, static_cast<std::int64_t>(segments_), for_cub(op_),
                                             run_.queue),
                                         "cub::DeviceSegmentedScan");
                               }});
#endif
        run_.time_on_gpu(setting, competitors);
        time_call(setting, competitors);
    }

    /// Of one distribution: how long a call keeps the host does not depend on it.
    void time_call(measurement setting, std::vector<competitor> const& competitors)
    {
        setting.what = setting.part + ", " + setting.what;
        if (setting.what.ends_with("constant, 1000"))
            run_.time_call_of_any_size(setting, competitors);
    }

    void expect_same(std::string const& what, std::uint64_t count)
    {
        check(cudaMemcpyAsync(found_.data(), out_.data(), count * sizeof(T), cudaMemcpyDeviceToHost, run_.queue),
              "cudaMemcpyAsync");
        run_.queue.wait();
        if (std::memcmp(static_cast<void const*>(found_.data()), static_cast<void const*>(expected_.data()),
                        count * sizeof(T)) != 0)
            throw std::runtime_error("other bits than on the host: " + what);
    }

    session& run_;
    std::string name_;
    std::uint64_t count_;
    T init_;
    Op op_;
    device_array<E> elements_;
    device_array<T> out_;
    device_array<std::int32_t> offsets_; ///< with room for twice as many segments as elements: some are empty
    std::vector<E> host_;
    std::vector<T> expected_, found_; ///< all kept: new pages would take longer than all else
    std::vector<std::int32_t> host_offsets_;
    std::uint64_t segments_ = 0;
};

template <class E, class T, class Op>
void compare(session& run, std::string const& name, T init, Op op)
{
    if (!run.chosen.wants_type(name))
        return;
    announced const part(name);
    for (int const size : run.chosen.sizes)
        if ((sizeof(T) << size) <= run.chosen.most_bytes)
            comparison<E, T, Op>(run, name, std::uint64_t{1} << size, init, op).measure();
}

} // namespace bench::segments
