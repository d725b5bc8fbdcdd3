// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// @file
/// A quick digest of the tests of the kernels, for the mutation list: fails if a result deviates, or if the interpreter
/// has anything to report.

#include "order_specification.hpp"

#include <tilewise/device/reduce.cuh>

#include <simt/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

/// Ten thousand elements cross the super-group.
struct geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 4, chunks_per_tile = 4,
                         tiles_per_group = 4, groups_per_super_group = 2;
};
constexpr specification::units units{geometry::lane_vector_bytes, geometry::lanes_per_row,
                                     geometry::rows_per_chunk,    geometry::chunks_per_tile,
                                     geometry::tiles_per_group,   geometry::groups_per_super_group};

/// Small blocks, and two super-groups per round of pass 2.
struct tuning : tilewise::gpu::reduce_tuning {
    static constexpr int threads = 128, fold_threads = 64;
    static inline bool clusters = true, one_launch = true, dependent_launches = true;
    static inline int forced_iterations = 1;
    static int iterations(tilewise::offset) { return forced_iterations; }
    template <class, class>
    static constexpr int fold_super_groups = 2;
};

/// For sums of bytes: one super-group per round of pass 2, with more partial results than a warp has lanes.
struct flat_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 2, chunks_per_tile = 4,
                         tiles_per_group = 16, groups_per_super_group = 4;
};
struct flat_tuning : tuning {
    static constexpr int threads = 32;
    template <class, class>
    static constexpr int fold_super_groups = 1;
};

/// Four units to a unit of each level, so that two rounds of pass 2 share a digit; tiles of a row.
struct deep_geometry {
    static constexpr int lane_vector_bytes = 16, lanes_per_row = 32, rows_per_chunk = 1, chunks_per_tile = 1,
                         tiles_per_group = 4, groups_per_super_group = 4;
};
constexpr specification::units deep_units{16, 32, 1, 1, 4, 4};

/// What the kernels are to run as.
struct variant {
    enum { clusters, one_launch, two_passes, two_launches_in_turn } kernels;
    int iterations;

    void choose() const
    {
        tuning::clusters = kernels == clusters;
        tuning::one_launch = kernels == one_launch;
        tuning::dependent_launches = kernels != two_launches_in_turn;
        tuning::forced_iterations = iterations;
    }
};

void require(bool claim, char const* what)
{
    if (!claim)
        throw std::runtime_error(what);
}
void require(cudaError_t error)
{
    require(error == cudaSuccess, cudaGetErrorName(error));
}

/// Memory of exactly so many bytes, with elements some bytes into it.
template <class E>
class device_array {
public:
    explicit device_array(std::vector<E> const& values, std::size_t skipped = 0)
    {
        require(cudaMalloc(&memory_, skipped + values.size() * sizeof(E)));
        first_ = reinterpret_cast<E*>(static_cast<unsigned char*>(memory_) + skipped);
        require(cudaMemcpy(first_, values.data(), values.size() * sizeof(E), cudaMemcpyDefault));
    }
    device_array(device_array const&) = delete;
    ~device_array() { cudaFree(memory_); }
    E* data() const { return first_; }
    E value(std::size_t i) const
    {
        E result;
        require(cudaMemcpy(&result, first_ + i, sizeof(E), cudaMemcpyDefault));
        return result;
    }

private:
    void* memory_ = nullptr;
    E* first_ = nullptr;
};

class stream {
public:
    stream() { require(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
    stream(stream const&) = delete;
    ~stream() { cudaStreamDestroy(handle_); }
    cudaStream_t get() const { return handle_; }

private:
    cudaStream_t handle_ = nullptr;
};

/// Scratch that is gone as soon as it is returned.
struct direct_resource {
    void* allocate(std::size_t bytes, cudaStream_t where)
    {
        void* memory = nullptr;
        require(cudaMallocAsync(&memory, bytes, where));
        return memory;
    }
    void deallocate(void* memory, std::size_t, cudaStream_t where) { require(cudaFreeAsync(memory, where)); }
};

/// So large that rows are read one by one.
struct three_words {
    std::uint64_t word[3];
    three_words() = default;
    constexpr explicit three_words(std::uint32_t x) : word{x, x + 1, x ^ 5} {}
    bool operator==(three_words const&) const = default;
};

/// Neither associative nor commutative.
struct non_associative {
    template <class T>
    T operator()(T a, T b) const
    {
        return static_cast<T>((a ^ (a >> 3) ^ (b << 2)) * 0x9e3779b1u + b);
    }
    three_words operator()(three_words const& a, three_words const& b) const
    {
        three_words result = a;
        for (int i = 0; i < 3; ++i)
            result.word[i] = operator()(a.word[i], b.word[i]);
        return result;
    }
};

template <class E>
std::vector<E> noise(std::size_t count)
{
    std::vector<E> values(count);
    std::uint32_t state = 2463534242u;
    for (E& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<E>(state >> 7);
    }
    return values;
}

/// Elements and their reductions in order, for every count.
template <class T>
class in_order {
public:
    explicit in_order(std::size_t most)
        : elements_(noise<T>(most)),
          results_(specification::order<T, non_associative>(non_associative(), units).inclusive_scan(elements_, init))
    {}

    std::size_t size() const { return elements_.size(); }
    std::vector<T> first(std::size_t count) const
    {
        return {elements_.begin(), elements_.begin() + static_cast<std::ptrdiff_t>(count)};
    }
    T result(std::size_t count) const { return count == 0 ? init : results_[count - 1]; }

    /// Reduces the first elements, which lie in memory of their own.
    template <class Policy>
    void expect(Policy const& policy, std::size_t count, std::size_t misalignment) const
    {
        device_array<T> const device_copy(first(count), misalignment);
        require(tilewise::gpu::reduce<geometry, tuning>(policy, device_copy.data(),
                                                        static_cast<tilewise::offset>(count), init,
                                                        non_associative()) == result(count),
                "the order");
    }
    /// The same without waiting.
    template <class Policy>
    void enqueue(Policy const& policy, T const* begin, std::size_t count, T* result) const
    {
        tilewise::gpu::reduce_into<geometry, tuning>(policy.nosync(), begin, static_cast<tilewise::offset>(count), init,
                                                     non_associative(), result);
    }

    static constexpr T init = T(77);

private:
    std::vector<T> elements_, results_;
};

/// Two streams at once, each with calls that do not wait.
void streams(in_order<std::uint32_t> const& words)
{
    device_array<std::uint32_t> const device_copy(words.first(words.size()));
    device_array<std::uint32_t> const results({1, 2, 3, 4});
    stream const one, other;
    direct_resource memory;
    std::size_t const count = words.size(), less = count - 5000;
    auto const* const begin = device_copy.data();
    words.enqueue(tilewise::device.on(one), begin, count, results.data());
    words.enqueue(tilewise::device.on(other), begin, less, results.data() + 1);
    words.enqueue(tilewise::device.on(one).with(memory), begin, less, results.data() + 2);
    words.enqueue(tilewise::device.on(other), begin, 0, results.data() + 3);
    require(cudaDeviceSynchronize());
    require(results.value(0) == words.result(count) && results.value(1) == words.result(less) &&
                results.value(2) == words.result(less) && results.value(3) == words.init,
            "streams");
}

/// One launch after the other in the same status words: with other elements, so that a result of an earlier one would
/// be wrong.
void one_launch(std::uint32_t by)
{
    variant{variant::one_launch, 1}.choose();
    for (std::uint32_t const shift : {0u, 1u, 2u}) {
        auto values = noise<std::uint32_t>(7 * 2048 + 5 * shift + 1);
        for (std::uint32_t& value : values)
            value += by + shift;
        device_array<std::uint32_t> const device_copy(values);
        require(tilewise::gpu::reduce<geometry, tuning>(
                    tilewise::device, device_copy.data(), static_cast<tilewise::offset>(values.size()), 77u,
                    non_associative()) == specification::reduce(values, 77u, non_associative(), units),
                "one launch after the other");
    }
}

/// Four levels above the tile.
void deep(std::size_t count)
{
    variant{variant::two_passes, 1}.choose();
    auto const values = noise<std::uint32_t>(count);
    device_array<std::uint32_t> const device_copy(values);
    require(tilewise::gpu::reduce<deep_geometry, tuning>(
                tilewise::device, device_copy.data(), static_cast<tilewise::offset>(count), 77u, non_associative()) ==
                specification::reduce(values, 77u, non_associative(), deep_units),
            "the order of many levels");
}

/// Sums of bytes, four at a time.
void bytes(std::size_t count, int iterations)
{
    variant{variant::two_passes, iterations}.choose();
    auto const values = noise<signed char>(count);
    device_array<signed char> const device_copy(values);
    require(tilewise::gpu::reduce<flat_geometry, flat_tuning>(
                tilewise::device, device_copy.data(), static_cast<tilewise::offset>(count), 0, tilewise::gpu::plus()) ==
                std::accumulate(values.begin(), values.end(), 0),
            "sums of bytes");
}

} // namespace

int main(int, char** arguments)
{
    constexpr std::size_t tile = 2048, round = 16 * tile;
    in_order<std::uint32_t> const words(2 * round + 9 * tile + 700);
    in_order<std::uint8_t> const narrow(3 * 4 * tile);
    in_order<three_words> const large(2000);
    struct {
        variant how;
        std::size_t count, misalignment;
    } const tries[] = {
        {{variant::clusters, 1}, 1, 0},
        {{variant::clusters, 1}, tile - 77, 0},
        {{variant::clusters, 1}, 6 * tile + 1211, 0},
        {{variant::clusters, 1}, 9 * tile + 515, 8},
        {{variant::one_launch, 1}, 7 * tile + 1211, 0},
        {{variant::one_launch, 1}, 4 * tile + 700, 4},
        {{variant::one_launch, 2}, 7 * tile + 1, 0},
        {{variant::one_launch, 2}, 3 * tile + 65, 0},
        {{variant::two_passes, 1}, 6 * tile + 1, 4},
        {{variant::two_passes, 2}, 9 * tile + 1400, 0},
        {{variant::two_passes, 4}, words.size(), 0},
        {{variant::two_launches_in_turn, 4}, round + 3 * tile + 900, 12},
    };

    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        try {
            auto const report = simt::run_schedule(seed, [&] {
                one_launch(static_cast<std::uint32_t>(seed));
                if (seed > 2)
                    return;
                for (auto const& [how, count, misalignment] : tries) {
                    how.choose();
                    words.expect(tilewise::device, count, misalignment);
                }
                narrow.expect(tilewise::device, narrow.size() - 23, 5);
                large.expect(tilewise::device, large.size() - 5, 0);
                for (std::size_t const tiles : {64, 256 + 2 * 64 + 3 * 16 + 3 * 4 + 3, 3 * 64 + 16 + 4})
                    deep(tiles * 128 + 77);
                streams(words);
                bytes(100 * 1024 + 5, 1);
                bytes(12 * 1024 + 5, 8);
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
