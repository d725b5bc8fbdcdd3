// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// The bytes of an .npy file with this dictionary. The header is as long as `alignment` and the format say; NumPy
/// writes 64, earlier versions wrote 16, and others write what they like.
inline std::string npy_file(std::string dictionary, std::string_view numbers, char major = 1,
                            std::size_t alignment = 64)
{
    std::size_t const length_size = major == 1 ? 2 : 4;
    while ((8 + length_size + dictionary.size() + 1) % alignment != 0) {
        dictionary += ' ';
    }
    dictionary += '\n';
    auto file = std::string("\x93NUMPY") + major + '\0';
    for (std::size_t i = 0; i < length_size; ++i) {
        file += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
    }
    return file + dictionary + std::string(numbers);
}

inline std::string npy_dictionary(std::string const& type, std::string const& shape, bool fortran_order = false)
{
    return "{'descr': '" + type + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + shape +
           ", }";
}

template <class T>
std::string bytes_of(std::vector<T> const& elements)
{
    return {reinterpret_cast<char const*>(elements.data()), elements.size() * sizeof(T)};
}

} // namespace example
