// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.hpp"

#include "bad_input.hpp"
#include "npy_header.hpp"

#include <limits>
#include <span>
#include <string_view>

namespace example {
namespace {

named_element_type type_of(npy_header const& header)
{
    auto const& type = header.type;
    if (type.starts_with('[')) {
        throw bad_input("structured type " + type + ": only arrays of plain numbers can be described");
    }
    if (type.starts_with('>')) {
        throw bad_input("big-endian type '" + type + "': only little-endian numbers can be described");
    }
    if (type.starts_with("<c")) {
        throw bad_input("complex type '" + type + "': only real numbers can be described");
    }
    if (type.starts_with("|O")) {
        throw bad_input("object type '" + type + "': only numbers can be described");
    }
    auto const found = find_element_type(&named_element_type::numpy, std::string_view(type).substr(1));
    bool const is_one_byte = found && size_of(found->type) == 1;
    if (!found || (type[0] != '<' && !(type[0] == '|' && is_one_byte))) {
        throw bad_input("type '" + type + "' cannot be described; f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 can");
    }
    return *found;
}

std::size_t checked_product(std::size_t a, std::size_t b)
{
    if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b) {
        throw bad_input("the shape is larger than any file");
    }
    return a * b;
}

} // namespace

number_column read_npy(std::span<std::byte const> bytes, std::optional<std::string> const& wanted)
{
    auto const header = read_npy_header({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    auto const type = type_of(header);
    auto const& shape = header.shape;
    if (shape.size() > 2) {
        throw bad_input(std::to_string(shape.size()) + " dimensions; at most two can be described");
    }
    if (shape.size() == 2 && header.fortran_order) {
        throw bad_input("column-major order (fortran_order: True); only row-major order can be described");
    }
    auto const rows = shape.empty() ? 1 : shape[0];
    auto const columns = shape.size() == 2 ? shape[1] : 1;
    auto const size = size_of(type.type);
    auto const row_size = checked_product(columns, size);
    auto const expected = checked_product(rows, row_size);
    auto const data = bytes.subspan(header.size);
    if (data.size() < expected) {
        throw bad_input("truncated: " + std::to_string(expected) + " bytes of numbers announced, " +
                        std::to_string(data.size()) + " found");
    }
    if (columns == 0) {
        throw bad_input("the array has no columns");
    }
    auto const column = wanted ? find_column(*wanted, columns) : 0;
    return {
        .label = shape.size() == 2 ? "column " + std::to_string(column + 1) : "",
        .type = type.name,
        .values = view_elements(type.type, data.data() + (rows != 0 ? column * size : 0), row_size, rows),
    };
}

} // namespace example
