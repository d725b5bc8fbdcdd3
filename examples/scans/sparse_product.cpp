// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bright pixels of a picture of galaxies are a sparse matrix in compressed rows (CSR): most of the picture is dark.
// Its product with a vector is a segmented reduction, of elements that are computed where they are needed. Multiplied
// by ones, it gives the light of each row; by the distances of the columns from the middle, where that light is. Every
// policy returns the same bits. Where there are a GPU and cuSPARSE, that multiplies a larger matrix, of many copies of
// the picture one below the other, and is timed beside it.

#include "../histograms/picture.hpp"
#include "everywhere.hpp"

#ifdef EXAMPLE_CUSPARSE
#include "cusparse.hpp"
#endif

#include <tilewise/segmented.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>

namespace example {

/// The entries of the matrix times the elements of the vector that they meet.
struct products {
    using value_type = double;
    using difference_type = std::ptrdiff_t;

    double const* value;
    int const* column;
    double const* x;

    constexpr double operator*() const { return *value * x[*column]; }
    constexpr double operator[](std::ptrdiff_t i) const { return value[i] * x[column[i]]; }
    constexpr products operator+(std::ptrdiff_t i) const { return {value + i, column + i, x}; }
    constexpr std::ptrdiff_t operator-(products const& other) const { return value - other.value; }
    constexpr products& operator++() { return *this = *this + 1; }
};

} // namespace example

namespace {

using namespace example;

/// Row i has the entries from `begins[i]` to `begins[i + 1]`.
struct sparse_matrix {
    shared_vector<int> begins{0}, column;
    shared_vector<double> value;
    std::size_t rows() const { return begins.size() - 1; }
};

/// The pixels that have more than a quarter of the largest brightness, of as many `copies` of the picture.
sparse_matrix bright_pixels(picture const& p, int copies)
{
    sparse_matrix result;
    for (int copy = 0; copy < copies; ++copy) {
        std::size_t pixel = 0;
        for (int row = 0; row < p.height; ++row) {
            for (int column = 0; column < p.width; ++column, ++pixel) {
                if (p.values[pixel] > p.largest / 4) {
                    result.column.push_back(column);
                    result.value.push_back(p.values[pixel] / static_cast<double>(p.largest));
                }
            }
            result.begins.push_back(static_cast<int>(result.column.size()));
        }
    }
    return result;
}

template <class Policy>
void multiply(Policy const& policy, sparse_matrix const& a, shared_vector<double> const& x, shared_vector<double>& y)
{
    tilewise::segmented_reduce(policy, products{a.value.data(), a.column.data(), x.data()}, a.begins.data(),
                               a.begins.data() + a.rows(), a.begins.data() + 1, y.data());
}

shared_vector<double> multiplied_by_a_loop(sparse_matrix const& a, shared_vector<double> const& x)
{
    shared_vector<double> y(a.rows());
    for (std::size_t row = 0; row < y.size(); ++row) {
        for (auto i = static_cast<std::size_t>(a.begins[row]); i < static_cast<std::size_t>(a.begins[row + 1]); ++i) {
            y[row] += a.value[i] * x[static_cast<std::size_t>(a.column[i])];
        }
    }
    return y;
}

/// Whether two products are the same but for rounding: each sum has up to `terms` terms between -1 and 1.
bool are_close(shared_vector<double> const& y, shared_vector<double> const& other, std::size_t terms)
{
    double const tolerance = 1e-14 * static_cast<double>(terms);
    return std::equal(y.begin(), y.end(), other.begin(), other.end(),
                      [&](double a, double b) { return std::abs(a - b) <= tolerance; });
}

double sum(shared_vector<double> const& y)
{
    double result = 0;
    for (double const value : y) {
        result += value;
    }
    return result;
}

#ifdef EXAMPLE_CUSPARSE
/// The median time of some calls, in microseconds.
template <class Call>
double microseconds(Call call)
{
    cudaEvent_t begin = nullptr, end = nullptr;
    expect_success("an event", cudaEventCreate(&begin));
    expect_success("an event", cudaEventCreate(&end));
    std::array<float, 21> milliseconds{};
    call();
    for (float& each : milliseconds) {
        expect_success("the time", cudaEventRecord(begin));
        call();
        expect_success("the time", cudaEventRecord(end));
        expect_success("a call", cudaEventSynchronize(end));
        expect_success("the time", cudaEventElapsedTime(&each, begin, end));
    }
    expect_success("an event", cudaEventDestroy(begin));
    expect_success("an event", cudaEventDestroy(end));
    std::ranges::nth_element(milliseconds, milliseconds.begin() + 10);
    return 1000 * static_cast<double>(milliseconds[10]);
}

int compare_with_cusparse(picture const& p, std::size_t entries, shared_vector<double>& x)
{
    auto a = bright_pixels(p, static_cast<int>(1 + 10'000'000 / entries));
    shared_vector<double> y(a.rows()), theirs(a.rows());
    cusparse_product product({static_cast<int>(a.rows()), static_cast<int>(x.size()), a.begins.back(), a.begins.data(),
                              a.column.data(), a.value.data()},
                             x.data(), theirs.data());
    double const our_time = microseconds([&] { multiply(tilewise::device.nosync(), a, x, y); });
    double const their_time = microseconds([&] { product.multiply(); });
    bool const same = are_close(y, theirs, x.size());
    std::printf("%d entries in %zu rows: %.0f us, cuSPARSE %.0f us: %s\n", a.begins.back(), a.rows(), our_time,
                their_time, same ? "the same but for rounding" : "DIFFERENT");
    return same ? 0 : 1;
}
#endif

} // namespace

int main(int argc, char** argv)
try {
    auto const p = read_picture(argc > 1 ? argv[1] : "examples/data/hubble.pgm");
    if (p.channels != 1) {
        throw bad_input("the picture has to be grey");
    }
    auto const a = bright_pixels(p, 1);
    if (a.value.empty()) {
        throw bad_input("no pixel of the picture is bright");
    }
    auto const width = static_cast<std::size_t>(p.width);
    shared_vector<double> const ones(width, 1);
    shared_vector<double> distances(width);
    for (std::size_t column = 0; column < width; ++column) {
        distances[column] = (static_cast<double>(column) + 0.5) / static_cast<double>(width) - 0.5;
    }
    shared_vector<double> light(a.rows()), moments(a.rows()), y(a.rows());
    multiply(tilewise::seq, a, ones, light);
    multiply(tilewise::seq, a, distances, moments);
    std::printf("%zu of %zu pixels are bright; the center of their light is %.2f %% of the width to the right\n",
                a.value.size(), p.values.size(), 100 * sum(moments) / sum(light));
    auto const by_a_loop = multiplied_by_a_loop(a, distances);
    int status = check_everywhere([&](auto const& policy) {
        std::ranges::fill(y, 0);
        multiply(policy, a, distances, y);
        return y == moments && are_close(y, by_a_loop, width);
    });
#ifdef EXAMPLE_CUSPARSE
    if (has_gpu()) {
        status |= compare_with_cusparse(p, a.value.size(), distances);
    }
#endif
    return status;
} catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
