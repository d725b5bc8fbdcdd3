// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace example {

/// The bytes of a file, mapped read-only for as long as this object lives: a file larger than memory works too.
class mapped_file {
public:
    /// Throws `bad_input` when the file cannot be opened, is not a regular file or cannot be mapped.
    explicit mapped_file(std::string const& name);
    ~mapped_file();
    mapped_file(mapped_file const&) = delete;
    mapped_file& operator=(mapped_file const&) = delete;

    std::span<std::byte const> bytes() const { return bytes_; }
    std::string_view text() const { return {reinterpret_cast<char const*>(bytes_.data()), bytes_.size()}; }

private:
    std::span<std::byte const> bytes_;
};

} // namespace example
