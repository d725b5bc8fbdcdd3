// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "number_column.hpp"

#include "bad_input.hpp"
#include "text.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>

namespace example {
namespace {

std::string listed(std::span<std::string const> names, std::size_t count)
{
    if (names.empty()) {
        return count == 1 ? "there is one column" : "columns are numbered 1 to " + std::to_string(count);
    }
    constexpr std::size_t most = 10;
    std::string list = "the columns are";
    for (auto const& name : names.first(std::min(most, names.size()))) {
        list += (&name == &names.front() ? " \"" : ", \"") + shortened(name, 40) + '"';
    }
    return names.size() <= most ? list : list + " and " + std::to_string(names.size() - most) + " more";
}

} // namespace

std::size_t find_column(std::string const& wanted, std::size_t count, std::span<std::string const> names)
{
    auto const named = std::find(names.begin(), names.end(), wanted);
    if (named != names.end()) {
        return static_cast<std::size_t>(named - names.begin());
    }
    std::size_t number = 0;
    auto const* const last = wanted.data() + wanted.size();
    auto const [end, error] = std::from_chars(wanted.data(), last, number);
    if (error == std::errc{} && end == last && number >= 1 && number <= count) {
        return number - 1;
    }
    throw bad_input("no column \"" + shortened(wanted, 60) + "\"; " + listed(names, count));
}

} // namespace example
