// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a WAV file: one second of a sine of 441 Hz at half of full scale, 16 bits, mono. Its root mean square is
// half of full scale divided by the square root of two: -9.03 dB.
#include <cmath>
#include <cstdint>
#include <fstream>

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::uint32_t rate = 44100;

template <class Number>
void write(std::ofstream& out, Number number) // little-endian, as all machines that run this are
{
    out.write(reinterpret_cast<char const*>(&number), sizeof number);
}

} // namespace

int main(int argc, char** argv)
{
    std::ofstream out(argc > 1 ? argv[1] : "tone.wav", std::ios::binary);
    out << "RIFF";
    write(out, std::uint32_t{36 + 2 * rate});
    out << "WAVEfmt ";
    write(out, std::uint32_t{16});
    write(out, std::uint16_t{1}); // PCM
    write(out, std::uint16_t{1}); // mono
    write(out, rate);
    write(out, 2 * rate);
    write(out, std::uint16_t{2});  // bytes per sample
    write(out, std::uint16_t{16}); // bits per sample
    out << "data";
    write(out, 2 * rate);
    for (std::uint32_t i = 0; i < rate; ++i)
        write(out, static_cast<std::int16_t>(std::lround(16384 * std::sin(2 * pi * 441 * i / rate))));
    return out.good() ? 0 : 1;
}
