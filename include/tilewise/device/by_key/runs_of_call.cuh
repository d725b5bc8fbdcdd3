// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The runs of a call: the memory for what is found about them, and the launches of the kernels that find it.

#include <tilewise/core/config.hpp>
#include <tilewise/core/standard.hpp>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/by_key/long_runs.cuh>
#include <tilewise/device/by_key/marks.cuh>
#include <tilewise/device/by_key/runs.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/discard_iterator.hpp>
#include <tilewise/order.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <utility>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// Stages in the memory that a view reads, if necessary, as a whole.
template <class View>
void stage_all(staging& staged, View& view)
{
    static_cast<void>(staged.bytes_per_element(view)); // checks memory that iterators read
    staged.stage_in(view);
}

/// An output of up to `most` results, staged out if it is in host memory.
template <class Sink>
class staged_output {
public:
    staged_output(device_call const& call, Sink const& to, offset most) : sink(to), staged_(call)
    {
        staged_.stage_out(sink, most);
    }
    /// Copies the first `count` results out.
    void copy_out(offset count)
    {
        staged_.keep_first(count);
        staged_.copy_out();
    }

    Sink sink;

private:
    staging staged_;
};

/// Whether the kernel that finds the runs can write their number to a sink: as an integer in memory.
template <class Sink>
inline constexpr bool stores_number = false;
template <std::integral O>
    requires(sizeof(O) == 4 || sizeof(O) == 8)
inline constexpr bool stores_number<memory_sink<O>> = true;

/// The runs of a call: which keys begin one, how many there are, and the output that this number is written to.
template <class Tuning, class To>
class runs_of_call {
    using sink = decltype(gpu::sink_of(std::declval<To const&>()));

public:
    /// For `count` keys, in parts of at least so many.
    runs_of_call(device_call& call, To const& to, offset count, int least_part)
        : call_(call), count_(std::max(offset{0}, count)), part_size_(part_size(call, count_, least_part)),
          parts_(count_ / part_size_ + 1),
          memory_(call, parts_ + blocks() + 2 + (parts_ * part_size_ + bits_each - 1) / bits_each),
          line_(call.waits() ? call.line<offset>() : nullptr), out_(call, gpu::sink_of(to), 1)
    {}

    /// Finds where the runs of at least one key begin.
    template <class Keys, class Pred>
    void find(Keys const& keys, Pred const& is_same)
    {
        call_.launch(&mark_runs<Keys, Pred, Tuning>, "mark_runs", {blocks(), Tuning::threads}, keys, is_same, marks());
    }
    /// Writes the first key of each run, and `what`, if there are up to `most` runs. If a kernel launched before
    /// announces their number, it has written that, too.
    template <class FirstKeys, class What>
    void write(FirstKeys const& keys, What const& what, offset most = std::numeric_limits<offset>::max(),
               announced_count announced = {})
    {
        constexpr auto kernel = &write_runs<FirstKeys, What, Tuning>;
        call_.launch(kernel, "write_runs",
                     {blocks(), Tuning::threads, 1, call_.template can_launch_dependent<kernel>()}, marks(), most,
                     announced, keys, what);
    }

    run_marks marks() const
    {
        runs_before *const of_blocks = memory_.begin() + parts_, *const behind = of_blocks + blocks();
        number_targets number = {&behind->runs, line_, nullptr, 0};
        if constexpr (stores_number<sink>) {
            number.user = out_.sink.first;
            number.user_bytes = static_cast<int>(sizeof(*out_.sink.first));
        }
        return {
            reinterpret_cast<unsigned*>(behind + 1), memory_.begin(), of_blocks, number, count_, parts_, part_size_};
    }
    /// Of kernels in which a warp takes a part.
    int blocks() const { return static_cast<int>((parts_ + warps - 1) / warps); }
    /// Where later kernels find the number of runs, if there are keys.
    offset const* on_device() const { return marks().number.on_device; }

    /// Ends the call. Returns the number of runs; 0 if the policy does not wait.
    offset finish()
    {
        if constexpr (!std::same_as<To, discard_iterator>)
            if (!stores_number<sink> || count_ == 0)
                call_.launch(&write_number_of_runs<sink>, "write_number_of_runs", {1, 1}, out_.sink,
                             count_ > 0 ? on_device() : nullptr);
        call_.finish();
        out_.copy_out(1);
        return line_ != nullptr && count_ > 0 ? *line_ : 0;
    }

private:
    static constexpr int warps = Tuning::threads / warp_size;
    static constexpr offset bits_each = 8 * sizeof(runs_before);

    /// As many parts as warps can be resident, unless they had fewer than `least` keys: of a power of two, or of
    /// multiples of what a warp marks at once.
    static int part_size(device_call const& call, offset count, int least)
    {
        offset const wanted = offset{call.multiprocessors()} * Tuning::combining_blocks_per_multiprocessor * warps,
                     each = std::max((count + wanted - 1) / wanted, offset{least}),
                     at_once = std::min(Tuning::words_at_once * warp_size, Tuning::most_part),
                     unit = std::min(static_cast<offset>(std::bit_ceil(static_cast<std::uint64_t>(each))),
                                     std::max(offset{least}, at_once));
        return static_cast<int>(std::min((each + unit - 1) / unit, std::max(offset{1}, Tuning::most_part / unit)) *
                                unit);
    }

    device_call& call_;
    offset count_;
    int part_size_;
    offset parts_;
    scratch<runs_before> memory_; ///< of parts, of blocks, the number of runs, and a bit for each key
    offset* line_;
    staged_output<sink> out_;
};

/// The least number of keys in a part whose values, of type T, a warp may combine: so many rows, but at most
/// `Tuning::least_part`, and at least one row.
template <class T, class Order, class Tuning>
int least_part_of(int rows)
{
    int const keys = sizeof(T) <= vector_bytes ? rows * static_cast<int>(Order::row) : Tuning::least_part;
    return std::max(static_cast<int>(Order::row), std::min(keys, Tuning::least_part));
}

/// If keys and values are few, runs of up to so many values are combined by rows.
template <class Scan, class Tuning>
inline constexpr offset longest_of_few =
    std::min(Scan::tile, std::max(Scan::row, Tuning::template longest_of_few<typename Scan::value>));

/// The runs of a call as segments, and the memory in which up to `most` of them are listed, or only the long ones of
/// more.
template <class Scan, class Tuning>
class segments_of_runs {
public:
    template <class Runs>
    segments_of_runs(device_call& call, Runs const& runs, offset count, offset most)
        : longest(most > 0 ? Scan::tile : gpu::longest_of_few<Scan, Tuning>), most_long_(count / (longest + 1) + 1),
          is_wide_(count > offset{std::numeric_limits<std::uint32_t>::max()}),
          starts_(call, (most + 1) * (is_wide_ ? 8 : 4)), long_(call, most_long_),
          segments({{starts_.begin(), is_wide_, runs.on_device(), count}, {long_.begin()}, most, count})
    {}
    offset most_listed() const { return std::max(segments.most, most_long_); }
    /// For how many segments kernels are launched.
    offset count() const { return segments.most > 0 ? segments.most : most_long_; }

    offset const longest; ///< of the runs that are combined by rows, if they are many

private:
    offset most_long_;
    bool is_wide_;
    scratch<unsigned char> starts_;
    scratch<long_run> long_;

public:
    runs_or_long_runs const segments;
};

/// Returns up to how many runs of `count` keys are combined as segments, and not by rows: runs of `least_mean` keys in
/// the mean. None are if keys and values, of type T, are few.
template <class T, class Tuning>
offset most_as_segments(offset count, offset least_mean)
{
    return count <= Tuning::template few_keys<T> ? 0 : count / least_mean;
}

} // namespace gpu
TILEWISE_NAMESPACE_END
