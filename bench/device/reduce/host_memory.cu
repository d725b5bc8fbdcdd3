// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// Floats in host memory, from call to value, beside a mere copy of them to the GPU; and in pieces, as where the
/// GPU has room for an eighth of them, also with a callback for the progress.

#include "baselines.cuh"
#include "parts.cuh"
#include "reference.cuh"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

void bench::reductions::compare_host_memory(session& run)
{
    using sum = sum_of<float, float>;
    int const largest = run.chosen.quick ? 28 : 30;
    std::vector<float> pageable(std::size_t{1} << largest);
    float* pinned = nullptr;
    check(cudaMallocHost(&pinned, pageable.size() * sizeof(float)), "cudaMallocHost");
    device_array<float> const device_copy(pageable.size());
    fill(device_copy.data(), device_copy.size(), run.queue);
    check(cudaMemcpyAsync(pinned, device_copy.data(), device_copy.size() * sizeof(float), cudaMemcpyDeviceToHost,
                          run.queue),
          "cudaMemcpyAsync");
    run.queue.wait();
    std::copy(pinned, pinned + pageable.size(), pageable.begin());
    announced const part("host memory");

    for (int const size : {16, 20, 24, 28, 30}) {
        if (size > largest)
            continue;
        auto const count = std::uint64_t{1} << size;
        std::uint64_t const bytes = count * sizeof(float);
        float value = 0;
        for (bool const is_pinned : {false, true}) {
            float const* const first = is_pinned ? pinned : pageable.data();
            auto const with_tilewise = [&] {
                value = tilewise::reduce(tilewise::device.on(run.queue), first, first + count, 0.0f);
            };
            auto const copied = [&] {
                check(cudaMemcpyAsync(device_copy.data(), first, bytes, cudaMemcpyHostToDevice, run.queue),
                      "cudaMemcpyAsync");
                run.queue.wait();
            };
            auto const on_all_cores = [&] { value = tilewise::reduce(tilewise::par, first, first + count, 0.0f); };
            auto const pieces = tilewise::device.on(run.queue).budget(bytes / 8);
            auto const in_pieces = [&] { value = tilewise::reduce(pieces, first, first + count, 0.0f); };
            double share = 0;
            auto const note = [&](tilewise::progress_record const& record) {
                share = static_cast<double>(record.done) / static_cast<double>(record.total);
            };
            auto const reporting = [&] { value = tilewise::reduce(pieces.progress(note), first, first + count, 0.0f); };
            std::vector<competitor> competitors{
                {"tilewise", with_tilewise}, {"copy", copied}, {"tilewise_par", on_all_cores}};
            if (size >= 24) {
                competitors.push_back({"tilewise_in_pieces", in_pieces});
                competitors.push_back({"tilewise_with_progress", reporting});
            }
            run.time_on_host({"host", is_pinned ? "pinned" : "pageable", {}, count, 0, false, bytes, {}}, competitors,
                             size < 24 ? 101 : 9);
            with_tilewise();
            if (float const whole = value; size >= 24) {
                in_pieces();
                if (std::memcmp(&value, &whole, sizeof value) != 0)
                    throw std::runtime_error("other bits in pieces of host memory, n = " + std::to_string(count));
                reporting();
                if (std::memcmp(&value, &whole, sizeof value) != 0 || (!is_pinned && share != 1))
                    throw std::runtime_error("progress was not reported to the end, n = " + std::to_string(count));
            }
            double const expected = reference(device_copy.data(), count, sum::widen{}, sum::wide_op{}, 0.0, run.queue);
            expect("host memory", value, expected, count, 256);
        }
    }
    check(cudaFreeHost(pinned), "cudaFreeHost");
}
