// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root mean square of the samples of a WAV file, in decibels below full scale.
#include "recipe.hpp"

#include <tilewise/functional.hpp>
#include <tilewise/reduce.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

//! [recipe]
double root_mean_square(std::vector<std::int16_t> const& samples)
{
    // Squares of integers are summed exactly, in the type of init.
    tw::square<std::int64_t> const square;
    auto const sum = tw::transform_reduce(tw::par, samples, std::int64_t{0}, std::plus<>(), square);
    return std::sqrt(static_cast<double>(sum) / static_cast<double>(samples.size()));
}
//! [recipe]

int main(int argc, char** argv)
{
    auto const file = bytes(argc > 1 ? argv[1] : "tone.wav");
    std::string const text(file.begin(), file.end());
    auto const data = text.find("data") + 8; // after the name and the size of this chunk; 16 bits per sample
    std::vector<std::int16_t> samples((text.size() - data) / 2);
    std::memcpy(samples.data(), text.data() + data, 2 * samples.size());
    auto const rms = root_mean_square(samples);
    std::printf("%zu samples, %.2f dB\n", samples.size(), 20 * std::log10(rms / 32768));

    double squares = 0;
    for (double const sample : samples)
        squares += sample * sample;
    check(close(rms, std::sqrt(squares / static_cast<double>(samples.size()))));
}
