// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "on_all_ranks.hpp"

#include "bad_input.hpp"
#include "options.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>

namespace example {
namespace {

enum class kind : int { none, usage, input, input_at_position, memory, other };

/// An exception as it is sent to other ranks; its text follows.
struct failure {
    kind what = kind::none;
    text_position position;
    std::size_t length = 0;
};

struct described_failure {
    failure head;
    std::string text;
};

described_failure described(std::exception_ptr const& error)
{
    auto const with_text = [](kind what, char const* text, text_position position = {}) {
        return described_failure{{what, position, std::string(text).size()}, text};
    };
    if (!error) {
        return {};
    }
    try {
        std::rethrow_exception(error);
    } catch (usage_error const& failed) {
        return with_text(kind::usage, failed.what());
    } catch (bad_input const& failed) {
        return with_text(failed.position() ? kind::input_at_position : kind::input, failed.what(),
                         failed.position().value_or(text_position{}));
    } catch (std::bad_alloc const& failed) {
        return with_text(kind::memory, failed.what());
    } catch (std::exception const& failed) {
        return with_text(kind::other, failed.what());
    }
}

std::exception_ptr exception_of(failure const& head, std::string const& text)
{
    switch (head.what) {
    case kind::usage:
        return std::make_exception_ptr(usage_error(text));
    case kind::input:
        return std::make_exception_ptr(bad_input(text));
    case kind::input_at_position:
        return std::make_exception_ptr(bad_input(text, head.position));
    case kind::memory:
        return std::make_exception_ptr(std::bad_alloc());
    default:
        return std::make_exception_ptr(std::runtime_error(text));
    }
}

} // namespace

void throw_first(any_communicator& ranks, std::exception_ptr const& own)
{
    auto const failed = described(own);
    auto const all = all_gathered(ranks, failed.head);
    auto const first = std::find_if(all.begin(), all.end(), [](auto const& each) { return each.what != kind::none; });
    if (first == all.end()) {
        return;
    }
    auto const rank = first - all.begin();
    std::vector<std::size_t> sizes(all.size());
    sizes[static_cast<std::size_t>(rank)] = first->length;
    std::string text(first->length, '\0');
    ranks.all_gather_v(failed.text.data(), sizes, text.data());
    throw failed_on_a_rank(rank == ranks.rank() ? own : exception_of(*first, text), text);
}

void on_all_ranks(any_communicator& ranks, std::function<void()> const& step)
{
    std::exception_ptr own;
    try {
        step();
    } catch (...) {
        own = std::current_exception();
    }
    throw_first(ranks, own);
}

} // namespace example
