// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matching brackets, by a scan. What matters of a stretch of text is how many brackets it closes that others opened,
// and how many it leaves open: ")) (" closes two and opens one. Two stretches cancel where they meet, what the left one
// leaves open against what the right one closes. That is associative, and order is everything: "()" is not ")(".
// In this, the bicyclic monoid, every prefix says how deep it is, and whether a bracket has closed what nobody opened.

#include "everywhere.hpp"

#include <tilewise/scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string_view>

namespace {

using namespace example;

struct nesting {
    int closed, open;
    friend bool operator==(nesting const&, nesting const&) = default;
};

struct to_nesting {
    constexpr nesting operator()(char c) const { return {c == ')' ? 1 : 0, c == '(' ? 1 : 0}; }
};

struct join {
    constexpr nesting operator()(nesting const& a, nesting const& b) const
    {
        int const matched = a.open < b.closed ? a.open : b.closed;
        return {a.closed + b.closed - matched, a.open - matched + b.open};
    }
};

template <class Policy>
shared_vector<nesting> nestings(Policy const& policy, shared_vector<char> const& text)
{
    shared_vector<nesting> result(text.size());
    tilewise::transform_inclusive_scan(policy, text, result.begin(), join{}, to_nesting{});
    return result;
}

shared_vector<nesting> nestings_by_a_loop(shared_vector<char> const& text)
{
    shared_vector<nesting> result;
    nesting now{0, 0};
    for (char const c : text) {
        if (c == '(') {
            ++now.open;
        } else if (c == ')' && now.open > 0) {
            --now.open;
        } else if (c == ')') {
            ++now.closed;
        }
        result.push_back(now);
    }
    return result;
}

void explain(std::string_view text)
{
    auto const after = nestings(tilewise::par, shared_vector<char>(text.begin(), text.end()));
    std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::printf("%c", text[i] == '(' || text[i] == ')' ? static_cast<char>('0' + after[i].open) : ' ');
    }
    auto const mismatch = std::find_if(after.begin(), after.end(), [](nesting const& n) { return n.closed > 0; });
    if (mismatch != after.end()) {
        std::printf("\n%*s nothing to close\n\n", static_cast<int>(mismatch - after.begin()) + 1, "^");
    } else if (after.back().open > 0) {
        std::printf("\n%*s %d left open\n\n", static_cast<int>(text.size()) + 1, "^", after.back().open);
    } else {
        std::printf("\nwell nested\n\n");
    }
}

} // namespace

int main()
{
    explain("(define (fact n) (if (= n 0) 1 (* n (fact (- n 1)))))");
    explain("(a * (b + c)) / d) - (e");
    explain("f(g(x), h(y, (z))");

    shared_vector<char> text(1'000'003);
    std::mt19937 random(20240229);
    std::generate(text.begin(), text.end(), [&] { return "()."[random() % 3]; });
    auto const expected = nestings_by_a_loop(text);
    return check_everywhere([&](auto const& policy) { return nestings(policy, text) == expected; });
}
