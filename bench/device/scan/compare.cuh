// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One scan at all sizes and alignments: checked, then timed beside its baselines.

#include "../session.cuh"
#include "check.cuh"
#include "scans.cuh"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::scans {

/// One scan, with the memory for its largest size.
template <class Scan>
class comparison {
public:
    using element = typename Scan::element;
    using result = typename Scan::result;
    static constexpr std::uint64_t bytes_each = sizeof(element) + sizeof(result); ///< read and written

    comparison(session& run, std::string name, int largest, int furthest)
        : run_(run), name_(std::move(name)), largest_(std::uint64_t{1} << largest), elements_(largest_ + furthest),
          ours_(largest_ + furthest), theirs_(largest_ + furthest),
          expected_(std::min(largest_ + furthest, most_on_host<result>()))
    {
        fill(elements_.data(), elements_.size(), run.queue);
    }

    /// At all sizes, with input and output the same number of elements off.
    void measure_sizes()
    {
        for (int const offset : run_.chosen.offsets)
            for (int const size : run_.chosen.sizes) {
                std::uint64_t const count = std::uint64_t{1} << size;
                if (count > largest_)
                    continue;
                auto const print = checked(offset, offset, count);
                measurement const setting{"types", name_, {}, count, offset, true, count * bytes_each, {}};
                std::vector<competitor> const competitors{{"tilewise", [=, this] { scan(offset, offset, count); }},
                                                          {"cub", [=, this] { scan_by_cub(offset, offset, count); }},
                                                          {"copy", [=, this] { copy_as_much(count); }}};
                run_.time_on_gpu(setting, competitors);
                if (offset == 0) {
                    run_.time_warm(setting, competitors);
                    run_.time_call(setting, competitors);
                }
                expect_again(print, offset, count);
            }
    }

    /// Integers of ever less entropy.
    void measure_entropies()
    {
        static_assert(std::is_same_v<element, std::int32_t>);
        for (auto const& [bits, words] : entropies) {
            launch(write_integers, 4096, 256, run_.queue, elements_.data(), elements_.size(), words);
            expected_from_ = -1;
            for (int const size : {24, 28}) {
                auto const count = std::uint64_t{1} << size;
                auto const print = checked(0, 0, count);
                run_.time_on_gpu({"entropies", name_ + ", " + bits, {}, count, 0, true, count * bytes_each, {}},
                                 {{"tilewise", [=, this] { scan(0, 0, count); }},
                                  {"cub", [=, this] { scan_by_cub(0, 0, count); }},
                                  {"copy", [=, this] { copy_as_much(count); }}});
                expect_again(print, 0, count);
            }
        }
    }

    /// With input, output or both one element off.
    void measure_alignments(std::vector<int> const& sizes)
    {
        struct alignment {
            char const* what;
            int in, out;
        };
        for (auto const& [what, in, out] : {alignment{"input", 1, 0}, {"output", 0, 1}, {"both", 1, 1}})
            for (int const size : sizes) {
                std::uint64_t const count = std::uint64_t{1} << size;
                if (count > largest_)
                    continue;
                checked(in, out, count);
                run_.time_on_gpu({"alignments", name_ + ", " + what, {}, count, 1, true, count * bytes_each, {}},
                                 {{"tilewise", [=, this, in = in, out = out] { scan(in, out, count); }},
                                  {"tilewise_aligned", [=, this] { scan(0, 0, count); }},
                                  {"cub", [=, this, in = in, out = out] { scan_by_cub(in, out, count); }}});
            }
    }

private:
    void scan(int in, int out, std::uint64_t count)
    {
        tilewise_into<Scan>(run_.queue, std::as_const(elements_).data() + in, count, ours_.data() + out);
    }
    void scan_by_cub(int in, int out, std::uint64_t count)
    {
        cub_into<Scan>(run_.scratch, run_.queue, elements_.data() + in, count, theirs_.data() + out);
    }
    void copy_as_much(std::uint64_t count)
    {
        static_assert(sizeof(result) >= sizeof(element));
        copy(run_.queue, ours_.data(), theirs_.data(), count * bytes_each);
    }

    /// Throws if a result is wrong; the fingerprint of ours.
    unsigned long long checked(int in, int out, std::uint64_t count)
    {
        if (in != expected_from_) {
            auto const within = std::min(largest_, expected_.size());
            seq_into<Scan>(elements_.data() + in, within, expected_.data(), run_.queue);
            expected_from_ = in;
        }
        check(cudaMemsetAsync(ours_.data(), 0xff, ours_.size() * sizeof(result), run_.queue), "cudaMemsetAsync");
        scan(in, out, count);
        scan_by_cub(in, out, count);
        auto const where = name_ + " from " + std::to_string(in) + " to " + std::to_string(out);
        result const *const ours = ours_.data() + out, *const theirs = theirs_.data() + out;
        auto const on_host = std::min<std::uint64_t>(count, expected_.size());
        expect_bits("tilewise beside seq, " + where, ours, expected_.data(), on_host, run_.queue);
        expect_value("tilewise beside CUB, " + where, ours, theirs, count, run_.queue);
        return fingerprint(ours, count, run_.queue);
    }
    void expect_again(unsigned long long print, int out, std::uint64_t count)
    {
        if (fingerprint(ours_.data() + out, count, run_.queue) != print)
            throw std::runtime_error("other bits in another run: " + name_ + " + " + std::to_string(out) +
                                     ", n = " + std::to_string(count));
    }

    session& run_;
    std::string name_;
    std::uint64_t largest_; ///< the most elements
    device_array<element> elements_;
    device_array<result> ours_, theirs_;
    device_array<result> expected_; ///< what seq makes of the elements from expected_from_ on
    int expected_from_ = -1;
};

template <class Scan>
void compare(session& run, std::string const& name)
{
    bool const sizes = run.chosen.wants_part("types"), alignments = run.chosen.wants_part("alignments");
    if (!run.chosen.wants_type(name) || !(sizes || alignments))
        return;
    std::vector<int> const of_alignments = run.chosen.quick ? std::vector{24, 28} : std::vector{22, 26, 28};
    int largest = alignments ? of_alignments.back() : -1, furthest = 1;
    if (sizes) {
        for (int const size : run.chosen.sizes)
            if ((sizeof(typename Scan::result) << size) <= run.chosen.most_bytes)
                largest = std::max(largest, size);
        for (int const offset : run.chosen.offsets)
            furthest = std::max(furthest, offset);
    }
    if (largest < 0)
        return;

    announced const part(name);
    comparison<Scan> one(run, name, largest, furthest);
    if (sizes)
        one.measure_sizes();
    if (alignments)
        one.measure_alignments(of_alignments);
}

} // namespace bench::scans
