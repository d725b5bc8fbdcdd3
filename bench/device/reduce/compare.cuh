// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// @file
/// One type at all sizes and offsets: checked, then timed beside its baselines.

#include "../session.cuh"
#include "baselines.cuh"
#include "reference.cuh"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench::reductions {

template <class Reduction>
void compare(session& run, std::string const& name)
{
    using element = typename Reduction::element;
    using accumulator = typename Reduction::accumulator;
    if (!run.chosen.wants_type(name))
        return;

    int largest = -1;
    for (int const size : run.chosen.sizes)
        if ((sizeof(element) << size) <= run.chosen.most_bytes)
            largest = std::max(largest, size);
    int const furthest = run.chosen.offsets.empty() ? 0 : std::ranges::max(run.chosen.offsets);
    if (largest < 0)
        return;
    announced const part(name);

    device_array<element> const elements((std::size_t{1} << largest) + static_cast<std::size_t>(furthest));
    fill(elements.data(), elements.size(), run.queue);
    device_array<accumulator> const outs(512); // results in cache lines of their own
    accumulator *const ours = outs.data(), *const theirs = outs.data() + 256;

    for (int const offset : run.chosen.offsets)
        for (int const size : run.chosen.sizes) {
            if (size > largest)
                continue;
            std::uint64_t const count = std::uint64_t{1} << size;
            element const* const first = elements.data() + offset;
            auto const with_tilewise = [&] { tilewise_into<Reduction>(run.queue, first, count, ours); };
            auto const with_cub = [&] { cub_into<Reduction>(run.scratch, run.queue, first, count, theirs); };

            // Are the results right?
            check(cudaMemsetAsync(outs.data(), 0xff, outs.size() * sizeof(accumulator), run.queue), "cudaMemsetAsync");
            with_tilewise();
            with_cub();
            auto const expected = reference(first, count, typename Reduction::widen{}, typename Reduction::wide_op{},
                                            Reduction::wide_init(), run.queue);
            accumulator const result = fetch(ours, run.queue);
            auto const where = name + " + " + std::to_string(offset);
            expect("tilewise, " + where, result, expected, count);
            if (!Reduction::cub_reorders) // CUB's threads add up long runs of elements, whose rounding errors grow
                expect("CUB, " + where, fetch(theirs, run.queue), expected, count, 256);

            // How long do they take?
            measurement const setting{"types", name, {}, count, offset, true, count * sizeof(element), {}};
            std::vector<competitor> const competitors{
                {"tilewise", with_tilewise},
                {"cub", with_cub},
                {"read", [&] { read_only(run.queue, first, count * sizeof(element), theirs); }}};
            run.time_on_gpu(setting, competitors);
            if (offset == 0) {
                run.time_warm(setting, competitors);
                run.time_call(setting, competitors);
            }

            accumulator const again = fetch(ours, run.queue);
            if (std::memcmp(&again, &result, sizeof again) != 0)
                throw std::runtime_error("other bits in another run: " + where + ", n = " + std::to_string(count));
        }
}

} // namespace bench::reductions
