// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// An open file, closed with this object.
class file_descriptor {
public:
    /// `-` is standard input. Throws `bad_input` when the file cannot be opened.
    explicit file_descriptor(std::string const& name);
    ~file_descriptor();
    file_descriptor(file_descriptor const&) = delete;
    file_descriptor& operator=(file_descriptor const&) = delete;

    int number() const { return number_; }

private:
    int number_;
};

/// The bytes of a file for as long as this object lives. A regular file is mapped read-only, so that one larger than
/// memory works too; a pipe, a terminal and standard input are read to their end.
///
/// If another program truncates a mapped file, reading what is gone ends this program with a message and status 1: no
/// exception can leave the loop that reads it, which may run in another thread.
class input_file {
public:
    /// `-` is standard input. Throws `bad_input` when the file cannot be opened, read or mapped.
    explicit input_file(std::string const& name);
    ~input_file();
    input_file(input_file const&) = delete;
    input_file& operator=(input_file const&) = delete;

    std::span<std::byte const> bytes() const { return bytes_; }
    std::string_view text() const { return {reinterpret_cast<char const*>(bytes_.data()), bytes_.size()}; }

    /// Whether `name` is this file, also by another name, through a link or as a redirected stream.
    bool is_same_as(std::string const& name) const;

    /// Whether standard output goes to this file.
    bool is_standard_output() const;

    /// Throws `bad_input` if the file has become shorter than what was mapped: the end of its last page reads as zeros.
    void expect_not_truncated() const;

private:
    void map(std::size_t size);
    void read_to_end();

    file_descriptor file_;
    std::span<std::byte const> bytes_;
    std::vector<std::byte> read_; ///< empty where the file is mapped
};

} // namespace example
