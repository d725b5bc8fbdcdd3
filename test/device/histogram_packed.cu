// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram_kernels.hpp"

#include <cstdint>
#include <vector>

#ifndef __CUDACC__
#include <simt/runtime.hpp>
#endif

namespace {

using namespace histogram_kernels;

/// As many additions between two flushes as there can be: 15 batches of 4096 samples, so that a flush leaves less than
/// 2048.
struct with_rare_flushes : in_packed_table {
    struct packed_table : blocks_of<128, 1, any_words, 4> {
        static constexpr int most_between_flushes = 61440, repeating_lanes = 4;
        static constexpr int wanted_words = 0;
    };
};
struct without_runs : in_packed_table {
    struct packed_table : blocks_of<128, 1, any_words, 4> {
        static constexpr int most_between_flushes = 61440, repeating_lanes = 33;
        static constexpr int wanted_words = 600; // of 1004
    };
};
constexpr std::size_t window = 61440, left = 2048,
                      first_window = window - 4096; // the rest of the samples takes the place of a batch

/// In the interpreter, one block gets all samples.
template <class Body>
void with_one_block([[maybe_unused]] Body body)
{
#ifndef __CUDACC__
    simt::runtime::set_devices({{.multiprocessors = 1}});
#endif
    body();
}

template <class Tuning>
void expect_counted_by(std::vector<std::uint16_t> const& samples)
{
    static tw::integer_axis const axis(0, 1001);
    device_array<std::uint16_t> const device_copy(samples);
    guarded<unsigned> const counts(1001);
    count<Tuning>(tw::device, device_copy.data(), samples.size(), axis, counts.data());
    counts.expect(counted(axis, samples));
}
void expect_counted(std::vector<std::uint16_t> const& samples)
{
    if (!on_device::leaves_to_other_schedule(0))
        expect_counted_by<with_rare_flushes>(samples);
    if (!on_device::leaves_to_other_schedule(1))
        expect_counted_by<without_runs>(samples);
}

/// In the first cell of the low halves, or the last; and likewise in the high ones.
DEVICE_TEST(packed_counters, may_get_all_samples)
{
    with_one_block([] {
        for (int const cell : {0, 4, 503, 504, 1000})
            expect_counted(std::vector<std::uint16_t>(2 * window + 70001, static_cast<std::uint16_t>(cell)));
    });
}

/// What a flush leaves, and all that comes before the next one, fit together; not so, one more.
DEVICE_TEST(packed_counters, keep_what_a_flush_leaves)
{
    with_one_block([] {
        for (std::size_t const before : {left - 1, left, left + 1, 4 * left - 1})
            for (int const cell : {300, 603}) { // the halves of words
                std::vector<std::uint16_t> samples(2 * window + 4096, static_cast<std::uint16_t>(cell));
                for (std::size_t i = before; i < first_window; ++i)
                    samples[i] = static_cast<std::uint16_t>(i % 400); // neither of them too often
                for (std::size_t i = before; i < first_window; ++i)
                    samples[i] = samples[i] == cell ? 5 : samples[i];
                expect_counted(samples);
            }
    });
}

/// Both counters of a word at once, in turns and in runs.
DEVICE_TEST(packed_counters, share_words)
{
    with_one_block([] {
        std::vector<std::uint16_t> samples(2 * window + 40000);
        for (int const low : {104, 200}) // of 504 words, or of 600
            for (std::size_t const run : {1, 2, 7, 32, 100, 900}) {
                for (std::size_t i = 0; i < samples.size(); ++i)
                    samples[i] = static_cast<std::uint16_t>(i / run % 2 == 0 ? low : 604);
                expect_counted(samples);
            }
    });
}

/// Samples outside do not end what a run before them has.
DEVICE_TEST(packed_counters, count_runs_beside_samples_outside)
{
    std::vector<std::uint16_t> samples(9000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::uint16_t>(i / 5 % 3 == 0 ? 2000 : i / 5 % 3 == 1 ? 7 : 1000);
    expect_counted(samples);
}

} // namespace
