// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../npy.hpp"

#include "../bad_input.hpp"
#include "../raw.hpp"
#include "npy_file.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace {

using namespace example;
using numbers = std::vector<double>;

numbers numbers_in(number_column const& column)
{
    return std::visit(
        [](auto const& elements) {
            numbers converted;
            for (auto const& element : elements) {
                converted.push_back(static_cast<double>(element));
            }
            return converted;
        },
        column.values);
}

std::span<std::byte const> bytes_in(std::string const& file)
{
    return std::as_bytes(std::span(file));
}

numbers read(std::string const& file, std::optional<std::string> const& wanted = std::nullopt)
{
    return numbers_in(read_npy(bytes_in(file), wanted));
}

std::string error_in(std::string const& file, std::optional<std::string> const& wanted = std::nullopt)
{
    try {
        read_npy(bytes_in(file), wanted);
    } catch (bad_input const& error) {
        return error.what();
    }
    return "no error";
}

std::string error_in_type(std::string const& type)
{
    return error_in(npy_file(npy_dictionary(type, "(1,)"), std::string(16, '\0')));
}

template <class T>
void expect_reads(std::string const& type, std::vector<T> const& elements, numbers const& expected)
{
    auto const shape = std::string("(") + std::to_string(elements.size()) + ",)";
    EXPECT_EQ(read(npy_file(npy_dictionary(type, shape), bytes_of(elements))), expected) << type;
}

TEST(npy, reads_every_type)
{
    expect_reads<std::uint16_t>("<f2", {0x3C00, 0xC100, 0x0001}, {1, -2.5, 0x1p-24});
    expect_reads<float>("<f4", {1.5F, -2.0F}, {1.5, -2});
    expect_reads<double>("<f8", {0.1, -1e300}, {0.1, -1e300});
    expect_reads<std::int8_t>("|i1", {127, -128}, {127, -128});
    expect_reads<std::int16_t>("<i2", {32767, -32768}, {32767, -32768});
    expect_reads<std::int32_t>("<i4", {2147483647, -7}, {2147483647, -7});
    expect_reads<std::int64_t>("<i8", {std::int64_t{1} << 53, -7}, {0x1p53, -7});
    expect_reads<std::uint8_t>("|u1", {255, 0}, {255, 0});
    expect_reads<std::uint16_t>("<u2", {65535, 1}, {65535, 1});
    expect_reads<std::uint32_t>("<u4", {4294967295, 1}, {4294967295, 1});
    expect_reads<std::uint64_t>("<u8", {~std::uint64_t{0}, 1}, {0x1p64, 1});
    expect_reads<std::uint8_t>("|b1", {0, 1, 255}, {0, 1, 1});
}

TEST(npy, reads_every_format_and_any_alignment)
{
    auto const dictionary = npy_dictionary("<f8", "(3,)");
    auto const data = bytes_of<double>({1, 2, 3});
    for (char const major : {'\1', '\2', '\3'}) {
        for (std::size_t const alignment : {1u, 2u, 3u, 5u, 7u, 16u, 64u}) {
            EXPECT_EQ(read(npy_file(dictionary, data, major, alignment)), (numbers{1, 2, 3})) << alignment;
        }
    }
}

TEST(npy, reads_numbers_at_odd_addresses)
{
    auto const file = npy_file(npy_dictionary("<f8", "(3,)"), bytes_of<double>({1, 2, 3}));
    for (std::size_t shift = 0; shift < 8; ++shift) {
        auto const shifted = std::string(shift, ' ') + file;
        EXPECT_EQ(numbers_in(read_npy(bytes_in(shifted).subspan(shift))), (numbers{1, 2, 3})) << shift;
    }
}

TEST(raw, reads_aligned_numbers_in_place)
{
    alignas(8) static std::byte const bytes[16]{};
    auto const column = read_raw(bytes, *find_element_type(&named_element_type::name, "f64"));
    EXPECT_EQ(static_cast<void const*>(std::get<std::span<double const>>(column.values).data()), bytes);
}

TEST(npy, reads_scalars_and_empty_arrays)
{
    EXPECT_EQ(read(npy_file(npy_dictionary("<f8", "()"), bytes_of<double>({7}))), (numbers{7}));
    EXPECT_EQ(read(npy_file(npy_dictionary("<f8", "(0,)"), "")), (numbers{}));
    EXPECT_EQ(read(npy_file(npy_dictionary("<f8", "(0, 3)"), ""), "3"), (numbers{}));
    EXPECT_EQ(error_in(npy_file(npy_dictionary("<f8", "(3, 0)"), "")), "the array has no columns");
}

TEST(npy, reads_a_column_of_two_dimensions)
{
    auto const file = npy_file(npy_dictionary("<i2", "(2, 3)"), bytes_of<std::int16_t>({1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read(file), (numbers{1, 4}));
    EXPECT_EQ(read(file, "2"), (numbers{2, 5}));
    EXPECT_EQ(read(file, "3"), (numbers{3, 6}));
    EXPECT_EQ(read_npy(bytes_in(file), "3").label, "column 3");
    EXPECT_EQ(error_in(file, "4"), "no column \"4\"; columns are numbered 1 to 3");
    EXPECT_EQ(error_in(file, "ppm"), "no column \"ppm\"; columns are numbered 1 to 3");
}

TEST(npy, accepts_what_other_writers_write)
{
    auto const data = bytes_of<float>({1, 2});
    EXPECT_EQ(read(npy_file(R"({"shape":(2,),"fortran_order":True,"descr":"<f4"})", data)), (numbers{1, 2}));
    EXPECT_EQ(read(npy_file(npy_dictionary("<f4", "(2)"), data)), (numbers{1, 2}));
    EXPECT_EQ(read(npy_file(npy_dictionary("<f4", "(2,)"), data + "more")), (numbers{1, 2}));
}

TEST(npy, says_what_it_cannot_describe)
{
    EXPECT_EQ(error_in_type(">f8"), "big-endian type '>f8': only little-endian numbers can be described");
    EXPECT_EQ(error_in_type("<c16"), "complex type '<c16': only real numbers can be described");
    EXPECT_EQ(error_in_type("|O"), "object type '|O': only numbers can be described");
    for (auto const* const type : {"<f16", "<U5", "|S3", "<M8[ns]", "|V8", "|f8", "=f8", "f8", "<"}) {
        EXPECT_EQ(error_in_type(type),
                  std::string("type '") + type + "' cannot be described; f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 can");
    }
    EXPECT_EQ(
        error_in(npy_file("{'descr': [('a', '<f8'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (1,)}", "")),
        "structured type [('a', '<f8'), ('b', '<i4', (2,))]: only arrays of plain numbers can be described");
    EXPECT_EQ(error_in(npy_file(npy_dictionary("<f8", "(1, 1)", true), bytes_of<double>({1}))),
              "column-major order (fortran_order: True); only row-major order can be described");
    EXPECT_EQ(error_in(npy_file(npy_dictionary("<f8", "(1, 1, 1)"), bytes_of<double>({1}))),
              "3 dimensions; at most two can be described");
}

TEST(npy, notices_a_file_that_ends_early_wherever_that_is)
{
    auto const file = npy_file(npy_dictionary("<f8", "(2,)"), bytes_of<double>({1, 2}));
    for (std::size_t size = 0; size < file.size(); ++size) {
        EXPECT_NE(error_in(file.substr(0, size)), "no error") << size;
    }
    EXPECT_EQ(error_in(file.substr(0, file.size() - 1)), "truncated: 16 bytes of numbers announced, 15 found");
    EXPECT_EQ(error_in(file.substr(0, 100)), "truncated within the .npy header");
}

TEST(npy, rejects_damaged_headers)
{
    auto const damaged = "damaged .npy header: not a dictionary of descr, fortran_order and shape";
    for (auto const* const dictionary :
         {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '', 'fortran_order': False, 'shape': ()}",
          "{'descr': '<f8', 'fortran_order': Fals, 'shape': ()}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}", "{'descr': [('a', 'fortran_order': False}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': ()} x"}) {
        EXPECT_EQ(error_in(npy_file(dictionary, "")), damaged) << dictionary;
    }
    EXPECT_EQ(error_in(npy_file("{'describe': 1}", "")), "damaged .npy header: unknown key 'describe'");
    EXPECT_EQ(error_in(npy_file(npy_dictionary("<f8", "(1,)"), "", 4)),
              ".npy format 4.0 is unknown; 1.0, 2.0 and 3.0 are known");
    EXPECT_EQ(error_in("1,2,3\n"), "is not an .npy file: it does not begin with \\x93NUMPY");
    EXPECT_EQ(error_in(npy_file(npy_dictionary("<f8", "(4294967296, 4294967296)"), "")),
              "the shape is larger than any file");
}

} // namespace
