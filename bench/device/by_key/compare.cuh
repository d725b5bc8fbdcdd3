// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// Keys and values of one type each, with runs of every length: checked, then timed beside the baselines.

#include "../elements.cuh"
#include "../read.cuh"
#include "../session.cuh"
#include "lengths.hpp"

#include <tilewise/count_by_key.hpp>
#include <tilewise/reduce_by_key.hpp>
#include <tilewise/scan_by_key.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::keys {

template <class Key, class T>
class comparison {
public:
    comparison(session& run, std::string name, std::uint64_t count)
        : run_(run), name_(std::move(name)), count_(count), keys_(count), unique_(count), values_(count), out_(count),
          lengths_(count), runs_(1), expected_keys_(count), found_keys_(count), expected_(count), found_(count),
          expected_lengths_(count), found_lengths_(count)
    {
        fill(values_.data(), count, run.queue);
        host_values_ = fetch_all(values_.data(), count, run.queue);
    }

    void measure()
    {
        for (run_lengths const lengths : all_lengths) {
            keys::make_keys(host_keys_, lengths, count_);
            check(cudaMemcpyAsync(keys_.data(), host_keys_.data(), count_ * sizeof(Key), cudaMemcpyHostToDevice,
                                  run_.queue),
                  "cudaMemcpyAsync");
            run_.queue.wait();
            auto const what = name_of(name_, lengths);
            if (run_.chosen.wants_part("reduce"))
                reduce(what);
            if (run_.chosen.wants_part("scan"))
                scan(what);
            if (run_.chosen.wants_part("count") && std::is_same_v<T, float>)
                count(what);
        }
    }

private:
    auto policy() const { return tilewise::device.on(run_.queue).nosync(); }
    Key* first() const { return keys_.data(); }
    Key* last() const { return keys_.data() + count_; }

    void reduce(std::string const& what)
    {
        auto const ours = [&] {
            tilewise::reduce_by_key_into(policy(), first(), last(), values_.data(), unique_.data(), out_.data(),
                                         runs_.data());
        };
        auto const ends =
            tilewise::reduce_by_key(tilewise::par, host_keys_, host_values_, expected_keys_.begin(), expected_.begin());
        auto const runs = static_cast<std::uint64_t>(ends.first - expected_keys_.begin());
        ours();
        expect_runs(what, runs);
        expect_keys(what, runs);
        expect_values(what, runs);

        auto const cubs = [&] {
            auto bytes = run_.scratch.size();
            check(cub::DeviceReduce::ReduceByKey(run_.scratch.data(), bytes, first(), unique_.data(), values_.data(),
                                                 out_.data(), runs_.data(), cuda::std::plus<>(),
                                                 static_cast<std::int64_t>(count_), run_.queue),
                  "cub::DeviceReduce::ReduceByKey");
        };
        cubs();
        expect_runs(what + ", CUB", runs);
        expect_keys(what + ", CUB", runs);
        if constexpr (std::is_integral_v<T>)
            expect_values(what + ", CUB", runs);

        std::uint64_t const read = count_ * (sizeof(Key) + sizeof(T));
        measurement const setting{"reduce", what, {}, count_, 0, true, read + runs * (sizeof(Key) + sizeof(T)), {}};
        time(setting, {{"tilewise", ours},
                       {"cub", cubs},
                       {"waits",
                        [&] {
                            tilewise::reduce_by_key(tilewise::device.on(run_.queue), first(), last(), values_.data(),
                                                    unique_.data(), out_.data());
                        }},
                       {"thrust",
                        [&] {
                            thrust::reduce_by_key(thrust::cuda::par.on(run_.queue), first(), last(), values_.data(),
                                                  unique_.data(), out_.data());
                        }},
                       {"read",
                        [&] {
                            read_only(run_.queue, first(), count_ * sizeof(Key), out_.data());
                            read_only(run_.queue, values_.data(), count_ * sizeof(T), out_.data());
                        },
                        read}});
    }

    void scan(std::string const& what)
    {
        auto const ours = [&] {
            tilewise::inclusive_scan_by_key(policy(), first(), last(), values_.data(), out_.data());
        };
        tilewise::inclusive_scan_by_key(tilewise::par, host_keys_, host_values_, expected_);
        ours();
        expect_values(what, count_);

        auto const cubs = [&] {
            auto bytes = run_.scratch.size();
            check(cub::DeviceScan::InclusiveSumByKey(run_.scratch.data(), bytes, first(), values_.data(), out_.data(),
                                                     static_cast<std::int64_t>(count_), cuda::std::equal_to<>(),
                                                     run_.queue),
                  "cub::DeviceScan::InclusiveSumByKey");
        };
        cubs();
        if constexpr (std::is_integral_v<T>)
            expect_values(what + ", CUB", count_);

        measurement const setting{"scan", what, {}, count_, 0, true, count_ * (sizeof(Key) + 2 * sizeof(T)), {}};
        time(setting, {{"tilewise", ours},
                       {"cub", cubs},
                       {"waits",
                        [&] {
                            tilewise::inclusive_scan_by_key(tilewise::device.on(run_.queue), first(), last(),
                                                            values_.data(), out_.data());
                        }},
                       {"thrust",
                        [&] {
                            thrust::inclusive_scan_by_key(thrust::cuda::par.on(run_.queue), first(), last(),
                                                          values_.data(), out_.data());
                        }},
                       {"copy", [&] {
                            read_only(run_.queue, first(), count_ * sizeof(Key), out_.data());
                            check(cudaMemcpyAsync(out_.data(), values_.data(), count_ * sizeof(T),
                                                  cudaMemcpyDeviceToDevice, run_.queue),
                                  "cudaMemcpyAsync");
                        }}});
    }

    void count(std::string const& what)
    {
        auto const ours = [&] {
            tilewise::count_by_key_into(policy(), first(), last(), unique_.data(), lengths_.data(), runs_.data());
        };
        auto const ends =
            tilewise::count_by_key(tilewise::par, host_keys_, expected_keys_.begin(), expected_lengths_.begin());
        auto const runs = static_cast<std::uint64_t>(ends.first - expected_keys_.begin());
        ours();
        expect_runs(what, runs);
        expect_keys(what, runs);
        expect_lengths(what, runs);

        auto const cubs = [&] {
            auto bytes = run_.scratch.size();
            check(cub::DeviceRunLengthEncode::Encode(run_.scratch.data(), bytes, first(), unique_.data(),
                                                     lengths_.data(), runs_.data(), static_cast<std::int64_t>(count_),
                                                     run_.queue),
                  "cub::DeviceRunLengthEncode::Encode");
        };
        cubs();
        expect_runs(what + ", CUB", runs);
        expect_keys(what + ", CUB", runs);
        expect_lengths(what + ", CUB", runs);

        std::uint64_t const read = count_ * sizeof(Key);
        measurement const setting{
            "count", what, {}, count_, 0, true, read + runs * (sizeof(Key) + sizeof(std::int32_t)), {}};
        time(setting, {{"tilewise", ours},
                       {"cub", cubs},
                       {"read", [&] { read_only(run_.queue, first(), read, out_.data()); }, read}});
    }

    /// On the GPU, and for one length how long a call keeps the host.
    void time(measurement setting, std::vector<competitor> const& competitors)
    {
        run_.time_on_gpu(setting, competitors);
        setting.what = setting.part + ", " + setting.what;
        if (setting.what.ends_with("constant, 32"))
            run_.time_call(setting, competitors);
    }

    void expect_runs(std::string const& what, std::uint64_t expected)
    {
        auto const found = static_cast<std::uint64_t>(fetch_all(runs_.data(), 1, run_.queue).front());
        if (found != expected)
            throw std::runtime_error(std::to_string(found) + " runs instead of " + std::to_string(expected) + ": " +
                                     what);
    }
    void expect_keys(std::string const& what, std::uint64_t runs)
    {
        expect_same(what, unique_, found_keys_, expected_keys_, runs);
    }
    void expect_values(std::string const& what, std::uint64_t count)
    {
        expect_same(what, out_, found_, expected_, count);
    }
    void expect_lengths(std::string const& what, std::uint64_t runs)
    {
        expect_same(what, lengths_, found_lengths_, expected_lengths_, runs);
    }
    template <class E>
    void expect_same(std::string const& what, device_array<E> const& results, std::vector<E>& found,
                     std::vector<E> const& expected, std::uint64_t count)
    {
        check(cudaMemcpyAsync(found.data(), results.data(), count * sizeof(E), cudaMemcpyDeviceToHost, run_.queue),
              "cudaMemcpyAsync");
        run_.queue.wait();
        if (std::memcmp(found.data(), expected.data(), count * sizeof(E)) != 0)
            throw std::runtime_error("other bits than on the host: " + what);
        // The next check sees what was written after this one.
        check(cudaMemsetAsync(results.data(), 0xff, count * sizeof(E), run_.queue), "cudaMemsetAsync");
    }

    session& run_;
    std::string name_;
    std::uint64_t count_;
    device_array<Key> keys_, unique_;
    device_array<T> values_, out_;
    device_array<std::int32_t> lengths_;
    device_array<std::int64_t> runs_;
    std::vector<Key> host_keys_;
    std::vector<T> host_values_;
    std::vector<Key> expected_keys_, found_keys_; ///< all kept: new pages would take longer than all else
    std::vector<T> expected_, found_;
    std::vector<std::int32_t> expected_lengths_, found_lengths_;
};

template <class Key, class T>
void compare(session& run, std::string const& name)
{
    if (!run.chosen.wants_type(name))
        return;
    announced const part(name);
    for (int const size : run.chosen.sizes)
        if ((std::max(sizeof(Key), sizeof(T)) << size) <= run.chosen.most_bytes)
            comparison<Key, T>(run, name, std::uint64_t{1} << size).measure();
}

} // namespace bench::keys
