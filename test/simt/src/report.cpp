// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "machine.hpp"
#include "user_code.hpp"

#include <cstdlib>
#include <string_view>

namespace simt {
namespace {

std::optional<report> first;

} // namespace

void note(char const* kind, std::string const& text)
{
    if (!first)
        first = report{kind, text};
}

void stop_thread(char const* kind, std::string const& text)
{
    thread& me = *the_machine().current;
    note(kind, text + "\n  in " + name_of(me));
    in_user_code = false;
    me.control.suspend(); // nobody runs it again
    std::abort();
}

std::optional<report> const& first_report()
{
    return first;
}

std::optional<report> take_report()
{
    auto taken = std::move(first);
    first.reset();
    return taken;
}

std::string text_of(location const& where)
{
    std::string_view const file = where.file;
    return std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(where.line);
}

} // namespace simt
