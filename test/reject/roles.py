#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions for the host only, in every role that they can have in a kernel: nvcc must reject each of them.

Usage: roles.py [--every N] NVCC FLAGS... : all roles of the table below, or each N-th. With functions for host and
device the same calls must compile, all in one program; and the host must be able to call such functions, silently.
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

START = r"""
#include <tilewise/tilewise.hpp>

#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <functional>
#include <ranges>
#include <span>

namespace tw = tilewise;

struct number {
    int v;
    friend WHERE bool operator<(number const& a, number const& b) { return a.v < b.v; }
    friend WHERE bool operator>(number const& a, number const& b) { return a.v > b.v; }
    friend WHERE bool operator==(number const& a, number const& b) { return a.v == b.v; }
    friend WHERE number operator+(number const& a, number const& b) { return {a.v + b.v}; }
    friend WHERE number operator-(number const& a, number const& b) { return {a.v - b.v}; }
    friend WHERE number operator-(number const& a) { return {-a.v}; }
    friend WHERE number operator*(number const& a, number const& b) { return {a.v * b.v}; }
};
struct larger { WHERE int operator()(int a, int b) const { return a < b ? b : a; } };
struct halved { WHERE int operator()(int a) const { return a / 2; } };
struct less { WHERE bool operator()(int a, int b) const { return a < b; } };
struct is_even { WHERE bool operator()(int a) const { return a % 2 == 0; } };
struct to_int { int v; WHERE operator int() const { return v; } };
struct from_int { int v; from_int() = default; WHERE from_int(int x) : v(x) {} };
struct own_axis {
    TILEWISE_PORTABLE int size() const { return 9; }
    TILEWISE_PORTABLE int extent() const { return 9; }
    WHERE int index(int x) const { return x; }
};
struct own_iterator {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using reference = int;
    using difference_type = long;
    using pointer = void;
    int p;
    TILEWISE_PORTABLE int operator*() const { return p; }
    WHERE int operator[](long n) const { return p + static_cast<int>(n); }
    TILEWISE_PORTABLE own_iterator operator+(long n) const { return {p + static_cast<int>(n)}; }
    TILEWISE_PORTABLE long operator-(own_iterator o) const { return p - o.p; }
    TILEWISE_PORTABLE own_iterator& operator++() { ++p; return *this; }
    bool operator==(own_iterator const&) const = default;
};
using it = own_iterator;

void calls(int* p, number* s, to_int* t, from_int* o, float* q)
{
    auto const& d = tw::device;
    auto const pairs = thrust::make_zip_iterator(p, p);
    auto const halves = thrust::make_transform_iterator(p, halved{});
"""

ROLES = r"""
tw::reduce(d, p, p + 3, 0, larger{});
tw::reduce_into(d, p, p + 3, p, 0, larger{});
tw::reduce(d, s, s + 3, number{});
tw::reduce(d, s, s + 3, number{}, std::multiplies<>{});
tw::reduce(d, s, s + 3, number{}, std::minus<>{});
tw::reduce(d, s, s + 3, number{}, tw::minimum<>{});
tw::reduce(d, s, s + 3, number{}, tw::maximum<number>{});
tw::reduce(d, s, s + 3, number{}, thrust::plus<number>{});
tw::reduce(d, s, s + 3, number{}, thrust::multiplies<>{});
tw::transform_reduce(d, p, p + 3, 0, std::plus<>{}, halved{});
tw::transform_reduce(d, p, p + 3, p, 0, std::plus<>{}, larger{});
tw::transform_reduce(d, s, s + 3, number{}, tw::minimum<>{}, std::negate<>{});
tw::transform_reduce(d, s, s + 3, number{}, tw::minimum<>{}, tw::square<>{});
tw::reduce(d, t, t + 3, 0);
tw::inclusive_scan(d, p, p + 3, o);
tw::reduce_into(d, p, p + 3, o);
tw::segmented_reduce(d, p, p, p + 3, p + 1, o);
tw::inclusive_scan(d, p, p + 3, p, larger{});
tw::exclusive_scan(d, s, s + 3, s, number{});
tw::transform_inclusive_scan(d, p, p + 3, p, std::plus<>{}, halved{});
tw::segmented_reduce(d, p, p, p + 3, p + 1, p, 0, larger{});
tw::segmented_inclusive_scan(d, p, p, p + 3, p + 1, p, larger{});
tw::reduce_by_index(d, p, p + 3, p, 4, p, 0, larger{});
tw::reduce_by_index(d, p, p + 3, s, 4, s, number{});
tw::reduce_by_index(d, p, p + 3, t, 4, p, 0);
tw::weighted_histogram(d, p, p + 3, t, 3, 0, 3, p);
tw::min_element(d, p, p + 3, less{});
tw::max_element(d, p, p + 3, less{});
tw::minmax_element(d, p, p + 3, less{});
tw::min_element(d, s, s + 3);
tw::max_element(d, s, s + 3, std::greater<>{});
tw::minmax_element(d, s, s + 3, std::less<number>{});
tw::min_element(d, s, s + 3, thrust::less<number>{});
tw::transform_reduce(d, s, s + 3, p, tw::indexed<number, int>{}, tw::argmin{}, tw::with_index{});
tw::transform_reduce(d, s, s + 3, p, tw::indexed<number, int>{}, tw::argmax{}, tw::with_index{});
tw::count_if(d, p, p + 3, is_even{});
tw::count(d, s, s + 3, number{3});
tw::histogram(d, p, p + 3, tw::function_axis{9, halved{}}, p);
tw::histogram(d, p, p + 3, own_axis{}, p);
tw::histogram(d, pairs, pairs + 3, tw::product_axis{tw::integer_axis(0, 3), own_axis{}}, p);
tw::histogram(d, pairs, pairs + 3, tw::product_axis{tw::integer_axis(0, 3), tw::function_axis{3, halved{}}}, p);
tw::weighted_histogram(d, p, p + 3, q, tw::function_axis{9, halved{}}, q);
tw::weighted_histogram(d, p, p + 3, q, own_axis{}, q);
tw::histogram(d, t, t + 3, tw::regular_axis(3, 0, 3), p);
tw::histogram(d, t, t + 3, tw::integer_axis(0, 3), p);
tw::histogram(d, thrust::make_zip_iterator(p, t), thrust::make_zip_iterator(p, t) + 3, tw::product_axis{tw::integer_axis(0, 3), tw::integer_axis(0, 3)}, p);
tw::reduce(d, it{0}, it{9});
tw::min_element(d, it{0}, it{9});
tw::reduce(d, halves, halves + 3);
tw::reduce(d, thrust::make_reverse_iterator(halves + 3), thrust::make_reverse_iterator(halves));
tw::inclusive_scan(d, p, p + 3, thrust::make_transform_output_iterator(p, halved{}));
tw::reduce_into(d, p, p + 3, thrust::make_transform_output_iterator(p, halved{}));
tw::reduce(d, std::span<int>(p, 3) | std::views::transform(halved{}), 0);
tw::min_element(d, std::span<int>(p, 3) | std::views::transform(halved{}));
""".strip().splitlines()


# By the host they can be called, and then there is nothing to warn of.
ON_HOST = r"""
tw::reduce(tw::par, s, s + 3, number{}, tw::minimum<>{});
tw::reduce(tw::seq, s, s + 3, number{}, tw::maximum<number>{});
tw::transform_reduce(tw::par, s, s + 3, number{}, std::plus<>{}, tw::square<>{});
tw::transform_reduce(tw::seq, s, s + 3, number{}, tw::maximum<>{}, tw::square<number>{});
tw::transform_reduce(tw::par, s, s + 3, number{}, std::plus<>{}, tw::absolute<>{});
tw::transform_reduce(tw::seq, s, s + 3, number{}, tw::minimum<number>{}, tw::absolute<number>{});
tw::transform_reduce(tw::par, s, s + 3, p, tw::indexed<number, int>{}, tw::argmin{}, tw::with_index{});
tw::transform_reduce(tw::seq, s, s + 3, p, tw::indexed<number, int>{}, tw::argmax{}, tw::with_index{});
""".strip().splitlines()


def compile_it(command, folder, number, calls, where):
    """The compiler's success and output."""
    path = Path(folder, f"role{number}.cu")
    start = START.replace("WHERE", where)
    path.write_text(start + "\n".join(calls) + "\n}\n")
    views = ["--expt-relaxed-constexpr"] if any("std::views" in call for call in calls) else []
    result = subprocess.run([*command, *views, "-cuda", "-o", os.devnull, path.name], cwd=folder, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode == 0, result.stdout


def main():
    arguments = sys.argv[1:]
    every = 1
    if arguments[:1] == ["--every"]:
        every, arguments = int(arguments[1]), arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    roles = ROLES[::every]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        together = pool.submit(compile_it, arguments, folder, "s", roles, "TILEWISE_PORTABLE")
        on_host = pool.submit(compile_it, arguments, folder, "s_on_host", ON_HOST, "")
        results = pool.map(lambda role: compile_it(arguments, folder, ROLES.index(role), [role], ""), roles)
        for role, (compiles, output) in zip(roles, results):
            rejected = not compiles and "calling a __host__ function" in output
            failed += not rejected
            print(f"{'rejected' if rejected else 'NOT REJECTED'}: {role}" + ("" if rejected else "\n" + output))
        compiles, output = together.result()
        if not compiles:
            failed += 1
            print(f"does not compile with functions for host and device:\n{output}")
        compiles, output = on_host.result()
        if not compiles or "warning #200" in output:
            failed += 1
            print(f"not silent on the host:\n{output}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
