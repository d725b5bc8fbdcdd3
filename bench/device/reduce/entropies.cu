// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Does it matter what is added up? Integers of ever less entropy: fewer bits that flip take less power.

#include "baselines.cuh"
#include "parts.cuh"
#include "reference.cuh"

#include <cstdint>
#include <string>

void bench::reductions::compare_entropies(session& run)
{
    using sum = sum_of<std::int32_t, std::int32_t>;
    device_array<std::int32_t> const elements(std::size_t{1} << 28), outs(512);
    for (auto const& [bits, words] : entropies) {
        announced const part(std::string("entropy of ") + bits);
        launch(write_integers, 4096, 256, run.queue, elements.data(), elements.size(), words);
        for (int const size : {24, 28}) {
            auto const count = std::uint64_t{1} << size;
            std::int32_t const* const first = elements.data();
            auto const with_tilewise = [&] { tilewise_into<sum>(run.queue, first, count, outs.data()); };
            auto const with_cub = [&] { cub_into<sum>(run.scratch, run.queue, first, count, outs.data() + 256); };
            with_tilewise();
            with_cub();
            auto const expected = reference(first, count, sum::widen{}, sum::wide_op{}, sum::wide_init(), run.queue);
            expect("tilewise, entropy", fetch(outs.data(), run.queue), expected, count);
            expect("CUB, entropy", fetch(outs.data() + 256, run.queue), expected, count);
            run.time_on_gpu({"entropies", std::string("i32, ") + bits, {}, count, 0, true, count * sizeof(*first), {}},
                            {{"tilewise", with_tilewise},
                             {"cub", with_cub},
                             {"read", [&] { read_only(run.queue, first, count * sizeof(*first), outs.data()); }}});
        }
    }
}
