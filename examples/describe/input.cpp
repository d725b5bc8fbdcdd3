// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input.hpp"

#include "bad_input.hpp"
#include "csv.hpp"
#include "npy.hpp"
#include "on_all_ranks.hpp"
#include "progress.hpp"
#include "raw.hpp"
#include "slice.hpp"
#include "text.hpp"

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace example {
namespace {

file_format format_of(named_file const& named, input_file const& file)
{
    return named.format ? *named.format : file.text().starts_with("\x93NUMPY") ? file_format::npy : file_format::csv;
}

number_column read_part(any_communicator& ranks, options const& chosen, file_format format, input_file const& file,
                        slice own)
{
    if (format == file_format::csv) {
        return read_csv(ranks, file.text(), chosen.column, own);
    }
    number_column column;
    on_all_ranks(ranks, [&] {
        column = format == file_format::npy ? read_npy(file.bytes(), chosen.column)
                                            : read_raw(file.bytes(), chosen.type, chosen.column);
        auto const records = records_in(own, length_of(column.values), file.bytes().size());
        column.values = part_of(column.values, records.first, records.last);
    });
    return column;
}

std::exception_ptr with_name(std::string const& file, std::exception_ptr const& error)
{
    try {
        std::rethrow_exception(error);
    } catch (bad_input const& bad) {
        return std::make_exception_ptr(std::runtime_error(with_position(shown_name(file), bad)));
    } catch (...) {
        return std::current_exception();
    }
}

std::string contents_of(number_column const& column)
{
    return (column.label.empty() ? "" : column.label + ", ") + std::string(column.type);
}

/// Throws `bad_input` where the numbers of one file are not what those of another are.
void expect_alike(number_column const& column, number_column const& first, options const& chosen)
{
    bool const is_alike = column.label == first.label || column.label.empty() || first.label.empty();
    if (column.type != first.type || (!is_alike && !chosen.column)) {
        throw bad_input("has " + contents_of(column) + ", but the files before it " + contents_of(first));
    }
}

} // namespace

std::string shown_name(std::string const& file)
{
    return file == "-" ? "standard input" : file;
}

std::string shown_names(options const& chosen)
{
    auto const more = chosen.files.size() - 1;
    return shown_name(chosen.files.front().name) + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

input_files open_files(options const& chosen)
{
    input_files files;
    for (auto const& [name, format] : chosen.files) {
        try {
            files.emplace_back(name);
        } catch (bad_input const&) {
            std::rethrow_exception(with_name(name, std::current_exception()));
        }
        if (files.back().is_standard_output()) {
            throw usage_error("standard output is " + in_quotes(shown_name(name)) + ", the file to read");
        }
        if (chosen.svg && files.back().is_same_as(*chosen.svg)) {
            throw usage_error("--svg would replace " + in_quotes(shown_name(name)) + ", the file to read");
        }
    }
    return files;
}

number_column read_column(any_communicator& ranks, options const& chosen, input_files const& files)
{
    std::vector<std::size_t> sizes;
    for (auto const& file : files) {
        sizes.push_back(file.bytes().size());
    }
    auto const slices = slices_of(ranks, sizes);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (format_of(chosen.files[i], files[i]) == file_format::csv) { // others are not read, but mapped
            reading_progress::expect(slices[i].last - slices[i].first);
        }
    }
    number_column all;
    std::vector<double> numbers; // of several files
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto const& name = chosen.files[i].name;
        try {
            auto part = read_part(ranks, chosen, format_of(chosen.files[i], files[i]), files[i], slices[i]);
            if (files.size() == 1) {
                return part;
            }
            on_all_ranks(ranks, [&] {
                expect_alike(part, i == 0 ? part : all, chosen);
                std::visit(
                    [&](auto const& elements) {
                        for (auto const& element : elements) {
                            numbers.push_back(static_cast<double>(element));
                        }
                    },
                    part.values);
            });
            if (all.label.empty()) {
                all.label = part.label;
            }
            all.type = part.type;
        } catch (failed_on_a_rank const& failed) {
            throw failed_on_a_rank(with_name(name, failed.error()), failed.what());
        }
    }
    all.values = std::move(numbers);
    return all;
}

} // namespace example
