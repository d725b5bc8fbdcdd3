// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often each byte occurs in a file, and how many bits a byte of it is worth: its entropy. The file is read piece by
// piece, and histogram_add adds the bytes of each piece to the counts; so it may be larger than memory, or have no end
// that is known beforehand, as /dev/stdin.
//
//     bytes FILE           counts
//     bytes --check FILE   counts under every policy and by a loop, in small pieces, and compares
//
// C. E. Shannon, "A mathematical theory of communication", 1948.

#include "../scans/everywhere.hpp"

#include <tilewise/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace example;

using counters = shared_vector<std::uint64_t>;

/// Calls `use` with the bytes of a file, up to `most` at a time.
template <class Use>
void for_each_piece(std::string const& name, std::size_t most, Use use)
{
    auto const close = [](std::FILE* file) { std::fclose(file); };
    std::unique_ptr<std::FILE, decltype(close)> const file(std::fopen(name.c_str(), "rb"), close);
    if (!file) {
        throw std::runtime_error("cannot open " + name);
    }
    shared_vector<unsigned char> piece(most);
    for (std::size_t size = most; size == most;) {
        size = std::fread(piece.data(), 1, most, file.get());
        use(std::span<unsigned char const>(piece.data(), size));
    }
    if (std::ferror(file.get()) != 0) {
        throw std::runtime_error("cannot read " + name);
    }
}

template <class Policy>
counters counts_of(Policy const& policy, std::string const& name, std::size_t most)
{
    counters counts(256);
    for_each_piece(name, most, [&](auto bytes) {
        tilewise::histogram_add(policy, bytes, tilewise::integer_axis{0, 256}, counts.begin());
    });
    return counts;
}

counters counts_by_a_loop(std::string const& name)
{
    counters counts(256);
    for_each_piece(name, 4096, [&](auto bytes) {
        for (auto const byte : bytes) {
            ++counts[byte];
        }
    });
    return counts;
}

double bits_per_byte(counters const& counts)
{
    auto const all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    double bits = 0;
    for (auto const count : counts) {
        if (count != 0) {
            bits -= static_cast<double>(count) / all * std::log2(static_cast<double>(count) / all);
        }
    }
    return bits;
}

void print(counters const& counts)
{
    std::vector<int> bytes(256);
    std::iota(bytes.begin(), bytes.end(), 0);
    auto const count = [&](int byte) { return counts[static_cast<std::size_t>(byte)]; };
    std::sort(bytes.begin(), bytes.end(),
              [&](int a, int b) { return count(a) != count(b) ? count(a) > count(b) : a < b; });
    for (int const byte : bytes) {
        if (count(byte) != 0) {
            std::printf("%02x %c %12llu\n", static_cast<unsigned>(byte), byte > 32 && byte < 127 ? byte : ' ',
                        static_cast<unsigned long long>(count(byte)));
        }
    }
    auto const all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::printf("%llu bytes, %.4f bits per byte\n", static_cast<unsigned long long>(all), bits_per_byte(counts));
}

/// Counts on the GPU where there is one, and else on all cores.
counters fast_counts_of(std::string const& name)
{
    constexpr std::size_t most = std::size_t{1} << 24;
#ifdef __CUDACC__
    if (has_gpu()) {
        return counts_of(tilewise::device, name, most);
    }
#endif
    return counts_of(tilewise::par, name, most);
}

} // namespace

int main(int argc, char** argv)
try {
    bool const checks = argc < 2 || std::string_view(argv[1]) == "--check";
    std::string const name = argc < 2 ? "LICENSE" : argv[argc - 1];
    if (!checks) {
        print(fast_counts_of(name));
        return 0;
    }
    auto const expected = counts_by_a_loop(name);
    print(expected);
    return check_everywhere([&](auto const& policy) {
        bool right = true;
        for (std::size_t const most : {1000U, 4096U, 1U << 24}) {
            right = right && counts_of(policy, name, most) == expected;
        }
        return right;
    });
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
