// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests of the scan kernels, for the mutation list: fails if a result deviates, or if the
/// interpreter has anything to report.

#include "order_specification.hpp"

#include <tilewise/device/scan.cuh>

#include <simt/schedule.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

namespace gpu = tilewise::gpu;
constexpr auto inclusive = tilewise::scan_form::inclusive, exclusive = tilewise::scan_form::exclusive;

/// Thirty thousand elements cross four levels above the tile.
struct geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 2,
                         tiles_per_group = 4, groups_per_super_group = 2;
};
constexpr specification::units units{geometry::lane_vector_bytes, geometry::lanes_per_row,
                                     geometry::rows_per_chunk,    geometry::chunks_per_tile,
                                     geometry::tiles_per_group,   geometry::groups_per_super_group};
constexpr std::size_t tile = 512, super_group = 8 * tile, most = 2 * super_group + 5 * tile + 333,
                      far = 7 * super_group + 7 * tile +
                            333; // a unit of every level and a tile come before the last tile

/// @name Each with a kernel of its own
/// @{
struct in_cluster : gpu::scan_tuning {
    static constexpr int cluster_blocks = 4;
    static constexpr bool bulk_copies = false;
};
struct tile_per_block : gpu::scan_tuning {
    static constexpr bool clusters = false, bulk_copies = false;
    static constexpr int cluster_blocks = 0;
};
struct in_one_pass : gpu::scan_tuning {
    static constexpr bool clusters = false;
    static constexpr int cluster_blocks = 0, most_stages = 3;
    static constexpr tilewise::offset tile_per_block_limit = 0;
};
struct in_three_passes : tile_per_block {
    static constexpr int carry_threads = 64;
    static constexpr tilewise::offset tile_per_block_limit = 0;
};
/// @}

void require(bool claim, char const* what)
{
    if (!claim)
        throw std::runtime_error(what);
}
void require(cudaError_t error)
{
    require(error == cudaSuccess, cudaGetErrorName(error));
}

/// Memory of exactly so many words, some bytes into it.
class device_words {
public:
    device_words(std::size_t size, std::size_t skipped) : size_(size)
    {
        require(cudaMalloc(&memory_, skipped + size * 4));
        first_ = reinterpret_cast<std::uint32_t*>(static_cast<unsigned char*>(memory_) + skipped);
    }
    device_words(std::vector<std::uint32_t> const& values, std::size_t skipped) : device_words(values.size(), skipped)
    {
        require(cudaMemcpy(first_, values.data(), size_ * 4, cudaMemcpyDefault));
    }
    device_words(device_words const&) = delete;
    ~device_words() { cudaFree(memory_); }
    std::uint32_t* data() const { return first_; }
    void expect(std::vector<std::uint32_t> const& values, char const* what) const
    {
        std::vector<std::uint32_t> copy(size_);
        require(cudaMemcpy(copy.data(), first_, size_ * 4, cudaMemcpyDefault));
        for (std::size_t i = 0; i < size_; ++i)
            require(copy[i] == values[i], what);
    }

private:
    void* memory_ = nullptr;
    std::uint32_t* first_ = nullptr;
    std::size_t size_;
};

/// Neither associative nor commutative.
struct non_associative {
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const
    {
        return (a ^ (a >> 3) ^ (b << 2)) * 0x9e3779b1u + b;
    }
};

struct expected_results {
    std::vector<std::uint32_t> elements, without_init, with_init, excluding;
    static constexpr std::uint32_t init = 77;

    expected_results()
    {
        std::uint32_t state = 2463534242u;
        for (std::size_t i = 0; i < far; ++i)
            elements.push_back(state = state * 1664525u + 1013904223u);
        specification::order<std::uint32_t, non_associative> const order(non_associative(), units);
        without_init = order.inclusive_scan(elements, {});
        with_init = order.inclusive_scan(elements, init);
        excluding = order.exclusive_scan(elements, init);
    }
};

template <class Tuning, tilewise::scan_form form>
void scan(device_words const& from, std::size_t count, device_words const& to, std::optional<std::uint32_t> init)
{
    gpu::scan<geometry, form, std::uint32_t, Tuning>(
        tilewise::device, from.data(), static_cast<tilewise::offset>(count), to.data(), init, non_associative());
}

/// All forms, one after the other in the same memory.
template <class Tuning>
void try_kernel(expected_results const& right, std::size_t count, std::size_t skipped, char const* what)
{
    device_words const device_copy(
        {right.elements.begin(), right.elements.begin() + static_cast<std::ptrdiff_t>(count)}, skipped),
        out(count, 12 - skipped);
    scan<Tuning, inclusive>(device_copy, count, out, {});
    out.expect(right.without_init, what);
    scan<Tuning, exclusive>(device_copy, count, out, right.init);
    out.expect(right.excluding, what);
    scan<Tuning, inclusive>(device_copy, count, device_copy, right.init);
    device_copy.expect(right.with_init, what);
}

/// Sums of elements and results that are `skipped` and `skipped_results` bytes into memory. A single pass regroups
/// them.
void try_sums(expected_results const& right, std::size_t count, std::size_t skipped, std::size_t skipped_results)
{
    std::vector<std::uint32_t> const elements(right.elements.begin(),
                                              right.elements.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<std::uint32_t> sums(count), excluding(count);
    std::inclusive_scan(elements.begin(), elements.end(), sums.begin(), std::plus<>(), expected_results::init);
    std::exclusive_scan(elements.begin(), elements.end(), excluding.begin(), expected_results::init);
    device_words const device_copy(elements, skipped), out(count, skipped_results);
    auto const scan_sums = [&](auto form, device_words const& to) {
        gpu::scan<geometry, form, std::uint32_t, in_one_pass>(
            tilewise::device, device_copy.data(), static_cast<tilewise::offset>(count), to.data(),
            std::optional<std::uint32_t>(expected_results::init), gpu::plus());
    };
    scan_sums(std::integral_constant<tilewise::scan_form, exclusive>(), out);
    out.expect(excluding, "exclusive sums");
    scan_sums(std::integral_constant<tilewise::scan_form, inclusive>(), device_copy);
    device_copy.expect(sums, "sums in place");
}

/// Sums of floats, which must not be regrouped.
void try_floats(expected_results const& right, std::size_t count, std::size_t skipped)
{
    auto const sums_at = [&](std::size_t place) {
        std::vector<std::uint32_t> words(count);
        for (std::size_t i = 0; i < count; ++i)
            words[i] = std::bit_cast<std::uint32_t>(static_cast<float>(right.elements[i]));
        device_words const memory(words, place);
        auto* const first = reinterpret_cast<float*>(memory.data());
        gpu::scan<geometry, inclusive, float, in_one_pass>(
            tilewise::device, first, static_cast<tilewise::offset>(count), first, std::optional<float>(), gpu::plus());
        require(cudaMemcpy(words.data(), first, count * 4, cudaMemcpyDefault));
        return words;
    };
    require(sums_at(skipped) == sums_at(0), "sums of floats");
}

} // namespace

int main(int, char** arguments)
{
    expected_results const right;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        try {
            auto const report = simt::run_schedule(seed, [&] {
                std::size_t const skipped = seed % 2 * 4, less = seed % 5 * 131;
                try_kernel<in_cluster>(right, seed % 3 == 0 ? 300 : 4 * tile - less, skipped, "in a cluster");
                try_kernel<tile_per_block>(right, super_group - less, 12 - skipped, "side by side");
                std::size_t const many = seed == 1 ? far : most - less;
                try_kernel<in_one_pass>(right, many, seed % 3 * 4, "in one pass");
                try_kernel<in_three_passes>(right, many, skipped, "in three passes");
                try_sums(right, most - less, seed % 4 * 4, seed % 3 == 0 ? 0 : seed % 4 * 4);
                try_floats(right, most - less, seed % 4 * 4);
                if (seed % 4 == 0)
                    try_kernel<in_one_pass>(right, 2 * super_group, 0, "in one pass, whole");
            });
            if (report) {
                std::printf("%s: schedule %d: %s: %s\n", arguments[0], static_cast<int>(seed), report->kind.c_str(),
                            report->text.c_str());
                return 1;
            }
        } catch (std::exception const& error) {
            std::printf("%s: schedule %d: %s\n", arguments[0], static_cast<int>(seed), error.what());
            return 1;
        }
}
