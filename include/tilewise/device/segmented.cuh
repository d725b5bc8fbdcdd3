// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// The engine of the segmented algorithms for the device policy, in two kernels: in `combine_short_segments` a few
/// lanes take a segment of up to a row, and a warp one of up to a chunk; longer ones go to a list, from which the
/// blocks of `combine_long_segments` take one after the other, tile by tile.
///
/// A segment begins anywhere, so its elements are read one by one, and nothing beside them.
///
/// Of elements in host memory those are copied that segments reach (`find_reach`), for some segments after the others
/// if need be.

#include <tilewise/core/config.hpp>
#include <tilewise/device/block/carry.cuh>
#include <tilewise/device/block/output.cuh>
#include <tilewise/device/block/view.cuh>
#include <tilewise/device/block/view_of.cuh>
#include <tilewise/device/block/warp.cuh>
#include <tilewise/device/cuda/arch.cuh>
#include <tilewise/device/cuda/device_call.cuh>
#include <tilewise/device/cuda/scratch.cuh>
#include <tilewise/device/cuda/staging.cuh>
#include <tilewise/device/scan/carry.cuh>
#include <tilewise/device/scan/chunk.cuh>
#include <tilewise/device/scan/tile_per_block.cuh>
#include <tilewise/device/tuning.cuh>
#include <tilewise/order.hpp>
#include <tilewise/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>

TILEWISE_NAMESPACE_BEGIN
namespace gpu {

/// A part of a range.
struct segment_span {
    offset begin, count;
};

/// Where segments begin and end, as views.
template <class Begins, class Ends>
struct segment_list {
    Begins begins;
    Ends ends;

    /// One that ends before it begins has no elements.
    TILEWISE_DEVICE segment_span at(offset index)
    {
        offset const begin = number(begins, index), end = number(ends, index);
        return {begin, end < begin ? 0 : end - begin};
    }

private:
    template <class View>
    TILEWISE_DEVICE static offset number(View& view, offset index)
    {
        auto const loaded = view.template fetch<access::elementwise, 1>(index);
        return static_cast<offset>(view.element(loaded, 0));
    }
};

/// Writes one value.
template <class Sink, class T>
TILEWISE_DEVICE void store_one(Sink& to, offset position, T const& value)
{
    registers<T, 1> one;
    gpu::put(one[0], value);
    to.store_some(position, Sink::pack(one), 0, 1);
}

/// Writes the last result of a scan, which is the reduction, and drops the others.
template <class Sink>
struct last_result {
    Sink to;
    offset place; ///< where it goes
    offset last;  ///< which result it is

    template <int>
    static constexpr int alignment = 1;
    template <int>
    static constexpr bool can_cover = false;

    template <class T, int count>
    TILEWISE_DEVICE static registers<T, count> pack(registers<T, count> const& values)
    {
        return values;
    }
    template <access, class T, int count>
    TILEWISE_DEVICE void store(offset position, registers<T, count> const& values)
    {
        store_some(position, values, 0, count);
    }
    template <class T, int count>
    TILEWISE_DEVICE void store_some(offset position, registers<T, count> const& values, int begin, int end)
    {
        TILEWISE_UNROLL
        for (int i = 0; i < count; ++i)
            if (i >= begin && i < end && position + i == last)
                gpu::store_one(to, place, T(values[i]));
    }
    TILEWISE_DEVICE last_result from(offset position) const { return {to, place, last - position}; }
};

/// A result for every element of a segment, where the element stands.
template <class Sink>
struct result_per_element {
    using sink = Sink;
    static constexpr bool reduces = false;
    Sink to;
    TILEWISE_DEVICE sink of(offset, segment_span segment) const { return to.from(segment.begin); }
};

/// A result for every segment.
template <class Sink>
struct result_per_segment {
    using sink = last_result<Sink>;
    static constexpr bool reduces = true;
    Sink to;
    TILEWISE_DEVICE sink of(offset index, segment_span segment) const { return {to, index, segment.count - 1}; }
};

/// The types of a segmented algorithm: the scan of a segment, the results, and the segments.
template <class Scan, class Results, class Segments>
struct segmented_of {
    using scan = Scan;
    using view = typename Scan::view;
    using value = typename Scan::value;
    using op = typename Scan::op;
    using results = Results;
    using segments = Segments;
};

/// The long segments of a launch, as their numbers in it, and how many of them are found and taken.
struct long_segments {
    unsigned long long *found, *taken;
    unsigned* number;
};

/// The largest of the lanes' values; every lane has it.
TILEWISE_DEVICE int warp_largest(int value)
{
    TILEWISE_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2)
        value = max_of(value, shuffle_xor(value, distance));
    return value;
}

/// Combines segments of up to a row side by side, in `width` lanes each. The lanes below `there` have one each in
/// `own`, which is number `first` plus the lane's; one without elements is left out.
template <class Segmented>
TILEWISE_DEVICE void warp_combine_short(typename Segmented::view const& view,
                                        typename Segmented::results const& results, segment_span own, offset first,
                                        int there, int width, typename Segmented::op& op,
                                        maybe<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using Sink = typename Scan::sink;
    using T = typename Scan::value;
    constexpr int N = Scan::lane_vector;
    int const lane = lane_index() % width, position = lane * N;
    TILEWISE_NO_UNROLL
    for (int turn = 0; turn < there; turn += warp_size / width) {
        int const which = turn + lane_index() / width;
        segment_span const segment = {shuffle(own.begin, which), shuffle(static_cast<int>(own.count), which)};
        int const left = static_cast<int>(segment.count) - position;
        auto from = view.from(segment.begin);
        typename Scan::packet loaded;
        if (left > 0)
            loaded = from.template fetch_clamped<N>(position, segment.count - 1);

        registers<T, N> sums; // of the lane vector up to each element
        registers<T, 1> tree; // of the lanes up to this one
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            if (i < left) {
                T const element = gpu::operand<T, typename Scan::op>(from, loaded, i);
                gpu::put(tree[0], i == 0 ? element : gpu::combine(op, T(tree[0]), element));
                gpu::put(sums[i], tree[0]);
            }
        }
        TILEWISE_NO_UNROLL
        for (int distance = 1; distance < width; distance *= 2) {
            T const before = gpu::shuffle_up(tree[0], distance);
            if (lane >= distance && left > 0)
                gpu::put(tree[0], gpu::combine(op, before, T(tree[0])));
        }
        T const before = gpu::shuffle_up(tree[0], 1);
        if (left <= 0 || (Segmented::results::reduces && left > N))
            continue;
        maybe<T> prefix(init);
        if (lane > 0)
            prefix.append(op, before);
        registers<T, N> out;
        TILEWISE_UNROLL
        for (int i = 0; i < N; ++i) {
            bool const wanted = Segmented::results::reduces ? i + 1 == left : i < left;
            if (wanted && Scan::form == scan_form::inclusive)
                gpu::put(out[i], prefix.there ? gpu::combine(op, T(prefix.value[0]), T(sums[i])) : sums[i]);
            else if (wanted)
                gpu::put(out[i],
                         i > 0 ? gpu::combine(op, T(prefix.value[0]), T(sums[max_of(i - 1, 0)])) : prefix.value[0]);
        }
        Sink to = results.of(first + which, segment);
        to.store_some(position, Sink::pack(out), Segmented::results::reduces ? left - 1 : 0, left);
    }
}

/// Combines a segment of up to a chunk with a warp, row by row; the next row is on its way meanwhile.
template <class Segmented>
TILEWISE_DEVICE void warp_combine_rows(typename Segmented::view const& view, typename Segmented::results const& results,
                                       segment_span segment, offset index, typename Segmented::op& op,
                                       maybe<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    constexpr access how = access::elementwise;
    int const count = static_cast<int>(segment.count);
    auto from = gpu::tile_in_memory<Scan, how>(view, segment.begin, count);
    auto to = results.of(index, segment);
    auto run = gpu::nothing<typename Scan::value>();
    registers<typename Scan::packet, 1> row, next;
    gpu::load_rows<Scan, false, how, memory::global>(from, 0, next);
    TILEWISE_NO_UNROLL
    for (int begin = 0; begin < count; begin += Scan::row) {
        row = next;
        if (begin + Scan::row < count)
            gpu::load_rows<Scan, false, how, memory::global>(from, begin + Scan::row, next);
        rows_in_registers<Scan, false, 1> sums;
        sums.add_up(row, from.all, op, count - begin, run);
        sums.template write<how>(to, from.all, op, begin, count - begin, init);
    }
}

/// Combines the segments of up to a chunk, of the `count` from `first` on, `per_warp` to a warp, and lists the longer
/// ones.
template <class Segmented, int threads>
TILEWISE_KERNEL(threads, 1)
combine_short_segments(typename Segmented::view view, typename Segmented::results results,
                       typename Segmented::segments segments, offset first, offset count, int per_warp,
                       initial<typename Segmented::value> init, typename Segmented::op op, long_segments longer)
{
    using Scan = typename Segmented::scan;
    offset const done = (offset{block_index()} * (threads / warp_size) + warp_index()) * per_warp;
    int const there = static_cast<int>(at_most(count - done, per_warp)), lane = lane_index();
    if (there <= 0)
        return;
    first += done;
    segment_span own = {0, 0};
    if (lane < there)
        own = segments.at(first + lane);
    maybe<typename Scan::value> const before = init.get();
    if (Segmented::results::reduces && lane < there && own.count == 0)
        gpu::store_one(results.to, first + lane, before.value[0]);

    bool const fits_row = own.count <= Scan::row, fits_chunk = own.count <= Scan::chunk;
    if (!fits_chunk)
        longer.number[draw(longer.found)] = static_cast<unsigned>(done + lane);
    int const longest = warp_largest(fits_row ? static_cast<int>(own.count) : 0);
    if (longest > 0) {
        int width = 1;
        while (width * Scan::lane_vector < longest)
            width *= 2;
        segment_span const short_one = {own.begin, fits_row ? own.count : 0};
        gpu::warp_combine_short<Segmented>(view, results, short_one, first, there, width, op, before);
    }
    bool const has_rows = !fits_row && fits_chunk;
    if (warp_largest(has_rows) == 0)
        return;
    TILEWISE_NO_UNROLL
    for (int i = 0; i < there; ++i) {
        if (shuffle(int{has_rows}, i) != 0)
            gpu::warp_combine_rows<Segmented>(view, results, {shuffle(own.begin, i), shuffle(own.count, i)}, first + i,
                                              op, before);
    }
}

/// The total of a whole tile; every lane of the block has it. Synchronise the block before the next call.
template <class Scan>
TILEWISE_DEVICE auto block_tile_total(typename Scan::view const& view, offset tile, typename Scan::op& op) ->
    typename Scan::value
{
    using T = typename Scan::value;
    TILEWISE_SHARED(chunk_totals, raw_storage<T[Scan::chunks]>);
    int const warp = warp_index();
    auto from = gpu::tile_in_memory<Scan, access::elementwise>(view, tile * Scan::tile, Scan::tile);
    T const total = gpu::chunk_total<Scan, true, access::elementwise, memory::global>(from, warp * Scan::chunk, op);
    if (lane_index() == 0)
        gpu::put(chunk_totals.object()[warp], total);
    sync_block();
    T const own(chunk_totals.object()[gpu::min_of(lane_index(), Scan::chunks - 1)]);
    return gpu::shuffle(gpu::warp_tree_of_valid<1, Scan::chunks>(op, own, Scan::chunks), 0);
}

/// Combines a segment with a block.
template <class Segmented>
TILEWISE_DEVICE void block_combine(typename Segmented::view const& view, typename Segmented::results const& results,
                                   segment_span segment, offset index, typename Segmented::op& op,
                                   maybe<typename Segmented::value> const& init)
{
    using Scan = typename Segmented::scan;
    using T = typename Scan::value;
    auto const from = view.from(segment.begin);
    auto const to = results.of(index, segment);
    offset const last = (segment.count - 1) / Scan::tile;
    running_carry<typename Scan::order, T, 0, 2> carry;
    offset tile = 0;
    if constexpr (Segmented::results::reduces) {
        TILEWISE_NO_UNROLL
        for (; tile < last; ++tile) {
            carry.append(op, gpu::block_tile_total<Scan>(from, tile, op));
            sync_block();
        }
    }
    TILEWISE_NO_UNROLL
    for (; tile <= last; ++tile) {
        gpu::block_scan_any_tile<Scan, access::elementwise, access::elementwise>(
            from, to, tile, segment.count, op, [&](T const& total) {
                maybe<T> const before = carry.before_next(op, init);
                if (tile < last)
                    carry.append(op, total);
                return before;
            });
        sync_block();
    }
}

/// Combines the segments that are listed, a block each.
template <class Segmented>
TILEWISE_KERNEL(Segmented::scan::threads, 1)
combine_long_segments(typename Segmented::view view, typename Segmented::results results,
                      typename Segmented::segments segments, offset first, initial<typename Segmented::value> init,
                      typename Segmented::op op, long_segments longer)
{
    TILEWISE_SHARED(drawn, unsigned long long);
    unsigned long long const found = *longer.found;
    for (;;) {
        if (thread_index() == 0)
            drawn = draw(longer.taken);
        sync_block();
        unsigned long long const own = drawn;
        if (own >= found)
            return;
        offset const index = first + longer.number[own];
        gpu::block_combine<Segmented>(view, results, segments.at(index), index, op, init.get()); // ends with a barrier
    }
}

/// The elements from the first to the last that some segments have.
struct segment_reach {
    offset begin, end;
    offset count() const { return end > begin ? end - begin : 0; }
};

/// Finds what `count` segments reach, by one block.
template <class Segments, int threads>
TILEWISE_KERNEL(threads, 1)
find_reach(Segments segments, offset count, segment_reach* found)
{
    TILEWISE_SHARED(parts, raw_storage<segment_reach[threads]>);
    segment_reach mine = {0, 0};
    for (offset i = thread_index(); i < count; i += threads) {
        segment_span const segment = segments.at(i);
        if (segment.count > 0) {
            bool const first = mine.begin == mine.end;
            mine.begin = first || segment.begin < mine.begin ? segment.begin : mine.begin;
            mine.end = first || segment.begin + segment.count > mine.end ? segment.begin + segment.count : mine.end;
        }
    }
    gpu::put(parts.object()[thread_index()], mine);
    sync_block();
    if (thread_index() != 0)
        return;
    for (int i = 1; i < threads; ++i) {
        segment_reach const other = parts.object()[i];
        if (other.begin == other.end)
            continue;
        bool const first = mine.begin == mine.end;
        mine.begin = first || other.begin < mine.begin ? other.begin : mine.begin;
        mine.end = first || other.end > mine.end ? other.end : mine.end;
    }
    *found = mine;
}

/// Starts the kernels for `count` segments, for some after the others, so that the lists stay short.
template <class Segmented, class Tuning>
void start_segmented(device_call& call, typename Segmented::view const& view,
                     typename Segmented::results const& results, typename Segmented::segments const& segments,
                     offset count, std::optional<typename Segmented::value> const& init,
                     typename Segmented::op const& op)
{
    constexpr bool reduces = Segmented::results::reduces;
    constexpr int warps = Tuning::threads / warp_size;
    offset const at_once = std::min(count, Tuning::segments_at_once);
    offset const rounds = (count + at_once - 1) / at_once;
    auto const counter_bytes = static_cast<std::size_t>(rounds) * 2 * sizeof(unsigned long long);
    scratch<unsigned char> const memory(call, static_cast<offset>(counter_bytes) + at_once * offset{sizeof(unsigned)});
    auto* const counters = reinterpret_cast<unsigned long long*>(memory.begin());
    call.clear(counters, counter_bytes);
    offset const most_long_blocks = offset{call.multiprocessors()} * Tuning::long_blocks_per_multiprocessor;

    initial<typename Segmented::value> const before(init);
    for (offset round = 0; round < rounds; ++round) {
        offset const first = round * at_once, left = std::min(at_once, count - first);
        long_segments const longer = {counters + 2 * round, counters + 2 * round + 1,
                                      reinterpret_cast<unsigned*>(counters + 2 * rounds)};
        int const per_warp = static_cast<int>(std::bit_floor(
            static_cast<std::size_t>(std::clamp(left / Tuning::warps_wanted, offset{1}, offset{warp_size}))));
        auto const blocks = static_cast<int>((left + per_warp * warps - 1) / (per_warp * warps));
        call.launch(&combine_short_segments<Segmented, Tuning::threads>,
                    reduces ? "reduce_short_segments" : "scan_short_segments", {blocks, Tuning::threads}, view, results,
                    segments, first, left, per_warp, before, op, longer);
        call.launch(&combine_long_segments<Segmented>, reduces ? "reduce_long_segments" : "scan_long_segments",
                    {static_cast<int>(std::min(left, most_long_blocks)), Segmented::scan::threads}, view, results,
                    segments, first, before, op, longer);
    }
}

/// What the segmented algorithms have in common; `Results` says what is written.
template <template <class> class Results, class Geometry, scan_form form, class T, class Tuning, class Policy,
          class Input, class Begins, class Ends, class Out, class Op>
void combine_segments(char const* algorithm, Policy const& policy, Input const& input, Begins const& begins,
                      Ends const& ends, offset count, Out const& out, std::optional<T> const& init, Op const& op)
{
    if (count <= 0)
        return;
    device_call call(algorithm, count, policy);
    auto view = gpu::view_of(input, 0); // its size is unused where elements are read one by one
    auto sink = gpu::sink_of(out);
    auto first = gpu::view_of(begins, count);
    auto last = gpu::view_of(ends, count);
    using results_type = Results<decltype(sink)>;
    view.for_each_memory([](auto& memory) { memory.size = memory.first != nullptr; }); // null without elements
    staging staged(call);
    std::size_t bytes_each = staged.bytes_per_element(view),
                of_segments = staged.bytes_per_element(first) + staged.bytes_per_element(last);
    staged.stage_in(first);
    staged.stage_in(last);
    if constexpr (results_type::reduces) {
        of_segments += staged.bytes_per_result(sink);
        staged.stage_out(sink, count);
    } else if (sink.base() != nullptr) {
        bytes_each += staged.bytes_per_result(sink);
    }
    of_segments *= static_cast<std::size_t>(count);

    using scan_type = scan_of<decltype(view), typename results_type::sink, T, Op, form, order<T, Geometry>>;
    using list_type = segment_list<decltype(first), decltype(last)>;
    using segmented = segmented_of<scan_type, results_type, list_type>;
    list_type const segments = {first, last};
    if (bytes_each == 0) {
        gpu::start_segmented<segmented, Tuning>(call, view, results_type{sink}, segments, count, init, op);
    } else if constexpr (Policy::waits) {
        auto& reach = *call.line<segment_reach>();
        offset guess = count, now = 0;
        for (offset done = 0; done < count; done += now, guess = 2 * now) {
            list_type const left = done == 0 ? segments : list_type{first.from(done), last.from(done)};
            for (now = std::min(guess, count - done);; now = (now + 1) / 2) { // until they fit; one has to
                call.set_items(now);
                call.launch(&find_reach<list_type, Tuning::threads>, "find_reach", {1, Tuning::threads}, left, now,
                            &reach);
                call.finish();
                std::size_t const wanted = static_cast<std::size_t>(reach.count()) * bytes_each + of_segments;
                if (now == 1 || wanted <= staged.budget_for(wanted))
                    break;
            }
            auto elements = view;
            auto results = sink;
            staging of_reach(call);
            of_reach.stage_in_part(elements, reach.begin, reach.count());
            if constexpr (!results_type::reduces)
                of_reach.stage_out_part(results, reach.begin, reach.count());
            else if (done > 0)
                results = sink.from(done);
            gpu::start_segmented<segmented, Tuning>(call, elements, results_type{results}, left, now, init, op);
            of_reach.copy_out();
        }
    }
    staged.copy_out();
    call.finish();
}

/// Combines `init` and each of `count` segments to a value, in the policy's stream.
template <class Geometry, class Tuning = segmented_tuning, class Policy, class Input, class Begins, class Ends,
          class Out, class T, class Op>
void segmented_reduce(Policy const& policy, Input const& input, Begins const& begins, Ends const& ends, offset count,
                      Out const& out, T const& init, Op const& op)
{
    gpu::combine_segments<result_per_segment, Geometry, scan_form::inclusive, T, Tuning>(
        "segmented_reduce", policy, input, begins, ends, count, out, std::optional<T>(init), op);
}

/// Scans each of `count` segments after `init`, if there is one, in the policy's stream.
template <class Geometry, scan_form form, class T, class Tuning = segmented_tuning, class Policy, class Input,
          class Begins, class Ends, class Out, class Op>
void segmented_scan(Policy const& policy, Input const& input, Begins const& begins, Ends const& ends, offset count,
                    Out const& out, std::optional<T> const& init, Op const& op)
{
    gpu::combine_segments<result_per_element, Geometry, form, T, Tuning>(
        form == scan_form::inclusive ? "segmented_inclusive_scan" : "segmented_exclusive_scan", policy, input, begins,
        ends, count, out, init, op);
}

} // namespace gpu
TILEWISE_NAMESPACE_END
