// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "text.hpp"

#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>

namespace example {
namespace {

/// Walks over the arguments; an option's value may follow it as `--x v` or be part of it, as `--x=v`.
class argument_reader {
public:
    explicit argument_reader(std::span<char const* const> arguments) : rest_(arguments) {}

    bool read()
    {
        if (rest_.empty()) {
            return false;
        }
        std::string_view const argument = rest_.front();
        rest_ = rest_.subspan(1);
        auto const equals = splits_ && argument.starts_with("--") ? argument.find('=') : argument.npos;
        has_own_value_ = equals != argument.npos;
        word_ = argument.substr(0, equals);
        own_value_ = has_own_value_ ? argument.substr(equals + 1) : "";
        return true;
    }

    /// From now on every argument is one word, whatever it begins with.
    void take_whole_words() { splits_ = false; }

    /// The option's name, or the whole argument that is none.
    std::string_view word() const { return word_; }
    bool has_own_value() const { return has_own_value_; }

    std::string_view value()
    {
        if (has_own_value_) {
            return own_value_;
        }
        if (rest_.empty()) {
            throw usage_error(std::string(word_) + " needs a value");
        }
        std::string_view const value = rest_.front();
        rest_ = rest_.subspan(1);
        return value;
    }

private:
    std::span<char const* const> rest_;
    std::string_view word_;
    std::string_view own_value_;
    bool has_own_value_ = false;
    bool splits_ = true;
};

file_format parse_format(std::string_view name)
{
    if (name == "csv") {
        return file_format::csv;
    }
    if (name == "npy") {
        return file_format::npy;
    }
    if (name == "raw") {
        return file_format::raw;
    }
    throw usage_error("unknown format " + in_quotes(name) + "; there are csv, npy, raw");
}

named_element_type parse_type(std::string_view name)
{
    if (auto const found = find_element_type(&named_element_type::name, name)) {
        return *found;
    }
    std::string names;
    for (auto const& type : element_types) {
        names += (names.empty() ? "" : ", ") + std::string(type.name);
    }
    throw usage_error("unknown type " + in_quotes(name) + "; there are " + names);
}

int parse_number(std::string_view option, int most, std::string_view text)
{
    int number = 0;
    auto const* const last = text.data() + text.size();
    auto const [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc{} || end != last || number < 1 || number > most) {
        auto const to = most < std::numeric_limits<int>::max() ? " to " + std::to_string(most) : "";
        throw usage_error(std::string(option) + " needs a whole number from 1" + to + ", not " + in_quotes(text));
    }
    return number;
}

std::optional<file_format> format_of_ending(std::string_view file)
{
    if (file.ends_with(".csv") || file.ends_with(".tsv")) {
        return file_format::csv;
    }
    if (file.ends_with(".npy")) {
        return file_format::npy;
    }
    if (file.ends_with(".bin") || file.ends_with(".raw")) {
        return file_format::raw;
    }
    return std::nullopt;
}

} // namespace

options parse_options(std::span<char const* const> arguments)
{
    options chosen;
    std::optional<file_format> format;
    std::optional<named_element_type> type;
    argument_reader argument(arguments);
    bool are_options = true;
    while (argument.read()) {
        auto const word = argument.word();
        if (are_options && word == "--" && !argument.has_own_value()) {
            are_options = false;
            argument.take_whole_words();
        } else if (!are_options || word == "-" || !word.starts_with('-')) {
            chosen.files.push_back({std::string(word), std::nullopt});
        } else if (word == "--help" && !argument.has_own_value()) {
            chosen.help = true;
            return chosen;
        } else if (word == "--version" && !argument.has_own_value()) {
            chosen.version = true;
            return chosen;
        } else if (word == "--running" && !argument.has_own_value()) {
            chosen.running = true;
        } else if (word == "--histogram" && !argument.has_own_value()) {
            chosen.histogram = true;
        } else if (word == "--bins") {
            chosen.bins = parse_number(word, 10'000, argument.value());
            chosen.histogram = true;
        } else if (word == "--svg") {
            chosen.svg = argument.value();
            chosen.histogram = true;
        } else if (word == "--column") {
            chosen.column = argument.value();
        } else if (word == "--format") {
            format = parse_format(argument.value());
        } else if (word == "--type") {
            type = parse_type(argument.value());
        } else if (word == "--policy") {
            chosen.policy = argument.value();
        } else if (word == "--ranks") {
            chosen.ranks = parse_number(word, 1024, argument.value());
        } else if (word == "--repeat") {
            chosen.repeat = parse_number(word, std::numeric_limits<int>::max(), argument.value());
        } else {
            throw usage_error("unknown option " + in_quotes(word));
        }
    }
    if (chosen.files.empty()) {
        throw usage_error("which file?");
    }
    if (chosen.running && chosen.histogram) {
        throw usage_error("--running or a histogram: one at a time");
    }
    for (auto& file : chosen.files) {
        file.format = format ? format : type ? file_format::raw : format_of_ending(file.name);
        if (type && file.format != file_format::raw) {
            throw usage_error("--type is for raw files; other formats contain their type");
        }
        if (!type && file.format == file_format::raw) {
            throw usage_error("a raw file needs --type");
        }
    }
    chosen.type = type.value_or(named_element_type{});
    return chosen;
}

} // namespace example
