// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engines of histogram for seq and par: they count in tables of their own, one for each thread, and write the
/// counters at the end.

#include <tilewise/axis/bounds.hpp>
#include <tilewise/core/config.hpp>
#include <tilewise/core/input.hpp>
#include <tilewise/core/iterator.hpp>
#include <tilewise/host/parallel.hpp>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

TILEWISE_NAMESPACE_BEGIN
namespace host {

/// The samples that an input yields.
template <class Input>
using sample_of = std::remove_cvref_t<decltype(*std::declval<Input&>())>;

/// Samples whose number is that of their byte.
template <class Sample>
inline constexpr bool is_byte = std::integral<Sample> && sizeof(Sample) == 1;

/// Samples that can be copied into an array at no cost.
template <class Sample>
inline constexpr bool is_copied_for_free =
    std::default_initializable<Sample> && std::is_trivially_copy_constructible_v<Sample> &&
    std::is_trivially_destructible_v<Sample> && sizeof(Sample) <= 32;

/// Inputs whose samples a view takes in arrays, from where they are or from copies.
template <class Input, class View>
concept taken_in_arrays =
    binning::indexes_arrays<View, sample_of<Input>> &&
    (contiguous_of<Input, sample_of<Input>> ||
     (is_copied_for_free<std::iter_value_t<Input>> && binning::indexes_arrays<View, std::iter_value_t<Input>> &&
      std::is_assignable_v<std::iter_value_t<Input>&, std::iter_reference_t<Input>>));

/// How many samples of an input have been counted in each cell. The counters are wide enough for all of its samples.
///
/// A store to a counter and a load of the same one soon after wait for each other: of samples that are equal, or nearly
/// sorted, a core with one table counts one in 5 cycles. So there are four tables where they fit the first-level cache,
/// which take turns.
template <class Counter>
class tally {
public:
    /// For about `samples` samples.
    tally(offset cells, offset samples)
        : cells_(static_cast<std::size_t>(cells)),
          stride_(cells <= most_side_by_side && samples >= cells ? cells_ + 1 : 0),
          counters_(cells_ + 1 + (turns - 1) * stride_)
    {}

    /// Counts the next `count` samples of an input, and leaves it behind them.
    template <class View, class Input>
    void count_all(View const& view, Input& input, offset count)
    {
        using sample = sample_of<Input>;
        if constexpr (is_byte<sample>) {
            if (count >= bytes_that_pay)
                return count_bytes(view, input, count);
        } else if constexpr (taken_in_arrays<Input, View>) {
            return count_arrays(view, input, count);
        }
        take_turns(input, count, [&](auto&& own) {
            return place(static_cast<offset>(view.index(std::forward<decltype(own)>(own))));
        });
    }

    /// Counts all samples before the end of a range.
    template <class View, class Input, class Sentinel>
    void count_until(View const& view, Input& input, Sentinel const& last)
    {
        for (std::size_t turn = 0; !(input == last); ++input, (void)++turn)
            ++counters_[turn % turns * stride_ + place(static_cast<offset>(view.index(*input)))];
    }

    std::uint64_t number_of(offset cell) const
    {
        Counter const* const table = counters_.data() + cell + 1;
        return stride_ == 0 ? table[0]
                            : std::uint64_t{table[0]} + table[stride_] + table[2 * stride_] + table[3 * stride_];
    }

private:
    static constexpr std::size_t turns = 4;
    static constexpr offset most_side_by_side = 2048;
    static constexpr offset bytes_that_pay = 2048;
    static constexpr int block = 512;

    /// Where a cell is counted; what belongs to none is counted in front of them all.
    std::size_t place(offset cell) const
    {
        auto const number = static_cast<std::size_t>(cell);
        return number < cells_ ? number + 1 : 0;
    }

    template <class Input, class Place>
    void take_turns(Input& input, offset count, Place const& place)
    {
        Counter *const table = counters_.data(), *const second = table + stride_, *const third = second + stride_,
                       *const fourth = third + stride_;
        Input it = input;
        offset i = 0;
        auto const add_to = [&](Counter* turn) {
            ++turn[place(*it)];
            ++it;
        };
        for (; count - i >= offset{turns}; i += offset{turns}) {
            add_to(table);
            add_to(second);
            add_to(third);
            add_to(fourth);
        }
        for (; i < count; ++i)
            add_to(table);
        input = std::move(it);
    }

    /// Looks samples up in blocks. (The view says no_cell or a cell.)
    template <class View, class Input>
    void count_arrays(View const& view, Input& input, offset count)
    {
        int cells[block];
        for (int part; count > 0; count -= part) {
            part = static_cast<int>(std::min(count, offset{block}));
            if constexpr (contiguous_of<Input, sample_of<Input>>) {
                view.index_all(part, std::to_address(input), cells);
                input += part;
            } else {
                std::iter_value_t<Input> samples[block];
                for (int i = 0; i < part; ++i, (void)++input)
                    samples[i] = *input;
                view.index_all(part, samples, cells);
            }
            int const* next = cells;
            take_turns(next, part, [](int cell) { return static_cast<std::size_t>(offset{cell} + 1); });
        }
    }

    /// Counts bytes first, and then looks up each of them once.
    template <class View, class Input>
    void count_bytes(View const& view, Input& input, offset count)
    {
        using sample = sample_of<Input>;
        tally of_byte(256, count);
        of_byte.take_turns(input, count,
                           [](sample x) { return static_cast<std::size_t>(static_cast<unsigned char>(x)) + 1; });
        for (int byte = 0; byte < 256; ++byte)
            if (auto const number = of_byte.number_of(byte); number != 0)
                counters_[place(static_cast<offset>(view.index(static_cast<sample>(byte))))] +=
                    static_cast<Counter>(number);
    }

    std::size_t cells_, stride_;
    std::vector<Counter> counters_;
};

/// Calls `count(counter())` with a type of counters that is wide enough for a number of samples, and as narrow as can
/// be.
template <class Count>
auto with_counters_for(offset samples, Count const& count)
{
    return samples <= offset{std::numeric_limits<std::uint32_t>::max()} ? count(std::uint32_t{})
                                                                        : count(std::uint64_t{});
}

/// Adds to a counter. One of 64 bits or fewer wraps; a wider one, or a user's, adds as it does.
template <class Out>
void add_to_counter(Out& counts, std::uint64_t number)
{
    using counter = std::remove_cvref_t<decltype(*counts)>;
    if constexpr (std::integral<counter> && sizeof(counter) <= sizeof(number))
        tilewise::store(counts, static_cast<std::uint64_t>(*counts) + number);
    else if constexpr (binning::integer<counter>)
        *counts = static_cast<counter>(static_cast<binning::wide_unsigned>(*counts) + number);
    else if constexpr (requires { *counts = *counts + number; })
        *counts = *counts + number;
    else
        tilewise::store(counts, static_cast<std::uint64_t>(*counts) + number);
}

/// Writes counters, or adds to them. Returns their end.
template <bool adds, class Out, class NumberOf>
Out write_counters(Out counts, offset first, offset last, NumberOf const& number_of)
{
    for (offset cell = first; cell < last; ++cell, (void)++counts) {
        if constexpr (adds)
            host::add_to_counter(counts, number_of(cell));
        else
            tilewise::store(counts, number_of(cell));
    }
    return counts;
}

/// Counts samples up to `end`, which is their number or the end of their range, on the calling thread.
template <bool adds, class Input, class Extent, class View, class Out>
Out histogram(sequenced_policy, Input input, Extent end, View const& view, Out counts)
{
    offset const cells = view.extent();
    auto const write = [&](auto const& counted) {
        return host::write_counters<adds>(std::move(counts), 0, cells,
                                          [&](offset cell) { return counted.number_of(cell); });
    };
    if constexpr (std::same_as<Extent, offset>) {
        return host::with_counters_for(end, [&](auto counter) {
            tally<decltype(counter)> counted(cells, end);
            counted.count_all(view, input, end);
            return write(counted);
        });
    } else {
        tally<std::uint64_t> counted(cells, cells);
        counted.count_until(view, input, end);
        return write(counted);
    }
}

/// A histogram that several threads count, each in a table of its own, which it makes when it has something to count.
/// `at(i)` is the place of sample i of the input, for each i that is a multiple of `samples_per_share`.
template <class Counter, class View, class At>
class shared_tally {
public:
    shared_tally(offset count, offset samples_per_share, View const& view, At const& at)
        : count_(count), samples_per_share_(samples_per_share), view_(view), at_(at)
    {}

    /// Counts what the others have not begun.
    void work(first_exception const& thrown)
    {
        std::optional<tally<Counter>> own;
        for (offset first; !thrown.is_thrown() && (first = begun_.fetch_add(samples_per_share_)) < count_;) {
            if (!own)
                own.emplace(view_.extent(), count_);
            auto input = at_(first);
            own->count_all(view_, input, std::min(samples_per_share_, count_ - first));
        }
        std::lock_guard const lock(mutex_);
        if (own)
            tallies_.push_back(std::move(*own));
    }

    std::uint64_t number_of(offset cell) const
    {
        std::uint64_t sum = 0;
        for (auto const& own : tallies_)
            sum += own.number_of(cell);
        return sum;
    }

private:
    offset const count_, samples_per_share_;
    View const& view_;
    At const& at_;
    std::atomic<offset> begun_ = 0;
    std::mutex mutex_;
    std::vector<tally<Counter>> tallies_;
};

/// Counts `count` samples on several threads.
template <bool adds, class View, class At, class Out>
Out histogram_shared(offset threads, offset count, offset samples_per_share, View const& view, At const& at, Out counts)
{
    return host::with_counters_for(count, [&](auto counter) {
        shared_tally<decltype(counter), View, At> counted(count, samples_per_share, view, at);
        host::work_together(threads, [&](first_exception const& thrown) { counted.work(thrown); });
        auto const number_of = [&](offset cell) { return counted.number_of(cell); };
        offset const cells = view.extent();
        if constexpr (random_access<Out> && !shares_words<Out>) {
            constexpr offset cells_that_pay = 1 << 14;
            if (cells >= cells_that_pay) {
                host::parallel_for(cells, [&](offset first, offset last) {
                    host::write_counters<adds>(counts + first, first, last, number_of);
                });
                return counts + cells;
            }
        }
        return host::write_counters<adds>(std::move(counts), 0, cells, number_of);
    });
}

/// Whether threads that help pay for themselves, even with few samples.
template <class Input, class View>
bool is_slow(Input input, offset count, View const& view)
{
    if constexpr (is_read_once<Input> || (contiguous_of<Input, sample_of<Input>> && binning::is_quick<View>))
        return false;
    else
        return count > 1 && host::takes_long(count, [&] { return view.index(*input); });
}

/// Counts samples up to `end` on all cores.
///
/// A thread's table has to be cleared and added up, which takes about as long as counting as many samples: so there are
/// no more tables than the samples have counters for. (f32, 65536 samples in as many bins: one thread 1.34 ns each, two
/// 2.37.)
template <bool adds, class Input, class Extent, class View, class Out>
Out histogram(parallel_policy, Input input, Extent end, View const& view, Out counts)
{
    constexpr offset samples_that_pay = 1 << 16, samples_per_share = 1 << 15, step = 1 << 8;
    offset const cells = view.extent();
    auto const threads_for = [&](offset samples) {
        return std::min({concurrency(), samples / (samples_that_pay / 2), samples / std::max(cells, offset{1})});
    };
    if constexpr (std::same_as<Extent, offset>) {
        auto const at = [&](offset i) { return tilewise::advanced(input, i); };
        if (std::max(end, cells) < samples_that_pay && host::is_slow(input, end, view)) {
            offset const threads = std::min(concurrency(), end);
            return host::histogram_shared<adds>(threads, end, std::max(offset{1}, end / (8 * threads)), view, at,
                                                std::move(counts));
        }
        if (threads_for(end) > 1)
            return host::histogram_shared<adds>(threads_for(end), end, samples_per_share, view, at, std::move(counts));
        return host::histogram<adds>(seq, std::move(input), end, view, std::move(counts));
    } else {
        std::vector<Input> places;
        offset count = 0;
        for (Input it = input; !(it == end); ++it, (void)++count)
            if (count % step == 0)
                places.push_back(it);
        auto const at = [&](offset i) { return places[static_cast<std::size_t>(i / step)]; };
        return host::histogram_shared<adds>(std::max(offset{1}, threads_for(count)), count, step, view, at,
                                            std::move(counts));
    }
}

} // namespace host
TILEWISE_NAMESPACE_END
